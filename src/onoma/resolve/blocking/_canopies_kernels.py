"""Kernels of `canopies.py`: nearest neighbours through an inverted index."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import lean
from onoma.resolve.fields._pairs_kernels import distinct_keys

_SPREAD = np.uint32(0x9E3779B1)  # 2^32 / golden ratio: multiplying by it spreads keys


@lean
def sift(heap: NDArray[np.float32], at: int) -> None:
    """Move an element down a heap, whose least is first, to where it belongs."""
    value = heap[at]
    below = 2 * at + 1
    while below < len(heap):
        if below + 1 < len(heap) and heap[below + 1] < heap[below]:
            below += 1
        if heap[below] >= value:
            break
        heap[at] = heap[below]
        at, below = below, 2 * below + 1
    heap[at] = value


@lean
def make_heap(values: NDArray[np.float32]) -> None:
    """Put values into such an order that they are a heap."""
    for at in range(len(values) // 2 - 1, -1, -1):
        sift(values, at)


@nb.njit(cache=True, nogil=True)
def nearest(
    first: int,
    last: int,
    offsets: NDArray[np.int64],
    features: NDArray[np.int32],
    weights: NDArray[np.float64],
    inverted_offsets: NDArray[np.int64],
    inverted: NDArray[np.int32],
    source: NDArray[np.int32],
    block: NDArray[np.int32],
    apart: int,
    k: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """For the records first … last - 1, find the k others that share the greatest weight of features.

    `apart` = 1: only records of another source; 0: of any; -1: only of the same source. Records of different blocks are
    never neighbours; without blocks the array is empty. Of equal neighbours at the edge of the k, those met first are
    taken.
    """
    # The others that a record meets, in a hash table small enough for the nearest memory; none is left in it between
    # records, so each record uses as much of it as it needs.
    keys = np.full(16, -1, dtype=np.int32)
    scores = np.empty(16, dtype=np.float32)
    slots = np.empty(16, dtype=np.int32)
    best = np.empty(k, dtype=np.float32)
    out_i = np.empty((last - first) * k, dtype=np.int32)
    out_j = np.empty((last - first) * k, dtype=np.int32)
    m = 0
    for i in range(first, last):
        n_postings, touched = 0, 0
        for at in range(offsets[i], offsets[i + 1]):
            start, end = inverted_offsets[features[at]], inverted_offsets[features[at] + 1]
            n_postings += end - start
            # Lists lie far apart: all are asked for at once, before any is read, which hides how long each takes.
            touched ^= inverted[start]
        size = 16
        while size < 2 * min(n_postings, len(offsets)):
            size *= 2
        if size > len(keys):
            keys = np.full(size, -1, dtype=np.int32)
            scores = np.empty(size, dtype=np.float32)
            slots = np.empty(size, dtype=np.int32)
        n_met = 0
        for at in range(offsets[i], offsets[i + 1]):
            feature = features[at]
            weight = np.float32(weights[feature])
            for place in range(inverted_offsets[feature], inverted_offsets[feature + 1]):
                j = inverted[place]
                if j == i or (len(block) > 0 and block[j] != block[i]):
                    continue
                if (apart == 1 and source[j] == source[i]) or (apart == -1 and source[j] != source[i]):
                    continue
                slot = (np.uint32(j) * _SPREAD >> np.uint32(8)) & np.uint32(size - 1)
                while keys[slot] >= 0 and keys[slot] != j:
                    slot = (slot + np.uint32(1)) & np.uint32(size - 1)
                if keys[slot] < 0:
                    keys[slot], scores[slot] = j, weight
                    slots[n_met] = slot
                    n_met += 1
                else:
                    scores[slot] += weight
        edge = np.float32(0.0)
        if n_met > k and touched != -1:  # which it never is: records are numbered from 0 on
            for q in range(k):
                best[q] = scores[slots[q]]
            make_heap(best)
            for q in range(k, n_met):
                if scores[slots[q]] > best[0]:
                    best[0] = scores[slots[q]]
                    sift(best, 0)
            edge = best[0]
        taken = 0
        for q in range(n_met):
            if scores[slots[q]] > edge:
                out_i[m], out_j[m] = i, keys[slots[q]]
                m += 1
                taken += 1
        for q in range(n_met):
            if scores[slots[q]] == edge and taken < k:
                out_i[m], out_j[m] = i, keys[slots[q]]
                m += 1
                taken += 1
            keys[slots[q]] = -1
    return out_i[:m], out_j[:m]


@nb.njit(cache=True, nogil=True)
def entries_of_values(
    codes: NDArray[np.int32],
    offsets: NDArray[np.int64],
    ids: NDArray[np.int32],
    counts: NDArray[np.int64],
    n_features: int,
    hot: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], int]:
    """Return the features of records by those of their values: records, features, the records of each, the too common.

    Only features of two records or more and of at most `hot` are kept, and numbered anew.
    """
    frequency = np.zeros(n_features, dtype=np.int64)
    for value in range(len(counts)):
        for at in range(offsets[value], offsets[value + 1]):
            frequency[ids[at]] += counts[value]
    number, kept, n_hot = _number(frequency, hot)
    n_entries = 0
    for value in range(len(counts)):
        for at in range(offsets[value], offsets[value + 1]):
            if number[ids[at]] >= 0:
                n_entries += counts[value]
    rows = np.empty(n_entries, dtype=np.int32)
    features = np.empty(n_entries, dtype=np.int32)
    m = 0
    for i in range(len(codes)):
        if codes[i] < 0:
            continue
        for at in range(offsets[codes[i]], offsets[codes[i] + 1]):
            if number[ids[at]] >= 0:
                rows[m], features[m] = i, number[ids[at]]
                m += 1
    return rows[:m], features[:m], kept, n_hot


@nb.njit(cache=True, nogil=True)
def entries_of_pairs(
    one: NDArray[np.int32],
    other: NDArray[np.int32],
    one_counts: NDArray[np.int64],
    other_counts: NDArray[np.int64],
    hot: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], int]:
    """Return the same where a feature is the pair of values of two fields."""
    n = 0
    for i in range(len(one)):
        if one[i] >= 0 and other[i] >= 0 and one_counts[one[i]] > 1 and other_counts[other[i]] > 1:
            n += 1
    rows = np.empty(n, dtype=np.int32)
    keys = np.empty(n, dtype=np.int64)
    m = 0
    for i in range(len(one)):
        if one[i] >= 0 and other[i] >= 0 and one_counts[one[i]] > 1 and other_counts[other[i]] > 1:
            rows[m], keys[m] = i, np.int64(one[i]) * len(other_counts) + other[i]
            m += 1
    bits = 2
    while (1 << bits) < 2 * n:
        bits += 1
    distinct, place = distinct_keys(keys, bits)
    frequency = np.zeros(len(distinct), dtype=np.int64)
    for at in range(n):
        frequency[place[at]] += 1
    number, kept, n_hot = _number(frequency, hot)
    features = np.empty(n, dtype=np.int32)
    m = 0
    for at in range(n):
        if number[place[at]] >= 0:
            rows[m], features[m] = rows[at], number[place[at]]
            m += 1
    return rows[:m].copy(), features[:m].copy(), kept, n_hot


@nb.njit(cache=True, nogil=True)
def _number(frequency: NDArray[np.int64], hot: int) -> tuple[NDArray[np.int32], NDArray[np.int64], int]:
    """Number the useful features (-1: the others); return also the records of each, and how many are too common."""
    number = np.full(len(frequency), -1, dtype=np.int32)
    kept = np.empty(len(frequency), dtype=np.int64)
    n = n_hot = 0
    for feature in range(len(frequency)):
        if frequency[feature] > hot:
            n_hot += 1
        elif frequency[feature] > 1:
            number[feature] = n
            kept[n] = frequency[feature]
            n += 1
    return number, kept[:n].copy(), n_hot


@nb.njit(cache=True, nogil=True)
def count_rows(rows: NDArray[np.int32], offsets: NDArray[np.int64]) -> None:
    """Add to `offsets[i + 1]` the entries of record i."""
    for i in rows:
        offsets[i + 1] += 1


@nb.njit(cache=True, nogil=True)
def fill_rows(
    rows: NDArray[np.int32],
    features: NDArray[np.int32],
    first: int,
    at: NDArray[np.int64],
    out: NDArray[np.int32],
) -> None:
    """Put the features, numbered from the first on, at their records' places, in ascending order."""
    for e in range(len(rows)):
        feature = features[e] + first
        to = at[rows[e]]
        # Of one record and block, earlier entries may be greater; other blocks' features are all less.
        back = e - 1
        while back >= 0 and rows[back] == rows[e] and out[to - 1] > feature:
            out[to] = out[to - 1]
            to -= 1
            back -= 1
        out[to] = feature
        at[rows[e]] += 1


