"""Kernels of maximum entropy in general form: each context lists its own candidates, each with its own features.

Storage: candidate rows of context x are context_ptr[x] : context_ptr[x + 1]; features f_t(x, y) are a sparse matrix of
candidate rows × features, as CSR (`row_ptr`, `row_ids`, `row_values`) and as CSC (`col_ptr`, `col_rows`, `col_values`);
`context_of[row]` is the context of a candidate row. State: S[row] = exp(score(row) - shift[context]), T[context].
"""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.learning._maxent_kernels import CD, scaling_step

__all__ = ["fill_candidate_scores", "pass_candidate_scaling", "pass_candidates", "sweep_candidates"]

_TOO_LARGE = 1e100
_TOO_SMALL = 1e-100

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Ids = NDArray[np.int32]


@nb.njit(cache=True, nogil=True)
def fill_candidate_scores(
    context_ptr: Ints, row_ptr: Ints, row_ids: Ids, row_values: Floats, w: Floats, S: Floats, T: Floats, shift: Floats
) -> None:
    """Compute S, T and shift from the weights."""
    for x in range(len(context_ptr) - 1):
        start, end = context_ptr[x], context_ptr[x + 1]
        largest = -np.inf
        for row in range(start, end):
            score = 0.0
            for k in range(row_ptr[row], row_ptr[row + 1]):
                score += row_values[k] * w[row_ids[k]]
            S[row] = score
            largest = max(largest, score)
        total = 0.0
        for row in range(start, end):
            S[row] = np.exp(S[row] - largest)
            total += S[row]
        T[x], shift[x] = total, largest


@nb.njit(cache=True, nogil=True)
def pass_candidates(
    context_ptr: Ints,
    row_ptr: Ints,
    row_ids: Ids,
    row_values: Floats,
    counts: Floats,
    S: Floats,
    T: Floats,
    expected: Floats,
) -> None:
    """Add E_w[f_t] = Σ_x c_x Σ_y P_w(y|x) f_t(x, y) to expected[t]."""
    for x in range(len(context_ptr) - 1):
        scale = counts[x] / T[x]
        for row in range(context_ptr[x], context_ptr[x + 1]):
            for k in range(row_ptr[row], row_ptr[row + 1]):
                expected[row_ids[k]] += scale * S[row] * row_values[k]


@nb.njit(cache=True, nogil=True)
def pass_candidate_scaling(
    context_ptr: Ints,
    row_ptr: Ints,
    row_ids: Ids,
    row_values: Floats,
    counts: Floats,
    S: Floats,
    T: Floats,
    z: Floats,
    value: Floats,
    slope: Floats,
    curvature: Floats,
) -> None:
    """Add IIS's Σ c P f_t (e^{z_t f#} - 1) / f#, with its two derivatives in z_t, where f# = Σ_t f_t(x, y)."""
    for x in range(len(context_ptr) - 1):
        scale = counts[x] / T[x]
        for row in range(context_ptr[x], context_ptr[x + 1]):
            sharp = 0.0
            for k in range(row_ptr[row], row_ptr[row + 1]):
                sharp += row_values[k]
            if sharp <= 0.0:
                continue
            for k in range(row_ptr[row], row_ptr[row + 1]):
                t = row_ids[k]
                share = scale * S[row] * row_values[k]
                grown = np.exp(z[t] * sharp)
                value[t] += share * (grown - 1.0) / sharp
                slope[t] += share * grown
                curvature[t] += share * grown * sharp


