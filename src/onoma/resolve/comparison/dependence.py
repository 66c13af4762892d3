"""Which fields go together: a forest of dependence among the fields, learnt from strangers."""

import math

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.comparison._weights_kernels import count_pairs

__all__ = ["dependence", "spanning_tree"]

_CHANCE = 1e-6
"""How seldom what is taken for a dependence may come about by chance."""


def dependence(
    background: NDArray[np.int8], n_levels: int, weight: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return how much fields tell of each other among strangers: shared information, from 0 to 1.

    Only random pairs show it. Among candidates that are held apart, fields agree together because some of them are the
    same after all: dependence learnt from those would explain the matches away.

    Parameters
    ----------
    background
        Levels of pairs of strangers (row) in each field; -1: missing.
    n_levels
        The most levels that a field has.
    weight
        How many pairs each row stands for; None: itself.
    """
    n_fields = background.shape[1]
    strength = np.zeros((n_fields, n_fields))
    each = np.ones(len(background)) if weight is None else weight
    for one in range(n_fields):
        for other in range(one):
            counts = np.zeros((n_levels, n_levels))
            count_pairs(background, one, other, each, counts)
            strength[one, other] = strength[other, one] = _shared(counts)
    return strength


def spanning_tree(
    strength: NDArray[np.float64], precedence: NDArray[np.float64], least: float = 0.02
) -> NDArray[np.int64]:
    """Return each field's parent in the maximum spanning forest of the dependences that matter."""
    f = len(strength)
    parent = np.full(f, -1)
    reached: list[int] = []
    left = set(range(f))
    while left:
        best = max(
            ((strength[i, j], i, j) for i in reached for j in left if strength[i, j] >= least),
            default=(0.0, -1, max(left, key=lambda j: (precedence[j], strength[j].sum(), -j))),
        )
        parent[best[2]] = best[1]
        reached.append(best[2])
        left.remove(best[2])
    return parent


def chi_square_tail(x: float, freedom: int) -> float:
    """Return how probable a chi-square of so many degrees of freedom is to exceed x.

    With a = freedom/2 and y = x/2 it is Q(a, y), and Q(a + 1, y) = Q(a, y) + exp(-y)·y^a/Γ(a + 1); Q(1/2, y) is
    erfc(√y), Q(0, y) is 0. SciPy's takes longer to load than a small table takes to resolve.

    Examples
    --------
    >>> round(chi_square_tail(3.841459, 1), 6), round(chi_square_tail(9.487729, 4), 6)
    (0.05, 0.05)
    """
    y = max(x, 0.0) / 2.0
    if y == 0.0:
        return 1.0
    a, tail = (0.5, math.erfc(math.sqrt(y))) if freedom % 2 else (0.0, 0.0)
    while a < freedom / 2.0:
        tail += math.exp(a * math.log(y) - y - math.lgamma(a + 1.0))
        a += 1.0
    return tail


def _shared(counts: NDArray[np.float64]) -> float:
    """Return the mutual information of a table of counts as a part of the smaller entropy; 0 if it may be chance."""
    total = counts.sum()
    if total <= 0:
        return 0.0
    joint = counts / total
    one, other = joint.sum(axis=1), joint.sum(axis=0)
    inside = joint > 0
    information = float((joint[inside] * np.log(joint[inside] / np.outer(one, other)[inside])).sum())
    freedom = int((np.count_nonzero(one) - 1) * (np.count_nonzero(other) - 1))
    # Fields on which strangers hardly ever agree look dependent by chance.
    if freedom == 0 or chi_square_tail(2.0 * total * information, freedom) > _CHANCE:
        return 0.0
    entropies = [-float((p[p > 0] * np.log(p[p > 0])).sum()) for p in (one, other)]
    return information / min(entropies) if min(entropies) > 1e-9 else 0.0
