"""Kernels that learn from one text at a time: stochastic gradients and the structured perceptron.

The gradient of one text touches few weights. It is gathered in one dense array and a list of the touched places, so a
step costs time in the features of its text alone.
"""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.learning.sequences._semicrf_arrays import Layout, Texts
from onoma.learning.sequences._semicrf_count_kernels import add_expected, add_transitions, gold_lattice
from onoma.learning.sequences._semicrf_kernels import best_segments, marginals
from onoma.learning.sequences._semicrf_score_kernels import lattice_scores, transition_scores

__all__ = ["gradient_epoch", "perceptron_epoch", "touched_features"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _mark(low: int, high: int, is_marked: NDArray[np.bool_], marked: Ints, n: int) -> int:
    for k in range(low, high):
        if not is_marked[k]:
            is_marked[k] = True
            marked[n] = k
            n += 1
    return n


@nb.njit(cache=True, nogil=True, error_model="numpy")
def touched_features(t: int, texts: Texts, layout: Layout, is_marked: NDArray[np.bool_], marked: Ints) -> int:
    """List the features that a text can touch, transitions and the like included; return how many."""
    n = 0
    for i in range(texts.offsets[t], texts.offsets[t + 1]):
        for m in range(texts.bundle_indptr[i], texts.bundle_indptr[i + 1]):
            bundle = texts.bundles[m]
            for j in range(texts.indptr[bundle], texts.indptr[bundle + 1]):
                a = texts.ids[j]
                n = _mark(layout.inside[a], layout.inside[a + 1], is_marked, marked, n)
                if len(layout.begin) > 1:
                    n = _mark(layout.begin[a], layout.begin[a + 1], is_marked, marked, n)
                    n = _mark(layout.end[a], layout.end[a + 1], is_marked, marked, n)
        if len(layout.segment) > 1:
            for j in range(texts.segment_indptr[i], texts.segment_indptr[i + 1]):
                a = texts.segment_ids[j]
                n = _mark(layout.segment[a], layout.segment[a + 1], is_marked, marked, n)
    # What is not in a table (transitions, ends, lengths) is little, and most of it is touched by every text.
    return _mark(len(layout.label), len(is_marked), is_marked, marked, n)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def gradient_epoch(
    order: Ints,
    texts: Texts,
    layout: Layout,
    labels: Ints,
    lengths: Ints,
    weights: Floats,
    squares: Floats,
    plan: tuple[float, float, float, float],
) -> float:
    """One pass of stochastic gradients; return Σ −log P of the texts, each under the weights it met.

    `plan` is (rate, l2 / n, steps so far, 1.0 for AdaGrad or 0.0 for one falling rate).
    """
    rate, l2, step, is_adagrad = plan
    gradient, is_marked = np.zeros(len(weights)), np.zeros(len(weights), np.bool_)
    marked = np.empty(len(weights), np.int64)
    loss, n_texts = 0.0, len(order)
    for t in order:
        first, last = texts.offsets[t], texts.offsets[t + 1]
        if last == first:
            continue
        T = transition_scores(layout, weights)
        pairs = np.zeros_like(T)
        gold = gold_lattice(t, texts, layout, labels, lengths, pairs)
        add_expected(t, texts, layout, gold, 1.0, gradient)
        add_transitions(layout, pairs, 1.0, gradient)
        n_marked = touched_features(t, texts, layout, is_marked, marked)
        for m in range(n_marked):
            loss -= gradient[marked[m]] * weights[marked[m]]
        scores = lattice_scores(t, texts, layout, weights)
        pairs[:] = 0.0
        loss += marginals(scores, texts.edges[first:last], np.exp(T), pairs)
        add_expected(t, texts, layout, scores, -1.0, gradient)
        add_transitions(layout, pairs, -1.0, gradient)
        eta = rate / (1.0 + step / n_texts)
        for m in range(n_marked):
            k = marked[m]
            g = gradient[k] - l2 * weights[k]
            if is_adagrad > 0.0:
                squares[k] += g * g
                eta = rate / np.sqrt(squares[k])
            weights[k] += eta * g
            gradient[k] = 0.0
            is_marked[k] = False
        step += 1.0
    return loss


@nb.njit(cache=True, nogil=True, error_model="numpy")
def perceptron_epoch(
    order: Ints, texts: Texts, layout: Layout, labels: Ints, lengths: Ints, weights: Floats, past: Floats, step: float
) -> int:
    """One pass of the structured perceptron; return how many texts were segmented wrongly.

    After step s the sum of all weights so far is s · weights − past.
    """
    gradient, is_marked = np.zeros(len(weights)), np.zeros(len(weights), np.bool_)
    marked = np.empty(len(weights), np.int64)
    found_labels, found_lengths = np.empty_like(labels), np.empty_like(lengths)
    n_wrong = 0
    for t in order:
        first, last = texts.offsets[t], texts.offsets[t + 1]
        if last > first:
            scores = lattice_scores(t, texts, layout, weights)
            T = transition_scores(layout, weights)
            best_segments(scores, texts.edges[first:last], T, found_labels[first:last], found_lengths[first:last])
            is_wrong = False
            for i in range(first, last):
                is_wrong = is_wrong or found_labels[i] != labels[i] or found_lengths[i] != lengths[i]
            if is_wrong:
                n_wrong += 1
                pairs = np.zeros_like(T)
                add_expected(t, texts, layout, gold_lattice(t, texts, layout, labels, lengths, pairs), 1.0, gradient)
                add_transitions(layout, pairs, 1.0, gradient)
                pairs[:] = 0.0
                wrong = gold_lattice(t, texts, layout, found_labels, found_lengths, pairs)
                add_expected(t, texts, layout, wrong, -1.0, gradient)
                add_transitions(layout, pairs, -1.0, gradient)
                n_marked = touched_features(t, texts, layout, is_marked, marked)
                for m in range(n_marked):
                    k = marked[m]
                    weights[k] += gradient[k]
                    past[k] += step * gradient[k]
                    gradient[k] = 0.0
                    is_marked[k] = False
        step += 1.0
    return n_wrong
