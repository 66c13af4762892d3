"""Kernels of `copying.py`: the two-block Gibbs sampler over orders and parents."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.numerics.rng import exponential, uniform


@nb.njit(cache=True, nogil=True)
def neighbour_lists(
    n: int, a: NDArray[np.int32], b: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Return each record's neighbours, and the pair that makes them so (offsets, neighbours, pairs)."""
    offsets = np.zeros(n + 1, dtype=np.int64)
    for e in range(len(a)):
        offsets[a[e] + 1] += 1
        offsets[b[e] + 1] += 1
    for i in range(n):
        offsets[i + 1] += offsets[i]
    place = offsets[:-1].copy()
    neighbours = np.empty(2 * len(a), dtype=np.int32)
    pairs = np.empty(2 * len(a), dtype=np.int64)
    for e in range(len(a)):
        neighbours[place[a[e]]] = b[e]
        pairs[place[a[e]]] = e
        place[a[e]] += 1
        neighbours[place[b[e]]] = a[e]
        pairs[place[b[e]]] = e
        place[b[e]] += 1
    return offsets, neighbours, pairs


@nb.njit(cache=True, nogil=True)
def sample_parents(
    rng_state: NDArray[np.uint64],
    order: NDArray[np.int64],
    time: NDArray[np.float64],
    offsets: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    pairs: NDArray[np.int64],
    copy: NDArray[np.float64],
    relative: NDArray[np.float64],
    chosen: NDArray[np.int64],
    kind: NDArray[np.int8],
) -> None:
    """Given the order, draw each record's origin: fresh (kind 0, weight 1), a copy (1) or a relative (2) of another.

    `chosen[i]` becomes the place in the neighbour lists, -1 for a fresh record.
    """
    for i in order:
        total = 1.0
        for at in range(offsets[i], offsets[i + 1]):
            if time[neighbours[at]] < time[i]:
                total += copy[pairs[at]] + relative[pairs[at]]
        x = uniform(rng_state) * total - 1.0
        chosen[i], kind[i] = -1, 0
        if x < 0.0:
            continue
        for at in range(offsets[i], offsets[i + 1]):
            if time[neighbours[at]] < time[i]:
                # Set before it is reached, so that rounding at the very end still leaves a possible origin.
                chosen[i], kind[i] = at, 1
                x -= copy[pairs[at]]
                if x < 0.0:
                    break
                if relative[pairs[at]] > 0.0:
                    kind[i] = 2
                    x -= relative[pairs[at]]
                    if x < 0.0:
                        break


@nb.njit(cache=True, nogil=True)
def sample_times(
    rng_state: NDArray[np.uint64],
    order: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    chosen: NDArray[np.int64],
    kind: NDArray[np.int8],
    size: NDArray[np.float64],
    time: NDArray[np.float64],
    root: NDArray[np.int64],
    kin: NDArray[np.int64],
) -> int:
    """Given the origins, draw a uniformly random compatible order, as times; return the number of entities.

    A record comes after its origin by an exponential time with the rate of the number of records that descend from it:
    then all orders that respect the forest are equally likely. `root[i]` becomes the first record of i's entity,
    `kin[i]` the first of all that i descends from, by copying or by relation.
    """
    n = len(order)
    for i in order:
        size[i] = 1.0
    for q in range(n - 1, -1, -1):
        i = order[q]
        if chosen[i] >= 0:
            size[neighbours[chosen[i]]] += size[i]
    n_entities = 0
    for i in order:
        wait = exponential(rng_state) / size[i]
        if chosen[i] >= 0:
            p = neighbours[chosen[i]]
            time[i] = time[p] + wait
            kin[i] = kin[p]
        else:
            time[i] = wait
            kin[i] = i
        if kind[i] == 1:
            root[i] = root[neighbours[chosen[i]]]
        else:
            root[i] = i
            n_entities += 1
    return n_entities


@nb.njit(cache=True, nogil=True)
def sweep(
    rng_state: NDArray[np.uint64],
    n_sweeps: int,
    time: NDArray[np.float64],
    offsets: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    pairs: NDArray[np.int64],
    copy: NDArray[np.float64],
    relative: NDArray[np.float64],
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    copied: NDArray[np.float64],
    related: NDArray[np.float64],
    together: NDArray[np.float64],
    akin: NDArray[np.float64],
    n_entities: NDArray[np.int64],
    roots: NDArray[np.int32],
) -> None:
    """Run sweeps of both blocks, adding to the counts of pairs copied, related, together in one entity, and akin.

    `n_entities[s]` is filled for every sweep; `roots[s]` for the last `len(roots)` of them.
    """
    n = len(time)
    chosen = np.empty(n, dtype=np.int64)
    kind = np.empty(n, dtype=np.int8)
    size = np.empty(n)
    root = np.empty(n, dtype=np.int64)
    kin = np.empty(n, dtype=np.int64)
    first_kept = n_sweeps - len(roots)
    for s in range(n_sweeps):
        order = np.argsort(time)
        sample_parents(rng_state, order, time, offsets, neighbours, pairs, copy, relative, chosen, kind)
        n_entities[s] = sample_times(rng_state, order, neighbours, chosen, kind, size, time, root, kin)
        for i in range(n):
            if kind[i] == 1:
                copied[pairs[chosen[i]]] += 1.0
            elif kind[i] == 2:
                related[pairs[chosen[i]]] += 1.0
        for e in range(len(a)):
            if kin[a[e]] == kin[b[e]]:
                akin[e] += 1.0
                if root[a[e]] == root[b[e]]:
                    together[e] += 1.0
        if s >= first_kept:
            for i in range(n):
                roots[s - first_kept, i] = root[i]
