"""Distinct values by sorting, against NumPy's."""

import numpy as np
import pytest

from onoma.numerics.distinct import distinct


@pytest.mark.parametrize(("n", "most"), [(0, 1), (1, 5), (2, 1), (1000, 10), (1000, 10**12)])
def test_agrees_with_numpy(n: int, most: int) -> None:
    values = np.random.default_rng(n).integers(-most, most, n)
    before = values.copy()
    assert np.array_equal(distinct(values), np.unique(values))
    assert np.array_equal(values, before)
