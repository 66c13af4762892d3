"""Kernels of `features.py` and `grouping.py`: ids numbered and rows put together without sorting."""

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel


@kernel
def number(ids: NDArray[np.int64], top: int) -> tuple[NDArray[np.int64], int]:
    """Return for each id, all below `top`, its rank among those there are, and how many there are."""
    rank = np.zeros(top, np.int64)
    for each in ids:
        rank[each] = 1
    n = 0
    for each in range(top):
        if rank[each]:
            rank[each] = n
            n += 1
    places = np.empty(len(ids), np.int64)
    for at in range(len(ids)):
        places[at] = rank[ids[at]]
    return places, n


@kernel
def ascend(rows: NDArray[np.int64], ids: NDArray[np.int64]) -> bool:
    """Return whether the ids of each row come in order; a row stands in one piece."""
    for at in range(1, len(rows)):
        if rows[at] < rows[at - 1] or (rows[at] == rows[at - 1] and ids[at] < ids[at - 1]):
            return False
    return True


@kernel
def in_order(ids: NDArray[np.int64], top: int) -> NDArray[np.int64]:
    """Return the places of ids, all below `top`, in order of the ids, and of equal ones in their own."""
    starts = np.zeros(top + 1, np.int64)
    for each in ids:
        starts[each + 1] += 1
    for each in range(top):
        starts[each + 1] += starts[each]
    order = np.empty(len(ids), np.int64)
    for at in range(len(ids)):
        order[starts[ids[at]]] = at
        starts[ids[at]] += 1
    return order


@kernel
def put(
    rows: NDArray[np.int64],
    ids: NDArray[np.int64],
    query: NDArray[np.float32],
    key: NDArray[np.float32],
    ends: NDArray[np.int64],
    out_ids: NDArray[np.int32],
    out_query: NDArray[np.float32],
    out_key: NDArray[np.float32],
) -> None:
    """Put elements at the ends of their rows, which move on."""
    for at in range(len(rows)):
        place = ends[rows[at]]
        out_ids[place] = ids[at]
        out_query[place], out_key[place] = query[at], key[at]
        ends[rows[at]] = place + 1


@kernel
def least_by(owner: NDArray[np.int64], values: NDArray[np.int64], n: int, none: int) -> NDArray[np.int64]:
    """Return for each owner the least of its values; `none`, which is above all, for one without."""
    least = np.empty(n, np.int64)
    for each in range(n):
        least[each] = none
    for at in range(len(owner)):
        if values[at] < least[owner[at]]:
            least[owner[at]] = values[at]
    return least
