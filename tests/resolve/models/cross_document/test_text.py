"""Contexts as bags."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.resolve.models.cross_document.text import bags_of, function_words


def test_weights_are_those_of_the_formula():
    bags = bags_of(["apple apple pear", "Pear! the plum", "plum"])
    rows = [dict(zip(*(part[a:b].tolist() for part in (bags.words, bags.weights)), strict=True)) for a, b in ((0, 2),)]
    words = bags.vocabulary.to_pylist()
    assert words == ["apple", "pear", "plum"]
    apple, pear = (1 + np.log(2)) * (np.log(4 / 2) + 1), np.log(4 / 3) + 1
    length = np.hypot(apple, pear)
    assert rows[0] == pytest.approx({0: apple / length, 1: pear / length}, rel=1e-5)


def test_any_script_and_nothing_at_all():
    bags = bags_of(pa.array(["Ναύπακτος, πόλη", None, "", "πόλη"]))
    assert bags.vocabulary.to_pylist() == ["ναύπακτος", "πόλη"]
    assert np.diff(bags.offsets).tolist() == [2, 0, 0, 1]
    assert len(bags_of([])) == 0


def test_words_of_most_contexts_are_left_out_in_large_sets():
    texts = [f"blah word{k}" for k in range(1200)]
    assert "blah" not in bags_of(texts).vocabulary.to_pylist()
    assert "blah" in bags_of(texts[:100]).vocabulary.to_pylist()


def test_chunks_of_one_column_are_one_set():
    texts = ["one fish", "two fish", "red fish", "blue"]
    chunked = pa.chunked_array([texts[:1], texts[1:3], texts[3:]])
    assert bags_of(chunked).columns()["tokens"] == bags_of(texts).columns()["tokens"]


def test_function_words_are_known():
    assert {"the", "und", "och", "les"} <= set(function_words())
