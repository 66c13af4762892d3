"""Kernels of `sequence`: forward and backward sums, Viterbi, and one pass of stochastic learning.

All take `ids` (tokens × templates, -1: no feature; where the first is `OUTSIDE`, the token has label 0, where it is
`OUTSIDE` - m, one of the labels 1 to m), `w` (features × labels), `unit` (what a weight of each label is counted in: 1
while learning, else the scale of weights kept as bytes) and `a` (labels + 1 × labels; the last row stands for the
beginning of a sentence). A forbidden transition is -inf in `a`.
"""

from typing import Any

import numba as nb
import numpy as np
from numpy.typing import NDArray

__all__ = ["OUTSIDE", "crf_epoch", "marginals", "span_probabilities", "viterbi"]


OUTSIDE = -2
_NEVER = -1e6


@nb.njit(cache=True, nogil=True)
def _emissions(
    ids: NDArray[np.int32],
    w: NDArray[Any],
    unit: NDArray[np.float32],
    start: int,
    end: int,
    scores: NDArray[np.float64],
) -> None:
    """Write the score of each label of the tokens from start to end."""
    n_labels = w.shape[1]
    for i in range(start, end):
        row = scores[i - start]
        row[:] = 0.0
        if ids[i, 0] == OUTSIDE:
            row[1:] = _NEVER
            continue
        for t in range(ids.shape[1]):
            f = ids[i, t]
            if f >= 0:
                for k in range(n_labels):
                    row[k] += w[f, k]
        for k in range(n_labels):
            row[k] *= unit[k]
        if ids[i, 0] < OUTSIDE:
            row[0] = _NEVER
            row[1 + OUTSIDE - ids[i, 0] :] = _NEVER