@nb.njit(cache=True, nogil=True)
def count_features(features: NDArray[np.int32], n_features: int) -> NDArray[np.int64]:
    """Return where the records of each feature begin, if each has a place for every record with it."""
    offsets = np.zeros(n_features + 1, dtype=np.int64)
    for feature in features:
        offsets[feature + 1] += 1
    for f in range(n_features):
        offsets[f + 1] += offsets[f]
    return offsets


@nb.njit(cache=True, nogil=True)
def invert(
    offsets: NDArray[np.int64],
    features: NDArray[np.int32],
    inverted_offsets: NDArray[np.int64],
    first: int,
    end: int,
    inverted: NDArray[np.int32],
) -> None:
    """Fill for each of the features first … end - 1 the records that have it."""
    place = inverted_offsets[first:end].copy()
    for i in range(len(offsets) - 1):
        for at in range(offsets[i], offsets[i + 1]):
            feature = features[at]
            if first <= feature < end:
                inverted[place[feature - first]] = i
                place[feature - first] += 1


@nb.njit(cache=True, nogil=True)
def cosines(
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    offsets: NDArray[np.int64],
    features: NDArray[np.int32],
    weights: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return for each pair the weight of the shared features over the geometric mean of the weights of all.

    Features of a record are in ascending order.
    """
    norm = np.zeros(len(offsets) - 1)
    for i in range(len(norm)):
        for at in range(offsets[i], offsets[i + 1]):
            norm[i] += weights[features[at]]
    out = np.zeros(len(a))
    for e in range(len(a)):
        i, i_end = offsets[a[e]], offsets[a[e] + 1]
        j, j_end = offsets[b[e]], offsets[b[e] + 1]
        shared = 0.0
        while i < i_end and j < j_end:
            if features[i] == features[j]:
                shared += weights[features[i]]
                i += 1
                j += 1
            elif features[i] < features[j]:
                i += 1
            else:
                j += 1
        if shared > 0.0:
            out[e] = shared / np.sqrt(norm[a[e]] * norm[b[e]])
    return out
