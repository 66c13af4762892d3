"""Slow twins of the pairwise model's kernels: partitions as sets, scores as sums over all pairs."""

import itertools

import numpy as np

from reference.resolve_enumeration import normalised, partitions


def all_scores(n, pairs, scores, stranger):
    """{(i, j): score} of every pair of n mentions."""
    return dict.fromkeys(itertools.combinations(range(n), 2), stranger) | dict(zip(pairs, scores, strict=True))


def log_score(labels, scores):
    """The sum of the scores of the pairs with one label."""
    return sum(score for (i, j), score in scores.items() if labels[i] == labels[j])


def posterior(n, scores, block=None):
    """{labels: probability} of every partition, or of those that hold no two blocks together."""
    allowed = [
        labels
        for labels in partitions(n)
        if block is None
        or all(block[i] == block[j] for i, j in itertools.combinations(range(n), 2) if labels[i] == labels[j])
    ]
    return normalised({labels: float(np.exp(log_score(labels, scores))) for labels in allowed})


def bag_score(groups, i, j, *, bias, slopes, tables, cells, n_steps):
    """The score of a pair from its bags {word: weight}, one of each group for each mention."""
    total, bins = bias, []
    for group, slope in zip(groups, slopes, strict=True):
        one, other = group[i], group[j]
        if not one or not other:
            bins.append(n_steps)
            continue
        cosine = sum(weight * other[word] for word, weight in one.items() if word in other)
        total += slope * cosine
        bins.append(min(int(cosine * n_steps), n_steps - 1))
    for (g, h), table in zip(tables, cells, strict=True):
        total += table[bins[g] * (n_steps + 1) + bins[h]]
    return total


def d_log_score(labels, i, company, scores):
    """What moving i into the company of others does to the log score, by scoring both worlds in full."""
    after = list(labels)
    after[i] = after[company[0]] if company else max(labels) + 1
    return log_score(after, scores) - log_score(labels, scores)


def rank_step(weights, change, truth, *, rate, margin):
    """SampleRank's rule on whole vectors."""
    sign = np.sign(truth)
    if sign != 0 and sign * (weights @ change) <= margin:
        return weights + rate * sign * change
    return weights


__all__ = ["all_scores", "bag_score", "d_log_score", "log_score", "posterior", "rank_step"]
