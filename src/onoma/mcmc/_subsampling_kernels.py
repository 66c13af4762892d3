"""Kernels of `subsampling.py`: how many factors to look at, decided as they are drawn.

The pattern, for any model that can score its k-th factor:

    k, mean, squares = 0, 0.0, 0.0
    while wants_more(plan, proportion, k, n, squares):
        score = score_of(draw_next_inplace(rng_state, deck, k, n))
        k += 1
        step = score - mean                      # Welford's running mean and sum of squares
        mean += step / k
        squares += step * (score - mean)
    put_back_inplace(deck, k)
    estimate = n * mean
"""

from typing import NamedTuple

import numba as nb
import numpy as np

from onoma.numerics.kernels import lean

EXACT, PROPORTION, CONFIDENCE, POISSON = 0, 1, 2, 3


class ScoringPlan(NamedTuple):
    """A strategy as numbers. The proportion is passed beside it: it may change from sweep to sweep."""

    kind: int
    width: float = 0.0
    z: float = 0.0
    minimum: int = 0
    rate: float = 0.0
    fallback: bool = False


@nb.njit("int64(int64, float64)", cache=True, nogil=True)
def sample_size(n: int, proportion: float) -> int:
    """Return max(1, round(p·n)), halves rounded up."""
    return min(n, max(1, int(np.floor(proportion * n + 0.5))))


@nb.njit("float64(float64, int64, int64, float64)", cache=True, nogil=True)
def interval_width(squares: float, k: int, n: int, z: float) -> float:
    """Return 2 z σ/√k · √((n-k)/(n-1)) with σ² = squares/(k-1): the interval around the mean of k out of n."""
    if k >= n:
        return 0.0
    return 2.0 * z * np.sqrt(squares / (k - 1) / k * (n - k) / (n - 1))


@lean
def wants_more(plan: ScoringPlan, proportion: float, k: int, n: int, squares: float) -> bool:
    """Say whether to draw another factor after k of n, whose squared deviations from their mean sum to `squares`."""
    if k >= n:
        return False
    if plan.kind == PROPORTION:
        return k < sample_size(n, proportion)
    if plan.kind == CONFIDENCE:
        return k < plan.minimum or interval_width(squares, k, n, plan.z) >= plan.width
    return True
