import zipfile

import numpy as np
import pytest

from onoma.learning.features import FeatureIndex
from onoma.learning.sequences.decode import decode
from onoma.pipeline.studies._tagging import (
    Sentences,
    chunk_columns,
    chunk_f1,
    chunks,
    history_of,
    read_brown,
    read_chunks,
    tag_columns,
)


def test_brown_is_read_without_place_suffixes(tmp_path):
    path = tmp_path / "brown.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("brown/README", "no/nn text/nn")
        archive.writestr("brown/ca01", "\n\tThe/at County/nn-tl 1/2/cd --/---hl\n\n\nHe's/pps+bez-tl it/fw-in-nc\n")
    brown = read_brown(path)
    assert brown.lengths.tolist() == [4, 2]
    assert brown.words == ["The", "County", "1/2", "--", "He's", "it"]
    assert brown.tags == ["at", "nn", "cd", "--", "pps+bez", "fw-in"]


def test_chunks_are_read(tmp_path):
    path = tmp_path / "conll.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conll2000/test.txt", "He PRP B-NP\nran VBD B-VP\n\nYes UH O\n\n")
    sentences = read_chunks(path, "test")
    assert (sentences.lengths.tolist(), sentences.parts, sentences.tags) == (
        [2, 1],
        ["PRP", "VBD", "UH"],
        ["B-NP", "B-VP", "O"],
    )
    assert sentences.take(np.array([1])).words == ["Yes"]


@pytest.mark.parametrize(
    ("tags", "lengths", "expected"),
    [
        ("B-NP I-NP O B-VP", [4], {(0, 2, "NP"), (3, 4, "VP")}),
        ("B-NP B-NP I-NP", [3], {(0, 1, "NP"), (1, 3, "NP")}),
        ("O I-NP I-VP", [3], {(1, 2, "NP"), (2, 3, "VP")}),
        ("B-NP I-NP", [1, 1], {(0, 1, "NP"), (1, 2, "NP")}),
        ("O O", [2], set()),
    ],
)
def test_chunks_of_tags(tags, lengths, expected):
    assert chunks(tags.split(), np.array(lengths)) == expected


def test_chunk_f1():
    gold, ours = ["B-NP", "I-NP", "O", "B-VP"], ["B-NP", "O", "O", "B-VP"]
    assert chunk_f1(ours, gold, np.array([4])) == pytest.approx(0.5)
    assert chunk_f1(gold, gold, np.array([4])) == 1.0


def _two():
    return Sentences(np.array([3, 1]), ["The", "Cat", "sat", "No"], ["DT", "NN", "VB", "UH"], ["a", "b", "c", "a"])


def test_windows_stop_at_sentences():
    columns = tag_columns(_two(), with_tags=True)
    assert columns["w-1"].to_pylist() == ["<pad>", "The", "Cat", "<pad>"]
    assert columns["w+1"].to_pylist() == ["Cat", "sat", "<pad>", "<pad>"]
    assert columns["suffix3"].to_pylist() == ["the", "cat", "sat", None]
    assert columns["prefix2"].to_pylist() == ["th", "ca", "sa", "no"]
    assert columns["shape+0"].to_pylist() == ["Xxx", "Xxx", "xx", "Xx"]
    assert columns["t-2,t-1"].to_pylist() == ["<pad>|<pad>", "<pad>|a", "a|b", "<pad>|<pad>"]
    assert chunk_columns(_two(), with_tags=True)["p+0,p+1"].to_pylist()[1] == "NN|VB"


def test_unknown_tags_leave_the_rest():
    known, unknown = tag_columns(_two(), with_tags=True), tag_columns(_two(), with_tags=False)
    assert list(known) == list(unknown)
    assert unknown["t-1"].null_count == 4
    assert all(known[name] == unknown[name] for name in known if not name.startswith("t-"))


def test_history_gives_the_scores_of_the_features():
    sentences = _two()
    index = FeatureIndex()
    X = index.fit_transform(tag_columns(sentences, with_tags=True))
    W = np.random.default_rng(0).normal(size=(X.shape[1], 3))
    history = history_of(index, ["a", "b", "c"], lambda ids: W[ids])
    static = index.transform(tag_columns(sentences, with_tags=False)) @ W
    with_tags = X @ W
    tags = {"a": 0, "b": 1, "c": 2}
    for i, (t2, t1) in enumerate([(3, 3), (3, 0), (0, 1), (3, 3)]):
        added = history.first[t1] + history.pairs[history.pair_rows[t2, t1]]
        np.testing.assert_allclose(static[i] + added, with_tags[i])
    assert len(decode(static, sentences.lengths, history)) == len(tags) + 1
