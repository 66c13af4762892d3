"""Distinct values by sorting, against NumPy's."""

import numpy as np
import pytest

from onoma.numerics.distinct import descending, distinct, without


@pytest.mark.parametrize(("n", "most"), [(0, 1), (1, 5), (2, 1), (1000, 10), (1000, 10**12)])
def test_agrees_with_numpy(n: int, most: int) -> None:
    values = np.random.default_rng(n).integers(-most, most, n)
    before = values.copy()
    assert np.array_equal(distinct(values), np.unique(values))
    assert np.array_equal(values, before)


@pytest.mark.parametrize(("n", "m"), [(0, 3), (3, 0), (1, 1), (50, 400), (400, 50), (300, 300)])
def test_what_is_left_agrees_with_numpy(n: int, m: int) -> None:
    rng = np.random.default_rng(n + m)
    values, others = distinct(rng.integers(0, 500, n)), np.sort(rng.integers(0, 600, m))
    assert np.array_equal(without(values, others), np.setdiff1d(values, others))


@pytest.mark.parametrize(("n", "most"), [(0, 1), (1, 1), (1000, 3), (1000, 10**9)])
def test_places_of_equal_values_stay_in_order(n: int, most: int) -> None:
    values = np.random.default_rng(n).integers(0, most, n) / 7.0
    assert np.array_equal(descending(values), np.argsort(-values, kind="stable"))
