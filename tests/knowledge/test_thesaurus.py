import numpy as np
import pytest

from onoma.errors import DataError
from onoma.knowledge.thesaurus import Entry, combine, from_entries, plain, row_normal

BOOK = [
    Entry("hot", {"synonym": ["warm", "Burning_hot"], "antonym": ["cold"]}),
    Entry("cold", {"synonym": ["cool"], "antonym": ["warm", "hot"]}),
]


def test_members_are_headword_and_synonyms():
    book = from_entries(BOOK)
    dense = book.members.toarray()
    assert [word for word, is_member in zip(book.words, dense[0], strict=True) if is_member] == [
        "hot",
        "warm",
        "burning hot",
    ]


def test_an_antonym_links_to_the_entry_it_heads_or_else_to_those_it_is_in():
    links = from_entries(BOOK).link("antonym").toarray()
    # "cold" heads the second entry; "warm" heads none and is a member of the first, as "hot" is its head.
    np.testing.assert_allclose(links, [[0, 1], [2, 0]])


def test_an_antonym_nobody_lists_links_to_nothing_and_an_empty_relation_says_so():
    lonely = from_entries([Entry("hot", {"antonym": ["zzz"]})])
    with pytest.raises(DataError, match="lists no antonym at all"):
        lonely.link("antonym")
    with pytest.raises(DataError, match="no hypernym at all"):
        lonely.link("hypernym")


def test_no_entries_is_an_error():
    with pytest.raises(DataError, match="no entries"):
        from_entries([])
    with pytest.raises(DataError, match="no thesaurus"):
        combine([])


def test_words_are_found_by_base_form():
    book = from_entries([Entry("try", {"synonym": ["attempt", "box", "bake"]})])
    for inflected, base in (("tries", "try"), ("attempting", "attempt"), ("boxes", "box"), ("baked", "bake")):
        assert book.words[book.find(inflected)] == base
    assert book.find("attempted murder") is None


def test_irregular_forms_come_before_rules():
    book = from_entries([Entry("go", {"synonym": ["wend"]})])
    irregular = type(book)(book.words, book.documents, book.members, book.links, {"went": ("go",)})
    assert irregular.words[irregular.find("went")] == "go"


def test_combined_thesauri_share_words_and_keep_links():
    a, b = from_entries(BOOK), from_entries([Entry("cool", {"synonym": ["hip"], "antonym": ["cool"]})])
    both = combine([a, b])
    assert len(both.documents) == 3
    assert sorted(both.words) == sorted({*a.words, *b.words})
    np.testing.assert_array_equal(both.members.toarray()[:2, : len(a.words)], a.members.toarray())
    np.testing.assert_allclose(both.link("antonym").toarray()[:2, :2], a.link("antonym").toarray())
    assert both.members.toarray()[2, both.find("cool")] == 1
    assert combine([a]) is a


@pytest.mark.parametrize("power", [1, 2])
def test_rows_have_length_one_or_stay_zero(power):
    rows = row_normal(np.array([[3.0, -4.0], [0.0, 0.0]]), power=power).toarray()
    np.testing.assert_allclose((abs(rows) ** power).sum(axis=1), [1, 0], rtol=1e-6)


def test_plain_words():
    assert plain("  Ice__cold\t") == "ice cold"


@pytest.mark.parametrize(("listed", "other"), [("hypernym", "hyponym"), ("hyponym", "hypernym")])
def test_of_hypernyms_and_hyponyms_one_follows_from_the_other(listed, other):
    book = from_entries([Entry("parrot", {listed: ["bird"]}), Entry("bird", {})])
    assert book.link(listed).toarray().tolist() == [[0, 1], [0, 0]]
    assert book.link(other).toarray().tolist() == [[0, 0], [1, 0]]
