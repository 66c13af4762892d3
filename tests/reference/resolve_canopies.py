"""Slow twins of the kernels of `canopies.py`: sets and dictionaries. A bag is a set of features."""

import math


def invert(bags, n_features):
    """For each feature the records that have it."""
    return [[i for i, bag in enumerate(bags) if f in bag] for f in range(n_features)]


def scores(bags, weights, i, allowed):
    """The weight that record i shares with each allowed other that shares any feature."""
    found = {}
    for j, bag in enumerate(bags):
        if j != i and bag & bags[i] and allowed(i, j):
            found[j] = sum(weights[f] for f in bag & bags[i])
    return found


def allowed(source, block, apart):
    """Whether two records may be neighbours."""
    return lambda i, j: block[i] == block[j] and (apart == 0 or (source[i] != source[j]) == (apart == 1))


def cosine(x, y, weights):
    """The weight shared over the geometric mean of the weights."""
    shared = sum(weights[f] for f in x & y)
    length = math.sqrt(sum(weights[f] for f in x) * sum(weights[f] for f in y))
    return shared / length if shared > 0 else 0.0
