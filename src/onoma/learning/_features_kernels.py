"""Kernels of `features`: hashing of Arrow string buffers, and rows laid out from per-template codes."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

__all__ = ["fill_rows", "hash_strings"]

# FNV-1a (Fowler, Noll and Vo), 64 bits, with the finaliser of MurmurHash3 (Appleby): FNV alone is weak in the low bits
# of short strings, and the low bits choose the bucket.
_FNV_OFFSET = np.uint64(0xCBF29CE484222325)
_FNV_PRIME = np.uint64(0x100000001B3)
_MIX_1 = np.uint64(0xFF51AFD7ED558CCD)
_MIX_2 = np.uint64(0xC4CEB9FE1A85EC53)
_HALF = np.uint64(33)


@nb.njit("uint64[::1](uint8[::1], int64[::1], uint64)", cache=True, nogil=True)
def hash_strings(data: NDArray[np.uint8], offsets: NDArray[np.int64], seed: np.uint64) -> NDArray[np.uint64]:
    """Return the 64-bit hash of each string data[offsets[i] : offsets[i + 1]]."""
    n = len(offsets) - 1
    result = np.empty(n, np.uint64)
    for i in range(n):
        h = _FNV_OFFSET ^ seed
        for k in range(offsets[i], offsets[i + 1]):
            h = (h ^ np.uint64(data[k])) * _FNV_PRIME
        h ^= h >> _HALF
        h *= _MIX_1
        h ^= h >> _HALF
        h *= _MIX_2
        h ^= h >> _HALF
        result[i] = h
    return result


@nb.njit("void(int64[::1], int64[::1], int32[::1], int64[::1], int32[::1])", cache=True, nogil=True)
def fill_rows(
    starts: NDArray[np.int64],
    row_ends: NDArray[np.int64],
    ids: NDArray[np.int32],
    cursor: NDArray[np.int64],
    indices: NDArray[np.int32],
) -> None:
    """Append one template's ids to the rows of a CSR matrix under construction.

    Row i receives ids[starts[i] : row_ends[i]], without those below 0; `cursor[i]` is where row i continues.
    """
    for i in range(len(starts)):
        at = cursor[i]
        for k in range(starts[i], row_ends[i]):
            if ids[k] >= 0:
                indices[at] = ids[k]
                at += 1
        cursor[i] = at
