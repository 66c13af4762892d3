"""Kernels of semi-Markov CRFs: forward–backward and Viterbi.

One text of n tokens is a *lattice*: `scores[e, d, y]` is the log score of the segment of d + 1 tokens that ends at
token e with label y. Between segments stand transitions `T[c, a, b]` (c: the class of the border). With

    into[s, y]   = log Σ over all ways to segment the tokens before s, with the transition into label y
    ahead[e, y]  = log Σ over all ways to go on after a segment that ends at e with label y
    from[s, y]   = log Σ_d exp(scores[s + d, d, y] + ahead[s + d, y])

the transitions are summed once a border and the lengths once a label: O(n (|Y|² + L |Y|)), not O(n L |Y|²). The
recursions run on scaled probabilities, with one exponential a segment and label; where these leave the range of numbers
(scores far apart and barred transitions) the text is done again in logarithms.
"""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.learning.sequences._semicrf_arrays import Layout, Texts
from onoma.learning.sequences._semicrf_score_kernels import score_bundles, tabled_scores, transition_scores

__all__ = ["best_segments", "label_texts", "marginal_texts", "marginals"]

Floats = NDArray[np.float64]
_NOTHING = -100.0
"""Exponentials below this (4e-44) change no sum and are not taken: most segments of a trained model are so unlikely."""
_TINY = 1e-200
"""Sums of scaled numbers below this are done again in logarithms."""


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _highest(values: Floats) -> float:
    high = -np.inf
    for value in values:
        high = max(high, value)
    return high


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _log_dot(logs: Floats, factors: Floats) -> float:
    """Return log Σ exp(logs) · factors where the quick way underflowed: the best way is barred, the next far below."""
    high = -np.inf
    for i in range(len(logs)):
        if factors[i] > 0.0:
            high = max(high, logs[i] + np.log(factors[i]))
    if high == -np.inf:
        return high
    total = 0.0
    for i in range(len(logs)):
        if factors[i] > 0.0:
            total += np.exp(logs[i] + np.log(factors[i]) - high)
    return high + np.log(total)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _log_matvec(logs: Floats, exp_matrix: Floats, out: Floats) -> None:
    """Fill out[b] = log Σ_a exp(logs[a]) · exp_matrix[a, b]."""
    high = _highest(logs)
    for b in range(len(out)):
        out[b] = 0.0
    if high > -np.inf:
        for a in range(len(logs)):
            mass = np.exp(logs[a] - high)
            for b in range(len(out)):
                out[b] += mass * exp_matrix[a, b]
    for b in range(len(out)):
        out[b] = np.log(out[b]) + high if out[b] > _TINY else _log_dot(logs, exp_matrix[:, b])


@nb.njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _scaled_marginals(scores: Floats, edges: NDArray[np.int8], expT: Floats, pairs: Floats) -> float:
    """As `_segment_marginals` with one exponential a segment. -inf, and scores as they were, when numbers leave range.

    into[s] is scaled to a highest of 1, with the logarithm of its scale in `scale`; p is the score of a segment beside
    the best that ends where it ends. The way back needs no logarithm, for it uses the same p and scales. `pairs`
    receives expected transitions divided by exp T.
    """
    n, depth, m = scores.shape
    p, into, alpha = np.empty_like(scores), np.ones((n, m)), np.zeros((n, m))
    scale, norm, best = np.zeros(n), np.ones(n), 0.0
    for e in range(n):
        longest = min(depth, e + 1)
        best = -np.inf
        for d in range(longest):
            best = max(best, _highest(scores[e, d]) + scale[e - d])
        if not best > -np.inf:
            return -np.inf
        row = alpha[e]
        for d in range(longest):
            shift, above, mass, chance = scale[e - d] - best, scores[e, d], into[e - d], p[e, d]
            for y in range(m):
                log_p = above[y] + shift
                chance[y] = np.exp(log_p) if log_p > _NOTHING else 0.0
                row[y] += chance[y] * mass[y]
        p[e, longest:] = 0.0
        if e + 1 < n:
            after, matrix = into[e + 1], expT[edges[e + 1]]
            after[:] = 0.0
            for a in range(m):
                for b in range(m):
                    after[b] += row[a] * matrix[a, b]
            high = _highest(after)
            if not 1e-250 < high < 1e250:
                return -np.inf
            norm[e + 1] = high
            scale[e + 1] = best + np.log(high)
            for b in range(m):
                after[b] /= high
    total = alpha[n - 1].sum()
    if not 1e-250 < total < 1e250:
        return -np.inf
    first = _scaled_backward(p, edges, expT, into, alpha, norm, total, pairs)
    if not abs(first - 1.0) < 1e-6:
        return -np.inf
    scores[:] = p
    return best + np.log(total)