@nb.njit(cache=True, nogil=True)
def sweep_candidates(
    rule: int,
    order: Ints,
    col_ptr: Ints,
    col_rows: Ids,
    col_values: Floats,
    context_of: Ids,
    context_ptr: Ints,
    w: Floats,
    observed: Floats,
    counts: Floats,
    sharp: Floats,
    inverse_variance: float,
    l1: float,
    gamma: float,
    beta: float,
    safe_range: float,
    S: Floats,
    T: Floats,
    shift: Floats,
) -> float:
    """Update every weight once, one after the other; return the sum of squares of the (sub)gradient met on the way."""
    squares = 0.0
    for t in order:
        start, end = col_ptr[t], col_ptr[t + 1]
        if start == end:
            # Only the penalty speaks.
            if inverse_variance > 0.0 or l1 > 0.0:
                w[t] = 0.0
            continue
        expected, curvature = _moments(start, end, col_rows, col_values, context_of, counts, S, T)
        slope = expected - observed[t] + w[t] * inverse_variance
        squares += _smallest(slope, w[t], l1) ** 2
        z = _step(
            rule, slope, curvature, expected, observed[t], w[t], inverse_variance, l1, sharp[t], gamma, beta, safe_range
        )
        if z != 0.0:
            w[t] += z
            _apply(start, end, z, col_rows, col_values, context_of, context_ptr, S, T, shift)
    return squares


@nb.njit(cache=True, nogil=True)
def _moments(
    start: int,
    end: int,
    col_rows: Ids,
    col_values: Floats,
    context_of: Ids,
    counts: Floats,
    S: Floats,
    T: Floats,
) -> tuple[float, float]:
    """Return E[f_t] and Σ_x c_x Var_x[f_t]; rows of one context stand together."""
    expected = curvature = 0.0
    k = start
    while k < end:
        x = context_of[col_rows[k]]
        mean = square = 0.0
        while k < end and context_of[col_rows[k]] == x:
            share = S[col_rows[k]] * col_values[k] / T[x]
            mean += share
            square += share * col_values[k]
            k += 1
        expected += counts[x] * mean
        curvature += counts[x] * max(square - mean * mean, 0.0)
    return expected, curvature


@nb.njit(cache=True, nogil=True)
def _smallest(slope: float, weight: float, l1: float) -> float:
    """Return the subgradient nearest to 0."""
    if l1 == 0.0:
        return slope
    return slope + np.sign(weight) * l1 if weight != 0.0 else max(abs(slope) - l1, 0.0)


@nb.njit(cache=True, nogil=True)
def _step(
    rule: int,
    slope: float,
    curvature: float,
    expected: float,
    observed: float,
    weight: float,
    inverse_variance: float,
    l1: float,
    sharp: float,
    gamma: float,
    beta: float,
    safe_range: float,
) -> float:
    """Return the change of one weight; the rules are those of `_maxent_kernels._steps`."""
    if rule == CD:
        bend = curvature + inverse_variance
        if bend <= 0.0:
            return 0.0
        target = weight - slope / bend
        if l1 > 0.0:
            target = np.sign(target) * max(abs(target) - l1 / bend, 0.0)
        z = target - weight
        reach = abs(sharp * z)
        if reach <= safe_range:
            return z
        if l1 > 0.0 or sharp < 0.0:
            step = 1.0
            while step * (np.exp(step * reach) - step * reach - 1.0) > (1.0 - gamma) * (step * reach) ** 2:
                step *= beta
            return step * z
    return scaling_step(expected, observed, weight, inverse_variance, sharp)


@nb.njit(cache=True, nogil=True)
def _apply(
    start: int,
    end: int,
    z: float,
    col_rows: Ids,
    col_values: Floats,
    context_of: Ids,
    context_ptr: Ints,
    S: Floats,
    T: Floats,
    shift: Floats,
) -> None:
    """S ← S e^{z f}, T ← T + Σ S (e^{z f} - 1), on the candidates that have the feature."""
    k = start
    while k < end:
        x = context_of[col_rows[k]]
        total = T[x]
        while k < end and context_of[col_rows[k]] == x:
            row = col_rows[k]
            old = S[row]
            S[row] = old * np.exp(z * col_values[k])
            total += S[row] - old
            k += 1
        if total < 1e-6 * T[x] or total > _TOO_LARGE or total < _TOO_SMALL:
            total = S[context_ptr[x] : context_ptr[x + 1]].sum()
            for row in range(context_ptr[x], context_ptr[x + 1]):
                S[row] /= total
            shift[x] += np.log(total)
            total = 1.0
        T[x] = total
