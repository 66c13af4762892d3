"""Kernels that score a text: from weights to the lattice of a semi-Markov CRF (see `_semicrf_kernels`).

A *bundle* is the attributes that some tokens share. Where many tokens do, bundles are scored once for all texts.
"""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.learning.sequences._semicrf_arrays import Layout, Texts

__all__ = [
    "bundle_table",
    "lattice_depth",
    "lattice_scores",
    "n_roles",
    "score_bundles",
    "tabled_scores",
    "transition_scores",
]

Floats = NDArray[np.float64]


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
def n_roles(layout: Layout) -> int:
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
def bundle_table(texts: Texts, layout: Layout) -> Floats:
    """Return zeros, bundles × (roles × labels), or nothing where tokens do not share bundles enough to use a table."""
    n_bundles = len(texts.indptr) - 1
    is_shared = len(texts.bundles) >= 2 * n_bundles and len(layout.inside) > 1
    return np.zeros((n_bundles if is_shared else 0, n_roles(layout) * layout.n_labels))


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
    found = np.zeros((n, n_roles(layout) * layout.n_labels))
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
def lattice_depth(first: int, last: int, layout: Layout) -> int:
    """Return the length of the longest segment that the text may have."""
    longest = 1
    for y in range(layout.n_labels):
        longest = max(longest, layout.longest[y])
    return min(last - first, longest)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def lattice_scores(t: int, texts: Texts, layout: Layout, weights: Floats) -> Floats:
    """Return scores[e, d, y] of every segment of one text, transitions left out; too long a segment is -inf."""
    return tabled_scores(t, texts, layout, weights, np.zeros((0, n_roles(layout) * layout.n_labels)))


@nb.njit(cache=True, nogil=True, error_model="numpy")
def tabled_scores(t: int, texts: Texts, layout: Layout, weights: Floats, table: Floats) -> Floats:
    """As `lattice_scores`, with the scores of bundles at hand."""
    first, n_labels = texts.offsets[t], layout.n_labels
    n = texts.offsets[t + 1] - first
    depth = lattice_depth(first, first + n, layout)
    tokens = _token_scores(first, n, texts, layout, weights, table)
    if depth == 1 and n_roles(layout) == 1:
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
