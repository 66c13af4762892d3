"""Kernels of `canopies.py`: nearest neighbours through an inverted index."""

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel, lean

BY_FEATURE, BY_SIZE = False, True
"""Whether weights are told for each feature, or for each number of records that have one."""


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


@kernel
def nearest(
    first: int,
    last: int,
    offsets: NDArray[np.int64],
    features: NDArray[np.int32],
    weights: NDArray[np.float32],
    by_size: bool,
    inverted_offsets: NDArray[np.int64],
    inverted: NDArray[np.int32],
    source: NDArray[np.int32],
    block: NDArray[np.int32],
    apart: int,
    k: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """For the records first … last - 1, find the k others that share the greatest weight of features.

    `weights` are by feature or, `BY_SIZE`, by how many records have it: a number that is at hand with where its list
    begins and ends, while what is known of each feature lies far apart.
    `apart` = 1: only records of another source; 0: of any; -1: only of the same source. Records of different blocks are
    never neighbours; without blocks the array is empty. Of equal neighbours at the edge of the k, those met first are
    taken.
    """
    # What each other has in common with a record, -1 where nothing is; no branch depends on whether one was met before,
    # and accesses do not wait for each other.
    n = len(offsets) - 1
    shared = np.empty(n, dtype=np.float32)
    met = np.empty(n + 1, dtype=np.int32)
    scores = np.empty(n + 1, dtype=np.float32)
    best = np.empty(k, dtype=np.float32)
    out_i = np.empty((last - first) * k, dtype=np.int32)
    out_j = np.empty((last - first) * k, dtype=np.int32)
    none = np.float32(0.0)
    any_other = len(block) == 0 and apart == 0
    m = 0
    for i in range(n):
        shared[i] = -1.0
    for i in range(first, last):
        touched = 0
        for at in range(offsets[i], offsets[i + 1]):
            # Lists lie far apart: all are asked for at once, before any is read, which hides how long each takes.
            touched ^= inverted[inverted_offsets[features[at]]]
        n_met = np.uint64(0)
        for at in range(offsets[i], offsets[i + 1]):
            start, end = inverted_offsets[features[at]], inverted_offsets[features[at] + 1]
            weight = weights[end - start] if by_size else weights[features[at]]
            # Numbers without a sign are no places counted from the end, and need not be asked whether they are.
            for place in range(np.uint64(start), np.uint64(end)):
                j = np.uint32(inverted[place])
                if not any_other:
                    if len(block) > 0 and block[j] != block[i]:
                        continue
                    if (apart == 1 and source[j] == source[i]) or (apart == -1 and source[j] != source[i]):
                        continue
                before = shared[j]
                shared[j] = max(before, none) + weight
                met[n_met] = j
                n_met += np.uint64(before < none)
        for q in range(n_met):
            scores[q] = shared[met[q]]
            shared[met[q]] = -1.0
        for q in range(n_met):
            if met[q] == i:  # itself, which is not asked for at every step: it is the last of all
                scores[q] = -1.0
                break
        edge = np.float32(0.0)
        if n_met > k and touched != -1:  # which it never is: records are numbered from 0 on
            for q in range(k):
                best[q] = scores[q]
            make_heap(best)
            for q in range(k, n_met):
                if scores[q] > best[0]:
                    best[0] = scores[q]
                    sift(best, 0)
            edge = best[0]
        taken = 0
        for q in range(n_met):
            if scores[q] > edge:
                out_i[m], out_j[m] = i, met[q]
                m += 1
                taken += 1
        for q in range(n_met):
            if scores[q] == edge and taken < k:
                out_i[m], out_j[m] = i, met[q]
                m += 1
                taken += 1
    return out_i[:m], out_j[:m]


@kernel
def entries_of_values(
    codes: NDArray[np.int32],
    offsets: NDArray[np.int64],
    ids: NDArray[np.int32],
    counts: NDArray[np.int64],
    n_features: int,
    hot: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], int]:
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


