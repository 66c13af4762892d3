"""The kernel of `decode`: each mention in turn joins an entity or begins one."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

__all__ = ["fill_linked"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@nb.njit(cache=True, nogil=True)
def fill_linked(scores: Floats, constraints: Floats, gamma: float, labels: Ints) -> None:
    """Fill in the entity of each mention; `constraints` has no row where there are none."""
    n = len(scores)
    bonus, mass, row = np.zeros(n), np.zeros(n), np.empty(n)
    for i in range(n):
        labels[i] = i
        if len(constraints):
            bonus[:i] = 0.0
            for j in range(i):
                bonus[labels[j]] += constraints[i, j]
        top, at = -np.inf, i
        for j in range(i):
            row[j] = scores[i, j] + bonus[labels[j]]
            if row[j] > top:
                top, at = row[j], j
        if gamma == 0.0:
            if top > scores[i, i]:
                labels[i] = labels[at]
            continue
        top = max(top, scores[i, i])
        mass[:i] = 0.0
        for j in range(i):
            mass[labels[j]] += np.exp((row[j] - top) / gamma)
        best = np.exp((scores[i, i] - top) / gamma)
        for label in range(i):
            if mass[label] > best:
                best, labels[i] = mass[label], label
