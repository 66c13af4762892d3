"""Kernels of `bags.py`: cosines of sorted bags by merging, and hashes of words with one letter deleted."""

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel, lean

_PRIME = np.uint64(0x100000001B3)
_BASIS = np.uint64(0xCBF29CE484222325)


@kernel
def bag_cosines(
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    offsets: NDArray[np.int64],
    ids: NDArray[np.int32],
    idf: NDArray[np.float64],
    norms: NDArray[np.float64],
) -> NDArray[np.float32]:
    """Return Σ idf(t)² over the common words / (norm · norm), for each pair of bags."""
    result = np.zeros(len(a), dtype=np.float32)
    for k in range(len(a)):
        i, i_end = offsets[a[k]], offsets[a[k] + 1]
        j, j_end = offsets[b[k]], offsets[b[k] + 1]
        shared = 0.0
        while i < i_end and j < j_end:
            s, t = ids[i], ids[j]
            if s == t:
                shared += idf[s] * idf[s]
                i += 1
                j += 1
            elif s < t:
                i += 1
            else:
                j += 1
        if shared > 0:
            result[k] = shared / (norms[a[k]] * norms[b[k]])
    return result


@lean
def find_id(ids: NDArray[np.int32], start: int, end: int, wanted: int) -> int:
    """Return where the ascending ids between start and end hold the wanted one, or -1."""
    while start < end:
        middle = (start + end) >> 1
        if ids[middle] < wanted:
            start = middle + 1
        elif ids[middle] > wanted:
            end = middle
        else:
            return middle
    return -1


@lean
def soft_cosine_of(
    x: int,
    y: int,
    offsets: NDArray[np.int64],
    ids: NDArray[np.int32],
    idf: NDArray[np.float64],
    norms: NDArray[np.float64],
    alike_offsets: NDArray[np.int64],
    alike_ids: NDArray[np.int32],
    alike: NDArray[np.float32],
    free: NDArray[np.bool_],
) -> float:
    """Return the soft cosine of two bags; `free` has room for the words of the longest."""
    i, i_end = offsets[x], offsets[x + 1]
    start, end = offsets[y], offsets[y + 1]
    shared = 0.0
    missing = 0
    j = start
    for at in range(end - start):
        free[at] = True
    for at in range(i, i_end):
        while j < end and ids[j] < ids[at]:
            j += 1
        if j < end and ids[j] == ids[at]:
            shared += idf[ids[j]] * idf[ids[j]]
            free[j - start] = False
        else:
            missing += 1
    if missing > 0:
        for at in range(i, i_end):
            s = ids[at]
            first, last = alike_offsets[s], alike_offsets[s + 1]
            if first == last or find_id(ids, start, end, s) >= 0:
                continue
            best = -1
            best_gain = 0.0
            for r in range(first, last):
                where = find_id(ids, start, end, alike_ids[r])
                if where >= 0 and free[where - start]:
                    gain = alike[r] * idf[s] * idf[ids[where]]
                    if gain > best_gain:
                        best, best_gain = where, gain
            if best >= 0:
                free[best - start] = False
                shared += best_gain
    return min(shared / (norms[x] * norms[y]), 1.0) if shared > 0 else 0.0


@kernel
def soft_cosines(
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    offsets: NDArray[np.int64],
    ids: NDArray[np.int32],
    idf: NDArray[np.float64],
    norms: NDArray[np.float64],
    alike_offsets: NDArray[np.int64],
    alike_ids: NDArray[np.int32],
    alike: NDArray[np.float32],
) -> NDArray[np.float32]:
    """As `bag_cosines`, and each word of `a` that `b` lacks meets the most alike word of `b` that is still free."""
    result = np.zeros(len(a), dtype=np.float32)
    longest = 0
    for k in range(len(b)):
        longest = max(longest, offsets[b[k] + 1] - offsets[b[k]])
    free = np.empty(longest, dtype=np.bool_)
    for k in range(len(a)):
        result[k] = soft_cosine_of(a[k], b[k], offsets, ids, idf, norms, alike_offsets, alike_ids, alike, free)
    return result


@kernel
def letters_alone(letters: NDArray[np.uint16], offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which words have no sign of ASCII but letters."""
    found = np.empty(len(offsets) - 1, dtype=np.bool_)
    for w in range(len(found)):
        found[w] = True
        for at in range(offsets[w], offsets[w + 1]):
            letter = letters[at] | 32  # small
            if letters[at] < 128 and (letter < 97 or letter > 122):
                found[w] = False
    return found


@kernel
def deletion_hashes(
    letters: NDArray[np.uint16], offsets: NDArray[np.int64], chosen: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the FNV-1a hash of each chosen word, and of it without each of its letters, with the word."""
    n = 0
    for w in chosen:
        n += offsets[w + 1] - offsets[w] + 1
    hashes = np.empty(n, dtype=np.uint64)
    rows = np.empty(n, dtype=np.int64)
    at = 0
    for w in chosen:
        start, end = offsets[w], offsets[w + 1]
        for left_out in range(start - 1, end):  # start - 1 leaves nothing out
            value = _BASIS
            for i in range(start, end):
                if i != left_out:
                    value = (value ^ np.uint64(letters[i])) * _PRIME
            hashes[at] = value
            rows[at] = w
            at += 1
    return hashes, rows