@nb.njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _scaled_backward(
    p: Floats,
    edges: NDArray[np.int8],
    expT: Floats,
    into: Floats,
    alpha: Floats,
    norm: Floats,
    total: float,
    pairs: Floats,
) -> float:
    """The way back: probabilities in place of p; return those of first segments summed, 1 unless numbers left range."""
    n, depth, m = p.shape
    ahead, after, first = np.full((n, m), 1.0 / total), np.empty(m), 0.0
    for s in range(n - 1, -1, -1):
        after[:] = 0.0
        mass = into[s]
        for d in range(min(depth, n - s)):
            chance, beyond = p[s + d, d], ahead[s + d]
            for y in range(m):
                onward = chance[y] * beyond[y]
                after[y] += onward
                chance[y] = onward * mass[y]
        if s == 0:
            for y in range(m):
                first += after[y] * mass[y]
        else:
            c = edges[s]
            matrix, counts = expT[c], pairs[c]
            for b in range(m):
                after[b] /= norm[s]
            for a in range(m):
                before, onward = alpha[s - 1, a], 0.0
                for b in range(m):
                    onward += matrix[a, b] * after[b]
                    counts[a, b] += before * after[b]
                ahead[s - 1, a] = onward
    return first


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _segment_marginals(scores: Floats, edges: NDArray[np.int8], expT: Floats, pairs: Floats) -> float:
    """Turn the scores of one text into probabilities of its segments; add the transitions' to `pairs`; return log Z."""
    n, depth, n_labels = scores.shape
    into, alpha = np.zeros((n + 1, n_labels)), np.empty((n, n_labels))
    for e in range(n):
        for y in range(n_labels):
            high = -np.inf
            for d in range(min(depth, e + 1)):
                high = max(high, into[e - d, y] + scores[e, d, y])
            total = 0.0
            if high > -np.inf:
                for d in range(min(depth, e + 1)):
                    below = into[e - d, y] + scores[e, d, y] - high
                    if below > _NOTHING:
                        total += np.exp(below)
            alpha[e, y] = high + np.log(total) if total > 0.0 else -np.inf
        if e + 1 < n:
            _log_matvec(alpha[e], expT[edges[e + 1]], into[e + 1])
    high = _highest(alpha[n - 1])
    if not high > -np.inf:
        return high
    total = 0.0
    for y in range(n_labels):
        total += np.exp(alpha[n - 1, y] - high)
    log_z = high + np.log(total)
    _backward(scores, edges, expT, into, alpha, pairs, log_z)
    return log_z


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _backward(
    scores: Floats, edges: NDArray[np.int8], expT: Floats, into: Floats, alpha: Floats, pairs: Floats, log_z: float
) -> None:
    """The way back: marginals in place of the scores, expected transitions into `pairs`."""
    n, depth, n_labels = scores.shape
    ahead, after, mass = np.zeros((n, n_labels)), np.empty(n_labels), np.empty(n_labels)
    for s in range(n - 1, -1, -1):
        for y in range(n_labels):
            high = -np.inf
            for d in range(min(depth, n - s)):
                high = max(high, scores[s + d, d, y] + ahead[s + d, y])
            total = 0.0
            if high > -np.inf:
                for d in range(min(depth, n - s)):
                    log_mass = scores[s + d, d, y] + ahead[s + d, y]
                    if log_mass - high > _NOTHING:
                        total += np.exp(log_mass - high)
                    log_p = into[s, y] + log_mass - log_z
                    scores[s + d, d, y] = np.exp(log_p) if log_p > _NOTHING else 0.0
            else:
                for d in range(min(depth, n - s)):
                    scores[s + d, d, y] = 0.0
            after[y] = high + np.log(total) if total > 0.0 else -np.inf
        if s > 0:
            c, shift = edges[s], _highest(after)
            for b in range(n_labels):
                mass[b] = np.exp(after[b] - shift)
            for a in range(n_labels):
                log_before, total = alpha[s - 1, a] + shift - log_z, 0.0
                for b in range(n_labels):
                    total += expT[c, a, b] * mass[b]
                ahead[s - 1, a] = shift + np.log(total) if total > _TINY else _log_dot(after, expT[c, a])
                if log_before < 300.0 and total > _TINY:
                    before = np.exp(log_before)
                    for b in range(n_labels):
                        pairs[c, a, b] += before * expT[c, a, b] * mass[b]
                else:
                    for b in range(n_labels):
                        if expT[c, a, b] > 0.0:
                            pairs[c, a, b] += np.exp(alpha[s - 1, a] + np.log(expT[c, a, b]) + after[b] - log_z)
    for e in range(n):
        for d in range(e + 1, depth):
            for y in range(n_labels):
                scores[e, d, y] = 0.0


