import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.resolve.fields import _pairs_kernels, field
from onoma.resolve.fields.features import Features
from onoma.resolve.fields.field import FieldData
from reference.fields_kernels import distinct_keys as slow_distinct_keys


class Spy:
    """Compares by the difference of codes and remembers what it was asked."""

    levels = ("equal", "near", "different")

    def __init__(self):
        self.asked = []

    def compare(self, a, b):
        self.asked += list(zip(a.tolist(), b.tolist(), strict=True))
        return np.where(b - a == 1, 1, 2).astype(np.int8)

    def features(self):
        return Features(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int8), [])


def field_of(n, spy):
    values = [str(i) for i in range(n)]
    return FieldData("x", "text", "", ("x",), values, values, np.arange(n, dtype=np.int32), np.ones(n, np.int64), spy)


@given(st.lists(st.integers(0, 50), max_size=60))
@settings(max_examples=50)
def test_distinct_keys_are_those_of_the_slow_twin(keys):
    distinct, place = _pairs_kernels.distinct_keys(np.array(keys, np.int64), len(keys).bit_length() + 1)
    assert (distinct.tolist(), place.tolist()) == slow_distinct_keys(keys)


def test_large_keys_stay_apart():
    keys = np.array([0, 2**62, 2**62 + 1, 0, 2**40], np.int64)
    distinct, place = _pairs_kernels.distinct_keys(keys, 4)
    assert distinct[place].tolist() == keys.tolist()
    assert len(distinct) == 4


def test_each_unordered_pair_is_compared_once_and_equal_codes_never():
    spy = Spy()
    a, b = np.array([3, 1, 2, 2, 1, 0, 3], np.int32), np.array([1, 3, 2, 3, 3, 0, 2], np.int32)
    levels = field_of(5, spy).compare(a, b)
    assert levels.tolist() == [2, 2, 0, 1, 2, 0, 1]
    assert levels.dtype == np.int8
    assert sorted(spy.asked) == [(1, 3), (2, 3)]


def test_comparison_is_symmetric_and_the_same_in_small_batches(monkeypatch):
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 30, (2, 500)).astype(np.int32)
    whole = field_of(30, Spy()).compare(a, b)
    assert np.array_equal(whole, field_of(30, Spy()).compare(b, a))
    monkeypatch.setattr(field, "_BATCH", 7)
    assert np.array_equal(whole, field_of(30, Spy()).compare(a, b))


def test_nothing_to_compare():
    none = np.empty(0, np.int32)
    assert field_of(3, Spy()).compare(none, none).tolist() == []
