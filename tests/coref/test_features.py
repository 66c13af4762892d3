from dataclasses import replace

import numpy as np
import pytest

from coref.worlds import make_bank, make_document
from onoma.coref._features_kernels import N_RELATIONS, pair_relations
from onoma.coref.attributes import Column
from onoma.coref.discourse.quotations import quoted_tokens
from onoma.coref.document import Document
from onoma.coref.features import NEW_TEMPLATES, PAIR_TEMPLATES, explain_new, explain_pair, prepare
from onoma.coref.mentions import candidate_mentions
from reference.coref import relations

NAMES = {0: "same words", 2: "same head", 3: "its words in the antecedent", 4: "the antecedent's words in it"}


@pytest.fixture
def document():
    return make_document()


def test_relations_equal_those_from_the_words(document):
    spans = candidate_mentions(document)
    prepared = prepare(document, spans, {})
    m, rel = prepared.mentions, np.empty(N_RELATIONS, np.int64)
    for i in range(len(spans)):
        for j in range(i):
            pair_relations(m.table, m.words, m.word_ends, m.modifiers, m.modifier_ends, i, j, rel)
            slow = relations(document, spans[i], spans[j])
            assert {name: rel[k] for k, name in NAMES.items()} == {name: slow[name] for name in NAMES.values()}
            assert rel[11] == slow["distance in sentences"]


def test_explanations_add_up_to_the_scores(document):
    prepared = prepare(document, candidate_mentions(document), {"the": 1, "king": 2})
    weights = np.random.default_rng(0).normal(size=1 << 12)
    scores = prepared.scores(weights, 100)
    for i in range(len(prepared)):
        parts = explain_new(prepared, weights, i)
        assert [name for name, _ in parts] == list(NEW_TEMPLATES)
        assert sum(value for _, value in parts) == pytest.approx(scores[i, i])
        for j in range(i):
            parts = explain_pair(prepared, weights, i, j)
            assert [name for name, _ in parts] == list(PAIR_TEMPLATES)
            assert sum(value for _, value in parts) == pytest.approx(scores[i, j])


def test_a_window_limits_antecedents(document):
    prepared = prepare(document, candidate_mentions(document), {})
    scores = prepared.scores(np.zeros(256), 2)
    i, j = np.indices(scores.shape)
    assert np.isfinite(scores[(j <= i) & (i - j <= 2)]).all()
    assert np.isneginf(scores[(j > i) | (i - j > 2)]).all()


def test_attributes(document):
    spans = {(s.start, s.end): s for s in candidate_mentions(document)}
    rows = {key: prepare(document, [span], {}).mentions.table[0] for key, span in spans.items()}
    ada, she, king, daughters = rows[0, 2], rows[9, 10], rows[3, 8], rows[14, 16]
    assert (she[Column.TYPE], she[Column.GENDER], she[Column.NUMBER]) == (0, 2, 1)
    assert (king[Column.TYPE], king[Column.GENDER], king[Column.ANIMACY]) == (2, 1, 1)
    assert (ada[Column.TYPE], ada[Column.ANIMACY]) == (1, 1)
    assert (daughters[Column.NUMBER], daughters[Column.GENDER], daughters[Column.TYPE]) == (2, 2, 6)


@pytest.fixture
def bank():
    document = make_bank()
    prepared = prepare(document, candidate_mentions(document), {})
    texts = [" ".join(document.words[span.start : span.end]) for span in prepared.spans]
    return prepared, texts


def _rows(bank, *texts):
    prepared, all_ = bank
    return [prepared.mentions.table[all_.index(text)] for text in texts]


def test_a_mention_has_the_core_of_its_head(bank):
    whole, name = _rows(bank, "Mr. Jan Holt , head of the World Bank", "Mr. Jan Holt")
    assert whole[Column.CORE] == name[Column.CORE] != 0
    the, bare, date, month = _rows(bank, "the World Bank", "World Bank", "July 1805", "July")
    assert the[Column.CORE] == bare[Column.CORE] != 0
    assert date[Column.CORE] != month[Column.CORE]
    both, one = _rows(bank, "the W.B. and Dhaka", "the W.B.")
    assert both[Column.CORE] != one[Column.CORE]
    assert [row[Column.SAID] for row in (whole, the, one)] == [1, 2, 1]
    (holt,) = _rows(bank, "Holt")
    assert holt[Column.LAST_NAME] == whole[Column.LAST_NAME] != whole[Column.FIRST_NAME]  # Jan, not Mr.


