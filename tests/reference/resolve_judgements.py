"""Slow twin of the sampler that holds records apart: the whole distribution by enumeration, and one sweep."""

from onoma.numerics.rng import exponential, uniform
from reference.resolve_copying import FRESH, enumerate_joint, options
from reference.resolve_enumeration import normalised
from reference.resolve_exclusive import members


def is_allowed(origins, different):
    """Whether no two that are held apart are in one entity."""
    return not any(b in members(origins, a) for a, b in different)


def enumerate_allowed(n, pairs, copy, relative, different):
    """P(order, origins), held to what is allowed."""
    joint = enumerate_joint(n, pairs, copy, relative)
    return normalised({state: p for state, p in joint.items() if is_allowed(state[1], different)})


def conditional(i, order, origins, lists, copy, relative, different):
    """The distribution of the origin of i, all else given."""
    weights = {}
    for origin, weight in options(i, set(order[: order.index(i)]), lists, copy, relative).items():
        changed = (*origins[:i], origin, *origins[i + 1 :])
        if is_allowed(changed, different):
            weights[origin] = weight
    return normalised(weights)


def sweep(rng_state, time, origins, lists, copy, relative, different):
    """One sweep with the random numbers of the kernels: (origins, new times)."""
    n = len(time)
    order = sorted(range(n), key=lambda i: time[i])
    origins = list(origins)
    for i in order:
        chances = conditional(i, order, tuple(origins), lists, copy, relative, different)
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
