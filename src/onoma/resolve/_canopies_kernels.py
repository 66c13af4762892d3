"""Kernels of `canopies.py`: nearest neighbours through an inverted index."""

import numba as nb
import numpy as np
from numpy.typing import NDArray


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
    never neighbours. Of equal neighbours at the edge of the k, those met first are taken.
    """
    n = len(offsets) - 1
    score = np.zeros(n)
    # A mark of its own: what all records share weighs nothing, so a score of 0 does not say that a record is new.
    met_by = np.full(n, -1, dtype=np.int32)
    touched = np.empty(n, dtype=np.int32)
    out_i = np.empty((last - first) * k, dtype=np.int32)
    out_j = np.empty((last - first) * k, dtype=np.int32)
    m = 0
    for i in range(first, last):
        n_touched = 0
        for at in range(offsets[i], offsets[i + 1]):
            feature = features[at]
            weight = weights[feature]
            for place in range(inverted_offsets[feature], inverted_offsets[feature + 1]):
                j = inverted[place]
                if j == i or block[j] != block[i]:
                    continue
                if (apart == 1 and source[j] == source[i]) or (apart == -1 and source[j] != source[i]):
                    continue
                if met_by[j] != i:
                    met_by[j] = i
                    touched[n_touched] = j
                    n_touched += 1
                score[j] += weight
        edge = 0.0
        if n_touched > k:
            scores = np.empty(n_touched)
            for q in range(n_touched):
                scores[q] = score[touched[q]]
            edge = np.partition(scores, n_touched - k)[n_touched - k]
        taken = 0
        for q in range(n_touched):
            if score[touched[q]] > edge:
                out_i[m], out_j[m] = i, touched[q]
                m += 1
                taken += 1
        for q in range(n_touched):
            j = touched[q]
            if score[j] == edge and taken < k:
                out_i[m], out_j[m] = i, j
                m += 1
                taken += 1
            score[j] = 0.0
    return out_i[:m], out_j[:m]


@nb.njit(cache=True, nogil=True)
def invert(
    offsets: NDArray[np.int64], features: NDArray[np.int32], n_features: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return for each feature the records that have it."""
    inverted_offsets = np.zeros(n_features + 1, dtype=np.int64)
    for feature in features:
        inverted_offsets[feature + 1] += 1
    for f in range(n_features):
        inverted_offsets[f + 1] += inverted_offsets[f]
    place = inverted_offsets[:-1].copy()
    inverted = np.empty(len(features), dtype=np.int32)
    for i in range(len(offsets) - 1):
        for at in range(offsets[i], offsets[i + 1]):
            feature = features[at]
            inverted[place[feature]] = i
            place[feature] += 1
    return inverted_offsets, inverted


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
