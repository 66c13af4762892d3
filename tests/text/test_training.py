import itertools

import pytest

from onoma.text.clusters import ClusterSettings, learn_clusters
from onoma.text.evaluation import score_annotator, score_raw
from onoma.text.lexicon import Lexicon
from onoma.text.syntax.treebank import join_treebanks, read_treebank
from onoma.text.training import CLEAN_GENRES, read_gum, train_on
from onoma.text.usage import learn_usage

SUBJECTS = [("Ann", "PROPN", "NNP", "Ann"), ("Bob", "PROPN", "NNP", "Bob"), ("She", "PRON", "PRP", "she")]
VERBS = [("sees", "VBZ", "see"), ("saw", "VBD", "see"), ("likes", "VBZ", "like"), ("liked", "VBD", "like")]
OBJECTS = [("dogs", "NNS", "dog"), ("cats", "NNS", "cat"), ("tea", "NN", "tea")]
LEXICON = Lexicon(
    {"see": 4, "like": 4, "sees": 64, "likes": 64, "saw": 8, "liked": 8, "dog": 1, "cat": 1, "dogs": 2, "cats": 2},
    {("sees", "verb"): ("see",), ("saw", "verb"): ("see",), ("dogs", "noun"): ("dog",), ("cats", "noun"): ("cat",)},
)


def conllu(sentences):
    out = []
    for k, (subject, verb, thing) in enumerate(sentences):
        rows = [
            (subject[0], subject[3], subject[1], subject[2], "_", 2, "nsubj", "_"),
            (verb[0], verb[2], "VERB", verb[1], "Tense=Past" if verb[1] == "VBD" else "Tense=Pres", 0, "root", "_"),
            (thing[0], thing[2], "NOUN", thing[1], "_", 2, "obj", "SpaceAfter=No"),
            (".", ".", "PUNCT", ".", "_", 2, "punct", "_"),
        ]
        out += ["# newpar"] if k % 3 == 0 else []
        out += ["\t".join(map(str, (i, *row[:7], "_", row[7]))) for i, row in enumerate(rows, 1)] + [""]
    return "\n".join(out) + "\n"


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    path = tmp_path_factory.mktemp("bank") / "tiny.conllu"
    path.write_text(conllu(itertools.product(SUBJECTS, VERBS, OBJECTS)), "utf-8")
    return join_treebanks([read_treebank(path)] * 3)


def test_all_models_learn_a_tiny_language_and_are_the_same_to_the_byte(bank, tmp_path):
    one, two = (train_on(bank, LEXICON, None, None, seed=3) for _ in range(2))
    scores, (tokens, sentences) = score_annotator(one, bank), score_raw(one, bank)
    assert min(scores.upos, scores.xpos, scores.feats, scores.lemmas, scores.labelled) > 99
    assert tokens > 99 and sentences > 99
    one.save(tmp_path / "one")
    two.save(tmp_path / "two")
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name


def test_words_that_keep_the_same_company_are_together():
    texts = [f"the {noun} {verb} ." for noun in ("dog", "cat", "cow") for verb in ("ran", "slept", "ate")] * 5
    settings = ClusterSettings(least_count=2, n_contexts=8, n_far=4, n_dimensions=3, sizes=(4, 2), n_rounds=10)
    found = learn_clusters(texts, [("the", "dog", 2.0)], settings=settings, seed=1)
    label = dict(zip(found.words, found.labels[:, 0].tolist(), strict=True))
    assert label["dog"] == label["cat"] == label["cow"] != label["ran"] == label["slept"] == label["ate"]
    again = learn_clusters(texts, [("the", "dog", 2.0)], settings=settings, seed=1)
    assert (again.labels == found.labels).all() and again.words == found.words


def test_usage_of_words():
    usage = learn_usage(
        [[("run", "VB"), ("run", "VB"), ("run", "NN"), ("cat", "NN")]], ["We like Bob , cat , cat , cat"]
    )
    assert usage.tags["run"] != usage.tags["cat"] and usage.capitals == {",": 1, "cat": 1}


@pytest.mark.data
def test_only_free_genres_are_clean(data):
    assert "fiction" not in CLEAN_GENRES and "whow" not in CLEAN_GENRES
    clean, whole = read_gum(data, "dev", clean=True), read_gum(data, "dev", clean=False)
    assert 0 < len(clean) < len(whole)
