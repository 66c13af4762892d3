"""Kernels of maximum entropy in product form: a weight for each pair of an input feature p and a class y.

Storage, the same in every kernel:

* samples: the rows and the columns of the n × m matrix (CSR and CSC);
* weights: `Weights`, flat;
* state of the sequential methods: `Scores`.

fastmath lets LLVM reorder sums so that loops over classes use vector registers; no kernel relies on NaN or infinity.
"""

from typing import NamedTuple

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.learning.inputs import SparseRows
from onoma.numerics.kernels import lean, lean_fast

__all__ = [
    "CD",
    "SCGIS",
    "Rule",
    "Scores",
    "Weights",
    "fill_scores",
    "log_scores",
    "pass_rows",
    "pass_scaling",
    "scaling_step",
    "scaling_steps",
    "shortened",
    "smallest_slope",
    "sweep",
]

CD = 0
SCGIS = 1

# Rows whose sum leaves this range are divided by it, and no score falls below the floor: a score that became 0 could
# never rise again. All three are well within float32. A floored row is wrong until the next `fill_scores`.
_TOO_LARGE = 1e25
_TOO_SMALL = 1e-3
_FLOOR = 1e-35

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Ids = NDArray[np.int32]


class Weights(NamedTuple):
    """The weights of feature p are w[ptr[p] : ptr[p + 1]]."""

    ptr: Ints
    classes: Ids
    """Which class each belongs to; empty: every feature has all classes in order."""
    w: Floats


class Scores(NamedTuple):
    """S[i, y] = exp(score(i, y) - shift[i]), T[i] = Σ_y S[i, y].

    Columns of S beyond the classes are padding, next to 0. An empty S (no rows) means that rows of S are recomputed
    from the weights each time they are needed.
    """

    S: Floats
    T: Floats
    shift: Floats


class Rule(NamedTuple):
    """How far a weight is moved: by which method, under which penalty, after which line search."""

    method: int
    inverse_variance: float
    l1: float
    gamma: float
    beta: float
    safe_range: float


@lean_fast
def _row_scores(i: int, rows: SparseRows, weights: Weights, scores: Floats) -> None:
    """Write score(i, y) = Σ_p x_ip w_py."""
    scores[:] = 0.0
    for k in range(rows.ptr[i], rows.ptr[i + 1]):
        value = rows.values[k] if len(rows.values) else 1.0
        start, end = weights.ptr[rows.ids[k]], weights.ptr[rows.ids[k] + 1]
        if len(weights.classes):
            for j in range(start, end):
                scores[weights.classes[j]] += value * weights.w[j]
        else:
            for y in range(end - start):
                scores[y] += value * weights.w[start + y]


@nb.njit(cache=True, nogil=True, fastmath=True)
def _exponentiate(scores: Floats) -> tuple[float, float]:
    """Replace scores by exp(score - largest); return the largest and the sum."""
    largest = scores.max()
    total = 0.0
    for y in range(len(scores)):
        scores[y] = np.exp(scores[y] - largest)
        total += scores[y]
    return largest, total


@nb.njit(cache=True, nogil=True)
def log_scores(rows: SparseRows, weights: Weights, result: Floats) -> None:
    """Write every score(i, y)."""
    for i in range(len(rows.ptr) - 1):
        _row_scores(i, rows, weights, result[i])


@nb.njit(cache=True, nogil=True, fastmath=True)
def fill_scores(rows: SparseRows, weights: Weights, n_classes: int, state: Scores) -> None:
    """Compute S, T and shift from the weights."""
    scores = np.empty(n_classes)
    for i in range(len(rows.ptr) - 1):
        _row_scores(i, rows, weights, scores)
        state.shift[i], state.T[i] = _exponentiate(scores)
        for y in range(len(scores)):
            state.S[i, y] = max(scores[y], _FLOOR)


