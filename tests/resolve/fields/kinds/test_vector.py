"""Vectors: unit length, the cosine, keys by random planes."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.errors import DataError
from onoma.resolve.fields.kinds.vector import VectorComparison, encode_vectors


def test_vectors_have_unit_length_and_what_is_no_direction_is_missing():
    column = pa.chunked_array([[[3.0, 4.0], [6.0, 8.0], [0.0, 0.0], None, [1.0, 0.0], [], [float("nan"), 1.0]]])
    rows, codes = encode_vectors(column, "v")
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0) and len(rows) == 2
    assert codes[0] == codes[1] != codes[4] and codes[[2, 3, 5, 6]].tolist() == [-1] * 4


def test_lists_of_different_lengths_are_no_vectors():
    with pytest.raises(DataError, match="lists of 1 to 2 numbers"):
        encode_vectors(pa.chunked_array([[[1.0], [1.0, 2.0]]]), "v")


@pytest.mark.parametrize(("angle", "expected"), [(5, "≥ 0.99"), (40, "≥ 0.75"), (90, "different"), (180, "different")])
def test_levels_are_cuts_of_the_cosine(angle, expected):
    rows = np.array([[1.0, 0.0], [np.cos(np.radians(angle)), np.sin(np.radians(angle))]], dtype=np.float32)
    compared = VectorComparison(rows)
    assert compared.levels[compared.compare(np.array([0], np.int32), np.array([1], np.int32))[0]] == expected


def test_near_vectors_share_keys_and_opposite_ones_none():
    rng = np.random.default_rng(1)
    one = rng.standard_normal(16)
    rows = np.stack([one, one + 0.01 * rng.standard_normal(16), -one]).astype(np.float32)
    found = VectorComparison(rows / np.linalg.norm(rows, axis=1, keepdims=True)).features()
    near, nearly, opposite = (
        set(found.ids[s:e].tolist()) for s, e in zip(found.offsets, found.offsets[1:], strict=False)
    )
    assert near & nearly and not near & opposite
