import numpy as np
import pytest

from onoma.correct.forms import Forms
from onoma.correct.lists import TYPES
from onoma.correct.model import encode
from onoma.correct.rules import apply_rules, share_of
from onoma.correct.slips.find import find_ruled
from onoma.correct.sounds import article_for, takes_an
from onoma.correct.spelling import Speller
from reference.contexts import tags_of

FORMS = Forms(
    {"work": "works", "boy": "boys", "day": "days", "place": "places", "point": "points"},
    {
        "go": ("go", "goes", "went", "gone", "going"),
        "have": ("have", "has", "had", "had", "having"),
        "hear": ("hear", "hears", "heard", "heard", "hearing"),
        "put": ("put", "puts", "put", "put", "putting"),
        "agree": ("agree", "agrees", "agreed", "agreed", "agreeing"),
        "point": ("point", "points", "pointed", "pointed", "pointing"),
        "write": ("write", "writes", "wrote", "written", "writing"),
        "buy": ("buy", "buys", "bought", "bought", "buying"),
    },
    {},
)


def ruled(text: str) -> list[tuple[str, str]]:
    """Edits of a text of `word/TAG`."""
    pairs = [token.rpartition("/") for token in text.split()]
    words, tags = [word for word, _, _ in pairs], [tag for _, _, tag in pairs]
    return [
        (" ".join(words[a:b]), " ".join(put))
        for a, b, put, _ in find_ruled(words, [word.lower() for word in words], tags, FORMS)
    ]


@pytest.mark.parametrize(
    ("word", "article"),
    [
        ("university", "a"), ("union", "a"), ("unit", "a"), ("unusual", "an"), ("unidentified", "an"),
        ("hour", "an"), ("honest", "an"), ("house", "a"), ("herb", ""), ("historic", ""), ("European", "a"),
        ("one-off", "a"), ("onerous", "an"), ("MBA", "an"), ("M.B.A.", "an"), ("UN", "a"), ("NASA", ""), ("8", "an"),
        ("80th", "an"), ("18", "an"), ("1800", ""), ("1", "a"), ("x-ray", "an"), ("u-turn", "a"), ("Ulrich", ""),
        ("émigré", ""), ("“", ""), ("", ""),
    ],
)  # fmt: skip
def test_the_article_follows_the_sound(word, article):
    assert article_for(word) == article
    if article:
        assert takes_an(word) == (article == "an")


@pytest.mark.parametrize(
    ("text", "edits"),
    [
        ("I/PRP has/VBZ an/DT university/NN degree/NN", [("has", "have"), ("an", "a")]),
        ("She/PRP never/RB go/VBP there/RB", [("go", "goes")]),
        ("they/PRP was/VBD there/RB", [("was", "were")]),
        ("There/EX is/VBZ many/JJ good/JJ places/NNS", [("is", "are")]),
        ("there/EX was/VBD boys/NNS outside/RB", [("was", "were")]),
        ("I/PRP look/VBP forward/RB to/TO point/VB it/PRP out/RP", [("point", "pointing")]),
        ("He/PRP can/MD goes/VBZ", [("goes", "go")]),
        ("He/PRP did/VBD n't/RB went/VBD", [("went", "go")]),
        ("We/PRP look/VBP forward/RB to/TO hear/VB it/PRP", [("hear", "hearing")]),
        ("He/PRP should/MD to/TO go/VB", [("to", "")]),
        ("It/PRP dont/VBP work/VB", [("dont", "don't")]),
        ("many/JJ informations/NNS", [("informations", "information")]),
        ("in/IN the/DT the/DT house/NN", [("the the", "the")]),
        ("It/PRP is/VBZ more/RBR better/JJR now/RB", [("more", "")]),
        ("She/PRP is/VBZ agree/VB with/IN me/PRP", [("is agree", "agrees")]),
        ("They/PRP depend/VBP of/IN us/PRP", [("of", "on")]),
        ("We/PRP discussed/VBD about/IN it/PRP", [("about", "")]),
        ("here/RB since/IN five/CD years/NNS", [("since", "for")]),
        ("In/IN the/DT other/JJ hand/NN ,/, we/PRP rest/VBP", [("In", "on")]),
        ("on/IN monday/NNP i/PRP rest/VBP", [("monday", "Monday"), ("i", "I")]),
        ("One/CD day/NN ,/, he/PRP go/VBP home/RB", [("go", "goes")]),
        ("I/PRP have/VBP never/RB went/VBD there/RB", [("went", "gone")]),
        ("Yesterday/NN I/PRP sleep/VBP ,/, but/CC she/PRP go/VBP home/RB", [("go", "goes")]),
        ("When/WRB he/PRP gone/VBN home/RB ,/, we/PRP rest/VBP", [("gone", "went")]),
        ("My/PRP$ boy/NN do/VBP n't/RB go/VB", [("do", "does")]),
        ("She/PRP has/VBZ write/VB a/DT book/NN", [("write", "written")]),
        ("He/PRP had/VBD to/TO heard/VBN it/PRP", [("heard", "hear")]),
        ("He/PRP must/MD agreed/VBN with/IN us/PRP", [("agreed", "agree")]),
        ("people/NNS who/WP goes/VBZ there/RB", [("goes", "go")]),
        ("The/DT old/JJ boys/NNS is/VBZ here/RB", [("is", "are")]),
        ("Many/JJ boy/NN go/VBP home/RB", [("boy", "boys")]),
        ("Every/DT days/NNS we/PRP go/VBP home/RB", [("days", "day")]),
        ("one/CD of/IN the/DT best/JJS place/NN in/IN town/NN", [("place", "places")]),
    ],
)
def test_rules_name_slips(text, edits):
    assert ruled(text) == edits


