"""Coreference by enumeration: every clustering of a few mentions."""

from itertools import product

import numpy as np


def clusterings(n):
    """Every clustering of n mentions, as the number of each one's first member."""

    def grow(labels):
        if len(labels) == n:
            yield tuple(labels)
            return
        for label in [*sorted(set(labels)), len(labels)]:
            yield from grow([*labels, label])

    yield from grow([])


def left_link_score(scores, labels, constraints=None):
    """Σ over mentions of the best antecedent in the entity, or of none for its first; and constraints on all pairs."""
    total = 0.0
    for i, label in enumerate(labels):
        inside = [j for j in range(i) if labels[j] == label]
        total += max(scores[i, j] for j in inside) if inside else scores[i, i]
        if constraints is not None:
            total += sum(constraints[i, j] for j in inside)
    return total


def best_clustering(scores, constraints=None):
    return max(clusterings(len(scores)), key=lambda labels: left_link_score(scores, labels, constraints))


def all_pairs_score(scores, labels):
    return sum(scores[i, j] - scores[i, i] for i in range(len(labels)) for j in range(i) if labels[i] == labels[j])


def coreference_by_enumeration(links):
    """The probability that two mentions are one thing, and of each number of entities, over all choices."""
    n = len(links)
    coreferent, counts = np.zeros((n, n)), np.zeros(n + 1)
    for choice in product(*(range(i + 1) for i in range(n))):
        p = np.prod([links[i, j] for i, j in enumerate(choice)])
        labels = []
        for i, j in enumerate(choice):
            labels.append(i if i == j else labels[j])
        counts[len(set(labels))] += p
        coreferent += p * np.equal.outer(labels, labels)
    return coreferent, counts


def relations(document, a, b):
    """How mention a stands to the earlier mention b, from the words themselves (`a`, `b`: spans)."""
    stop = {"a", "an", "the", "his", "of", "and"}
    lower = [word.lower() for word in document.words]
    text = lambda span: lower[span.start : span.end]  # noqa: E731
    content = lambda span: set(text(span)) - stop  # noqa: E731
    shared = content(a) & content(b)
    inside = lambda part, whole: 0 if not whole else 2 if part == whole else 1 if part else 0  # noqa: E731
    return {
        "same words": text(a) == text(b),
        "its words in the antecedent": inside(shared, content(a)),
        "the antecedent's words in it": inside(shared, content(b)),
        "same head": document.lemmas[a.head].lower() == document.lemmas[b.head].lower(),
        "distance in sentences": int(document.sentences[a.head] - document.sentences[b.head]),
    }


def constrained_link(scores, constraints, gamma=0.0):
    """Greedy decoding from left to right, mention by mention; see `onoma.coref.decode.constrained_link`."""
    n = len(scores)
    labels = np.arange(n)
    for i in range(1, n):
        row = scores[i, :i]
        if constraints is not None:
            bonus = np.bincount(labels[:i], constraints[i, :i], n)
            row = row + bonus[labels[:i]]
        if gamma == 0.0:
            best = int(np.argmax(row))
            labels[i] = labels[best] if row[best] > scores[i, i] else i
            continue
        top = max(float(row.max()), float(scores[i, i]))
        mass = np.bincount(labels[:i], np.exp((row - top) / gamma), n)
        best = int(np.argmax(mass))
        labels[i] = best if mass[best] > np.exp((scores[i, i] - top) / gamma) else i
    return labels
