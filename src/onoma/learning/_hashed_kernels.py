"""Kernels of `hashed`: softmax over the candidates of a group with AdaGrad steps on a table, and the perceptron."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

__all__ = ["fit_groups", "perceive_groups", "score_rows"]


@nb.njit(cache=True, nogil=True)
def score_rows(
    ptr: NDArray[np.int64], ids: NDArray[np.uint32], values: NDArray[np.float32], w: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Return Σ_f x_f w_f of each row."""
    out = np.zeros(len(ptr) - 1)
    for row in range(len(out)):
        total = 0.0
        for k in range(ptr[row], ptr[row + 1]):
            total += values[k] * w[ids[k]]
        out[row] = total
    return out


@nb.njit(cache=True, nogil=True)
def fit_groups(
    order: NDArray[np.int64],
    groups: NDArray[np.int64],
    ptr: NDArray[np.int64],
    ids: NDArray[np.uint32],
    values: NDArray[np.float32],
    chosen: NDArray[np.int64],
    counts: NDArray[np.float64],
    settings: tuple[float, float],
    w: NDArray[np.float32],
    anchor: NDArray[np.float32],
    g2: NDArray[np.float32],
) -> float:
    """Go through the groups once; return the sum of −log p(chosen).

    `settings` are the rate of learning and the pull of each step towards the anchor.
    """
    rate, pull = settings
    loss = 0.0
    p = np.empty(64)
    for g in order:
        first, last = groups[g], groups[g + 1]
        n = last - first
        if n > len(p):
            p = np.empty(2 * n)
        top = -np.inf
        for c in range(n):
            total = 0.0
            for k in range(ptr[first + c], ptr[first + c + 1]):
                total += values[k] * w[ids[k]]
            p[c] = total
            top = max(top, total)
        z = 0.0
        for c in range(n):
            p[c] = np.exp(p[c] - top)
            z += p[c]
        gold = chosen[g] - first
        loss -= counts[g] * np.log(max(p[gold] / z, 1e-300))
        for c in range(n):
            error = counts[g] * (p[c] / z - (1.0 if c == gold else 0.0))
            if abs(error) < 1e-6:
                continue
            for k in range(ptr[first + c], ptr[first + c + 1]):
                f = ids[k]
                slope = error * values[k] + pull * (w[f] - anchor[f])
                g2[f] += slope * slope
                w[f] -= rate * slope / np.sqrt(g2[f])
    return loss


@nb.njit(cache=True, nogil=True)
def perceive_groups(
    order: NDArray[np.int64],
    groups: NDArray[np.int64],
    ptr: NDArray[np.int64],
    ids: NDArray[np.uint32],
    values: NDArray[np.float32],
    chosen: NDArray[np.int64],
    counts: NDArray[np.float64],
    step: int,
    w: NDArray[np.float64],
    late: NDArray[np.float64],
) -> int:
    """Go through the groups once; return how many steps were made so far.

    A group whose best row is not the chosen one moves the weights; `late` gathers each change times the step it came
    at, so that the average over all steps is w - late / steps.
    """
    for g in order:
        if counts[g] == 0.0:
            continue
        step += 1
        first, last = groups[g], groups[g + 1]
        best, top = first, -np.inf
        for row in range(first, last):
            total = 0.0
            for k in range(ptr[row], ptr[row + 1]):
                total += values[k] * w[ids[k]]
            if total > top:
                best, top = row, total
        if best == chosen[g]:
            continue
        for row, sign in ((chosen[g], counts[g]), (best, -counts[g])):
            for k in range(ptr[row], ptr[row + 1]):
                w[ids[k]] += sign * values[k]
                late[ids[k]] += sign * values[k] * (step - 1)
    return step
