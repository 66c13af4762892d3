"""Columns of any Arrow type as distinct texts."""

import pyarrow as pa
import pytest

from onoma.resolve.fields.columns import holds_numbers, read_texts


def read(values, kind=None):
    return read_texts(pa.chunked_array([pa.array(values, kind)]), "x")


def test_texts_are_trimmed_and_distinct_and_blank_is_missing():
    found = read([" a", "a ", "", "  ", None, "b"])
    assert found.raw == ["a", "b"] and found.codes.tolist() == [0, 0, -1, -1, -1, 1]
    assert found.counts().tolist() == [2, 1] and found.columns == ("x",)


@pytest.mark.parametrize(
    ("values", "kind", "raw"),
    [
        ([1, 2, 1], None, ["1", "2"]),
        ([1.5, 2.0], None, ["1.5", "2"]),
        ([True, False], None, ["true", "false"]),
        (["a", "b", "a"], pa.dictionary(pa.int8(), pa.string()), ["a", "b"]),
        ([["x", "y"], ["z"]], None, None),
    ],
)
def test_types(values, kind, raw):
    found = read(values, kind)
    assert found is not None
    if raw is not None:
        assert found.raw == raw


def test_elements_of_lists_stay_apart():
    assert len(read([["x", "y"], ["x y"]]).raw) == 2


@pytest.mark.parametrize("values", [[{"a": 1}], [b"bytes"], [[{"a": 1}]]])
def test_what_cannot_be_compared(values):
    assert read(values) is None


@pytest.mark.parametrize(
    ("kind", "is_vector"),
    [
        (pa.list_(pa.float32()), True),
        (pa.list_(pa.int64(), 3), True),
        (pa.list_(pa.string()), False),
        (pa.float64(), False),
    ],
)
def test_lists_of_numbers_are_vectors(kind, is_vector):
    assert holds_numbers(kind) == is_vector
