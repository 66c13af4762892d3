"""Kernels of `forest.py`: the copying model's two-block sampler for weights that differ by direction."""

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel
from onoma.resolve.posterior._copying_kernels import (
    Counts,
    Lists,
    count_pairs,
    keep_roots,
    new_origins,
    new_scratch,
    sample_origins,
    sample_times,
    word_at,
)


@kernel
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


@kernel
def run_directed(
    key: np.uint64,
    done: int,
    n_sweeps: int,
    lists: Lists,
    turning: NDArray[np.float64],
    time: NDArray[np.float64],
    counts: Counts,
    n_chosen: NDArray[np.int64],
    n_root: NDArray[np.int64],
    n_entities: NDArray[np.int64],
    roots: NDArray[np.int32],
    parents: NDArray[np.int32],
) -> None:
    """Run sweeps of both blocks, the first of them with number `done`.

    `n_chosen` counts, for each place of the lists, the sweeps that end with this parent, `n_root` those that end with
    the record first of its entity; `roots` and `parents` (-1: none) are kept for the last `len(roots)` sweeps.
    """
    n = len(time)
    origins, scratch = new_origins(time), new_scratch(n)
    chosen = origins.chosen
    first_kept = n_sweeps - len(roots)
    for s in range(n_sweeps):
        now = word_at(key, np.uint64(done + s))
        sample_origins(0, n, now, lists, origins, counts)
        n_entities[s] = sample_times(now, lists, turning, origins, scratch)
        count_pairs(0, len(counts.one), origins, counts)
        for i in range(n):
            if chosen[i] >= 0:
                n_chosen[chosen[i]] += 1
            else:
                n_root[i] += 1
        if s >= first_kept:
            keep_roots(lists.records, origins.root, roots[s - first_kept])
            for i in range(n):
                parents[s - first_kept, i] = lists.neighbours[chosen[i]] if chosen[i] >= 0 else -1
