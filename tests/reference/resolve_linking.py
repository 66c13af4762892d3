"""Slow twins of the linking sampler: all matchings, the probability of every step, and a step in plain Python.

A matching is a frozenset of numbers of pairs.
"""

import itertools
import math
from collections import defaultdict

from onoma.numerics.rng import uniform
from reference.resolve_copying import neighbour_lists
from reference.resolve_enumeration import normalised


def enumerate_matchings(pairs, weight):
    """P(matching), proportional to the product of its weights."""
    weights = {}
    for size in range(len(pairs) + 1):
        for chosen in itertools.combinations(range(len(pairs)), size):
            ends = [end for e in chosen for end in pairs[e]]
            if len(set(ends)) == len(ends):
                weights[frozenset(chosen)] = math.prod(weight[e] for e in chosen)
    return normalised(weights)


def totals(n, pairs, weight):
    """1 and the weights of each record's pairs."""
    return [1.0 + sum(weight[e] for e, ends in enumerate(pairs) if i in ends) for i in range(n)]


def pair_of(matching, pairs, i):
    return next((e for e in matching if i in pairs[e]), None)


def other_end(pairs, e, i):
    return pairs[e][0] if pairs[e][1] == i else pairs[e][1]


def transitions(n, pairs, weight, matching, *, accept=lambda mine, rival: min(1.0, mine / rival)):
    """Where one step of a random record leads, and how likely."""
    total, found = totals(n, pairs, weight), defaultdict(float)
    for i in range(n):
        mine = pair_of(matching, pairs, i)
        if mine is not None:
            found[matching - {mine}] += 1 / total[i] / n
            found[matching] += (1 - 1 / total[i]) / n
            continue
        found[matching] += 1 / total[i] / n
        for e in (e for e, ends in enumerate(pairs) if i in ends):
            chance = weight[e] / total[i] / n
            p = other_end(pairs, e, i)
            theirs = pair_of(matching, pairs, p)
            if theirs is None:
                found[matching | {e}] += chance
            else:
                leaves = accept(total[i], total[other_end(pairs, theirs, p)])
                found[matching - {theirs} | {e}] += chance * leaves
                found[matching] += chance * (1 - leaves)
    return dict(found)


def step(rng_state, i, n, pairs, weight, matching):
    """One step of record i, with the same random numbers as the kernel."""
    total = totals(n, pairs, weight)
    x = uniform(rng_state) * total[i]
    mine = pair_of(matching, pairs, i)
    if mine is not None:
        return matching - {mine} if x < 1 else matching
    if x < 1:
        return matching
    x -= 1
    for p, e in neighbour_lists(n, pairs)[i]:
        if x < weight[e]:
            theirs = pair_of(matching, pairs, p)
            if theirs is None:
                return matching | {e}
            stays = uniform(rng_state) >= total[i] / total[other_end(pairs, theirs, p)]
            return matching if stays else matching - {theirs} | {e}
        x -= weight[e]
    raise AssertionError("weights that do not sum to their total")
