"""Kernels of learning from expectations: two lattices on one text, the model's and the model's with constraints.

A constraint is a row of C: its value on a segmentation is Σ C[k, j] f'_j, where the base features f' have a layout of
their own on the same tokens. With multipliers λ the weights of the base features are Cᵀ λ, and

    log q(s) = θ·G(s) + λ·C f'(s) − log Z_q.
"""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.learning.sequences._semicrf_arrays import Layout, Texts
from onoma.learning.sequences._semicrf_count_kernels import add_expected, add_transitions, gold_lattice
from onoma.learning.sequences._semicrf_kernels import marginals
from onoma.learning.sequences._semicrf_online_kernels import touched_features
from onoma.learning.sequences._semicrf_score_kernels import lattice_scores, transition_scores

__all__ = ["evaluate_projected", "projections_epoch"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _add(a: Floats, b: Floats, factor: float, out: Floats) -> None:
    """Fill out = factor · a + b; what is -inf in one stays so."""
    flat_a, flat_b, flat = a.ravel(), b.ravel(), out.ravel()
    for i in range(len(flat)):
        flat[i] = factor * flat_a[i] + flat_b[i]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def evaluate_projected(
    order: Ints,
    texts: Texts,
    layout: Layout,
    weights: Floats,
    beside: Texts,
    beside_layout: Layout,
    beside_weights: Floats,
    out: Floats,
    beside_out: Floats,
) -> float:
    """Add the expectations of the model's and the base features under q to the two outputs; return Σ log Z_q."""
    T, T_beside = transition_scores(layout, weights), transition_scores(beside_layout, beside_weights)
    _add(T, T_beside, 1.0, T)
    expT = np.exp(T)
    pairs = np.zeros_like(T)
    total = 0.0
    for t in order:
        first, last = texts.offsets[t], texts.offsets[t + 1]
        if last > first:
            scores = lattice_scores(t, texts, layout, weights)
            _add(scores, lattice_scores(t, beside, beside_layout, beside_weights), 1.0, scores)
            total += marginals(scores, texts.edges[first:last], expT, pairs)
            add_expected(t, texts, layout, scores, 1.0, out)
            add_expected(t, beside, beside_layout, scores, 1.0, beside_out)
    if beside_layout.transition >= 0:
        add_transitions(beside_layout, pairs.copy(), 1.0, beside_out)
    add_transitions(layout, pairs, 1.0, out)
    return total


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _move_multipliers(
    expected: Floats,
    rows: tuple[Ints, Ints, Floats],
    targets: Floats,
    kinds: NDArray[np.int8],
    slack: Floats,
    eta: float,
    squares: Floats,
    multipliers: Floats,
    beside_weights: Floats,
) -> None:
    """One step of λ on one text, then Cᵀ λ anew. `squares` is empty for one rate, else it is AdaGrad's."""
    indptr, indices, data = rows
    beside_weights[:] = 0.0
    for k in range(len(targets)):
        value = 0.0
        for j in range(indptr[k], indptr[k + 1]):
            value += data[j] * expected[indices[j]]
        g = targets[k] - value
        if kinds[k] == 1:
            g -= slack[k] * multipliers[k]
        elif kinds[k] == 2:
            g -= slack[k] * np.sign(multipliers[k])
        rate = eta
        if len(squares):
            squares[k] += g * g
            rate = eta / np.sqrt(squares[k])
        multipliers[k] += rate * g
        if kinds[k] == 0:
            multipliers[k] = max(multipliers[k], 0.0)
        for j in range(indptr[k], indptr[k + 1]):
            beside_weights[indices[j]] += data[j] * multipliers[k]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def projections_epoch(
    order: Ints,
    texts: Texts,
    layout: Layout,
    beside: Texts,
    beside_layout: Layout,
    rows: tuple[Ints, Ints, Floats],
    bounds: tuple[Floats, NDArray[np.int8], Floats],
    gold: tuple[NDArray[np.bool_], Ints, Ints],
    state: tuple[Floats, Floats, Floats, Floats, Floats],
    plan: tuple[float, float, float, float, float],
) -> float:
    """One pass of alternating projections; return the weights' scale (θ = scale · v).

    `bounds` are each constraint's target on one text (u / n), its kind and its slack; `gold` says which texts are
    labelled, and how; `state` is (v, its squares, λ, its squares, Cᵀ λ), the squares empty for the paper's one rate;
    `plan` is (first rate η₀, rate of λ under AdaGrad, penalty α / n, steps so far, scale).
    """
    targets, kinds, slack = bounds
    is_labelled, labels, lengths = gold
    v, squares, multipliers, multiplier_squares, beside_weights = state
    rate, multiplier_rate, alpha, step, scale = plan
    is_adagrad = len(squares) > 0
    gradient, expected = np.zeros(len(v)), np.zeros(len(beside_weights))
    is_marked, marked = np.zeros(len(v), np.bool_), np.empty(len(v), np.int64)
    for t in order:
        first, last = texts.offsets[t], texts.offsets[t + 1]
        if last == first:
            continue
        step += 1.0
        eta = rate if is_adagrad else 1.0 / (step + 1.0 / rate)
        edges = texts.edges[first:last]
        scores, T = lattice_scores(t, texts, layout, v), transition_scores(layout, v)
        p, T_p = np.zeros_like(scores), np.zeros_like(T)
        _add(scores, p, scale, p)
        _add(T, T_p, scale, T_p)
        p_pairs, q_pairs = np.zeros_like(T), np.zeros_like(T)
        if is_labelled[t]:
            q = gold_lattice(t, texts, layout, labels, lengths, q_pairs)
        else:
            q, T_q = (
                lattice_scores(t, beside, beside_layout, beside_weights),
                transition_scores(beside_layout, beside_weights),
            )
            _add(p, q, 1.0, q)
            _add(T_p, T_q, 1.0, T_q)
            marginals(q, edges, np.exp(T_q), q_pairs)
            expected[:] = 0.0
            add_expected(t, beside, beside_layout, q, 1.0, expected)
            if beside_layout.transition >= 0:
                add_transitions(beside_layout, q_pairs.copy(), 1.0, expected)
            lambda_rate = multiplier_rate if is_adagrad else eta
            _move_multipliers(
                expected, rows, targets, kinds, slack, lambda_rate, multiplier_squares, multipliers, beside_weights
            )
        marginals(p, edges, np.exp(T_p), p_pairs)
        _add(p, q, -1.0, q)
        _add(p_pairs, q_pairs, -1.0, q_pairs)
        if not is_adagrad:
            scale *= 1.0 - eta * alpha
            add_expected(t, texts, layout, q, eta / scale, v)
            add_transitions(layout, q_pairs, eta / scale, v)
            continue
        add_expected(t, texts, layout, q, 1.0, gradient)
        add_transitions(layout, q_pairs, 1.0, gradient)
        for m in range(touched_features(t, texts, layout, is_marked, marked)):
            k = marked[m]
            g = gradient[k] - alpha * v[k]
            squares[k] += g * g
            v[k] += eta * g / np.sqrt(squares[k])
            gradient[k] = 0.0
            is_marked[k] = False
    return scale
