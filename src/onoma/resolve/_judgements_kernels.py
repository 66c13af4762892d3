"""Kernels of `judgements.py`: origins drawn one after the other, so that no entity has two records held apart."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.resolve._exclusive_kernels import choose_origin, count_origins, draw_times, part_inplace


@nb.njit(cache=True, nogil=True)
def sweep_apart(
    rng_state: NDArray[np.uint64],
    n_sweeps: int,
    time: NDArray[np.float64],
    chosen: NDArray[np.int64],
    kind: NDArray[np.int8],
    following: NDArray[np.int32],
    enemy_offsets: NDArray[np.int64],
    enemies: NDArray[np.int32],
    outside: NDArray[np.bool_],
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
    """Run sweeps; add to the counts of pairs copied, related, together and akin (row by row).

    A record and its copies may not join an entity with a record that one of them is held apart from. Records outside
    stay fresh.
    """
    n = len(time)
    weight = np.empty(np.diff(offsets).max() if n else 0)
    itself = np.arange(n).astype(np.int32)
    stamps = np.full(n, -1)
    root, kin = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    first_kept = n_sweeps - len(roots)
    for s in range(n_sweeps):
        order = np.argsort(time)
        stamps[:] = -1
        for stamp in range(n):
            i = order[stamp]
            if outside[i]:
                continue
            part_inplace(i, neighbours, chosen, kind, following)
            m = i
            while True:
                for at in range(enemy_offsets[m], enemy_offsets[m + 1]):
                    stamps[enemies[at]] = stamp
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
                itself,
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
