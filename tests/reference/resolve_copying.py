"""Slow twins of the copying sampler: the whole distribution by enumeration, and one sweep in plain Python.

Before any evidence every earlier record is as likely an origin as any other, so the normaliser of the prior is the
product over places t of 1 + (κ + σ)·t, the same for every order: all orders are equally likely, and the posterior is

    P(order, origins)  ∝  Π over records of (1, copy weight or relative weight), where origins come earlier.

The posterior of the orders is not uniform: that of one order is proportional to Π over records of
1 + the sum of the weights of the earlier candidates.
"""

import itertools
import math
from collections import defaultdict

from reference.resolve_enumeration import first_seen, normalised

FRESH = (-1, 0)


def neighbour_lists(n, pairs):
    """For each record its (neighbour, pair), in the order of the pairs."""
    lists = [[] for _ in range(n)]
    for e, (a, b) in enumerate(pairs):
        lists[a].append((int(b), e))
        lists[b].append((int(a), e))
    return lists


def options(i, earlier, lists, copy, relative):
    """The origins (record, kind) that record i may have, with their weights: fresh 0, copy 1, relative 2."""
    found = {FRESH: 1.0}
    for p, e in lists[i]:
        if p in earlier:
            found[p, 1] = copy[e]
            found[p, 2] = relative[e]
    return {origin: weight for origin, weight in found.items() if weight > 0}


def enumerate_joint(n, pairs, copy, relative):
    """P(order, origins), by looking at every one."""
    lists = neighbour_lists(n, pairs)
    weights = {}
    for order in itertools.permutations(range(n)):
        choices = [options(i, set(order[: order.index(i)]), lists, copy, relative) for i in range(n)]
        for origins in itertools.product(*choices):
            weights[order, origins] = math.prod(choices[i][origin] for i, origin in enumerate(origins))
    return normalised(weights)


def marginal(joint, of):
    """The distribution of a function of (order, origins)."""
    found = defaultdict(float)
    for (order, origins), probability in joint.items():
        found[of(order, origins)] += probability
    return dict(found)


def entities(origins):
    """The partition into trees of copies."""

    def root(i):
        return root(origins[i][0]) if origins[i][1] == 1 else i

    return first_seen([root(i) for i in range(len(origins))])


def families(origins):
    """The partition into trees of copies and relatives."""

    def root(i):
        return root(origins[i][0]) if origins[i] != FRESH else i

    return first_seen([root(i) for i in range(len(origins))])


def subtree_sizes(origins):
    """How many descend from each record, itself included."""
    sizes = [0] * len(origins)
    for i in range(len(origins)):
        j = i
        while j >= 0:
            sizes[j] += 1
            j = origins[j][0]
    return sizes


def n_orders(origins):
    """How many orders respect the origins: n! over the product of the sizes of all subtrees."""
    return math.factorial(len(origins)) // math.prod(subtree_sizes(origins))


def word_at(key, number):
    """SplitMix64's word with a number, in whole numbers without bounds."""
    x = (int(key) + (int(number) + 1) * 0x9E3779B97F4A7C15) % 2**64
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return x ^ (x >> 31)


def uniform_at(key, number):
    """A number in [0, 1)."""
    return (word_at(key, number) >> 11) / 2**53


def sweep(key, time, lists, copy, relative, *, by_size=True):
    """One sweep of both blocks without turning trees: (origins, new times). Slower to forget, but no less right.

    `by_size=False` is wrong: it lets every record wait alike, whatever descends from it.
    """
    origins = draw_origins(key, time, lists, copy, relative)
    return origins, draw_times(key, origins, by_size=by_size)


def draw_origins(key, time, lists, copy, relative):
    """The origins given the order, with the same random numbers as the kernel."""
    origins = [FRESH] * len(time)
    for i in range(len(time)):
        weights = [(FRESH, 1.0)]
        for p, e in lists[i]:
            if time[p] < time[i]:
                weights += [((p, 1), copy[e]), ((p, 2), relative[e])]
        x = uniform_at(key, 3 * i) * sum(weight for _, weight in weights)
        for origin, weight in weights:
            if x < weight:
                origins[i] = origin
                break
            x -= weight
    return tuple(origins)


def draw_times(key, origins, *, by_size=True):
    """Times given the origins, with the same random numbers as the kernel."""
    n, sizes = len(origins), subtree_sizes(origins)

    def time(i):
        wait = -math.log1p(-uniform_at(key, 3 * i + 1)) / (sizes[i] if by_size else 1.0)
        return wait + (time(origins[i][0]) if origins[i] != FRESH else 0.0)

    return [time(i) for i in range(n)]


def undirected(origins):
    """The pairs that are joined, and how, whichever came first."""
    return {(min(i, p), max(i, p), kind) for i, (p, kind) in enumerate(origins) if p >= 0}


def hung_from(edges, n, first):
    """The origins of a tree, given as undirected edges, when one of its records comes first."""
    origins, reached = [FRESH] * n, [first]
    for i in reached:
        for a, b, kind in edges:
            for one, other in ((a, b), (b, a)):
                if one == i and other not in reached:
                    origins[other] = (i, kind)
                    reached.append(other)
    return tuple(origins)
