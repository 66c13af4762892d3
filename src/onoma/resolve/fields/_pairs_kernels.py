"""Kernels of `field.py`: pairs made distinct by an open-addressing hash table, linear time."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: multiplying by it spreads keys (Fibonacci hashing)


@nb.njit("Tuple((int64[::1], int64[::1]))(int64[::1], int64)", cache=True, nogil=True)
def distinct_keys(keys: NDArray[np.int64], bits: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct keys (not negative) by first appearance, and the place of each key among them.

    The table has `2**bits` slots, more than there are keys.
    """
    shift = np.uint64(64 - bits)
    mask = np.int64((1 << bits) - 1)
    slots = np.full(1 << bits, -1, dtype=np.int64)
    distinct = np.empty(len(keys), dtype=np.int64)
    place = np.empty(len(keys), dtype=np.int64)
    n = 0
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
