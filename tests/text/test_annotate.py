import re

import numpy as np
import pytest

from onoma.errors import DataError
from onoma.text.annotate import Annotator
from onoma.text.evaluation import score_annotator, score_raw
from onoma.text.lemmas import Lemmatiser
from onoma.text.reader import LONGEST
from onoma.text.syntax.phrases import BASE, COORDINATION, MAXIMAL, noun_phrases
from onoma.text.syntax.treebank import read_treebank
from onoma.text.tokens import Tokens
from onoma.text.training import read_ewt

TEXT = "The old man, a retired teacher, gave Mary and her two sisters books that he had written."


def test_a_sentence_in_full(annotator):
    (sentence,) = annotator.sentences("The cats were sitting on Ann's mat.")
    assert sentence.lemmas == ["the", "cat", "be", "sit", "on", "Ann", "'s", "mat", "."]
    assert sentence.upos == ["DET", "NOUN", "AUX", "VERB", "ADP", "PROPN", "PART", "NOUN", "PUNCT"]
    assert sentence.heads == [1, 3, 3, -1, 7, 7, 5, 3, 3]
    assert sentence.labels == ["det", "nsubj", "aux", "root", "case", "nmod:poss", "case", "obl", "punct"]
    assert "Number=Plur" in sentence.feats[1] and "Tense=Pres" in sentence.feats[3]


def test_trees_have_one_root_and_no_circle(annotator):
    for sentence in annotator.sentences(
        "Colourless green ideas sleep. " * 3 + "((( , ; . a b c ))) ?!\n\nHi\n\n" + TEXT
    ):
        assert sentence.heads.count(-1) == 1 and sentence.labels[sentence.heads.index(-1)] == "root"
        for k in range(len(sentence.heads)):
            seen, above = set(), k
            while above >= 0:
                assert above not in seen
                seen.add(above)
                above = sentence.heads[above]


def test_a_very_long_sentence_is_one_tree(annotator):
    words = ["the", "cat", "and"] * LONGEST
    tokens = Tokens.of_words([["Hello", "."], words, ["Bye", "."]])
    trees = annotator.parse(tokens)
    assert ((trees.heads < 0).nonzero()[0] < 2).sum() == 1 and (trees.heads < 0).sum() == 3
    inside = trees.heads[2:-2]
    assert ((inside >= 2) | (inside == -1)).all() and (inside < len(words) + 2).all()


def test_sentences_do_not_see_each_other(annotator):
    together = annotator.sentences("Ann ran.\n\nBob slept.")
    alone = annotator.sentences("Ann ran.") + annotator.sentences("Bob slept.")
    assert [(s.words, s.xpos, s.heads, s.labels) for s in together] == [
        (s.words, s.xpos, s.heads, s.labels) for s in alone
    ]


def test_nothing_gives_nothing(annotator):
    assert annotator.sentences("") == [] and annotator.sentences(" \n\n \t") == []
    empty = Tokens.of_words([])
    tags = annotator.tag(empty)
    assert len(annotator.parse(empty).heads) == 0 and annotator.lemmas(empty, tags) == []


def test_models_survive_saving_to_the_byte(annotator, tmp_path):
    annotator.save(tmp_path / "one")
    again = Annotator.load(tmp_path / "one")
    again.save(tmp_path / "two")
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert names == ["lemmas.npz", "parser.npz", "tagger.npz", "tokeniser.npz", "words.npz"]
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert [s.heads for s in again.sentences(TEXT)] == [s.heads for s in annotator.sentences(TEXT)]


def test_a_broken_model_is_said_to_be(tmp_path, annotator):
    with pytest.raises(DataError, match="no model here"):
        Lemmatiser.load(tmp_path / "lemmas.npz", annotator.words)
    (tmp_path / "lemmas.npz").write_bytes(b"PK nothing")
    with pytest.raises(DataError, match="damaged"):
        Lemmatiser.load(tmp_path / "lemmas.npz", annotator.words)
    annotator.words.save(tmp_path / "words.npz")
    with pytest.raises(DataError, match="wanted 'text/lemmas'"):
        Lemmatiser.load(tmp_path / "words.npz", annotator.words)


