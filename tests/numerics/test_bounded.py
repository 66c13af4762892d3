"""L-BFGS-B alone is SciPy's, step by step."""

import subprocess
import sys

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from onoma.numerics import bounded
from onoma.numerics.rng import stream


def problem(seed: int, n: int) -> bounded.Loss:
    """Return a logistic regression."""
    rng = stream(seed, "test")
    features, sign = rng.normal(size=(200, n)), np.where(rng.random(200) < 0.6, 1.0, -1.0)

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        margin = sign * (features @ weights)
        return float(np.logaddexp(0.0, -margin).mean()), features.T @ (-sign / (1.0 + np.exp(margin))) / len(sign)

    return loss


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("n", [1, 3, 12])
def test_the_least_place_is_scipys_to_the_bit(n, is_known, monkeypatch):
    if not is_known:
        monkeypatch.setattr(bounded, "_method", lambda: None)
    loss, start = problem(n, n), np.full(n, 2.0)  # outside of the bounds
    lowest, highest = np.full(n, -0.02), np.full(n, 0.1)
    lowest[-1], highest[-1] = -np.inf, np.inf
    found = bounded.minimise_within(loss, start, lowest, highest)
    bounds = list(zip(lowest, highest, strict=True))
    expected = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    assert found.tobytes() == expected.tobytes()
    assert (start == 2.0).all()


def test_it_does_not_load_the_rest_of_scipy():
    if bounded._method() is None:
        pytest.skip("this SciPy is not known")
    code = "import sys; from onoma.numerics.bounded import _method; _method(); print('scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
