"""Kernels of `parting.py`: average linkage of the records of one entity."""

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel


@kernel
def average_link(total: NDArray[np.float64], weight: NDArray[np.float64], stop: float) -> NDArray[np.int64]:
    """Join groups while the mean of the pairs between two of them is above `stop`, the greatest mean first.

    `total` and `weight` (square, symmetric) are sums over the pairs between groups, at first records; both are
    overwritten. Each group keeps the group that is nearest to it, so that a join costs a pass over the groups, and one
    more for each group whose nearest is gone. Returns for each record the first record of its group.
    """
    n = len(total)
    label = np.arange(n)
    alive = np.ones(n, dtype=np.bool_)
    near, best = np.zeros(n, dtype=np.int64), np.full(n, -1.0)
    for i in range(n):
        _look(i, alive, total, weight, near, best)
    while True:
        i = int(best.argmax())
        if best[i] <= stop:
            return label
        j = near[i]
        one, other = min(i, j), max(i, j)
        alive[other] = False
        best[other] = -1.0
        for k in range(n):
            if label[k] == other:
                label[k] = one
            if alive[k] and k != one:
                total[one, k] += total[other, k]
                weight[one, k] += weight[other, k]
                total[k, one], weight[k, one] = total[one, k], weight[one, k]
        _look(one, alive, total, weight, near, best)
        for k in range(n):
            if not alive[k] or k == one:
                continue
            if near[k] == one or near[k] == other:
                _look(k, alive, total, weight, near, best)
            elif weight[k, one] > 0.0 and total[k, one] / weight[k, one] > best[k]:
                near[k], best[k] = one, total[k, one] / weight[k, one]


@kernel
def _look(
    i: int,
    alive: NDArray[np.bool_],
    total: NDArray[np.float64],
    weight: NDArray[np.float64],
    near: NDArray[np.int64],
    best: NDArray[np.float64],
) -> None:
    """Find the group nearest to group i."""
    best[i] = -1.0
    for k in range(len(alive)):
        if alive[k] and k != i and weight[i, k] > 0.0 and total[i, k] / weight[i, k] > best[i]:
            best[i], near[i] = total[i, k] / weight[i, k], k
