"""Kernels of `packed.py`: texts made of words."""

import numba as nb
import numpy as np
from numpy.typing import NDArray


@nb.njit(cache=True, nogil=True)
def hash_words(
    offsets: NDArray[np.int64],
    ids: NDArray[np.int32],
    order: NDArray[np.int32],
    used: NDArray[np.bool_],
    apart: bool,
    letters: NDArray[np.uint16],
    starts: NDArray[np.int64],
) -> NDArray[np.uint64]:
    """Return 64 bits for each text made of some words of a value, in ascending order of `order[word]`; 0: of none.

    `apart` says whether a space stands between words. The letters of word w begin at `starts[w]`. Words of one order
    stay as they are, so that all of them 0 is the text itself. FNV-1a (Fowler, Noll and Vo), mixed at the end.
    """
    found = np.zeros(len(offsets) - 1, dtype=np.uint64)
    most = 1
    for v in range(len(found)):
        most = max(most, offsets[v + 1] - offsets[v])
    chosen = np.empty(most, dtype=np.int32)
    for v in range(len(found)):
        n = 0
        for at in range(offsets[v], offsets[v + 1]):
            word = ids[at]
            if not used[word]:
                continue
            to = n
            while to > 0 and order[chosen[to - 1]] > order[word]:
                chosen[to] = chosen[to - 1]
                to -= 1
            chosen[to] = word
            n += 1
        if n == 0:
            continue
        bits = np.uint64(0xCBF29CE484222325)
        for at in range(n):
            for letter in letters[starts[chosen[at]] : starts[chosen[at] + 1]]:
                bits = (bits ^ np.uint64(letter)) * np.uint64(0x100000001B3)
            if apart:
                bits = (bits ^ np.uint64(32)) * np.uint64(0x100000001B3)
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        found[v] = (bits ^ (bits >> np.uint64(27))) | np.uint64(1)
    return found


@nb.njit(cache=True, nogil=True)
def cross_words(
    offsets: NDArray[np.int64], ids: NDArray[np.int32], marked: NDArray[np.bool_], most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of a marked word of a value (the first ones, so many) and one that is not: values, pairs.

    A pair of words is marked · words + other; of a value each comes once.
    """
    size = 0
    for v in range(len(offsets) - 1):
        size += most * (offsets[v + 1] - offsets[v])
    rows = np.empty(size, dtype=np.int64)
    pairs = np.empty(size, dtype=np.int64)
    n = 0
    for v in range(len(offsets) - 1):
        first, taken = n, 0
        for at in range(offsets[v], offsets[v + 1]):
            if not marked[ids[at]]:
                continue
            taken += 1
            if taken > most:
                break
            for other in range(offsets[v], offsets[v + 1]):
                if marked[ids[other]]:
                    continue
                pair = np.int64(ids[at]) * len(marked) + ids[other]
                new = True
                for before in range(first, n):
                    new &= pairs[before] != pair
                if new:
                    rows[n], pairs[n] = v, pair
                    n += 1
    return rows[:n].copy(), pairs[:n].copy()
