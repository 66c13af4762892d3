"""Kernels of `exclusive.py`: origins drawn one after the other, so that no entity has two records of one source."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.numerics.rng import exponential, uniform


@nb.njit(cache=True, nogil=True)
def descends(m: int, i: int, chosen: NDArray[np.int64], kind: NDArray[np.int8], neighbours: NDArray[np.int32]) -> bool:
    """Say whether m is i or a copy of a copy … of i."""
    while m != i:
        if kind[m] != 1:
            return False
        m = neighbours[chosen[m]]
    return True


@nb.njit(cache=True, nogil=True)
def part_inplace(
    i: int,
    neighbours: NDArray[np.int32],
    chosen: NDArray[np.int64],
    kind: NDArray[np.int8],
    following: NDArray[np.int32],
) -> None:
    """Make record i fresh: it and its copies leave the entity. `following` runs round the members of each entity."""
    if kind[i] == 1:
        last_inside, last_outside = i, -1
        first_outside = -1
        m = following[i]
        while m != i:
            after = following[m]
            if descends(m, i, chosen, kind, neighbours):
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
    chosen[i], kind[i] = -1, 0


@nb.njit(cache=True, nogil=True)
def excluded(
    p: int, stamp: int, source: NDArray[np.int32], stamps: NDArray[np.int64], following: NDArray[np.int32]
) -> bool:
    """Say whether a record of p's entity is of a source that bears the stamp."""
    m = p
    while True:
        if stamps[source[m]] == stamp:
            return True
        m = following[m]
        if m == p:
            return False


@nb.njit(cache=True, nogil=True)
def draw_origin(
    rng_state: NDArray[np.uint64],
    i: int,
    stamp: int,
    time: NDArray[np.float64],
    offsets: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    pairs: NDArray[np.int64],
    copy: NDArray[np.float64],
    relative: NDArray[np.float64],
    source: NDArray[np.int32],
    stamps: NDArray[np.int64],
    weight: NDArray[np.float64],
    chosen: NDArray[np.int64],
    kind: NDArray[np.int8],
    following: NDArray[np.int32],
) -> None:
    """Draw the origin of record i, all others' origins and the order given.

    Fresh (weight 1), a relative of an earlier record, or a copy of one whose entity has no source in common with i and
    its copies, which go with it. `weight` is room for as many numbers as i has neighbours.
    """
    part_inplace(i, neighbours, chosen, kind, following)
    m = i
    while True:
        stamps[source[m]] = stamp
        m = following[m]
        if m == i:
            break
    choose_origin(
        rng_state,
        i,
        stamp,
        time,
        offsets,
        neighbours,
        pairs,
        copy,
        relative,
        source,
        stamps,
        weight,
        chosen,
        kind,
        following,
    )


@nb.njit(cache=True, nogil=True)
def choose_origin(
    rng_state: NDArray[np.uint64],
    i: int,
    stamp: int,
    time: NDArray[np.float64],
    offsets: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    pairs: NDArray[np.int64],
    copy: NDArray[np.float64],
    relative: NDArray[np.float64],
    source: NDArray[np.int32],
    stamps: NDArray[np.int64],
    weight: NDArray[np.float64],
    chosen: NDArray[np.int64],
    kind: NDArray[np.int8],
    following: NDArray[np.int32],
) -> None:
    """Draw the origin of record i, which is fresh, among those whose entity has no source that bears the stamp."""
    total = 1.0
    first = offsets[i]
    for at in range(first, offsets[i + 1]):
        p, e = neighbours[at], pairs[at]
        weight[at - first] = -1.0  # not earlier
        if time[p] < time[i]:
            weight[at - first] = 0.0
            if copy[e] > 0.0 and not excluded(p, stamp, source, stamps, following):
                weight[at - first] = copy[e]
            total += weight[at - first] + relative[e]
    x = uniform(rng_state) * total - 1.0
    if x < 0.0:
        return
    for at in range(first, offsets[i + 1]):
        if weight[at - first] < 0.0:
            continue
        # Set before it is reached, so that rounding at the very end still leaves a possible origin.
        if weight[at - first] > 0.0:
            chosen[i], kind[i] = at, 1
            x -= weight[at - first]
            if x < 0.0:
                break
        if relative[pairs[at]] > 0.0:
            chosen[i], kind[i] = at, 2
            x -= relative[pairs[at]]
            if x < 0.0:
                break
    if kind[i] == 1:
        p = neighbours[chosen[i]]
        following[i], following[p] = following[p], following[i]


@nb.njit(cache=True, nogil=True)
def draw_times(
    rng_state: NDArray[np.uint64],
    order: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    chosen: NDArray[np.int64],
    kind: NDArray[np.int8],
    time: NDArray[np.float64],
    root: NDArray[np.int32],
    kin: NDArray[np.int32],
) -> int:
    """Draw one of the orders that respect the origins, all equally likely; return the number of entities.

    `root[i]` becomes the first record of i's entity, `kin[i]` the first of all that i descends from.
    """
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
            if kind[i] == 1:
                root[i] = root[p]
        n_entities += kind[i] != 1
    return n_entities


@nb.njit(cache=True, nogil=True)
def count_origins(
    chosen: NDArray[np.int64],
    kind: NDArray[np.int8],
    pairs: NDArray[np.int64],
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    root: NDArray[np.int32],
    kin: NDArray[np.int32],
    counts: NDArray[np.float64],
) -> None:
    """Add one sweep to the counts of pairs copied, related, together and akin (row by row)."""
    for i in range(len(chosen)):
        if kind[i] > 0:
            counts[kind[i] - 1, pairs[chosen[i]]] += 1.0
    for e in range(len(a)):
        if kin[a[e]] == kin[b[e]]:
            counts[3, e] += 1.0
            if root[a[e]] == root[b[e]]:
                counts[2, e] += 1.0


@nb.njit(cache=True, nogil=True)
def sweep(
    rng_state: NDArray[np.uint64],
    n_sweeps: int,
    time: NDArray[np.float64],
    chosen: NDArray[np.int64],
    kind: NDArray[np.int8],
    following: NDArray[np.int32],
    source: NDArray[np.int32],
    offsets: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    pairs: NDArray[np.int64],
    copy: NDArray[np.float64],
    relative: NDArray[np.float64],
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    counts: NDArray[np.float64],
    n_entities: NDArray[np.int64],
    roots: NDArray[np.int32],
) -> None:
    """Run sweeps; add to the counts of pairs copied, related, together and akin (row by row)."""
    n = len(time)
    weight = np.empty(np.diff(offsets).max() if n else 0)
    stamps = np.full(source.max() + 1 if n else 0, -1)
    root, kin = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    first_kept = n_sweeps - len(roots)
    for s in range(n_sweeps):
        order = np.argsort(time)
        stamps[:] = -1
        for stamp in range(n):
            draw_origin(
                rng_state,
                order[stamp],
                stamp,
                time,
                offsets,
                neighbours,
                pairs,
                copy,
                relative,
                source,
                stamps,
                weight,
                chosen,
                kind,
                following,
            )
        n_entities[s] = draw_times(rng_state, order, neighbours, chosen, kind, time, root, kin)
        count_origins(chosen, kind, pairs, a, b, root, kin, counts)
        if s >= first_kept:
            roots[s - first_kept] = root