def test_parts_of_names_are_known_as_such(bank):
    found = _rows(bank, "World Bank", "World", "the World Bank", "head of the World Bank")
    assert [row[Column.NAMING] for row in found] == [1, 3, 4, 0]
    longer = replace(make_bank(), names=[(4, 9, "ORG"), (24, 26, "ORG")])  # the second World Bank stands by itself
    spans = candidate_mentions(longer)
    rows = prepare(longer, spans, {}).mentions.table
    inside = [k for k, span in enumerate(spans) if (span.start, span.end) in {(6, 9), (7, 8)}]
    assert rows[inside, Column.NAMING].tolist() == [7, 3]


def test_what_a_phrase_holds_and_leaves_out_behind_its_head(bank):
    found = _rows(
        bank, "Mr. Jan Holt , head of the World Bank", "Mr. Jan Holt", "the W.B. and Dhaka", "the W.B.", "Dhaka"
    )
    assert [row[Column.CUT] for row in found] == [1 << 1, 1 << 5, 1 << 0, 1 << 4, 0]


def test_initials_are_those_of_another_name(bank):
    prepared, texts = bank
    m, rel = prepared.mentions, np.empty(N_RELATIONS, np.int64)
    at = {text: row for row, text in enumerate(texts)}

    def initials(i, j):
        pair_relations(m.table, m.words, m.word_ends, m.modifiers, m.modifier_ends, at[i], at[j], rel)
        return rel[16]

    assert initials("the W.B.", "the World Bank") == 1
    assert initials("the World Bank", "World Bank") == 0
    assert initials("Dhaka", "the World Bank") == 0


def test_mentions_with_one_core_are_counted_by_heads(bank):
    prepared, texts = bank
    rows = [k for k, text in enumerate(texts) if text in {"the World Bank", "World Bank"}]
    assert prepared.counts[rows, 6].tolist() == [0] * (len(rows) // 2) + [1] * (len(rows) // 2)
    assert prepared.counts[rows, 7].tolist() == [2] * len(rows)


def _feminine(document):
    """Return a document in which every masculine pronoun is feminine."""
    mirror = {"he": "she", "him": "her", "his": "her", "himself": "herself"}
    words = [mirror.get(word, word) for word in document.words]
    return replace(document, words=words, lemmas=[mirror.get(lemma, lemma) for lemma in document.lemmas])


def test_masculine_and_feminine_pronouns_share_what_is_learnt():
    words = ["the", "guest", "saw", "him", "and", "his", "friend", ",", "and", "he", "knew", "himself"]
    tags = ["DT", "NN", "VBD", "PRP", "CC", "PRP$", "NN", ",", "CC", "PRP", "VBD", "PRP"]
    upos = ["DET", "NOUN", "VERB", "PRON", "CCONJ", "PRON", "NOUN", "PUNCT", "CCONJ", "PRON", "VERB", "PRON"]
    document = Document(
        name="d",
        words=words,
        lemmas=words,
        tags=tags,
        upos=upos,
        deprels=["det", "nsubj", "root", "obj", "cc", "nmod:poss", "conj", "punct", "cc", "nsubj", "conj", "obj"],
        heads=np.array([1, 2, 2, 2, 6, 6, 3, 10, 10, 10, 2, 10]),
        sentences=np.zeros(len(words), np.int64),
        speakers=[""] * len(words),
        clusters=np.arange(3 * len(words)).reshape(-1, 3),
    )
    vocabulary = {word: k for k, word in enumerate(("he", "him", "his", "himself", "she", "her", "herself"), start=1)}
    weights = np.random.default_rng(0).normal(size=1 << 16)
    his, hers = (
        prepare(each, candidate_mentions(each), vocabulary).scores(weights, 100)
        for each in (document, _feminine(document))
    )
    # Names of the gender itself (antecedent's word and cluster by pronoun) are the only features that differ.
    assert np.isclose(his, hers).mean() > 0.6
    assert np.allclose(np.diag(his), np.diag(hers))


@pytest.mark.parametrize(
    ("words", "quoted"),
    [
        ("the boys ' house is old", "0 0 0 0 0 0"),
        ('he said " come " twice', "0 0 1 1 0 0"),
        ("“ come ” he said ’", "1 1 0 0 0 0"),
        ("`` come '' he said", "1 1 0 0 0"),
        ("“ come . “ and go ” now", "1 1 1 1 1 1 0 0"),
    ],
)
def test_quotation_marks_quote_and_apostrophes_do_not(words, quoted):
    assert quoted_tokens(words.split()) == [int(each) for each in quoted.split()]
