"""Kernels of semi-Markov CRFs: scores of segments, forward–backward, Viterbi, expected counts.

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

__all__ = [
    "add_expected",
    "add_gold",
    "add_transitions",
    "best_segments",
    "evaluate_texts",
    "gold_lattice",
    "label_texts",
    "lattice_scores",
    "marginal_texts",
    "marginals",
    "transition_scores",
]

Floats = NDArray[np.float64]
_NOTHING = -100.0
"""Exponentials below this (4e-44) change no sum and are not taken: most segments of a trained model are so unlikely."""
_TINY = 1e-200
"""Sums of scaled numbers below this are done again in logarithms."""


@nb.njit(cache=True, nogil=True, error_model="numpy")
def transition_scores(layout: Layout, weights: Floats) -> Floats:
    """Return the log scores T[c, a, b] of all transitions; what is barred is -inf."""
    n = layout.n_labels
    scores = np.zeros((layout.n_classes, n, n))
    if layout.transition >= 0:
        at = layout.transition
        for c in range(layout.n_classes):
            for a in range(n):
                for b in range(n):
                    scores[c, a, b] = weights[at]
                    at += 1
            # A feature of a label fires for its descendants, on both sides: parents come first.
            for a in range(n):
                if layout.parent[a] >= 0:
                    for b in range(n):
                        scores[c, a, b] += scores[c, layout.parent[a], b]
            for b in range(n):
                if layout.parent[b] >= 0:
                    for a in range(n):
                        scores[c, a, b] += scores[c, a, layout.parent[b]]
    for c in range(layout.n_classes):
        for a in range(n):
            for b in range(n):
                if layout.barred[c, a, b]:
                    scores[c, a, b] = -np.inf
    return scores


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _end_scores(layout: Layout, weights: Floats, at: int) -> Floats:
    """Return the log score of each label at one end of the text."""
    scores = np.zeros(layout.n_labels)
    if at >= 0:
        for y in range(layout.n_labels):
            scores[y] = weights[at + y]
            if layout.parent[y] >= 0:
                scores[y] += scores[layout.parent[y]]
    return scores


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _n_roles(layout: Layout) -> int:
    """Return 3 when the first and last token of a segment have features of their own, else 1."""
    return 3 if len(layout.begin) > 1 else 1


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _score_bundle(bundle: int, texts: Texts, layout: Layout, weights: Floats, out: Floats) -> None:
    """Add Σ value · weight over the attributes of a bundle to out: the labels in each role, one role after another."""
    roles, m = (layout.inside, layout.begin, layout.end), layout.n_labels
    for j in range(texts.indptr[bundle], texts.indptr[bundle + 1]):
        a, value = texts.ids[j], texts.values[j]
        for role in range(len(out) // m):
            ptr, at = roles[role], role * m
            for k in range(ptr[a], ptr[a + 1]):
                out[at + layout.label[k]] += value * weights[k]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _add_bundle(bundle: int, texts: Texts, layout: Layout, counts: Floats, factor: float, out: Floats) -> None:
    """The other way of `_score_bundle`: add factor × counts to the features of a bundle."""
    roles, m = (layout.inside, layout.begin, layout.end), layout.n_labels
    for j in range(texts.indptr[bundle], texts.indptr[bundle + 1]):
        a, value = texts.ids[j], factor * texts.values[j]
        for role in range(len(counts) // m):
            ptr, at = roles[role], role * m
            for k in range(ptr[a], ptr[a + 1]):
                out[k] += value * counts[at + layout.label[k]]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def bundle_table(texts: Texts, layout: Layout) -> Floats:
    """Return zeros, bundles × (roles × labels), or nothing where tokens do not share bundles enough to use a table."""
    n_bundles = len(texts.indptr) - 1
    is_shared = len(texts.bundles) >= 2 * n_bundles and len(layout.inside) > 1
    return np.zeros((n_bundles if is_shared else 0, _n_roles(layout) * layout.n_labels))


@nb.njit(cache=True, nogil=True, error_model="numpy")
def score_bundles(texts: Texts, layout: Layout, weights: Floats) -> Floats:
    """Return the scores of all bundles, once for all tokens that share them (see `bundle_table`)."""
    table = bundle_table(texts, layout)
    for bundle in range(len(table)):
        _score_bundle(bundle, texts, layout, weights, table[bundle])
    return table


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _token_scores(first: int, n: int, texts: Texts, layout: Layout, weights: Floats, table: Floats) -> Floats:
    """Return the scores of tokens (tokens × (roles × labels)); an empty table: from the weights themselves."""
    found = np.zeros((n, _n_roles(layout) * layout.n_labels))
    if len(layout.inside) <= 1:
        return found
    for i in range(n):
        row = found[i]
        for m in range(texts.bundle_indptr[first + i], texts.bundle_indptr[first + i + 1]):
            if len(table):
                of_bundle = table[texts.bundles[m]]
                for y in range(len(row)):
                    row[y] += of_bundle[y]
            else:
                _score_bundle(texts.bundles[m], texts, layout, weights, row)
    return found


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _depth(first: int, last: int, layout: Layout) -> int:
    """Return the length of the longest segment that the text may have."""
    longest = 1
    for y in range(layout.n_labels):
        longest = max(longest, layout.longest[y])
    return min(last - first, longest)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def lattice_scores(t: int, texts: Texts, layout: Layout, weights: Floats) -> Floats:
    """Return scores[e, d, y] of every segment of one text, transitions left out; too long a segment is -inf."""
    return tabled_scores(t, texts, layout, weights, np.zeros((0, _n_roles(layout) * layout.n_labels)))


@nb.njit(cache=True, nogil=True, error_model="numpy")
def tabled_scores(t: int, texts: Texts, layout: Layout, weights: Floats, table: Floats) -> Floats:
    """As `lattice_scores`, with the scores of bundles at hand."""
    first, n_labels = texts.offsets[t], layout.n_labels
    n = texts.offsets[t + 1] - first
    depth = _depth(first, first + n, layout)
    tokens = _token_scores(first, n, texts, layout, weights, table)
    if depth == 1 and _n_roles(layout) == 1:
        scores = tokens.reshape((n, 1, n_labels))
    else:
        scores = np.empty((n, depth, n_labels))
        _spread_over_segments(tokens, scores)
    _segment_scores(first, n, depth, texts, layout, weights, scores)
    _inherit(scores, layout)
    _ends_and_bounds(layout, weights, scores)
    return scores


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _spread_over_segments(tokens: Floats, scores: Floats) -> None:
    """Sum the tokens' scores over each segment, one token longer at a time; add those of the first and the last."""
    n, depth, m = scores.shape
    inside = np.empty(m)
    has_ends = tokens.shape[1] > m
    for e in range(n):
        inside[:] = 0.0
        for d in range(depth):
            if d > e:
                scores[e, d] = -np.inf
                continue
            row, first, last = scores[e, d], tokens[e - d], tokens[e]
            for y in range(m):
                inside[y] += first[y]
                row[y] = inside[y]
            if has_ends:
                for y in range(m):
                    row[y] += first[m + y] + last[2 * m + y]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _segment_scores(
    first: int, n: int, depth: int, texts: Texts, layout: Layout, weights: Floats, scores: Floats
) -> None:
    """Add what attributes of whole segments and their lengths say."""
    if len(layout.segment) > 1:
        for s in range(n):
            for j in range(texts.segment_indptr[first + s], texts.segment_indptr[first + s + 1]):
                d = texts.segment_length[j] - 1
                if d < depth and s + d < n:
                    a = texts.segment_ids[j]
                    for k in range(layout.segment[a], layout.segment[a + 1]):
                        scores[s + d, d, layout.label[k]] += weights[k]
    if layout.length >= 0:
        for d in range(depth):
            at = layout.length + min(d, layout.n_bins - 1) * layout.n_labels
            for e in range(d, n):
                for y in range(layout.n_labels):
                    scores[e, d, y] += weights[at + y]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _inherit(scores: Floats, layout: Layout) -> None:
    """A feature that fires for a label fires for its descendants: add each parent's score to its children's."""
    n, depth, n_labels = scores.shape
    for y in range(n_labels):
        parent = layout.parent[y]
        if parent >= 0:
            for e in range(n):
                for d in range(depth):
                    scores[e, d, y] += scores[e, d, parent]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _ends_and_bounds(layout: Layout, weights: Floats, scores: Floats) -> None:
    """Add the labels of the first and the last segment; bar segments that are too long."""
    n, depth, n_labels = scores.shape
    start = _end_scores(layout, weights, layout.start)
    stop = _end_scores(layout, weights, layout.stop)
    for d in range(depth):
        for y in range(n_labels):
            scores[d, d, y] += start[y]
            scores[n - 1, d, y] += stop[y]
    for y in range(n_labels):
        for d in range(layout.longest[y], depth):
            for e in range(n):
                scores[e, d, y] = -np.inf


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
def _raise_to_parents(counts: Floats, layout: Layout) -> None:
    """The other way of `_inherit`: what is expected of a label is expected of its ancestors too."""
    for y in range(layout.n_labels - 1, -1, -1):
        parent = layout.parent[y]
        if parent >= 0:
            for i in range(len(counts)):
                for at in range(0, counts.shape[1], layout.n_labels):
                    counts[i, at + parent] += counts[i, at + y]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def add_expected(t: int, texts: Texts, layout: Layout, chances: Floats, factor: float, out: Floats) -> None:
    """Add factor × the expected counts of every feature but transitions, given the probabilities of segments."""
    _add_expected(t, texts, layout, chances, factor, out, np.zeros((0, _n_roles(layout) * layout.n_labels)))


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _add_expected(
    t: int, texts: Texts, layout: Layout, chances: Floats, factor: float, out: Floats, table: Floats
) -> None:
    """As `add_expected`; what tokens' bundles are owed goes into the table, if there is one, without the factor."""
    first, n, m = texts.offsets[t], len(chances), layout.n_labels
    counts = _token_counts(chances)
    _raise_to_parents(counts, layout)
    if len(layout.inside) > 1:
        for i in range(n):
            row = counts[i, : table.shape[1]]
            for k in range(texts.bundle_indptr[first + i], texts.bundle_indptr[first + i + 1]):
                if len(table):
                    of_bundle = table[texts.bundles[k]]
                    for y in range(len(row)):
                        of_bundle[y] += row[y]
                else:
                    _add_bundle(texts.bundles[k], texts, layout, row, factor, out)
    for y in range(m):
        if layout.start >= 0:
            out[layout.start + y] += factor * counts[0, m + y]
        if layout.stop >= 0:
            out[layout.stop + y] += factor * counts[n - 1, 2 * m + y]
    _add_segments(first, texts, layout, chances, factor, out)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _token_counts(chances: Floats) -> Floats:
    """Return how likely each token is inside, first and last in a segment of each label: tokens × (roles × labels)."""
    n, depth, m = chances.shape
    counts = np.zeros((n, 3 * m))
    for e in range(n):
        last = counts[e, 2 * m :]
        for d in range(min(depth, e + 1)):
            row, first = chances[e, d], counts[e - d, m : 2 * m]
            for y in range(m):
                first[y] += row[y]
                last[y] += row[y]
    # A token is inside what began at it or before and has not ended before it.
    for i in range(n):
        for y in range(m):
            counts[i, y] = counts[i, m + y] + (counts[i - 1, y] - counts[i - 1, 2 * m + y] if i > 0 else 0.0)
    return counts


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _add_segments(first: int, texts: Texts, layout: Layout, chances: Floats, factor: float, out: Floats) -> None:
    n, depth, n_labels = chances.shape
    if len(layout.segment) <= 1 and layout.length < 0:
        return
    row = np.empty((1, n_labels))
    if len(layout.segment) > 1:
        for s in range(n):
            for j in range(texts.segment_indptr[first + s], texts.segment_indptr[first + s + 1]):
                d = texts.segment_length[j] - 1
                if d < depth and s + d < n:
                    for y in range(n_labels):
                        row[0, y] = chances[s + d, d, y]
                    _raise_to_parents(row, layout)
                    a = texts.segment_ids[j]
                    for k in range(layout.segment[a], layout.segment[a + 1]):
                        out[k] += factor * row[0, layout.label[k]]
    if layout.length >= 0:
        for d in range(depth):
            for y in range(n_labels):
                row[0, y] = 0.0
                for e in range(d, n):
                    row[0, y] += chances[e, d, y]
            _raise_to_parents(row, layout)
            at = layout.length + min(d, layout.n_bins - 1) * n_labels
            for y in range(n_labels):
                out[at + y] += factor * row[0, y]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def add_transitions(layout: Layout, pairs: Floats, factor: float, out: Floats) -> None:
    """Add factor × expected transitions (changed in place) to the transitions' weights."""
    if layout.transition < 0:
        return
    at = layout.transition
    for c in range(layout.n_classes):
        _raise_to_parents(pairs[c], layout)
        for a in range(layout.n_labels - 1, -1, -1):
            if layout.parent[a] >= 0:
                for b in range(layout.n_labels):
                    pairs[c, layout.parent[a], b] += pairs[c, a, b]
        for a in range(layout.n_labels):
            for b in range(layout.n_labels):
                out[at] += factor * pairs[c, a, b]
                at += 1