@nb.njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _chain_marginals(scores: Floats, edges: NDArray[np.int8], expT: Floats, pairs: Floats) -> float:
    """As `_segment_marginals` for segments of one token: scaled probabilities. -inf when these underflow.

    `pairs` receives expected transitions divided by exp T (the caller multiplies once for all texts).
    """
    n, _, m = scores.shape
    alpha, mass, scale = np.empty((n, m)), np.empty((n, m)), np.empty(n)
    log_z = 0.0
    for i in range(n):
        high = _highest(scores[i, 0])
        log_z += high
        row = alpha[i]
        for b in range(m):
            row[b] = 1.0 if i == 0 else 0.0
        if i > 0:
            matrix = expT[edges[i]]
            for a in range(m):
                before = alpha[i - 1, a]
                for b in range(m):
                    row[b] += before * matrix[a, b]
        total = 0.0
        for b in range(m):
            mass[i, b] = np.exp(scores[i, 0, b] - high)
            row[b] *= mass[i, b]
            total += row[b]
        if not 1e-250 < total < 1e250:
            return -np.inf
        scale[i] = 1.0 / total
        log_z += np.log(total)
        for b in range(m):
            row[b] *= scale[i]
    _chain_backward(scores, edges, expT, pairs, alpha, mass, scale)
    return log_z


@nb.njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _chain_backward(
    scores: Floats, edges: NDArray[np.int8], expT: Floats, pairs: Floats, alpha: Floats, mass: Floats, scale: Floats
) -> None:
    n, _, m = scores.shape
    beta, after = np.ones(m), np.empty(m)
    for i in range(n - 1, -1, -1):
        for b in range(m):
            scores[i, 0, b] = alpha[i, b] * beta[b]
        if i > 0:
            c = edges[i]
            matrix, into = expT[c], pairs[c]
            for b in range(m):
                after[b] = mass[i, b] * beta[b] * scale[i]
            for a in range(m):
                total = 0.0
                before = alpha[i - 1, a]
                for b in range(m):
                    total += matrix[a, b] * after[b]
                    into[a, b] += before * after[b]
                beta[a] = total