@nb.njit(cache=True, nogil=True, fastmath=True)
def pass_rows(rows: SparseRows, weights: Weights, counts: Floats, n_classes: int, expected: Floats) -> float:
    """Add E_w[f_t] = Σ_i c_i P_w(y|i) x_ip to expected[t]; return Σ_i c_i log T_w(i). No memory beyond one row."""
    row_ptr, row_ids, row_values = rows
    w_ptr, w_class, _ = weights
    scores = np.empty(n_classes)
    log_partition = 0.0
    for i in range(len(row_ptr) - 1):
        _row_scores(i, rows, weights, scores)
        largest, total = _exponentiate(scores)
        log_partition += counts[i] * (largest + np.log(total))
        scale = counts[i] / total
        for k in range(row_ptr[i], row_ptr[i + 1]):
            factor = scale * row_values[k] if len(row_values) else scale
            start, end = w_ptr[row_ids[k]], w_ptr[row_ids[k] + 1]
            if len(w_class):
                for j in range(start, end):
                    expected[j] += factor * scores[w_class[j]]
            else:
                for y in range(end - start):
                    expected[start + y] += factor * scores[y]
    return log_partition


@nb.njit(cache=True, nogil=True, fastmath=True)
def pass_scaling(
    rows: SparseRows,
    weights: Weights,
    counts: Floats,
    n_classes: int,
    z: Floats,
    value: Floats,
    slope: Floats,
    curvature: Floats,
) -> None:
    """Add IIS's Σ c P f_t (e^{z_t f#} - 1) / f#, with its two derivatives in z_t, where f# = Σ_t f_t(i, y)."""
    w_ptr, w_class, w = weights
    scores, sharp = np.empty(n_classes), np.empty(n_classes)
    ones = Weights(w_ptr, w_class, np.ones(len(w)))
    for i in range(len(rows.ptr) - 1):
        _row_scores(i, rows, ones, sharp)
        _row_scores(i, rows, weights, scores)
        _, total = _exponentiate(scores)
        for k in range(rows.ptr[i], rows.ptr[i + 1]):
            factor = counts[i] / total * (rows.values[k] if len(rows.values) else 1.0)
            start, end = w_ptr[rows.ids[k]], w_ptr[rows.ids[k] + 1]
            for j in range(start, end):
                y = w_class[j] if len(w_class) else j - start
                grown = np.exp(z[j] * sharp[y])
                if sharp[y] > 0.0:
                    value[j] += factor * scores[y] * (grown - 1.0) / sharp[y]
                slope[j] += factor * scores[y] * grown
                curvature[j] += factor * scores[y] * grown * sharp[y]


@nb.njit(cache=True, nogil=True)
def scaling_step(expected: float, observed: float, weight: float, inverse_variance: float, sharp: float) -> float:
    """Return the z that minimises (e^{z f#} - 1) / f# · E + (2 w z + z²) / (2σ²) - z P̃, by Newton's method.

    The derivative is convex and increasing, so once to the right of the root the iterates descend to it; a step to the
    right is cut to 1/f#, which keeps the exponential in range.
    """
    z = 0.0
    for _ in range(100):
        grown = expected * np.exp(z * sharp)
        slope = grown - observed + (weight + z) * inverse_variance
        curvature = grown * sharp + inverse_variance
        if curvature <= 0.0:
            return z
        step = -slope / curvature
        step = min(step, 1.0 / sharp)
        z += step
        if abs(step) <= 1e-12 * (1.0 + abs(z)):
            break
    return z


@nb.njit(cache=True, nogil=True)
def scaling_steps(expected: Floats, observed: Floats, weights: Floats, inverse_variance: float, sharp: float) -> Floats:
    """Return `scaling_step` of every weight."""
    z = np.empty(len(weights))
    for t in range(len(weights)):
        z[t] = scaling_step(expected[t], observed[t], weights[t], inverse_variance, sharp)
    return z