@nb.njit(cache=True, nogil=True, error_model="numpy")
def gold_lattice(
    t: int, texts: Texts, layout: Layout, labels: NDArray[np.int64], lengths: NDArray[np.int64], pairs: Floats
) -> Floats:
    """Return the lattice that is 1 at the given segments of one text; their transitions are added to `pairs`."""
    first, last = texts.offsets[t], texts.offsets[t + 1]
    chances = np.zeros((last - first, _depth(first, last, layout), layout.n_labels))
    i, before = first, -1
    while i < last:
        chances[i - first + lengths[i] - 1, lengths[i] - 1, labels[i]] = 1.0
        if before >= 0:
            pairs[texts.edges[i], before, labels[i]] += 1.0
        before = labels[i]
        i += lengths[i]
    return chances


@nb.njit(cache=True, nogil=True, error_model="numpy")
def add_gold(
    order: NDArray[np.int64],
    texts: Texts,
    layout: Layout,
    labels: NDArray[np.int64],
    lengths: NDArray[np.int64],
    out: Floats,
) -> None:
    """Add the counts of every feature in given segmentations (label and length where a segment starts)."""
    pairs = np.zeros((layout.n_classes, layout.n_labels, layout.n_labels))
    for t in order:
        if texts.offsets[t + 1] > texts.offsets[t]:
            chances = gold_lattice(t, texts, layout, labels, lengths, pairs)
            add_expected(t, texts, layout, chances, 1.0, out)
    add_transitions(layout, pairs, 1.0, out)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def evaluate_texts(order: NDArray[np.int64], texts: Texts, layout: Layout, weights: Floats, out: Floats) -> float:
    """Add the expected counts of every feature to `out`; return Σ log Z of the texts."""
    T = transition_scores(layout, weights)
    expT = np.exp(T)
    pairs = np.zeros_like(T)
    table, counts = score_bundles(texts, layout, weights), bundle_table(texts, layout)
    total = 0.0
    for t in order:
        if texts.offsets[t + 1] > texts.offsets[t]:
            scores = tabled_scores(t, texts, layout, weights, table)
            total += marginals(scores, texts.edges[texts.offsets[t] : texts.offsets[t + 1]], expT, pairs)
            _add_expected(t, texts, layout, scores, 1.0, out, counts)
    for bundle in range(len(counts)):
        _add_bundle(bundle, texts, layout, counts[bundle], 1.0, out)
    add_transitions(layout, pairs, 1.0, out)
    return total


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
