"""Samples against an enumerated distribution."""

import numpy as np
from scipy.stats import chisquare


def normalised(weights):
    """A dictionary of weights, summing to 1."""
    total = sum(weights.values())
    return {state: weight / total for state, weight in weights.items()}


def p_value(samples, distribution, *, least=10):
    """The χ² p-value of a list of states under {state: probability}; states expected seldom are pooled."""
    place = {state: k for k, state in enumerate(distribution)}
    if any(state not in place for state in samples):
        return 0.0  # an impossible state was visited
    counts = np.bincount([place[state] for state in samples], minlength=len(place)).astype(float)
    expected = np.array(list(distribution.values())) * len(samples)
    order = np.argsort(-expected)
    counts, expected = counts[order], expected[order]
    n_large = int(np.sum(expected >= least))
    if 0 < expected[n_large:].sum() < least:
        n_large -= 1
    group = np.minimum(np.arange(len(counts)), n_large)
    counts, expected = np.bincount(group, counts), np.bincount(group, expected)
    return float(chisquare(counts, expected * counts.sum() / expected.sum()).pvalue)


def partitions(n):
    """Every partition of n items, as labels in order of first appearance."""
    if n == 0:
        yield ()
        return
    for labels in partitions(n - 1):
        for label in range(max(labels, default=-1) + 2):
            yield (*labels, label)


def first_seen(labels):
    """Labels renamed in order of first appearance."""
    names = {}
    return tuple(names.setdefault(label, len(names)) for label in labels)
