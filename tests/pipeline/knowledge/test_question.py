import pytest

from onoma.errors import SettingsError
from onoma.pipeline.knowledge.question import Query, parse_query, readings


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("in(lyon, ?)", Query("in", "lyon", None)),
        (" lives in ( ?, new york ) ", Query("lives in", None, "new york")),
        ("?(lyon, france)", Query(None, "lyon", "france")),
        ("in(lyon, ?where)", Query("in", "lyon", None)),
        ('in("a, b", "c)")', Query("in", "a, b", "c)")),
        (r'in("say \"x\"", ?)', Query("in", 'say "x"', None)),
        ('in("?", x)', Query("in", "?", "x")),
        ("'lives in'('new york', ?)", Query("lives in", "new york", None)),
        ("in(it's, ?)", Query("in", "it's", None)),
        ("/people/person(/m/01, ?)", Query("/people/person", "/m/01", None)),
        ("size(lyon (rhone), ?)", Query("size", "lyon (rhone)", None)),
        ('label(?, "Lyon"@fr)', Query("label", None, '"Lyon"@fr')),
        ('label(?, "Lyon, ville"@fr)', Query("label", None, '"Lyon, ville"@fr')),
    ],
)
def test_questions_are_read(text, query):
    assert parse_query(text) == query


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("in(Paris, Texas, ?)", Query("in", "Paris, Texas", None)),
        ("in(?, a, b)", Query("in", None, "a, b")),
        ("r(el)(?, (x))", Query("r(el)", None, "(x)")),
        ('label(?, "Lyon")', Query("label", None, '"Lyon"')),
        ('in("Lyon", ?)', Query("in", "Lyon", None)),
        (r'label(?, "say \"hi\""@en)', Query("label", None, '"say "hi""@en')),
    ],
)
def test_known_names_decide_between_readings(text, query):
    entities = {"Paris, Texas", "a, b", "(x)", "a", "b", '"Lyon"', '"say "hi""@en'} | (
        {"Lyon"} if query.relation == "in" else set()
    )
    assert parse_query(text, entities, {"in", "label", "r(el)"}) == query


def test_a_question_is_written_so_that_it_can_be_read_again():
    for query in (
        Query("in", "a, b", None),
        Query("r(el)", 'say "x"', "?"),
        Query("in", "c\\d", "[/]"),
        Query(None, " a ", "it's"),
        Query("lives in", "new york", None),
    ):
        assert parse_query(str(query)) == query
    assert str(Query("lives in", "new york", None)) == "lives in(new york, ?)"


@pytest.mark.parametrize("text", ["in", "", "in()", "in(lyon)", "in(a, b", "(a, b)", "in(, b)", "in lyon ?"])
def test_what_is_no_question_is_said(text):
    with pytest.raises(SettingsError, match="no question"):
        parse_query(text)
    assert readings(text) == []


@pytest.mark.parametrize("text", ["in(?, ?)", "?(a, ?)"])
def test_only_one_part_may_be_open(text):
    with pytest.raises(SettingsError, match="more than one part open"):
        parse_query(text)
