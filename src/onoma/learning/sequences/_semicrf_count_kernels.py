"""Kernels that count features: what a segmentation holds, and what the model expects (see `_semicrf_kernels`).

These are the gradient of the likelihood: counts in the given segments less the expected ones.
"""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.learning.sequences._semicrf_arrays import Layout, Texts
from onoma.learning.sequences._semicrf_kernels import marginals
from onoma.learning.sequences._semicrf_score_kernels import (
    bundle_table,
    lattice_depth,
    n_roles,
    score_bundles,
    tabled_scores,
    transition_scores,
)

__all__ = ["add_expected", "add_gold", "add_transitions", "evaluate_texts", "gold_lattice"]

Floats = NDArray[np.float64]


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
    _add_expected(t, texts, layout, chances, factor, out, np.zeros((0, n_roles(layout) * layout.n_labels)))


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
    chances = np.zeros((last - first, lattice_depth(first, last, layout), layout.n_labels))
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
