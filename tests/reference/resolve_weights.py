"""Slow twins of the kernels of `weights.py`: one pair, one field at a time."""

import numpy as np

from onoma.numerics.isotonic import isotonic

COPIED, RELATED, FRESH = 0, 1, 2


def parent_level(levels, parent, f, none):
    """The level of a field's parent in one pair; `none` if the parent is missing or there is none."""
    given = levels[parent[f]] if parent[f] >= 0 else -1
    return given if given >= 0 else none


def log_bayes_factor(kind, levels, log_share, parent, tables, keep, slips):
    """The sum over fields of log P(level | class) - log P(level | fresh), equal values by their rarity.

    Copies have the factor of the number of fields that differ besides.
    """
    none, total = tables.shape[2] - 1, 0.0
    for f, level in enumerate(levels):
        if level < 0:
            continue
        g = parent_level(levels, parent, f, none)
        fresh = tables[FRESH, f, g, level]
        if level == 0:
            fresh += keep[f, g] * (log_share[f] - tables[FRESH, f, none, 0])
        total += tables[kind, f, g, level] - fresh
    if kind == COPIED:
        total += slips[sum(level >= 0 for level in levels), sum(level > 0 for level in levels)]
    return total


def count_levels(rows, parent, weight, shape):
    """The weight of the pairs by field, level of the parent and level."""
    counts = np.zeros(shape)
    for levels, w in zip(rows, weight, strict=True):
        for f, level in enumerate(levels):
            if level >= 0:
                counts[f, parent_level(levels, parent, f, shape[1] - 1), level] += w
    return counts


def count_pairs(rows, one, other, weight, k):
    """The weight of the pairs by the levels of two fields, where both are there."""
    counts = np.zeros((k, k))
    for levels, w in zip(rows, weight, strict=True):
        if min(levels[one], levels[other]) >= 0:
            counts[levels[one], levels[other]] += w
    return counts


def margins(pairs, score):
    """For each pair and each of its records, the score less the best of the record's other pairs, at least 0."""
    found = []
    for e, ends in enumerate(pairs):
        rivals = [[score[d] for d, other in enumerate(pairs) if d != e and i in other] for i in ends]
        found.append([score[e] - max([*others, 0.0]) for others in rivals])
    return np.array(found).reshape(-1, 2)


def order_ratios(copied, fresh):
    """Copies' log shares with ratios to strangers' that fall from level to level: the nearest such ratios."""
    found = []
    for m, u in zip(np.exp(copied), np.exp(fresh), strict=True):
        ratios = isotonic((m / u)[::-1], u[::-1])[::-1]
        found.append(np.log(ratios * u))
    return np.array(found)
