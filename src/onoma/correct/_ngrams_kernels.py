"""Kernels of `ngrams`: keys of n-grams, look-up of keys, back-off along a sentence."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

__all__ = ["begin_marks", "find", "gram_keys", "score_tokens", "window_keys"]

# SplitMix64's constants (Steele, Lea and Flood, 2014).
_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_A, _B, _C = np.uint64(30), np.uint64(27), np.uint64(31)
_WORD = np.uint64(32)


@nb.njit(cache=True, nogil=True, inline="always")
def _mix(h: np.uint64) -> np.uint64:
    h = (h ^ (h >> _A)) * _MIX_1
    h = (h ^ (h >> _B)) * _MIX_2
    return h ^ (h >> _C)


@nb.njit("uint64(int32[::1], int64, int64)", cache=True, nogil=True)
def _key(ids: NDArray[np.int32], start: int, n: int) -> np.uint64:
    h = np.uint64(n)
    for k in range(start, start + n):
        h = _mix(h + _STEP + np.uint64(np.uint32(ids[k])))
    return h


@nb.njit("uint64[::1](int32[::1], int64, int32, int32)", cache=True, nogil=True)
def gram_keys(ids: NDArray[np.int32], n: int, begin: int, end: int) -> NDArray[np.uint64]:
    """Return the key of the n-gram at each place; 0 where it would cross a sentence or run out of the text."""
    keys = np.zeros(len(ids), np.uint64)
    for i in range(len(ids) - n + 1):
        crosses = False
        for k in range(i, i + n):
            if (ids[k] == begin and k > i) or (ids[k] == end and k < i + n - 1):
                crosses = True
                break
        if not crosses:
            keys[i] = _key(ids, i, n)
    return keys


@nb.njit("uint64[::1](int32[::1], int64[::1], int64)", cache=True, nogil=True)
def window_keys(ids: NDArray[np.int32], starts: NDArray[np.int64], n: int) -> NDArray[np.uint64]:
    """Return the key of the n-gram that begins at each start."""
    keys = np.empty(len(starts), np.uint64)
    for i in range(len(starts)):
        keys[i] = _key(ids, starts[i], n)
    return keys


@nb.njit("uint32[::1](uint64[::1], int64)", cache=True, nogil=True)
def begin_marks(keys: NDArray[np.uint64], bits: int) -> NDArray[np.uint32]:
    """Return where each bucket of sorted keys begins; a bucket is named by the first `bits` bits."""
    offsets = np.zeros((1 << bits) + 1, np.uint32)
    shift = np.uint64(64 - bits)
    for key in keys:
        offsets[(key >> shift) + np.uint64(1)] += np.uint32(1)
    for b in range(1, len(offsets)):
        offsets[b] += offsets[b - 1]
    return offsets


@nb.njit("int64(uint64, uint32[::1], uint32[::1], int64)", cache=True, nogil=True)
def _place(key: np.uint64, offsets: NDArray[np.uint32], prints: NDArray[np.uint32], bits: int) -> np.int64:
    """Return the place of a key, -1 if it is not there: by bucket, then by halving over 32 further bits."""
    bucket = key >> np.uint64(64 - bits)
    mark = np.uint32((key << np.uint64(bits)) >> _WORD)
    low, high = np.int64(offsets[bucket]), np.int64(offsets[bucket + np.uint64(1)])
    while low < high:
        middle = (low + high) >> 1
        if prints[middle] < mark:
            low = middle + 1
        else:
            high = middle
    if low < np.int64(offsets[bucket + np.uint64(1)]) and prints[low] == mark:
        return low
    return np.int64(-1)


@nb.njit("int64[::1](uint64[::1], uint32[::1], uint32[::1], int64)", cache=True, nogil=True)
def find(
    keys: NDArray[np.uint64], offsets: NDArray[np.uint32], prints: NDArray[np.uint32], bits: int
) -> NDArray[np.int64]:
    """Return the place of each key, -1 where it is not there."""
    places = np.empty(len(keys), np.int64)
    for i in range(len(keys)):
        places[i] = _place(keys[i], offsets, prints, bits)
    return places


@nb.njit(cache=True, nogil=True)
def score_tokens(  # type: ignore[no-untyped-def]
    ids: NDArray[np.int32],
    starts: NDArray[np.int64],
    tables,  # noqa: ANN001  (a tuple of the orders' arrays, all of one type)
    bits: NDArray[np.int64],
    unknown: int,
    out: NDArray[np.float32],
) -> None:
    """Fill in log p(token | what stands before it in its sentence), by back-off from the longest known context.

    `starts[i]` is where the sentence of token i begins (its begin mark, which is given and scored 0).
    """
    top = len(tables)
    for i in range(len(ids)):
        if starts[i] == i:
            out[i] = 0.0
            continue
        total = np.float32(0.0)
        longest = min(top, i - starts[i] + 1)
        found = False
        for n in range(longest, 0, -1):
            offsets, prints, probabilities, _ = tables[n - 1]
            place = _place(_key(ids, i - n + 1, n), offsets, prints, bits[n - 1])
            if place >= 0:
                total += np.float32(probabilities[place])
                found = True
                break
            if n > 1:
                offsets, prints, _, backoffs = tables[n - 2]
                place = _place(_key(ids, i - n + 1, n - 1), offsets, prints, bits[n - 2])
                if place >= 0:
                    total += np.float32(backoffs[place])
        out[i] = total if found else total + np.float32(unknown)