@nb.njit(cache=True, nogil=True, error_model="numpy")
def marginals(scores: Floats, edges: NDArray[np.int8], expT: Floats, pairs: Floats) -> float:
    """Turn scores[e, d, y] of one text into probabilities in place; add expected transitions to `pairs`; return log Z.

    When no segmentation is allowed log Z is -inf and what is left is of no use.
    """
    found = np.zeros_like(pairs)
    if scores.shape[1] > 1:
        log_z = _scaled_marginals(scores, edges, expT, found)
    else:
        log_z = _chain_marginals(scores, edges, expT, found)
    if log_z > -np.inf:
        for c in range(len(pairs)):
            for a in range(pairs.shape[1]):
                for b in range(pairs.shape[1]):
                    pairs[c, a, b] += found[c, a, b] * expT[c, a, b]
        return log_z
    # Scaled numbers underflowed and the scores are as they were: the slower way is safe.
    return _segment_marginals(scores, edges, expT, pairs)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def best_segments(
    scores: Floats, edges: NDArray[np.int8], T: Floats, labels: NDArray[np.int64], lengths: NDArray[np.int64]
) -> None:
    """Viterbi: fill label and length of the best segments where they start, -1 and 0 inside them."""
    n, depth, n_labels = scores.shape
    into, came = np.zeros((n, n_labels)), np.full((n, n_labels), -1)
    best, size = np.full((n, n_labels), -np.inf), np.ones((n, n_labels), np.int64)
    for e in range(n):
        for d in range(min(depth, e + 1)):
            for y in range(n_labels):
                score = into[e - d, y] + scores[e, d, y]
                if score > best[e, y]:
                    best[e, y], size[e, y] = score, d + 1
        if e + 1 < n:
            c = edges[e + 1]
            for b in range(n_labels):
                into[e + 1, b] = -np.inf
            for a in range(n_labels):
                for b in range(n_labels):
                    score = best[e, a] + T[c, a, b]
                    if score > into[e + 1, b]:
                        into[e + 1, b], came[e + 1, b] = score, a
    for i in range(n):
        labels[i], lengths[i] = -1, 0
    end, y = n - 1, 0
    for b in range(n_labels):
        if best[end, b] > best[end, y]:
            y = b
    while end >= 0 and y >= 0:
        start = end + 1 - size[end, y]
        labels[start], lengths[start] = y, size[end, y]
        end, y = start - 1, came[start, y]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def label_texts(
    order: NDArray[np.int64],
    texts: Texts,
    layout: Layout,
    weights: Floats,
    labels: NDArray[np.int64],
    lengths: NDArray[np.int64],
) -> None:
    """Viterbi: fill label and length where a segment of the best segmentation starts, -1 and 0 elsewhere."""
    T = transition_scores(layout, weights)
    table = score_bundles(texts, layout, weights)
    for t in order:
        first, last = texts.offsets[t], texts.offsets[t + 1]
        if last > first:
            scores = tabled_scores(t, texts, layout, weights, table)
            best_segments(scores, texts.edges[first:last], T, labels[first:last], lengths[first:last])


@nb.njit(cache=True, nogil=True, error_model="numpy")
def marginal_texts(
    order: NDArray[np.int64],
    texts: Texts,
    layout: Layout,
    weights: Floats,
    labels: NDArray[np.int64],
    lengths: NDArray[np.int64],
    tokens: Floats,
    chances: Floats,
) -> float:
    """Fill the probability of each token's labels, and of each given segment where it starts; return Σ log Z."""
    T = transition_scores(layout, weights)
    expT = np.exp(T)
    pairs = np.zeros_like(T)
    table = score_bundles(texts, layout, weights)
    total = 0.0
    for t in order:
        first, last = texts.offsets[t], texts.offsets[t + 1]
        if last == first:
            continue
        scores = tabled_scores(t, texts, layout, weights, table)
        total += marginals(scores, texts.edges[first:last], expT, pairs)
        n, depth, n_labels = scores.shape
        for i in range(n):
            if lengths[first + i] > 0:
                d = lengths[first + i] - 1
                if d < depth:
                    chances[first + i] = scores[i + d, d, labels[first + i]]
            for d in range(min(depth, i + 1)):
                for j in range(i - d, i + 1):
                    for y in range(n_labels):
                        tokens[first + j, y] += scores[i, d, y]
    return total
