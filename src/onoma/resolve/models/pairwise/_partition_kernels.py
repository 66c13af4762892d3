"""Kernels of `chain.py`: a partition that changes by moving one mention at a time, at constant cost.

An entity is a *slot*, numbered like the mentions (there are never more entities than mentions). Its members lie next to
each other in a pool, so that the k-th one is found at once; a slot that outgrows its room moves to the end of the pool
with twice the room, and when the pool is full the slots are packed anew. Slots in use stand before the others in
`live`, block by block: mentions of different blocks are never in one entity, a mention's slots are those of its block.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import lean


class Partition(NamedTuple):
    """Who is with whom."""

    entity: NDArray[np.int32]
    """The slot of each mention."""
    place: NDArray[np.int32]
    """Its place among the slot's members."""
    start: NDArray[np.int64]
    """Where a slot's members begin in the pool."""
    room: NDArray[np.int64]
    size: NDArray[np.int64]
    pool: NDArray[np.int32]
    packed: NDArray[np.int32]
    """Working space for packing."""
    used: NDArray[np.int64]
    """How much of the pool is given away (one number)."""
    block: NDArray[np.int32]
    block_start: NDArray[np.int64]
    """Where a block's slots begin in `live`."""
    n_live: NDArray[np.int64]
    """How many slots of each block are in use."""
    live: NDArray[np.int32]
    live_place: NDArray[np.int32]


@lean
def move_inplace(partition: Partition, i: int, target: int) -> None:
    """Move a mention to another slot of its block, which may be empty."""
    source = partition.entity[i]
    at, last = partition.place[i], partition.size[source] - 1
    other = partition.pool[partition.start[source] + last]
    partition.pool[partition.start[source] + at] = other
    partition.place[other] = at
    partition.size[source] = last
    if last == 0:
        _retire_inplace(partition, source)
    if partition.size[target] == 0:
        _enliven_inplace(partition, target)
    if partition.size[target] == partition.room[target]:
        _make_room_inplace(partition, target)
    n = partition.size[target]
    partition.pool[partition.start[target] + n] = i
    partition.entity[i] = target
    partition.place[i] = n
    partition.size[target] = n + 1


@lean
def empty_slot(partition: Partition, i: int) -> int:
    """Return a slot of the mention's block that is not in use; there is one unless all its mentions are alone."""
    block = partition.block[i]
    return partition.live[partition.block_start[block] + partition.n_live[block]]


@lean
def _swap_live_inplace(partition: Partition, slot: int, at: int) -> None:
    other, here = partition.live[at], partition.live_place[slot]
    partition.live[at], partition.live[here] = slot, other
    partition.live_place[slot], partition.live_place[other] = at, here


@lean
def _retire_inplace(partition: Partition, slot: int) -> None:
    block = partition.block[slot]
    partition.n_live[block] -= 1
    _swap_live_inplace(partition, slot, partition.block_start[block] + partition.n_live[block])


@lean
def _enliven_inplace(partition: Partition, slot: int) -> None:
    block = partition.block[slot]
    _swap_live_inplace(partition, slot, partition.block_start[block] + partition.n_live[block])
    partition.n_live[block] += 1


@lean
def _make_room_inplace(partition: Partition, slot: int) -> None:
    """Give a full slot a place at the end of the pool, with twice its room."""
    if partition.used[0] + 2 * partition.size[slot] + 2 > len(partition.pool):
        _pack_inplace(partition)
    n, first, new = partition.size[slot], partition.start[slot], partition.used[0]
    for k in range(n):
        partition.pool[new + k] = partition.pool[first + k]
    partition.start[slot] = new
    partition.room[slot] = 2 * n + 2
    partition.used[0] = new + 2 * n + 2


@lean
def _pack_inplace(partition: Partition) -> None:
    """Lay all members side by side; no slot keeps room to spare, so the pool (5 n + 8) is four fifths free."""
    used = 0
    for slot in range(len(partition.size)):
        first = partition.start[slot]
        partition.start[slot] = used
        partition.room[slot] = partition.size[slot]
        for k in range(partition.size[slot]):
            partition.packed[used] = partition.pool[first + k]
            used += 1
    for k in range(used):
        partition.pool[k] = partition.packed[k]
    partition.used[0] = used


def new_partition(labels: NDArray[np.int64], block: NDArray[np.int32] | None = None) -> Partition:
    """Return a partition with the mentions of one label in one entity; labels must not reach across blocks."""
    n = len(labels)
    block = np.zeros(n, dtype=np.int32) if block is None else block.astype(np.int32)
    order = np.argsort(labels, kind="stable")
    _, first, sizes = np.unique(labels[order], return_index=True, return_counts=True)
    slots = order[first]
    entity, place = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    entity[order] = np.repeat(slots, sizes)
    place[order] = np.arange(n) - np.repeat(first, sizes)
    start, size = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    start[slots], size[slots] = first, sizes
    pool = np.zeros(5 * n + 8, dtype=np.int32)
    pool[:n] = order
    live = np.lexsort((np.arange(n), size == 0, block)).astype(np.int32)
    live_place = np.empty(n, dtype=np.int32)
    live_place[live] = np.arange(n, dtype=np.int32)
    per_block = np.bincount(block)
    return Partition(
        entity=entity,
        place=place,
        start=start,
        room=size.copy(),
        size=size,
        pool=pool,
        packed=np.zeros(n, dtype=np.int32),
        used=np.array([n]),
        block=block,
        block_start=np.cumsum(per_block) - per_block,
        n_live=np.bincount(block, size > 0, len(per_block)).astype(np.int64),
        live=live,
        live_place=live_place,
    )
