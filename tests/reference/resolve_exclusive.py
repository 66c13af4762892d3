"""Slow twins of the exclusive sampler: the whole distribution by enumeration, and one sweep in plain Python."""

from onoma.numerics.rng import exponential, uniform
from reference.resolve_copying import FRESH, enumerate_joint, options
from reference.resolve_enumeration import normalised


def members(origins, i):
    """Everybody in the entity of i."""

    def root(j):
        return root(origins[j][0]) if origins[j][1] == 1 else j

    return [j for j in range(len(origins)) if root(j) == root(i)]


def is_allowed(origins, source):
    """Whether no entity has two records of one source."""
    groups = [[source[j] for j in members(origins, i)] for i in range(len(origins))]
    return all(len(set(group)) == len(group) for group in groups)


def enumerate_allowed(n, pairs, copy, relative, source):
    """P(order, origins), held to what is allowed."""
    joint = enumerate_joint(n, pairs, copy, relative)
    return normalised({state: p for state, p in joint.items() if is_allowed(state[1], source)})


def conditional(i, order, origins, lists, copy, relative, source, *, with_copies=True):
    """The distribution of the origin of i, all else given.

    `with_copies=False` is wrong: it looks at the source of i alone, not at those of the copies that go with it.
    """
    weights = {}
    for origin, weight in options(i, set(order[: order.index(i)]), lists, copy, relative).items():
        changed = (*origins[:i], origin, *origins[i + 1 :])
        joined = changed if with_copies else tuple(FRESH if o == (i, 1) else o for o in changed)
        if is_allowed(joined, source):
            weights[origin] = weight
    return normalised(weights)


def sweep(rng_state, time, origins, lists, copy, relative, source):
    """One sweep with the random numbers of the kernels: (origins, new times)."""
    n = len(time)
    order = sorted(range(n), key=lambda i: time[i])
    origins = list(origins)
    for i in order:
        chances = conditional(i, order, tuple(origins), lists, copy, relative, source)
        x = uniform(rng_state)
        for origin, chance in chances.items():
            origins[i] = origin
            x -= chance
            if x < 0.0:
                break
    sizes = [1] * n
    for i in reversed(order):
        if origins[i] != FRESH:
            sizes[origins[i][0]] += sizes[i]
    new = [0.0] * n
    for i in order:
        wait = exponential(rng_state) / sizes[i]
        new[i] = wait + (new[origins[i][0]] if origins[i] != FRESH else 0.0)
    return tuple(origins), new
