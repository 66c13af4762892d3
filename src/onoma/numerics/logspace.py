"""Probabilities as logarithms: sums and draws that neither overflow nor underflow. Minus infinity is probability 0."""

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel

__all__ = ["draw_log_inplace", "log_sum_exp"]


def log_sum_exp(log_values: NDArray[np.float64], axis: int | tuple[int, ...] | None = None) -> NDArray[np.float64]:
    """Return log Σ exp over an axis (None: all); the sum of nothing but -inf is -inf.

    Examples
    --------
    >>> float(log_sum_exp(np.array([1000.0, 1000.0, -np.inf])).round(6))
    1000.693147
    """
    high = np.max(log_values, axis=axis, keepdims=True)
    # Where everything is -inf, subtract 0: -inf - -inf would be NaN.
    shift = np.where(np.isfinite(high), high, 0.0)
    with np.errstate(divide="ignore"):
        total = np.log(np.sum(np.exp(log_values - shift), axis=axis, keepdims=True)) + shift
    return np.squeeze(total, axis=axis)


@kernel
def draw_log_inplace(u: float, log_weights: NDArray[np.float64], n: int) -> int:
    """Return i < n with probability proportional to exp(log_weights[i]), given a uniform number u in [0, 1).

    The first n entries become running sums. Returns -1 when every weight is -inf: nothing can be drawn.
    """
    high = -np.inf
    for i in range(n):
        high = max(high, log_weights[i])
    if high == -np.inf:
        return -1
    total = 0.0
    for i in range(n):
        total += np.exp(log_weights[i] - high)
        log_weights[i] = total
    target = u * total
    for i in range(n):
        if target < log_weights[i]:
            return i
    # u·total may round up to total: take the last value that has any weight.
    last = n - 1
    while last > 0 and log_weights[last] == log_weights[last - 1]:
        last -= 1
    return last