@pytest.mark.parametrize(
    "text",
    [
        "You/PRP and/CC he/PRP have/VBP won/VBN",
        "Did/VBD she/PRP go/VB ?/.",
        "I/PRP suggest/VBP that/IN he/PRP go/VB",
        "They/PRP let/VBD it/PRP go/VB",
        "He/PRP put/VBD it/PRP there/RB",
        "the/DT will/NN went/VBD to/IN her/PRP",
        "A/DT is/VBZ a/DT letter/NN",
        "He/PRP said/VBD that/IN that/DT was/VBD right/JJ",
        "the/DT people/NNS I/PRP talked/VBD to/IN went/VBD home/RB",
        "an/DT historic/JJ hotel/NN",
        "more/JJR better/JJR schools/NNS are/VBP built/VBN",
        "since/IN five/CD years/NNS ago/RB",
        "in/IN the/DT other/JJ hand/NN he/PRP held/VBD it/PRP",
        "since/IN 1995/CD we/PRP agree/VBP",
        "item/NN (/-LRB- i/LS )/-RRB- is/VBZ new/JJ",
        "on/IN Monday/NNP I/PRP rest/VBP",
        "You/PRP ,/, he/PRP go/VB",
        "Nobody/NN but/IN he/PRP go/VBP",
        "Had/VBD he/PRP gone/VBN home/RB",
        "The/DT boys/NNS of/IN my/PRP$ boy/NN do/VBP n't/RB go/VB",
        "We/PRP do/VBP all/DT we/PRP can/MD to/TO go/VB",
        "the/DT political/JJ will/MD to/TO go/VB",
        "Whatever/WDT money/NN they/PRP had/VBD went/VBD there/RB",
        "They/PRP have/VBP agreed/VBN",
        "All/DT they/PRP need/VBP to/TO is/VBZ go/VB",
        "one/CD of/IN the/DT boys/NNS who/WP goes/VBZ there/RB",
        "the/DT boys/NNS points/VBZ scored/VBN",
        "Studies/NNS like/IN these/DT point/NN to/IN it/PRP",
        "the/DT two/CD point/NN at/IN it/PRP",
        "many/JJ boy/NN bands/NNS",
        "each/DT boys/NNS '/POS school/NN",
        "there/EX is/VBZ many/JJ a/DT place/NN",
        "there/EX is/VBZ two/CD days/NNS work/NN",
        "there/EX is/VBZ work/NN and/CC places/NNS",
        "I/PRP look/VBP forward/RB to/TO work/VB",
    ],
)
def test_rules_are_silent_where_english_has_a_reason(text):
    assert ruled(text) == []