@kernel
def rows_of_values(codes: NDArray[np.int32], n_values: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the records of each value, ascending (offsets, records)."""
    offsets = np.zeros(n_values + 1, dtype=np.int64)
    for code in codes:
        if code >= 0:
            offsets[code + 1] += 1
    for value in range(n_values):
        offsets[value + 1] += offsets[value]
    place = offsets[:-1].copy()
    rows = np.empty(offsets[-1], dtype=np.int32)
    for i in range(len(codes)):
        if codes[i] >= 0:
            rows[place[codes[i]]] = i
            place[codes[i]] += 1
    return offsets, rows


@kernel
def entries_of_pairs(
    offsets: NDArray[np.int64],
    records: NDArray[np.int32],
    one_counts: NDArray[np.int64],
    other: NDArray[np.int32],
    other_counts: NDArray[np.int64],
    hot: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], int]:
    """Return the same where a feature is the pair of values of two fields: the records of the one's, and the other's.

    What the records of one value have in the other field is counted value by value, where it fits the nearest memory.
    """
    pair = np.full(len(other), -1, dtype=np.int32)
    seen_by = np.full(len(other_counts), -1, dtype=np.int32)
    number_of = np.empty(len(other_counts), dtype=np.int32)
    frequency = np.empty(len(records), dtype=np.int32)
    n_pairs = 0
    for value in range(len(offsets) - 1):
        if one_counts[value] < 2:
            continue
        for at in range(offsets[value], offsets[value + 1]):
            code = other[records[at]]
            if code < 0 or other_counts[code] < 2:
                continue
            if seen_by[code] != value:
                seen_by[code], number_of[code] = value, n_pairs
                frequency[n_pairs] = 0
                n_pairs += 1
            pair[records[at]] = number_of[code]
            frequency[number_of[code]] += 1
    n_entries = n_kept = n_hot = 0
    for p in range(n_pairs):
        n_hot += frequency[p] > hot
        if 1 < frequency[p] <= hot:
            n_entries += frequency[p]
            n_kept += 1
    # Features are numbered by first appearance.
    number = np.full(n_pairs, -1, dtype=np.int32)
    kept = np.empty(n_kept, dtype=np.int32)
    rows = np.empty(n_entries, dtype=np.int32)
    features = np.empty(n_entries, dtype=np.int32)
    m = n = 0
    for i in range(len(other)):
        p = pair[i]
        if p < 0 or frequency[p] < 2 or frequency[p] > hot:
            continue
        if number[p] < 0:
            number[p], kept[n] = n, frequency[p]
            n += 1
        rows[m], features[m] = i, number[p]
        m += 1
    return rows, features, kept, n_hot


@kernel
def _number(frequency: NDArray[np.int64], hot: int) -> tuple[NDArray[np.int32], NDArray[np.int32], int]:
    """Number the useful features (-1: the others); return also the records of each, and how many are too common."""
    number = np.full(len(frequency), -1, dtype=np.int32)
    kept = np.empty(len(frequency), dtype=np.int32)
    n = n_hot = 0
    for feature in range(len(frequency)):
        if frequency[feature] > hot:
            n_hot += 1
        elif frequency[feature] > 1:
            number[feature] = n
            kept[n] = frequency[feature]
            n += 1
    return number, kept[:n].copy(), n_hot


@kernel
def count_rows(rows: NDArray[np.int32], offsets: NDArray[np.int64]) -> None:
    """Add to `offsets[i + 1]` the entries of record i."""
    for i in rows:
        offsets[i + 1] += 1


@kernel
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


@kernel
def count_features(features: NDArray[np.int32], n_features: int) -> NDArray[np.int64]:
    """Return where the records of each feature begin, if each has a place for every record with it."""
    offsets = np.zeros(n_features + 1, dtype=np.int64)
    for feature in features:
        offsets[feature + 1] += 1
    for f in range(n_features):
        offsets[f + 1] += offsets[f]
    return offsets


@kernel
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


@kernel
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
