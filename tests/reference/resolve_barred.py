"""Slow twins of the sampler with barred records: the whole distribution by enumeration, and one sweep in plain Python.

What is barred is told by a function: whether origins are allowed.
"""

from onoma.numerics.rng import exponential, uniform
from reference.resolve_copying import FRESH, enumerate_joint, options, subtree_sizes
from reference.resolve_enumeration import normalised


def members(origins, i):
    """Everybody in the entity of i."""

    def root(j):
        return root(origins[j][0]) if origins[j][1] == 1 else j

    return [j for j in range(len(origins)) if root(j) == root(i)]


def one_of_each(source):
    """No entity has two records of one source."""

    def is_allowed(origins):
        groups = [[source[j] for j in members(origins, i)] for i in range(len(origins))]
        return all(len(set(group)) == len(group) for group in groups)

    return is_allowed


def held_apart(different):
    """No two that are held apart are in one entity."""

    def is_allowed(origins):
        return not any(b in members(origins, a) for a, b in different)

    return is_allowed


def enumerate_allowed(n, pairs, copy, relative, is_allowed):
    """P(order, origins), held to what is allowed."""
    joint = enumerate_joint(n, pairs, copy, relative)
    return normalised({state: p for state, p in joint.items() if is_allowed(state[1])})


def conditional(i, order, origins, lists, copy, relative, is_allowed, *, with_copies=True):
    """The distribution of the origin of i, all else given.

    `with_copies=False` is wrong: it looks at i alone, not at the copies that go with it.
    """
    weights = {}
    for origin, weight in options(i, set(order[: order.index(i)]), lists, copy, relative).items():
        changed = (*origins[:i], origin, *origins[i + 1 :])
        joined = changed if with_copies else tuple(FRESH if o == (i, 1) else o for o in changed)
        if is_allowed(joined):
            weights[origin] = weight
    return normalised(weights)


def sweep(rng_state, time, origins, lists, copy, relative, is_allowed, outside=frozenset()):
    """One sweep with the random numbers of the kernels: (origins, new times). Nothing is drawn for those outside."""
    n = len(time)
    order = sorted(range(n), key=lambda i: time[i])
    origins = list(origins)
    for i in order:
        if i in outside:
            continue
        chances = conditional(i, order, tuple(origins), lists, copy, relative, is_allowed)
        x = uniform(rng_state)
        for origin, chance in chances.items():
            origins[i] = origin
            x -= chance
            if x < 0.0:
                break
    sizes = subtree_sizes(origins)
    new = [0.0] * n
    for i in order:
        wait = exponential(rng_state) / sizes[i]
        new[i] = wait + (new[origins[i][0]] if origins[i] != FRESH else 0.0)
    return tuple(origins), new


def origins_of(sampler):
    """The origins (record, kind) at which a sampler stands."""
    return tuple(
        FRESH if at < 0 else (int(sampler.near.records[at]), int(kind))
        for at, kind in zip(sampler.chosen, sampler.kind, strict=True)
    )
