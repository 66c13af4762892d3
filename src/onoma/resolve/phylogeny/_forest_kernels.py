"""Kernels of `forest.py`: the copying model's two-block sampler for weights that differ by direction."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.resolve._copying_kernels import (
    count_pairs,
    keep_roots,
    leaves_first,
    place_trees,
    sample_origins,
    uniform_at,
    word_at,
)


@nb.njit(cache=True, nogil=True)
def directed_lists(
    n: int, parents: NDArray[np.int32], children: NDArray[np.int32], weights: NDArray[np.float64], least: float
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.float32], NDArray[np.float64]]:
    """Return each record's possible parents: offsets, neighbours, pairs, weights, and the ratio if an edge is turned.

    Pairs come as (parent, child) and at once (child, parent): 2e and 2e + 1. A pair is there in both directions if
    either weight is above the least, so that trees can be turned.
    """
    offsets = np.zeros(n + 1, dtype=np.int64)
    for e in range(0, len(parents), 2):
        if max(weights[e], weights[e + 1]) > least:
            offsets[children[e] + 1] += 1
            offsets[parents[e] + 1] += 1
    for i in range(n):
        offsets[i + 1] += offsets[i]
    at = offsets[:-1].copy()
    neighbours = np.empty(offsets[n], dtype=np.int32)
    pairs = np.empty(offsets[n], dtype=np.int32)
    found = np.empty(offsets[n], dtype=np.float32)
    turning = np.empty(offsets[n])
    for e in range(0, len(parents), 2):
        if max(weights[e], weights[e + 1]) > least:
            for d, other in ((e, e + 1), (e + 1, e)):
                to = at[children[d]]
                neighbours[to], pairs[to], found[to] = parents[d], d, weights[d]
                turning[to] = weights[other] / weights[d]
                at[children[d]] += 1
    return offsets, neighbours, pairs, found, turning


@nb.njit(cache=True, nogil=True)
def choose_directed_roots(
    key: np.uint64,
    neighbours: NDArray[np.int32],
    turning: NDArray[np.float64],
    chosen: NDArray[np.int64],
    size: NDArray[np.int32],
    queue: NDArray[np.int32],
    kin: NDArray[np.int32],
    orders: NDArray[np.float64],
    total: NDArray[np.float64],
    new_root: NDArray[np.int32],
) -> None:
    """Draw for each tree the record that it is to hang from, by the weight and the number of orders it then has.

    Hung from a child c of p instead of from p, a tree of N records has size(c) / (N - size(c)) times as many orders,
    and the weight of one edge is that of its other direction.
    """
    for q in range(len(queue) - 1, -1, -1):
        i = queue[q]
        if chosen[i] < 0:
            kin[i], new_root[i] = i, i
            orders[i] = total[i] = 1.0
            continue
        p = neighbours[chosen[i]]
        r = kin[p]
        kin[i] = r
        ratio = turning[chosen[i]] * size[i] / (size[r] - size[i])
        orders[i] = min(max(orders[p] * ratio, 1e-250), 1e250)
        total[r] += orders[i]
        if uniform_at(key, np.uint64(3 * i + 2)) * total[r] < orders[i]:
            new_root[r] = i


@nb.njit(cache=True, nogil=True)
def sample_directed_times(
    key: np.uint64,
    records: NDArray[np.int32],
    offsets: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    turning: NDArray[np.float64],
    chosen: NDArray[np.int64],
    kind: NDArray[np.int8],
    numbers: NDArray[np.int32],
    measures: NDArray[np.float64],
    time: NDArray[np.float64],
    root: NDArray[np.int32],
    kin: NDArray[np.int32],
) -> int:
    """Given the trees, draw their roots and a compatible order, as times; return the entities."""
    size, waiting, queue, new_root, path = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
    orders, total = measures[0], measures[1]
    leaves_first(neighbours, chosen, size, waiting, queue)
    choose_directed_roots(key, neighbours, turning, chosen, size, queue, kin, orders, total, new_root)
    lists = (records, offsets, neighbours)
    return place_trees(key, lists, chosen, kind, size, waiting, queue, new_root, path, time, root, kin)


@nb.njit(cache=True, nogil=True)
def run_directed(
    key: np.uint64,
    done: int,
    n_sweeps: int,
    time: NDArray[np.float64],
    offsets: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    weights: NDArray[np.float32],
    turning: NDArray[np.float64],
    one: NDArray[np.int32],
    other: NDArray[np.int32],
    n_chosen: NDArray[np.int64],
    n_root: NDArray[np.int64],
    n_together: NDArray[np.int32],
    n_entities: NDArray[np.int64],
    roots: NDArray[np.int32],
    parents: NDArray[np.int32],
) -> None:
    """Run sweeps of both blocks, the first of them with number `done`.

    `n_chosen` counts, for each place of the lists, the sweeps that end with this parent, `n_root` those that end with
    the record first of its entity; `roots` and `parents` (-1: none) are kept for the last `len(roots)` sweeps.
    """
    n = len(time)
    records = np.arange(n).astype(np.int32)
    chosen, kind = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int8)
    numbers, measures = np.empty((5, n), dtype=np.int32), np.empty((2, n))
    root, kin = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    nothing, n_akin = np.zeros(len(neighbours), dtype=np.int32), np.zeros(len(one), dtype=np.int32)
    first_kept = n_sweeps - len(roots)
    for s in range(n_sweeps):
        now = word_at(key, np.uint64(done + s))
        sample_origins(0, n, now, records, time, offsets, neighbours, weights, weights, chosen, kind, nothing, nothing)
        n_entities[s] = sample_directed_times(
            now, records, offsets, neighbours, turning, chosen, kind, numbers, measures, time, root, kin
        )
        count_pairs(0, len(one), one, other, root, kin, n_together, n_akin)
        for i in range(n):
            if chosen[i] >= 0:
                n_chosen[chosen[i]] += 1
            else:
                n_root[i] += 1
        if s >= first_kept:
            keep_roots(records, root, roots[s - first_kept])
            for i in range(n):
                parents[s - first_kept, i] = neighbours[chosen[i]] if chosen[i] >= 0 else -1
