"""SampleRank on linear chains: propose another label for one token, compare, learn, accept or not."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.learning.sequences._semicrf_arrays import Layout, Texts
from onoma.numerics.rng import below, uniform

__all__ = ["samplerank_epoch"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _feature(a: int, y: int, layout: Layout) -> int:
    """Return the place of an attribute's feature with a label, -1 for none."""
    low, high = layout.inside[a], layout.inside[a + 1]
    if high - low == layout.n_labels:
        return low + y
    for k in range(low, high):
        if layout.label[k] == y:
            return k
    return -1


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _add_token(i: int, y: int, texts: Texts, layout: Layout, factor: float, weights: Floats) -> None:
    for m in range(texts.bundle_indptr[i], texts.bundle_indptr[i + 1]):
        bundle = texts.bundles[m]
        for j in range(texts.indptr[bundle], texts.indptr[bundle + 1]):
            k = _feature(texts.ids[j], y, layout)
            if k >= 0:
                weights[k] += factor * texts.values[j]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _token_score(i: int, y: int, texts: Texts, layout: Layout, weights: Floats) -> float:
    total = 0.0
    for m in range(texts.bundle_indptr[i], texts.bundle_indptr[i + 1]):
        bundle = texts.bundles[m]
        for j in range(texts.indptr[bundle], texts.indptr[bundle + 1]):
            k = _feature(texts.ids[j], y, layout)
            if k >= 0:
                total += texts.values[j] * weights[k]
    return total


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _borders(i: int, y: int, world: Ints, first: int, last: int, texts: Texts, layout: Layout, places: Ints) -> None:
    """List the places of the weights that label y at token i uses besides attributes: before, after; -1 for none."""
    n = layout.n_labels
    places[0] = layout.start + y if i == first and layout.start >= 0 else -1
    places[1] = layout.stop + y if i == last - 1 and layout.stop >= 0 else -1
    places[2] = places[3] = -1
    if layout.transition >= 0:
        if i > first:
            places[2] = layout.transition + (texts.edges[i] * n + world[i - 1]) * n + y
        if i + 1 < last:
            places[3] = layout.transition + (texts.edges[i + 1] * n + y) * n + world[i + 1]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _runs(i: int, y: int, world: Ints, first: int, last: int) -> int:
    """Return how many runs of y begin around token i if it had label y: 1, 0 (joins one), -1 (joins two)."""
    left = i > first and world[i - 1] == y
    right = i + 1 < last and world[i + 1] == y
    return 1 - int(left) - int(right)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _constraint_score(
    i: int, y: int, world: Ints, first: int, last: int, texts: Texts, tokens: Floats, borders: Floats
) -> float:
    total = tokens[i, y]
    if i > first:
        total += borders[texts.edges[i], world[i - 1], y]
    if i + 1 < last:
        total += borders[texts.edges[i + 1], y, world[i + 1]]
    return total


@nb.njit(cache=True, nogil=True, error_model="numpy")
def samplerank_epoch(
    order: Ints,
    texts: Texts,
    layout: Layout,
    world: Ints,
    truth: tuple[Ints, Floats, Floats, Floats, Floats],
    weights: Floats,
    past: Floats,
    plan: tuple[float, float, float, float, float],
    state: NDArray[np.uint64],
) -> float:
    """Run a chain over the tokens of each text in order, learning from each proposal; return the steps made so far.

    `truth` is (the labels to agree with, the share of agreement, constraints and model for each text, constraint scores
    of tokens × labels, of borders, of each label beyond its first run). `plan` is (rate, margin, temperature, proposals
    a token, steps so far). After step s the sum of all weights so far is s · weights − past.
    """
    targets, shares, tokens, borders, once = truth
    rate, margin, temperature, per_token, step = plan
    n_labels = layout.n_labels
    old, new, runs = np.empty(4, np.int64), np.empty(4, np.int64), np.empty(n_labels, np.int64)
    for t in order:
        first, last = texts.offsets[t], texts.offsets[t + 1]
        for y in range(n_labels):
            runs[y] = 0
        for i in range(first, last):
            if i == first or world[i] != world[i - 1]:
                runs[world[i]] += 1
        for _ in range(int(per_token * (last - first))):
            step += 1.0
            i = first + below(state, last - first)
            a, b = world[i], below(state, n_labels - 1)
            b += int(b >= a)
            _borders(i, a, world, first, last, texts, layout, old)
            _borders(i, b, world, first, last, texts, layout, new)
            d_model = _token_score(i, b, texts, layout, weights) - _token_score(i, a, texts, layout, weights)
            for k in range(4):
                if new[k] >= 0:
                    d_model += weights[new[k]] - weights[old[k]]
            # Runs of a that vanish (or are torn apart), runs of b that appear (or are joined).
            less, more = _runs(i, a, world, first, last), _runs(i, b, world, first, last)
            d_truth = shares[t, 0] * (int(targets[i] == b) - int(targets[i] == a)) + shares[t, 2] * d_model
            if shares[t, 1] != 0.0:
                d_cons = _constraint_score(i, b, world, first, last, texts, tokens, borders)
                d_cons -= _constraint_score(i, a, world, first, last, texts, tokens, borders)
                d_cons += once[a] * (max(runs[a] - less - 1, 0) - max(runs[a] - 1, 0))
                d_cons += once[b] * (max(runs[b] + more - 1, 0) - max(runs[b] - 1, 0))
                d_truth += shares[t, 1] * d_cons
            sign = np.sign(d_truth)
            if sign != 0.0 and sign * d_model <= margin:
                change = rate * sign
                for s in range(2):
                    array, factor = (weights, change) if s == 0 else (past, (step - 1.0) * change)
                    _add_token(i, b, texts, layout, factor, array)
                    _add_token(i, a, texts, layout, -factor, array)
                    for k in range(4):
                        if new[k] >= 0:
                            array[new[k]] += factor
                            array[old[k]] -= factor
            if d_model >= 0.0 or uniform(state) < np.exp(d_model / temperature):
                world[i] = b
                runs[a] -= less
                runs[b] += more
    return step
