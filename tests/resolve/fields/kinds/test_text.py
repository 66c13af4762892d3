"""Free text: the cosine of rare words."""

import numpy as np

from onoma.resolve.fields.kinds import KINDS
from onoma.resolve.fields.kinds.text import words_of
from reference.levels import features


def test_texts_share_model_numbers_written_apart():
    kind = KINDS["text"]
    values = kind.normalise(["Sony turntable PS-LX350H", "PSLX350H", "Sony radio", "Bose speaker"])
    comparison = kind.prepare(values, np.ones(4, np.int64))
    near, far = comparison.compare(np.array([0, 0], np.int32), np.array([1, 2], np.int32))
    assert near < far < len(comparison.levels) - 1


def test_neighbours_are_joined_only_where_one_holds_a_digit_and_they_are_short():
    assert list(words_of("ps lx350h")) == ["ps", "lx350h", "pslx350h"]
    assert list(words_of("red car")) == ["red", "car"]
    assert list(words_of("extraordinarily 350h")) == ["extraordinarily", "350h"]


def test_a_rare_word_weighs_more_than_a_common_one():
    kind = KINDS["text"]
    values = kind.normalise(["the aardvark", "the zebra", "aardvark", *(f"the {i}x" for i in range(30))])
    comparison = kind.prepare(values, np.ones(len(values), np.int64))
    common, rare = comparison.compare(np.array([0, 0], np.int32), np.array([1, 2], np.int32))
    assert rare < common


def test_texts_are_blocked_by_their_words():
    assert features("text", "Red Car!", "blue car")[0] == {"red car", "red", "car"}