@nb.njit(cache=True, nogil=True, fastmath=True)
def _moments_all(
    rows: Ids, values: Floats, counts: Floats, S: Floats, T: Floats, expected: Floats, curvature: Floats
) -> None:
    """E[f_py] and the curvature bound 2 Σ c x² P (1 - P), for all classes of one feature."""
    expected[:], curvature[:] = 0.0, 0.0
    for k in range(len(rows)):
        i = rows[k]
        value = values[k] if len(values) else 1.0
        inverse, cv = 1.0 / T[i], counts[i] * value
        cvv = 2.0 * cv * value
        for y in range(S.shape[1]):
            q = S[i, y] * inverse
            expected[y] += cv * q
            curvature[y] += cvv * (q - q * q)


@nb.njit(cache=True, nogil=True, fastmath=True)
def _moments_listed(
    rows: Ids, values: Floats, counts: Floats, listed: Ids, S: Floats, T: Floats, expected: Floats, curvature: Floats
) -> None:
    """The same for the listed classes, whose curvature bound is Σ c x² P_y (1 + P_listed - 2 P_y)."""
    expected[: len(listed)], curvature[: len(listed)] = 0.0, 0.0
    for k in range(len(rows)):
        i = rows[k]
        value = values[k] if len(values) else 1.0
        inverse, cv = 1.0 / T[i], counts[i] * value
        mass = 1.0
        for j in range(len(listed)):
            mass += S[i, listed[j]] * inverse
        for j in range(len(listed)):
            q = S[i, listed[j]] * inverse
            expected[j] += cv * q
            curvature[j] += cv * value * q * (mass - 2.0 * q)


@nb.njit(cache=True, nogil=True, fastmath=True)
def _moments_fresh(
    rows: Ids,
    values: Floats,
    counts: Floats,
    matrix: SparseRows,
    weights: Weights,
    state: Scores,
    expected: Floats,
    curvature: Floats,
) -> None:
    """The same as `_moments_all`, with S computed from the weights and forgotten; T and shift are kept."""
    expected[:], curvature[:] = 0.0, 0.0
    scores = np.empty(len(expected))
    for k in range(len(rows)):
        i = rows[k]
        value = values[k] if len(values) else 1.0
        _row_scores(i, matrix, weights, scores)
        state.shift[i], state.T[i] = _exponentiate(scores)
        cv = counts[i] * value
        for y in range(len(scores)):
            q = scores[y] / state.T[i]
            expected[y] += cv * q
            curvature[y] += 2.0 * cv * value * (q - q * q)


@nb.njit(cache=True, nogil=True, fastmath=True)
def _rescale(i: int, total: float, S: Floats, shift: Floats) -> None:
    for y in range(S.shape[1]):
        S[i, y] = max(S[i, y] / total, _FLOOR)
    shift[i] += np.log(total)


@nb.njit(cache=True, nogil=True, fastmath=True)
def _apply_all(rows: Ids, values: Floats, z: Floats, factors: Floats, S: Floats, T: Floats, shift: Floats) -> None:
    """S(i, y) ← S(i, y) e^{z_y x_ip} and its row sums, for the samples of one feature."""
    last = 0.0
    for k in range(len(rows)):
        i = rows[k]
        value = values[k] if len(values) else 1.0
        if value != last:
            for y in range(S.shape[1]):
                factors[y] = np.exp(value * z[y])
            last = value
        total = 0.0
        for y in range(S.shape[1]):
            grown = max(S[i, y] * factors[y], _FLOOR)
            S[i, y] = grown
            total += grown
        if total > _TOO_LARGE or total < _TOO_SMALL:
            _rescale(i, total, S, shift)
            total = 1.0
        T[i] = total


