"""Kernels of `barred.py`: origins drawn one after the other, so that no entity has two records that bar each other."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel, lean
from onoma.numerics.rng import exponential, uniform
from onoma.resolve.posterior._copying_kernels import COPY, FRESH, RELATIVE, Neighbours


class Bars(NamedTuple):
    """Which records may not be in one entity: every record bears a mark, and bars those with some marks."""

    mark: NDArray[np.int32]
    offsets: NDArray[np.int64]
    barred: NDArray[np.int32]
    """The marks that each record bars."""
    outside: NDArray[np.bool_]
    """Records that stay fresh."""


class Origins(NamedTuple):
    """What the next sweep needs; changed in place."""

    time: NDArray[np.float64]
    chosen: NDArray[np.int64]
    """Each record's origin, as a place in the neighbour lists; -1: none."""
    kind: NDArray[np.int8]
    following: NDArray[np.int32]
    """Runs round the members of each entity."""


@lean
def descends(m: int, i: int, near: Neighbours, origins: Origins) -> bool:
    """Say whether m is i or a copy of a copy … of i."""
    while m != i:
        if origins.kind[m] != COPY:
            return False
        m = near.records[origins.chosen[m]]
    return True


@lean
def part_inplace(i: int, near: Neighbours, origins: Origins) -> None:
    """Make record i fresh: it and its copies leave the entity."""
    following = origins.following
    if origins.kind[i] == COPY:
        last_inside, last_outside = i, -1
        first_outside = -1
        m = following[i]
        while m != i:
            after = following[m]
            if descends(m, i, near, origins):
                following[last_inside] = m
                last_inside = m
            else:
                if first_outside < 0:
                    first_outside = m
                else:
                    following[last_outside] = m
                last_outside = m
            m = after
        following[last_inside] = i
        following[last_outside] = first_outside
    origins.chosen[i], origins.kind[i] = -1, FRESH


@lean
def stamp_inplace(i: int, stamp: int, bars: Bars, following: NDArray[np.int32], stamps: NDArray[np.int64]) -> None:
    """Stamp the marks that record i or one of its copies bars."""
    m = i
    while True:
        for at in range(bars.offsets[m], bars.offsets[m + 1]):
            stamps[bars.barred[at]] = stamp
        m = following[m]
        if m == i:
            return


@lean
def is_barred(p: int, stamp: int, bars: Bars, following: NDArray[np.int32], stamps: NDArray[np.int64]) -> bool:
    """Say whether a record of p's entity bears a mark with this stamp."""
    m = p
    while True:
        if stamps[bars.mark[m]] == stamp:
            return True
        m = following[m]
        if m == p:
            return False


@lean
def draw_origin(
    rng_state: NDArray[np.uint64],
    i: int,
    stamp: int,
    near: Neighbours,
    copy: NDArray[np.float64],
    relative: NDArray[np.float64],
    bars: Bars,
    origins: Origins,
    stamps: NDArray[np.int64],
    weight: NDArray[np.float64],
) -> None:
    """Draw the origin of record i, all others' origins and the order given.

    Fresh (weight 1), a relative of an earlier record, or a copy of one whose entity has nobody whom i or its copies,
    which go with it, bar. `weight` is room for as many numbers as i has neighbours.
    """
    time, chosen, kind, following = origins
    part_inplace(i, near, origins)
    stamp_inplace(i, stamp, bars, following, stamps)
    total = 1.0
    first, end = near.offsets[i], near.offsets[i + 1]
    for at in range(first, end):
        p, e = near.records[at], near.pairs[at]
        weight[at - first] = -1.0  # not earlier
        if time[p] < time[i]:
            weight[at - first] = 0.0
            if copy[e] > 0.0 and not is_barred(p, stamp, bars, following, stamps):
                weight[at - first] = copy[e]
            total += weight[at - first] + relative[e]
    x = uniform(rng_state) * total - 1.0
    if x < 0.0:
        return
    for at in range(first, end):
        if weight[at - first] < 0.0:
            continue
        # Set before it is reached, so that rounding at the very end still leaves a possible origin.
        if weight[at - first] > 0.0:
            chosen[i], kind[i] = at, COPY
            x -= weight[at - first]
            if x < 0.0:
                break
        if relative[near.pairs[at]] > 0.0:
            chosen[i], kind[i] = at, RELATIVE
            x -= relative[near.pairs[at]]
            if x < 0.0:
                break
    if kind[i] == COPY:
        p = near.records[chosen[i]]
        following[i], following[p] = following[p], following[i]


@kernel
def draw_times(
    rng_state: NDArray[np.uint64],
    order: NDArray[np.int64],
    near: Neighbours,
    origins: Origins,
    root: NDArray[np.int32],
    kin: NDArray[np.int32],
) -> int:
    """Draw one of the orders that respect the origins, all equally likely; return the number of entities.

    `root[i]` becomes the first record of i's entity, `kin[i]` the first of all that i descends from.
    """
    time, chosen, kind, _ = origins
    neighbours = near.records
    size = np.ones(len(order))
    for q in range(len(order) - 1, -1, -1):
        i = order[q]
        if chosen[i] >= 0:
            size[neighbours[chosen[i]]] += size[i]
    n_entities = 0
    for i in order:
        time[i] = exponential(rng_state) / size[i]
        kin[i] = i
        root[i] = i
        if chosen[i] >= 0:
            p = neighbours[chosen[i]]
            time[i] += time[p]
            kin[i] = kin[p]
            if kind[i] == COPY:
                root[i] = root[p]
        n_entities += kind[i] != COPY
    return n_entities


@lean
def count_inplace(
    near: Neighbours,
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    origins: Origins,
    root: NDArray[np.int32],
    kin: NDArray[np.int32],
    counts: NDArray[np.float64],
) -> None:
    """Add one sweep to the counts of pairs copied, related, together and akin (row by row)."""
    for i in range(len(origins.chosen)):
        if origins.kind[i] != FRESH:
            counts[origins.kind[i] - 1, near.pairs[origins.chosen[i]]] += 1.0
    for e in range(len(a)):
        if kin[a[e]] == kin[b[e]]:
            counts[3, e] += 1.0
            if root[a[e]] == root[b[e]]:
                counts[2, e] += 1.0


@kernel
def sweep(
    rng_state: NDArray[np.uint64],
    n_sweeps: int,
    near: Neighbours,
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    copy: NDArray[np.float64],
    relative: NDArray[np.float64],
    bars: Bars,
    origins: Origins,
    counts: NDArray[np.float64],
    n_entities: NDArray[np.int64],
    roots: NDArray[np.int32],
) -> None:
    """Run sweeps; add to the counts of pairs copied, related, together and akin (row by row)."""
    n = len(origins.time)
    weight = np.empty(np.diff(near.offsets).max() if n else 0)
    stamps = np.full(bars.mark.max() + 1 if n else 0, -1)
    root, kin = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    outside, first_kept = bars.outside, n_sweeps - len(roots)
    for s in range(n_sweeps):
        order = np.argsort(origins.time)
        stamps[:] = -1
        for stamp in range(n):
            if not outside[order[stamp]]:
                draw_origin(rng_state, order[stamp], stamp, near, copy, relative, bars, origins, stamps, weight)
        n_entities[s] = draw_times(rng_state, order, near, origins, root, kin)
        count_inplace(near, a, b, origins, root, kin, counts)
        if s >= first_kept:
            roots[s - first_kept] = root
