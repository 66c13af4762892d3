"""Ranking measures from their definitions."""

from itertools import permutations

import numpy as np


def average_precision(relevant):
    """Of one order without ties."""
    hits, total = 0, 0.0
    for place, right in enumerate(relevant, 1):
        if right:
            hits += 1
            total += hits / place
    return total / hits


def expected_average_precision(scores, relevant):
    """The mean over all orders that sort by score."""
    orders = (
        order
        for order in permutations(range(len(scores)))
        if all(scores[a] >= scores[b] for a, b in zip(order, order[1:], strict=False))
    )
    return float(np.mean([average_precision([relevant[i] for i in order]) for order in orders]))


def filtered_rank(scores, target, others):
    rank = 1.0
    for j, score in enumerate(scores):
        if j != target and j not in others:
            rank += 1.0 if score > scores[target] else 0.5 if score == scores[target] else 0.0
    return rank
