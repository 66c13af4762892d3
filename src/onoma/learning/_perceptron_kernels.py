"""Kernel of the averaged perceptron."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

__all__ = ["epoch"]


@nb.njit(cache=True, nogil=True, fastmath=True)
def epoch(
    order: NDArray[np.int64],
    row_ptr: NDArray[np.int64],
    row_ids: NDArray[np.int32],
    row_values: NDArray[np.float64],
    y: NDArray[np.int64],
    counts: NDArray[np.float64],
    margin: float,
    step: int,
    w: NDArray[np.float64],
    u: NDArray[np.float64],
) -> int:
    """Visit the samples in order; return how many changed the weights (features × classes).

    A sample changes them when some other class scores more than its own class's score minus the margin. After step s
    the sum of all weights so far is s w - u (see `averaging`).
    """
    n_classes = w.shape[1]
    scores = np.empty(n_classes)
    n_changes = 0
    for k in range(len(order)):
        i = order[k]
        scores[:] = 0.0
        for j in range(row_ptr[i], row_ptr[i + 1]):
            p = row_ids[j]
            value = row_values[j] if len(row_values) else 1.0
            for c in range(n_classes):
                scores[c] += value * w[p, c]
        truth = y[i]
        rival, best = -1, -np.inf
        for c in range(n_classes):
            if c != truth and scores[c] > best:
                rival, best = c, scores[c]
        if rival >= 0 and (scores[truth] - best < margin or (scores[truth] == best and rival < truth)):
            n_changes += 1
            for j in range(row_ptr[i], row_ptr[i + 1]):
                p = row_ids[j]
                change = counts[i] * (row_values[j] if len(row_values) else 1.0)
                w[p, truth] += change
                w[p, rival] -= change
                u[p, truth] += step * change
                u[p, rival] -= step * change
        step += 1
    return n_changes
