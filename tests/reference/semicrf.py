"""Slow twins of the semi-Markov CRF: every segmentation of a short text, one by one, features counted by hand."""

import itertools

import numpy as np


def segmentations(n, longest, n_labels):
    """Every way to cut n tokens into labelled segments (start, end, label)."""

    def cuts(start):
        if start == n:
            yield []
            return
        for end in range(start + 1, n + 1):
            for rest in cuts(end):
                yield [(start, end), *rest]

    for cut in cuts(0):
        for labels in itertools.product(range(n_labels), repeat=len(cut)):
            if all(end - start <= longest[y] for (start, end), y in zip(cut, labels, strict=True)):
                yield [(start, end, y) for (start, end), y in zip(cut, labels, strict=True)]


def with_ancestors(label, parent):
    found = []
    while label >= 0:
        found.append(label)
        label = parent[label]
    return found


def features(t, texts, layout, segments):
    """The vector of feature counts of one segmentation, from the definitions."""
    size = max(
        len(layout.label),
        layout.transition + layout.n_classes * layout.n_labels**2,
        layout.stop + layout.n_labels,
        layout.length + layout.n_bins * layout.n_labels,
    )
    counts = np.zeros(size)
    first = texts.offsets[t]

    def fire(ptr, a, value, label):
        if len(ptr) > 1:
            for k in range(ptr[a], ptr[a + 1]):
                if layout.label[k] in with_ancestors(label, layout.parent):
                    counts[k] += value

    def tokens(ptr, i, label):
        for bundle in texts.bundles[texts.bundle_indptr[first + i] : texts.bundle_indptr[first + i + 1]]:
            for j in range(texts.indptr[bundle], texts.indptr[bundle + 1]):
                fire(ptr, texts.ids[j], texts.values[j], label)

    def ends(at, label):
        if at >= 0:
            for a in with_ancestors(label, layout.parent):
                counts[at + a] += 1

    before = None
    for start, end, label in segments:
        for i in range(start, end):
            tokens(layout.inside, i, label)
        tokens(layout.begin, start, label)
        tokens(layout.end, end - 1, label)
        for j in range(texts.segment_indptr[first + start], texts.segment_indptr[first + start + 1]):
            if texts.segment_length[j] == end - start:
                fire(layout.segment, texts.segment_ids[j], 1.0, label)
        if layout.length >= 0:
            ends(layout.length + min(end - start, layout.n_bins) * layout.n_labels - layout.n_labels, label)
        if before is not None and layout.transition >= 0:
            c = texts.edges[first + start]
            for a in with_ancestors(before, layout.parent):
                for b in with_ancestors(label, layout.parent):
                    counts[layout.transition + (c * layout.n_labels + a) * layout.n_labels + b] += 1
        before = label
    ends(layout.start, segments[0][2])
    ends(layout.stop, segments[-1][2])
    return counts


def is_allowed(t, texts, layout, segments):
    first = texts.offsets[t]
    return not any(layout.barred[texts.edges[first + b[0]], a[2], b[2]] for a, b in itertools.pairwise(segments))


def enumerate_text(t, texts, layout, weights):
    """All allowed segmentations of a text with their features and probabilities, and log Z."""
    n = int(texts.offsets[t + 1] - texts.offsets[t])
    found = [s for s in segmentations(n, layout.longest, layout.n_labels) if is_allowed(t, texts, layout, s)]
    vectors = np.array([features(t, texts, layout, s) for s in found])
    scores = vectors @ weights
    log_z = np.logaddexp.reduce(scores)
    return found, vectors, np.exp(scores - log_z), float(log_z)
