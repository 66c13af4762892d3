"""Records that share something with one that is asked about, gathered from inverted lists."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

Offsets = NDArray[np.int64]
Items = NDArray[np.int32]


@nb.njit(cache=True, nogil=True)
def gather_holders(
    features: Offsets, value_offsets: Offsets, values: Items, record_offsets: Offsets, records: Items
) -> tuple[Items, Offsets]:
    """Return the records of the values of some features, one feature after the other, and where each ends."""
    ends = np.zeros(len(features) + 1, dtype=np.int64)
    for i in range(len(features)):
        n = 0
        for k in range(value_offsets[features[i]], value_offsets[features[i] + 1]):
            n += record_offsets[values[k] + 1] - record_offsets[values[k]]
        ends[i + 1] = ends[i] + n
    found = np.empty(ends[-1], dtype=np.int32)
    at = 0
    for i in range(len(features)):
        for k in range(value_offsets[features[i]], value_offsets[features[i] + 1]):
            for j in range(record_offsets[values[k]], record_offsets[values[k] + 1]):
                found[at] = records[j]
                at += 1
    return found, ends


@nb.njit(cache=True, nogil=True)
def having_too(first: int, last: int, records: Items, codes: Items, code: int, most: int) -> Items:
    """Return those of some records that have a value in another field, too; no more than are asked for."""
    found = np.empty(most, dtype=np.int32)
    n = 0
    for i in range(first, last):
        if codes[records[i]] == code:
            found[n] = records[i]
            n += 1
            if n == most:
                break
    return found[:n]