def test_a_past_made_by_rule_is_named():
    speller = Speller({"buyer": 500, "agreed": 500, "speeded": 5}, {})
    words = ["he", "buyed", "it", ",", "speeded", "off", "and", "agreed", "it", "was", "not", "writed", "nor", "wented"]
    found = list(find_ruled(words, words, ["XX"] * len(words), FORMS, speller))
    assert [(words[a], put[0], rule) for a, _, put, rule in found] == [
        ("buyed", "bought", "irregular past"),
        ("writed", "written", "irregular past"),
        ("wented", "went", "irregular past"),
    ]


def test_how_sure_a_misspelling_is():
    speller = Speller(dict.fromkeys(("receive", "terror", "motions", "domains"), 5_000), {})
    words = ["recieve", "terrorm", "terrorr", "imotions", "domainers"]
    found = list(find_ruled(words, words, ["NN"] * len(words), FORMS, speller))
    assert [(words[a], rule) for a, _, _, rule in found] == [
        ("recieve", "misspelt"),  # one stroke within the word
        ("terrorm", "perhaps misspelt"),  # at its end, where unknown words differ
        ("terrorr", "misspelt"),  # a letter doubled
    ]  # and neither another first letter nor another ending
    assert share_of("perhaps misspelt", 1.0) > 0.6 > share_of("perhaps misspelt", 0.0)


def test_information_gets_no_plural(corrector):
    words = ["She", "has", "information", "."]
    text, edits, p = corrector.weigh([words], [tags_of(words)])
    settled, _ = apply_rules(text, edits, p, corrector.weigher.proposals)
    plural = (edits.starts == 2) & (edits.types == TYPES.index("number"))
    assert (settled[plural] == 0).all()


def test_a_misspelt_first_word_is_named_where_it_links():
    words = {"furthermore": 500, "holiday": 5_000, "government": 5_000}
    speller = Speller(words, {}, frozenset(("holiday", "government")))
    for first, found in (
        ("Futhermore", [(0, 1, ("furthermore",), "misspelt")]),
        ("Goverment", [(0, 1, ("government",), "misspelt")]),
        ("Hollidday", []),
        ("Holidy", []),
    ):
        sentence = [first, ",", "we", "rest"]
        assert (
            list(find_ruled(sentence, [w.lower() for w in sentence], ["NNP", ",", "PRP", "VBP"], FORMS, speller))
            == found
        )


def test_articles_before_digits_stay(corrector):
    words = ["She", "has", "the", "q0", "cats", "."]
    text, edits, p = corrector.weigh([words], [tags_of(words)])
    settled, _ = apply_rules(text, edits, p, corrector.weigher.proposals)
    near = (edits.ends == 3) & np.isin(edits.types, [TYPES.index("article"), TYPES.index("preposition")])
    assert near.any()
    assert (settled[near] == 0).all()
    others = ~near & (edits.types >= 0)
    assert settled[others] == pytest.approx(p[others])


def test_a_sure_misspelling_is_named_and_a_doubtful_one_is_not():
    speller = Speller({"definitely": 500, "cart": 400, "card": 400, "rare": 3}, {})
    words = ["he", "definately", "had", "a", "carx", "and", "a", "rarre", "Definatly"]
    found = list(find_ruled(words, [word.lower() for word in words], ["NN"] * len(words), FORMS, speller))
    assert [(words[a], put, rule) for a, _, put, rule in found] == [("definately", ("definitely",), "misspelt")]
    assert not list(find_ruled(["definately"], ["definately"], ["FW"], FORMS, speller))


def test_a_ruled_edit_has_at_least_the_rules_probability_and_places_still_sum_to_one(corrector):
    sentences = [["He", "go", "to", "a", "apple", "."], ["If", "he", "were", "here", "."]]
    text = encode(sentences, [tags_of(words) for words in sentences], corrector.weigher.ngrams)
    edits = corrector.weigher.describe(text)
    p = corrector.probabilities(edits) * 0 + 1e-6
    p[edits.rows.groups[:-1]] += 1 - np.add.reduceat(p, edits.rows.groups[:-1])
    raised, rules = apply_rules(text, edits, p, corrector.weigher.proposals)
    assert rules
    for row, rule in rules.items():
        assert raised[row] == share_of(rule, 1.0)
    first = edits.sentence[edits.rows.groups[:-1]] == 0
    assert np.add.reduceat(raised, edits.rows.groups[:-1])[first] == pytest.approx(1)
    were = (edits.sentence == 1) & (edits.starts == 2) & (edits.types == 3)
    assert were.any()
    assert (raised[were] == 0).all()
