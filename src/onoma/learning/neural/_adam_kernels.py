"""Kernels of Adam: one pass over a whole array, or over the rows that a batch touched."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

__all__ = ["step_all", "step_rows"]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def step_all(
    weights: NDArray[np.float32],
    gradient: NDArray[np.float32],
    mean: NDArray[np.float32],
    square: NDArray[np.float32],
    rate: np.float32,
    decay: np.float32,
    decay_square: np.float32,
    tiny: np.float32,
) -> None:
    """Take one step; the arrays are flat, the rate holds the corrections for the first steps."""
    one = np.float32(1.0)
    for i in range(len(weights)):
        g = gradient[i]
        mean[i] = decay * mean[i] + (one - decay) * g
        square[i] = decay_square * square[i] + (one - decay_square) * g * g
        weights[i] -= rate * mean[i] / (np.sqrt(square[i]) + tiny)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def step_rows(
    touched: NDArray[np.int64],
    weights: NDArray[np.float32],
    gradient: NDArray[np.float32],
    mean: NDArray[np.float32],
    square: NDArray[np.float32],
    scale: np.float32,
    rate: np.float32,
    decay: np.float32,
    decay_square: np.float32,
    tiny: np.float32,
) -> None:
    """Take one step of some rows, with the gradient times `scale`, and clear their gradient."""
    one = np.float32(1.0)
    for row in touched:
        w, gs, m, q = weights[row], gradient[row], mean[row], square[row]
        for j in range(weights.shape[1]):
            g = gs[j] * scale
            gs[j] = 0
            m[j] = decay * m[j] + (one - decay) * g
            q[j] = decay_square * q[j] + (one - decay_square) * g * g
            w[j] -= rate * m[j] / (np.sqrt(q[j]) + tiny)
