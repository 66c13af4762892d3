"""What all hashed models share: mixing of hashes, the row of a slot, and rows of weights as lists of what is not zero.

Features are hashed to 2**n_bits *slots*; few of them have weights. Which ones is a bitmap, and the row of a slot is the
number of marked slots before it (Jacobson's rank: a count for each word of 64 bits, and the bits below within it). For
four million slots that is 0.8 MB, which stays in the processor's cache, where a table of rows would be 16 MB.
"""

import numba as nb
import numpy as np
from numpy.typing import NDArray

__all__ = ["add_rows", "mark_slots", "mix", "row_of", "spread"]


@nb.njit(cache=True, nogil=True, inline="always")
def mix(value: np.uint64, part: np.uint64) -> np.uint64:
    """Add a part to a hash."""
    value = (value ^ part) * np.uint64(0x9E3779B97F4A7C15)
    return value ^ (value >> np.uint64(29))


@nb.njit(cache=True, nogil=True, inline="always")
def _ones(word: np.uint64) -> np.uint64:
    """Count the bits that are set (in parallel: pairs, fours, bytes, and their sum by a product)."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@nb.njit(cache=True, nogil=True, inline="always")
def row_of(marks: NDArray[np.uint64], before: NDArray[np.int32], slot: np.uint64) -> int:
    """Return the row of a slot, -1 if it has none."""
    word, bit = slot >> np.uint64(6), slot & np.uint64(63)
    held = marks[word]
    if not (held >> bit) & np.uint64(1):
        return -1
    return before[word] + int(_ones(held & ((np.uint64(1) << bit) - np.uint64(1))))


@nb.njit(cache=True, nogil=True)
def mark_slots(marks: NDArray[np.uint64], before: NDArray[np.int32]) -> int:
    """Write, for each word of the marks, how many slots are marked before it; return how many there are."""
    n = 0
    for k in range(len(marks)):
        before[k] = n
        n += int(_ones(marks[k]))
    return n


@nb.njit(cache=True, nogil=True, inline="always")
def add_rows(
    found: NDArray[np.int64],
    n: int,
    bounds: NDArray[np.int32],
    columns: NDArray[np.uint8],
    values: NDArray[np.int8],
    scores: NDArray[np.int32],
) -> None:
    """Write the sum of the first n rows found: the weights of each class."""
    scores[:] = 0
    for k in range(n):
        for at in range(bounds[found[k]], bounds[found[k] + 1]):
            scores[columns[at]] += values[at]


@nb.njit(cache=True, nogil=True)
def spread(
    bounds: NDArray[np.int32], columns: NDArray[np.uint8], values: NDArray[np.int8], out: NDArray[np.int8]
) -> None:
    """Write rows of lists to an array of zeros."""
    for row in range(len(bounds) - 1):
        for at in range(bounds[row], bounds[row + 1]):
            out[row, columns[at]] = values[at]
