"""Kernels of `field.py` and `compare.py`: values of pairs of records, and pairs made distinct, in linear time."""

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: multiplying by it spreads keys (Fibonacci hashing)


@kernel
def distinct_keys(keys: NDArray[np.int64], bits: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct keys (not negative) by first appearance, and the place of each key among them.

    The table has `2**bits` slots, more than there are keys.
    """
    shift = np.uint64(64 - bits)
    mask = np.int64((1 << bits) - 1)
    slots = np.empty(1 << bits, dtype=np.int64)
    distinct = np.empty(len(keys), dtype=np.int64)
    place = np.empty(len(keys), dtype=np.int64)
    n = 0
    for slot in range(len(slots)):
        slots[slot] = -1
    for i in range(len(keys)):
        key = keys[i]
        at = np.int64((np.uint64(key) * _GOLDEN) >> shift)
        while slots[at] >= 0 and distinct[slots[at]] != key:
            at = (at + 1) & mask
        if slots[at] < 0:
            slots[at] = n
            distinct[n] = key
            n += 1
        place[i] = slots[at]
    return distinct[:n].copy(), place


@kernel
def different_values(
    codes: NDArray[np.int32], a: NDArray[np.int32], b: NDArray[np.int32], levels: NDArray[np.int8]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Fill the levels that are known without comparing: 0 for one value, -1 where one is missing.

    Return the other pairs of records, and of each the lesser and the greater value.
    """
    where = np.empty(len(a), dtype=np.int32)
    low = np.empty(len(a), dtype=np.int32)
    high = np.empty(len(a), dtype=np.int32)
    n = 0
    for e in range(len(a)):
        one, other = codes[a[e]], codes[b[e]]
        if one < 0 or other < 0:
            levels[e] = -1
        elif one == other:
            levels[e] = 0
        else:
            where[n] = e
            low[n], high[n] = min(one, other), max(one, other)
            n += 1
    return where[:n], low[:n], high[:n]