@nb.njit(cache=True, nogil=True, fastmath=True)
def _apply_listed(
    rows: Ids, values: Floats, listed: Ids, z: Floats, factors: Floats, S: Floats, T: Floats, shift: Floats
) -> None:
    """The same for the listed classes, T(i) ← T(i) + Σ_y S(i, y) (e^{z_y x_ip} - 1)."""
    last = 0.0
    for k in range(len(rows)):
        i = rows[k]
        value = values[k] if len(values) else 1.0
        if value != last:
            for j in range(len(listed)):
                factors[j] = np.exp(value * z[j])
            last = value
        total = T[i]
        for j in range(len(listed)):
            old = S[i, listed[j]]
            grown = max(old * factors[j], _FLOOR)
            S[i, listed[j]] = grown
            total += grown - old
        # After a fall by many orders of magnitude the difference has lost its digits.
        if total < 1e-6 * T[i]:
            total = 0.0
            for y in range(S.shape[1]):
                total += S[i, y]
        if total > _TOO_LARGE or total < _TOO_SMALL:
            _rescale(i, total, S, shift)
            total = 1.0
        T[i] = total


@nb.njit(cache=True, nogil=True)
def _newton_steps(
    rule: Rule, expected: Floats, observed: Floats, weights: Floats, curvature: Floats, z: Floats
) -> float:
    """Write the Newton step of each class of one feature; return max z - min z, with 0 among the z.

    With an L1 term it is the minimiser of g z + D z²/2 + l1 |w + z|: a shrunken weight.
    """
    lowest = highest = 0.0
    for j in range(len(expected)):
        slope = expected[j] - observed[j] + weights[j] * rule.inverse_variance
        bend = curvature[j] + rule.inverse_variance
        if bend <= 0.0:
            z[j] = 0.0
        elif rule.l1 > 0.0:
            target = weights[j] - slope / bend
            z[j] = np.sign(target) * max(abs(target) - rule.l1 / bend, 0.0) - weights[j]
        else:
            z[j] = -slope / bend
        lowest, highest = min(lowest, z[j]), max(highest, z[j])
    return highest - lowest


@lean
def shortened(rule: Rule, reach: float) -> float:
    """Return the first of 1, β, β², … that shortens a Newton step of this reach to sufficient decrease."""
    step = 1.0
    while step * (np.exp(step * reach) - step * reach - 1.0) > (1.0 - rule.gamma) * (step * reach) ** 2:
        step *= rule.beta
    return step


@nb.njit(cache=True, nogil=True)
def _steps(
    rule: Rule,
    expected: Floats,
    observed: Floats,
    weights: Floats,
    curvature: Floats,
    sharp: float,
    z: Floats,
) -> None:
    """Write z, the change of the weights of one feature, by the rule.

    `cd` takes the Newton step d and tests sufficient decrease, A(βᵏ d) ≤ γ βᵏ A'(0)·d, without looking at the samples
    again: log-partition functions obey A''(t d) ≤ e^{r |t|} A''(0) with r = f# · (max d - min d), so the test holds
    whenever βᵏ (e^s - s - 1) / s² ≤ 1 - γ with s = βᵏ r; for βᵏ = 1, whenever r ≤ `safe_range`. A longer step of
    features ≥ 0 (f# > 0) is replaced by the minimiser of the SCGIS bound, which separates over classes.
    """
    if rule.method == CD:
        reach = abs(sharp) * _newton_steps(rule, expected, observed, weights, curvature, z)
        if reach <= rule.safe_range:
            return
        if rule.l1 > 0.0 or sharp < 0.0:
            step = shortened(rule, reach)
            for j in range(len(expected)):
                z[j] *= step
            return
    for j in range(len(expected)):
        z[j] = scaling_step(expected[j], observed[j], weights[j], rule.inverse_variance, sharp)


@nb.njit(cache=True, nogil=True)
def _centre(weights: Floats, z: Floats) -> None:
    """Let the weights of all classes of one feature sum to 0: no probability changes, and Σ w² is the least."""
    mean = 0.0
    for y in range(len(weights)):
        mean += weights[y] + z[y]
    mean /= len(weights)
    for y in range(len(weights)):
        z[y] -= mean


