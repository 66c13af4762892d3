"""Best tag sequence by trying them all."""

import itertools

import numpy as np


def best_sequence(emissions, first, pair_rows, pairs, *, normalised):
    n, n_tags = emissions.shape
    best, best_score = None, -np.inf
    for tags in itertools.product(range(n_tags), repeat=n):
        total, t2, t1 = 0.0, n_tags, n_tags
        for i, y in enumerate(tags):
            scores = emissions[i] + first[t1] + (pairs[pair_rows[t2, t1]] if pair_rows[t2, t1] >= 0 else 0.0)
            total += scores[y] - (np.log(np.exp(scores).sum()) if normalised else 0.0)
            t2, t1 = t1, y
        if total > best_score:
            best, best_score = tags, total
    return list(best), best_score


def score(tags, emissions, first, pair_rows, pairs, *, normalised):
    total, n_tags = 0.0, emissions.shape[1]
    t2 = t1 = n_tags
    for i, y in enumerate(tags):
        scores = emissions[i] + first[t1] + (pairs[pair_rows[t2, t1]] if pair_rows[t2, t1] >= 0 else 0.0)
        total += scores[y] - (np.log(np.exp(scores).sum()) if normalised else 0.0)
        t2, t1 = t1, y
    return total
