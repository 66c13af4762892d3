"""Kernels of maximum entropy in general form: each context lists its own candidates, each with its own features.

Storage: `Contexts`, and a sparse matrix of features f_t(x, y), candidate rows × features, as CSR and as CSC. State:
S[row] = exp(score(row) - shift[context]), T[context].
"""

from typing import NamedTuple

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.learning._maxent_kernels import CD, Rule, Scores, scaling_step, shortened, smallest_slope
from onoma.learning.inputs import SparseRows
from onoma.numerics.kernels import lean

__all__ = ["Contexts", "fill_candidate_scores", "pass_candidate_scaling", "pass_candidates", "sweep_candidates"]

_TOO_LARGE = 1e100
_TOO_SMALL = 1e-100

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Ids = NDArray[np.int32]


class Contexts(NamedTuple):
    """The candidates of context x are the rows ptr[x] : ptr[x + 1]."""

    ptr: Ints
    of: Ids
    """The context of each row."""
    counts: Floats
    """How often each context was observed."""


@nb.njit(cache=True, nogil=True)
def fill_candidate_scores(contexts: Contexts, rows: SparseRows, w: Floats, state: Scores) -> None:
    """Compute S, T and shift from the weights."""
    S, T, shift = state
    for x in range(len(contexts.ptr) - 1):
        start, end = contexts.ptr[x], contexts.ptr[x + 1]
        largest = -np.inf
        for row in range(start, end):
            score = 0.0
            for k in range(rows.ptr[row], rows.ptr[row + 1]):
                score += rows.values[k] * w[rows.ids[k]]
            S[row] = score
            largest = max(largest, score)
        total = 0.0
        for row in range(start, end):
            S[row] = np.exp(S[row] - largest)
            total += S[row]
        T[x], shift[x] = total, largest


@nb.njit(cache=True, nogil=True)
def pass_candidates(contexts: Contexts, rows: SparseRows, state: Scores, expected: Floats) -> None:
    """Add E_w[f_t] = Σ_x c_x Σ_y P_w(y|x) f_t(x, y) to expected[t]."""
    for x in range(len(contexts.ptr) - 1):
        scale = contexts.counts[x] / state.T[x]
        for row in range(contexts.ptr[x], contexts.ptr[x + 1]):
            for k in range(rows.ptr[row], rows.ptr[row + 1]):
                expected[rows.ids[k]] += scale * state.S[row] * rows.values[k]


@nb.njit(cache=True, nogil=True)
def pass_candidate_scaling(
    contexts: Contexts,
    rows: SparseRows,
    state: Scores,
    z: Floats,
    value: Floats,
    slope: Floats,
    curvature: Floats,
) -> None:
    """Add IIS's Σ c P f_t (e^{z_t f#} - 1) / f#, with its two derivatives in z_t, where f# = Σ_t f_t(x, y)."""
    row_ptr, row_ids, row_values = rows
    for x in range(len(contexts.ptr) - 1):
        scale = contexts.counts[x] / state.T[x]
        for row in range(contexts.ptr[x], contexts.ptr[x + 1]):
            sharp = 0.0
            for k in range(row_ptr[row], row_ptr[row + 1]):
                sharp += row_values[k]
            if sharp <= 0.0:
                continue
            for k in range(row_ptr[row], row_ptr[row + 1]):
                t = row_ids[k]
                share = scale * state.S[row] * row_values[k]
                grown = np.exp(z[t] * sharp)
                value[t] += share * (grown - 1.0) / sharp
                slope[t] += share * grown
                curvature[t] += share * grown * sharp


@nb.njit(cache=True, nogil=True)
def sweep_candidates(
    rule: Rule,
    order: Ints,
    columns: SparseRows,
    contexts: Contexts,
    w: Floats,
    observed: Floats,
    sharp: Floats,
    state: Scores,
) -> float:
    """Update every weight once, one after the other; return the sum of squares of the (sub)gradient met on the way."""
    squares = 0.0
    for t in order:
        if columns.ptr[t] == columns.ptr[t + 1]:
            # Only the penalty speaks.
            if rule.inverse_variance > 0.0 or rule.l1 > 0.0:
                w[t] = 0.0
            continue
        expected, curvature = _moments(t, columns, contexts, state)
        slope = expected - observed[t] + w[t] * rule.inverse_variance
        squares += smallest_slope(rule, slope, w[t]) ** 2
        z = _step(rule, slope, curvature, expected, observed[t], w[t], sharp[t])
        if z != 0.0:
            w[t] += z
            _apply(t, z, columns, contexts, state)
    return squares


@lean
def _moments(t: int, columns: SparseRows, contexts: Contexts, state: Scores) -> tuple[float, float]:
    """Return E[f_t] and Σ_x c_x Var_x[f_t]; rows of one context stand together."""
    expected = curvature = 0.0
    k, end = columns.ptr[t], columns.ptr[t + 1]
    while k < end:
        x = contexts.of[columns.ids[k]]
        mean = square = 0.0
        while k < end and contexts.of[columns.ids[k]] == x:
            share = state.S[columns.ids[k]] * columns.values[k] / state.T[x]
            mean += share
            square += share * columns.values[k]
            k += 1
        expected += contexts.counts[x] * mean
        curvature += contexts.counts[x] * max(square - mean * mean, 0.0)
    return expected, curvature


@lean
def _step(
    rule: Rule, slope: float, curvature: float, expected: float, observed: float, weight: float, sharp: float
) -> float:
    """Return the change of one weight; the rules are those of `_maxent_kernels._steps`."""
    if rule.method == CD:
        bend = curvature + rule.inverse_variance
        if bend <= 0.0:
            return 0.0
        target = weight - slope / bend
        if rule.l1 > 0.0:
            target = np.sign(target) * max(abs(target) - rule.l1 / bend, 0.0)
        z = target - weight
        reach = abs(sharp * z)
        if reach <= rule.safe_range:
            return z
        if rule.l1 > 0.0 or sharp < 0.0:
            return shortened(rule, reach) * z
    return scaling_step(expected, observed, weight, rule.inverse_variance, sharp)


@lean
def _apply(t: int, z: float, columns: SparseRows, contexts: Contexts, state: Scores) -> None:
    """S ← S e^{z f}, T ← T + Σ S (e^{z f} - 1), on the candidates that have the feature."""
    S, T, shift = state
    k, end = columns.ptr[t], columns.ptr[t + 1]
    while k < end:
        x = contexts.of[columns.ids[k]]
        total = T[x]
        while k < end and contexts.of[columns.ids[k]] == x:
            row = columns.ids[k]
            old = S[row]
            S[row] = old * np.exp(z * columns.values[k])
            total += S[row] - old
            k += 1
        if total < 1e-6 * T[x] or total > _TOO_LARGE or total < _TOO_SMALL:
            total = 0.0
            for row in range(contexts.ptr[x], contexts.ptr[x + 1]):
                total += S[row]
            for row in range(contexts.ptr[x], contexts.ptr[x + 1]):
                S[row] /= total
            shift[x] += np.log(total)
            total = 1.0
        T[x] = total