@lean
def smallest_slope(rule: Rule, slope: float, weight: float) -> float:
    """Return, of a slope and what the L1 penalty adds to it, the subgradient nearest to 0."""
    if rule.l1 == 0.0:
        return slope
    return slope + np.sign(weight) * rule.l1 if weight != 0.0 else max(abs(slope) - rule.l1, 0.0)


@nb.njit(cache=True, nogil=True)
def _squared_slope(rule: Rule, expected: Floats, observed: Floats, weights: Floats) -> float:
    """Return the squared length of the smallest subgradient."""
    result = 0.0
    for j in range(len(expected)):
        slope = expected[j] - observed[j] + weights[j] * rule.inverse_variance
        slope = smallest_slope(rule, slope, weights[j])
        result += slope * slope
    return result


@nb.njit(cache=True, nogil=True, fastmath=True)
def sweep(
    rule: Rule,
    order: Ints,
    columns: SparseRows,
    matrix: SparseRows,
    weights: Weights,
    observed: Floats,
    counts: Floats,
    sharp: Floats,
    n_classes: int,
    state: Scores,
) -> float:
    """Update the weights of every input feature once, all classes of a feature together.

    `sharp[p]` is max_i |x_ip|, negative when some x_ip is. Returns the sum of squares of the (sub)gradient as it was
    met on the way: each component just before its own update.
    """
    # Taken out of the tuples here: each look into one counts references.
    S, T, shift = state
    col_ptr, col_rows, col_values = columns
    w_ptr, w_class, w = weights
    l1, inverse_variance = rule.l1, rule.inverse_variance
    width = S.shape[1]
    expected, curvature, z = np.empty(width), np.empty(width), np.empty(width)
    spread, factors = np.zeros(width), np.empty(width)
    is_kept = S.shape[0] > 0
    squares = 0.0
    for p in order:
        first, n_listed = w_ptr[p], w_ptr[p + 1] - w_ptr[p]
        own, seen = w[first : first + n_listed], observed[first : first + n_listed]
        if col_ptr[p] == col_ptr[p + 1]:
            # Only the penalty speaks.
            if inverse_variance > 0.0 or l1 > 0.0:
                own[:] = 0.0
            continue
        if n_listed == 0:
            continue
        rows = col_rows[col_ptr[p] : col_ptr[p + 1]]
        values = col_values[col_ptr[p] : col_ptr[p + 1]] if len(col_values) else col_values
        listed = w_class[first : first + n_listed] if n_listed < n_classes else w_class[:0]
        # Scattered access costs about three times as much as access in order.
        is_dense = 3 * n_listed > n_classes or not is_kept
        if not is_kept:
            _moments_fresh(rows, values, counts, matrix, weights, state, expected, curvature)
        elif is_dense:
            _moments_all(rows, values, counts, S, T, expected, curvature)
        else:
            _moments_listed(rows, values, counts, listed, S, T, expected, curvature)
        if is_dense:
            for j in range(len(listed)):
                expected[j], curvature[j] = expected[listed[j]], curvature[listed[j]]
        squares += _squared_slope(rule, expected[:n_listed], seen, own)
        _steps(rule, expected[:n_listed], seen, own, curvature, sharp[p], z)
        if rule.method == CD and len(listed) == 0 and l1 == 0.0:
            _centre(own, z)
        for j in range(n_listed):
            own[j] += z[j]
        if not is_kept:
            continue
        if not is_dense:
            _apply_listed(rows, values, listed, z, factors, S, T, shift)
        elif len(listed):
            spread[:] = 0.0
            for j in range(n_listed):
                spread[listed[j]] = z[j]
            _apply_all(rows, values, spread, factors, S, T, shift)
        else:
            spread[:n_classes] = z[:n_classes]
            _apply_all(rows, values, spread, factors, S, T, shift)
    return squares