@nb.njit(cache=True, nogil=True)
def _can_end(a: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 for each label after which a sentence may end: one that some label which may begin can follow."""
    n_labels = a.shape[1]
    found = np.zeros(n_labels)
    for x in range(n_labels):
        for y in range(n_labels):
            if a[n_labels, y] > -np.inf and a[x, y] > -np.inf:
                found[x] = 1.0
    return found


@nb.njit(cache=True, nogil=True)
def _forward_backward(
    n: int,
    scores: NDArray[np.float64],
    exp_a: NDArray[np.float64],
    can_end: NDArray[np.float64],
    alpha: NDArray[np.float64],
    beta: NDArray[np.float64],
    scale: NDArray[np.float64],
) -> float:
    """Fill alpha and beta, each column scaled to sum 1; scores become exp(score - max). Return log Z."""
    n_labels = scores.shape[1]
    log_z = 0.0
    for i in range(n):
        largest = scores[i].max()
        total = 0.0
        for y in range(n_labels):
            # Not below e^-60: where transitions forbid the best label, the others must not vanish.
            scores[i, y] = np.exp(max(scores[i, y] - largest, -60.0))
            if i == 0:
                mass = exp_a[n_labels, y]
            else:
                mass = 0.0
                for x in range(n_labels):
                    mass += alpha[i - 1, x] * exp_a[x, y]
            alpha[i, y] = mass * scores[i, y]
            total += alpha[i, y]
        for y in range(n_labels):
            alpha[i, y] /= total
        scale[i] = total
        log_z += largest + np.log(total)
    mass = 0.0
    for y in range(n_labels):
        mass += alpha[n - 1, y] * can_end[y]
    log_z += np.log(mass)
    for y in range(n_labels):
        beta[n - 1, y] = can_end[y] / mass
    for i in range(n - 2, -1, -1):
        for x in range(n_labels):
            mass = 0.0
            for y in range(n_labels):
                mass += exp_a[x, y] * scores[i + 1, y] * beta[i + 1, y]
            beta[i, x] = mass / scale[i + 1]
    return log_z


@nb.njit(cache=True, nogil=True)
def _longest(sentence_ptr: NDArray[np.int32]) -> int:
    longest = 0
    for s in range(len(sentence_ptr) - 1):
        longest = max(longest, sentence_ptr[s + 1] - sentence_ptr[s])
    return longest


@nb.njit(cache=True, nogil=True)
def crf_epoch(
    order: NDArray[np.int64],
    sentence_ptr: NDArray[np.int32],
    ids: NDArray[np.int32],
    y: NDArray[np.int32],
    importance: NDArray[np.float64],
    rate: float,
    l2: float,
    w: NDArray[np.float32],
    w_squares: NDArray[np.float32],
    a: NDArray[np.float64],
    a_squares: NDArray[np.float64],
) -> float:
    """Visit the sentences in order, each a step of AdaGrad on its log-likelihood; return the mean log-likelihood.

    The step of a weight is rate · g / sqrt(sum of g²), g the observed less the expected count, less l2 · weight: the
    penalty falls on the weights that a sentence touches, when it touches them.
    """
    n_labels = w.shape[1]
    longest = _longest(sentence_ptr)
    scores, alpha, beta = (
        np.empty((longest, n_labels)),
        np.empty((longest, n_labels)),
        np.empty((longest, n_labels)),
    )
    scale, expected = np.empty(longest), np.empty((n_labels + 1, n_labels))
    unit = np.ones(n_labels, np.float32)
    exp_a, can_end = np.empty((n_labels + 1, n_labels)), _can_end(a)
    log_likelihood, n_tokens = 0.0, 0
    for step in range(len(order)):
        s = order[step]
        start, end = sentence_ptr[s], sentence_ptr[s + 1]
        n = end - start
        if n == 0:
            continue
        n_tokens += n
        weight = importance[s]
        _emissions(ids, w, unit, start, end, scores)
        before = n_labels
        for i in range(start, end):
            log_likelihood += scores[i - start, y[i]] + a[before, y[i]]
            before = y[i]
        exp_a[:] = np.exp(a)
        log_likelihood -= _forward_backward(n, scores, exp_a, can_end, alpha, beta, scale)
        expected[:] = 0.0
        for y0 in range(n_labels):
            expected[n_labels, y0] = alpha[0, y0] * beta[0, y0]
        for i in range(1, n):
            for x in range(n_labels):
                if alpha[i - 1, x] > 0.0:
                    for z in range(n_labels):
                        expected[x, z] += alpha[i - 1, x] * exp_a[x, z] * scores[i, z] * beta[i, z] / scale[i]
        before = n_labels
        for i in range(start, end):
            expected[before, y[i]] -= 1.0
            before = y[i]
        for x in range(n_labels + 1):
            for z in range(n_labels):
                if exp_a[x, z] > 0.0:
                    g = -weight * expected[x, z] - l2 * a[x, z]
                    a_squares[x, z] += g * g
                    a[x, z] += rate * g / np.sqrt(1e-6 + a_squares[x, z])
        for i in range(n):
            for k in range(n_labels):
                alpha[i, k] = -alpha[i, k] * beta[i, k]  # the gradient, from here on
            alpha[i, y[start + i]] += 1.0
            for t in range(ids.shape[1]):
                f = ids[start + i, t]
                if f >= 0:
                    for k in range(n_labels):
                        g = weight * alpha[i, k] - l2 * w[f, k]
                        if abs(g) > 1e-5:
                            w_squares[f, k] += np.float32(g * g)
                            w[f, k] += np.float32(rate * g / np.sqrt(np.float32(1e-6) + w_squares[f, k]))
    return log_likelihood / max(n_tokens, 1)


@nb.njit(cache=True, nogil=True)
def viterbi(
    sentence_ptr: NDArray[np.int32],
    ids: NDArray[np.int32],
    w: NDArray[Any],
    unit: NDArray[np.float32],
    a: NDArray[np.float64],
) -> NDArray[np.int32]:
    """Return the label of each token on the best path of each sentence; of equals, the first."""
    n_labels = w.shape[1]
    longest = _longest(sentence_ptr)
    scores, back = np.empty((longest, n_labels)), np.empty((longest, n_labels), np.int32)
    best, can_end = np.empty(n_labels), _can_end(a)
    result = np.zeros(len(ids), np.int32)
    for s in range(len(sentence_ptr) - 1):
        start, end = sentence_ptr[s], sentence_ptr[s + 1]
        n = end - start
        if n == 0:
            continue
        _emissions(ids, w, unit, start, end, scores)
        for k in range(n_labels):
            scores[0, k] += a[n_labels, k]
        for i in range(1, n):
            for k in range(n_labels):
                best[k] = -np.inf
                for x in range(n_labels):
                    total = scores[i - 1, x] + a[x, k]
                    if total > best[k] or x == 0:
                        best[k], back[i, k] = total, x
            for k in range(n_labels):
                scores[i, k] += best[k]
        last = 0
        for k in range(n_labels):
            if can_end[k] > can_end[last] or (can_end[k] == can_end[last] and scores[n - 1, k] > scores[n - 1, last]):
                last = k
        result[end - 1] = last
        for i in range(n - 1, 0, -1):
            result[start + i - 1] = back[i, result[start + i]]
    return result


@nb.njit(cache=True, nogil=True)
def marginals(
    sentence_ptr: NDArray[np.int32],
    ids: NDArray[np.int32],
    w: NDArray[Any],
    unit: NDArray[np.float32],
    a: NDArray[np.float64],
) -> NDArray[np.float32]:
    """Return the probability of each label of each token."""
    n_labels = w.shape[1]
    longest = _longest(sentence_ptr)
    scores, alpha, beta = (
        np.empty((longest, n_labels)),
        np.empty((longest, n_labels)),
        np.empty((longest, n_labels)),
    )
    scale = np.empty(longest)
    exp_a, can_end = np.exp(a), _can_end(a)
    result = np.zeros((len(ids), n_labels), np.float32)
    for s in range(len(sentence_ptr) - 1):
        start, end = sentence_ptr[s], sentence_ptr[s + 1]
        if end == start:
            continue
        _emissions(ids, w, unit, start, end, scores)
        _forward_backward(end - start, scores, exp_a, can_end, alpha, beta, scale)
        for i in range(start, end):
            for k in range(n_labels):
                result[i, k] = alpha[i - start, k] * beta[i - start, k]
    return result


@nb.njit(cache=True, nogil=True)
def span_probabilities(
    sentence_ptr: NDArray[np.int32],
    ids: NDArray[np.int32],
    w: NDArray[Any],
    unit: NDArray[np.float32],
    a: NDArray[np.float64],
    labels: NDArray[np.int32],
    span_starts: NDArray[np.int64],
    span_ends: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the probability that exactly these labels stand on the tokens of each span; spans in order."""
    n_labels = w.shape[1]
    longest = _longest(sentence_ptr)
    scores, alpha, beta = (
        np.empty((longest, n_labels)),
        np.empty((longest, n_labels)),
        np.empty((longest, n_labels)),
    )
    scale = np.empty(longest)
    exp_a, can_end = np.exp(a), _can_end(a)
    result = np.zeros(len(span_starts))
    k = 0
    for s in range(len(sentence_ptr) - 1):
        start, end = sentence_ptr[s], sentence_ptr[s + 1]
        if k == len(span_starts) or span_starts[k] >= end:
            continue
        _emissions(ids, w, unit, start, end, scores)
        _forward_backward(end - start, scores, exp_a, can_end, alpha, beta, scale)
        while k < len(span_starts) and span_starts[k] < end:
            first, last = span_starts[k] - start, span_ends[k] - start - 1
            p = alpha[first, labels[start + first]]
            for i in range(first + 1, last + 1):
                y = labels[start + i]
                p *= exp_a[labels[start + i - 1], y] * scores[i, y] / scale[i]
            result[k] = p * beta[last, labels[start + last]]
            k += 1
    return result
