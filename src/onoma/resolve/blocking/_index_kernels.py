"""Kernels of `index.py`: finding what few new records share with many old ones, in one pass over the old."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel

_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: multiplying by it spreads keys


@kernel
def make_table(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], int]:
    """Number the distinct keys (none below 0); return their table (slots, numbers), each key's number, and how many."""
    bits = 4
    while (1 << bits) < 2 * len(keys):
        bits += 1
    slots = np.full(1 << bits, -1, dtype=np.int64)
    numbers = np.full(1 << bits, -1, dtype=np.int32)
    place = np.empty(len(keys), dtype=np.int32)
    n = 0
    for i in range(len(keys)):
        at = slot_of(keys[i], slots)
        if slots[at] < 0:
            slots[at], numbers[at] = keys[i], n
            n += 1
        place[i] = numbers[at]
    return slots, numbers, place, n


@nb.njit(cache=True, nogil=True, inline="always")
def slot_of(key: int | np.int64, slots: NDArray[np.int64]) -> int:
    """Return where a key is, or would be."""
    mask = len(slots) - 1
    at = int((np.uint64(key) * _SPREAD) >> np.uint64(32)) & mask
    while slots[at] >= 0 and slots[at] != key:
        at = (at + 1) & mask
    return at


@kernel
def known_features(
    offsets: NDArray[np.int64], ids: NDArray[np.uint32], slots: NDArray[np.int64], numbers: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the features of each value that are in a table, as its numbers: offsets, numbers."""
    found_offsets = np.zeros(len(offsets), dtype=np.int64)
    found = np.empty(len(ids), dtype=np.int32)
    m = 0
    for value in range(len(offsets) - 1):
        for at in range(offsets[value], offsets[value + 1]):
            slot = slot_of(np.int64(ids[at]), slots)
            if slots[slot] >= 0:
                found[m] = numbers[slot]
                m += 1
        found_offsets[value + 1] = m
    return found_offsets, found[:m].copy()


@kernel
def entries_of_new_pairs(
    one: NDArray[np.int32], other: NDArray[np.int32], first: int, width: int, hot: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """Return the records that share the values of two fields with one of the records from the first on.

    Records, features (numbered anew), and the records of each feature; those of one record or of more than `hot` are
    left out. `width` is the number of values of the other field.
    """
    n = len(one)
    keys = np.empty(n - first, dtype=np.int64)
    m = 0
    for i in range(first, n):
        if one[i] >= 0 and other[i] >= 0:
            keys[m] = np.int64(one[i]) * width + other[i]
            m += 1
    slots, numbers, _, n_keys = make_table(keys[:m])
    frequency = np.zeros(n_keys, dtype=np.int64)
    at_slot = np.empty(n, dtype=np.int32)
    for i in range(n):
        at_slot[i] = -1
        if one[i] >= 0 and other[i] >= 0:
            slot = slot_of(np.int64(one[i]) * width + other[i], slots)
            if slots[slot] >= 0:
                at_slot[i] = numbers[slot]
                frequency[numbers[slot]] += 1
    number = np.full(n_keys, -1, dtype=np.int32)
    kept = np.empty(n_keys, dtype=np.int64)
    n_kept = 0
    total = 0
    for k in range(n_keys):
        if 1 < frequency[k] <= hot:
            number[k], kept[n_kept] = n_kept, frequency[k]
            n_kept += 1
            total += frequency[k]
    rows = np.empty(total, dtype=np.int32)
    features = np.empty(total, dtype=np.int32)
    m = 0
    for i in range(n):
        if at_slot[i] >= 0 and number[at_slot[i]] >= 0:
            rows[m], features[m] = i, number[at_slot[i]]
            m += 1
    return rows, features, kept[:n_kept].copy()
