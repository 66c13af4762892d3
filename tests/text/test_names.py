"""Names: lists, features, learning and what a model says; on toy data, and on the shipped model where it is there."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.errors import DataError, SettingsError
from onoma.text.annotate import MODELS
from onoma.text.names.attributes import AttributeLists, Mention
from onoma.text.names.casing import usually_cased
from onoma.text.names.gazetteer import Gazetteer
from onoma.text.names.sequences import bilou_codes, bilou_labels, spans_from
from onoma.text.names.tagger import LabelledSentences, NameSettings, NameTagger, learn_names
from onoma.text.tokens import Tokens
from onoma.text.words import WordTable, word_keys

WORDS = WordTable(np.zeros(0, np.uint32), np.zeros((0, 4), np.uint16))
LISTS = {"first": ["Ada", "Grace"], "city": ["New York", "York", "San Jose"]}


def gazetteer():
    return Gazetteer.of(LISTS, {"capital": {"ada": 5, "the": 1}})


def slow_phrases(words, is_open, lists):
    """The twin of `find_phrases`: for each list the longest phrase from left to right."""
    out = np.zeros((len(words), len(lists)), int)
    for k, phrases in enumerate(lists.values()):
        known = {tuple(phrase.lower().split()) for phrase in phrases}
        i = 0
        while i < len(words):
            ends = [
                j for j in range(i + 1, min(len(words), i + 6) + 1) if tuple(words[i:j]) in known and is_open[j - 1]
            ]
            if ends and is_open[i]:
                j = max(ends)
                out[i:j, k] = 3
                out[j - 1, k] = 4
                out[i, k] = 1 if j == i + 1 else 2
                i = j
            else:
                i += 1
    return out


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["new", "york", "san", "jose", "ada", "x"]), st.booleans()), max_size=12))
def test_phrases_agree_with_their_twin(pairs):
    words, is_open = [word for word, _ in pairs], np.array([flag for _, flag in pairs], np.bool_)
    found = gazetteer().attributes(
        word_keys(words) if words else np.zeros(0, np.uint32), is_open, np.array([0, len(words)], np.int32)
    )
    assert found[:, :2].tolist() == slow_phrases(words, is_open, LISTS).tolist()


def test_levels_are_looked_up():
    found = gazetteer().attributes(word_keys(["Ada", "the", "x"]), np.ones(3, np.bool_), np.array([0, 3], np.int32))
    assert found[:, 2].tolist() == [5, 1, 0]


def test_gazetteer_round_trip():
    one = gazetteer()
    again = Gazetteer.load(one.header(), one.arrays())
    assert again.keys.tolist() == one.keys.tolist() and again.word_levels.tolist() == one.word_levels.tolist()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 4), st.integers(0, 2)), max_size=6))
def test_spans_and_codes_say_the_same(gaps):
    spans, at = [], 0
    for gap, length, kind in gaps:
        spans.append((at + gap, at + gap + length, kind))
        at += gap + length
    found = spans_from(bilou_codes(at + 2, spans))
    assert list(zip(*(each.tolist() for each in found), strict=True)) == spans
    assert len(bilou_labels(["A", "B", "C"])) == 13


def toy(n=40):
    words, names = [], []
    for i in range(n):
        words.append(["Then", "Ada" if i % 2 else "Grace", f"Name{i}", "went", "to", "New", "York", "."])
        names.append([(1, 3, "PER"), (5, 7, "LOC")])
    return LabelledSentences(words, names, ["wiki", "social"] * (n // 2))


@pytest.fixture(scope="module")
def tagger():
    return learn_names(toy(), WORDS, gazetteer(), settings=NameSettings(n_epochs=8, least_count=1), seed=3)


def test_learns_a_toy_language(tagger):
    found = tagger.find(Tokens.of_words([["Then", "Grace", "Zyx", "went", "to", "New", "York", "."]]))
    assert list(zip(found.starts.tolist(), found.ends.tolist(), found.types.tolist(), strict=True)) == [
        (1, 3, 0),
        (5, 7, 2),
    ]
    assert (found.probabilities > 0.5).all() and (found.probabilities <= 1.0).all()


def test_saving_changes_nothing_and_is_the_same_to_the_byte(tagger, tmp_path):
    tagger.save(tmp_path / "a.npz")
    again = learn_names(toy(), WORDS, gazetteer(), settings=NameSettings(n_epochs=8, least_count=1), seed=3)
    again.save(tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    loaded = NameTagger.load(tmp_path / "a.npz", WORDS)
    tokens = Tokens.of_words(toy(10).words)
    one, other = tagger.find(tokens), loaded.find(tokens)
    assert one.starts.tolist() == other.starts.tolist()
    np.testing.assert_allclose(one.probabilities, other.probabilities, rtol=1e-5)


def test_a_sentence_is_read_by_itself(tagger):
    a, b = toy(4).words[:2], toy(8).words[5:7]
    both = tagger.find(Tokens.of_words(a + b))
    apart = [tagger.find(Tokens.of_words(part)) for part in (a, b)]
    shift = sum(map(len, a))
    assert both.starts.tolist() == apart[0].starts.tolist() + (apart[1].starts + shift).tolist()


def test_names_are_the_same_however_many_sentences_are_read_together(tagger, monkeypatch):
    sentences = [*toy(10).words, ["No", "name"], *toy(6).words]
    whole = tagger.find(Tokens.of_words(sentences))
    assert len(whole)
    for size in (1, 5, 9):
        monkeypatch.setattr("onoma.text.names.sequences._AT_ONCE", size)
        parts = tagger.find(Tokens.of_words(sentences))
        for name in ("starts", "ends", "types", "probabilities"):
            np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Thank you, Chicago!", ["Chicago"]),
        ("Is it you, Lydia?", ["Lydia"]),
        ("He met Anna Schmidt 🎉🎉 in Berlin!!", ["Anna Schmidt", "Berlin"]),
        ("yesterday i met john smith in paris", ["john smith", "paris"]),
        ("YESTERDAY WE MET JOHN SMITH IN PARIS.", ["JOHN SMITH", "PARIS"]),
        ("We ate an apple in the march wind.", []),
        ("Company Shares Fall After Chief Resigns", []),
        ("Shares Fall After Anna Schmidt Resigns in London", ["Anna Schmidt", "London"]),
        ("Gabriel García Márquez met Salman Rushdie", ["Gabriel García Márquez", "Salman Rushdie"]),
        ("Dear Mr Brandt,", ["Mr Brandt"]),
        ("Dear John, how are you?", ["John"]),
        ("Dear Customer, Dr Quxbar called.", ["Quxbar"]),
    ],
)
def test_names_of_the_model_that_ships(annotator, text, names):
    model = NameTagger.load(MODELS / "names.npz", annotator.words)
    tokens = annotator.tokenise(text)
    found = model.find(tokens)
    bounds = zip(tokens.starts[found.starts].tolist(), tokens.ends[found.ends - 1].tolist(), strict=True)
    assert [text[a:b] for a, b in bounds] == names


def test_only_sentences_of_one_case_are_written_anew(annotator):
    sentences = [["i", "saw", "paris"], ["I", "saw", "PARIS"], ["NO", "ENTRY", "!"], ["ßtadt", "ǆ", "london", "I"], []]
    found = usually_cased(Tokens.of_words(sentences), annotator.words)
    assert found.words() == ["I", "saw", "Paris", "I", "saw", "PARIS", "NO", "ENTRY", "!", "ßtadt", "ǆ", "London", "I"]
    assert not len(usually_cased(Tokens.of_words([]), annotator.words))


def test_no_text_no_names(tagger):
    assert len(tagger.find(Tokens.of_words([]))) == 0


def test_unknown_style_is_named(tagger):
    with pytest.raises(SettingsError, match="social, wiki"):
        tagger.find(Tokens.of_words([["x"]]), style="nonsense")


def test_damaged_model_is_a_clear_error(tmp_path):
    (tmp_path / "names.npz").write_bytes(b"nonsense")
    with pytest.raises(DataError):
        NameTagger.load(tmp_path / "names.npz", WORDS)


ATTRIBUTES = AttributeLists.of(
    {"teacher", "dog"}, {"table", "house"}, {"bachelor"}, {"bridesmaid"}, {"Ada": "feminine", "John": "masculine"}
)


@pytest.mark.parametrize(
    ("words", "tags", "head", "name", "expected"),
    [
        (["she"], ["PRP"], 0, None, ("pronoun", "singular", "feminine", "animate", "pronoun")),
        (["They"], ["PRP"], 0, None, ("pronoun", "plural", None, None, "pronoun")),
        (
            ["Ada", "Lovelace"],
            ["NNP", "NNP"],
            1,
            "PER",
            ("proper", "singular", "feminine", "animate", "first name (DBpedia)"),
        ),
        (["Mr.", "Ada"], ["NNP", "NNP"], 1, "PER", ("proper", "singular", "masculine", "animate", "title")),
        (["IBM"], ["NNP"], 0, "ORG", ("proper", "singular", "neuter", "inanimate", "name type")),
        (["the", "tables"], ["DT", "NNS"], 1, None, ("nominal", "plural", "neuter", "inanimate", "tag, WordNet")),
        (["a", "teacher"], ["DT", "NN"], 1, None, ("nominal", "singular", None, "animate", "tag, WordNet")),
        (
            ["my", "mother"],
            ["PRP$", "NN"],
            1,
            None,
            ("nominal", "singular", "feminine", "animate", "tag, gendered noun"),
        ),
        (
            ["John", "and", "Ada"],
            ["NNP", "CC", "NNP"],
            0,
            "PER",
            ("proper", "plural", "masculine", "animate", "first name (DBpedia)"),
        ),
        (["a", "zyx"], ["DT", "NN"], 1, None, ("nominal", "singular", None, None, "tag")),
    ],
)
def test_attributes(words, tags, head, name, expected):
    lemma = {"tables": "table"}.get(words[head])
    assert ATTRIBUTES.attributes([Mention(words, tags, head, name, lemma)])[0] == expected


def test_attribute_lists_round_trip(tmp_path):
    ATTRIBUTES.save(tmp_path / "attributes.npz")
    again = AttributeLists.load(tmp_path / "attributes.npz")
    assert again.look_up(["Ada", "dog", "x"]) == ATTRIBUTES.look_up(["Ada", "dog", "x"])
    assert again.look_up([]) == []
