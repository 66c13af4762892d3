"""Isotonic regression against SciPy's."""

import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from onoma.numerics.isotonic import isotonic


@pytest.mark.parametrize("seed", range(20))
def test_agrees_with_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    values, weights = np.round(rng.random(n), 1), rng.random(n) + 0.001
    expected = isotonic_regression(values, weights=weights).x
    np.testing.assert_allclose(isotonic(values, weights), expected, rtol=1e-12, atol=1e-12)


def test_does_not_decrease() -> None:
    found = isotonic(np.random.default_rng(1).random(1000), np.ones(1000))
    assert (np.diff(found) >= 0).all()