@pytest.mark.parametrize(
    ("word", "tag", "lemma"),
    [
        ("Cities", "NNS", "city"), ("ran", "VBD", "run"), ("stopped", "VBN", "stop"), ("making", "VBG", "make"),
        ("bigger", "JJR", "big"), ("wolves", "NNS", "wolf"), ("Ann", "NNP", "Ann"), ("NATO", "NNP", "NATO"),
        ("1,000", "CD", "1000"), ("me", "PRP", "I"), ("n't", "RB", "not"), ("blorked", "VBD", "blork"),
    ],
)  # fmt: skip
def test_lemmas(annotator, word, tag, lemma):
    assert annotator.lemmatiser.lemmas([word], [tag]) == [lemma]


def spans(found, words, kind):
    return [" ".join(words[found.starts[k] : found.ends[k]]) for k in found.of_kind(kind)]


def test_noun_phrases_of_a_tree():
    words = [
        "The",
        "old",
        "man",
        ",",
        "a",
        "retired",
        "teacher",
        ",",
        "gave",
        "Mary",
        "and",
        "her",
        "two",
        "sisters",
        "books",
        "that",
        "he",
        "had",
        "written",
        ".",
    ]
    heads = np.array([2, 2, 8, 6, 6, 6, 2, 2, -1, 8, 13, 13, 13, 9, 8, 18, 18, 18, 14, 8], np.int32)
    labels = [
        "det",
        "amod",
        "nsubj",
        "punct",
        "det",
        "amod",
        "appos",
        "punct",
        "root",
        "iobj",
        "cc",
        "nmod:poss",
        "nummod",
        "conj",
        "obj",
        "obj",
        "nsubj",
        "aux",
        "acl:relcl",
        "punct",
    ]
    upos = [
        "DET",
        "ADJ",
        "NOUN",
        "PUNCT",
        "DET",
        "ADJ",
        "NOUN",
        "PUNCT",
        "VERB",
        "PROPN",
        "CCONJ",
        "PRON",
        "NUM",
        "NOUN",
        "NOUN",
        "PRON",
        "PRON",
        "AUX",
        "VERB",
        "PUNCT",
    ]
    found = noun_phrases(np.array([0, 20], np.int32), heads, labels, upos, words)
    assert spans(found, words, BASE) == [
        "The old man", "a retired teacher", "Mary", "her", "her two sisters", "books", "that", "he",
    ]  # fmt: skip
    maximal = spans(found, words, MAXIMAL)
    assert "The old man , a retired teacher" in maximal and "books that he had written" in maximal
    assert spans(found, words, COORDINATION) == ["Mary and her two sisters"]
    teacher = found.heads.tolist().index(6)
    assert found.appositions[teacher] == 2 and found.determiners[teacher] == 4


def test_a_predicate_is_no_part_of_its_phrase():
    heads = np.array([4, 4, 4, 4, -1, 4], np.int32)
    labels, upos = ["nsubj", "cop", "advmod", "det", "root", "punct"], ["PRON", "AUX", "PART", "DET", "NOUN", "PUNCT"]
    found = noun_phrases(np.array([0, 6], np.int32), heads, labels, upos)
    assert list(zip(found.starts.tolist(), found.ends.tolist(), strict=True)) == [(0, 1), (3, 5)]


CONLLU = """\
# newdoc
1 I I PRON PRP _ 2 nsubj _ _
2-3 don't _ _ _ _ _ _ _ SpaceAfter=No
2 do do AUX VBP _ 0 root _ _
3 n't not PART RB _ 2 advmod _ _
4 . . PUNCT . _ 2 punct _ _

# newpar
1 Hi hi INTJ UH _ 0 root _ _

"""


def test_treebanks_are_read(tmp_path):
    path = tmp_path / "one.conllu"
    path.write_text(re.sub(r"(?<!#) ", "\t", CONLLU), "utf-8")
    bank = read_treebank(path)
    assert bank.tokens.text.rstrip() == "I don't. \n\nHi" and bank.tokens.words() == ["I", "do", "n't", ".", "Hi"]
    assert bank.heads.tolist() == [1, -1, 1, 1, -1] and len(bank) == 2
    path.write_text("1\tI\n\n", "utf-8")
    with pytest.raises(DataError, match="2 columns"):
        read_treebank(path)


@pytest.mark.data
def test_scores_on_a_development_part(annotator, data):
    bank = read_ewt(data, "dev")
    scores, (tokens, sentences) = score_annotator(annotator, bank), score_raw(annotator, bank)
    assert scores.upos > 95.5 and scores.xpos > 94.9 and scores.lemmas > 97 and scores.labelled > 82
    assert tokens > 98.8 and sentences > 87
