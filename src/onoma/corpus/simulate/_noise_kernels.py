"""Kernel of `noise.py`: slips of the finger and of the scanner, in the bytes of an Arrow string column."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.numerics.rng import below, uniform


@nb.njit("int64(uint8[::1], int64, float64, uint8[:,::1], uint8[:,::1], uint64[::1])", cache=True, nogil=True)
def edit_inplace(
    word: NDArray[np.uint8],
    length: int,
    scanned: float,
    near: NDArray[np.uint8],
    alike: NDArray[np.uint8],
    rng_state: NDArray[np.uint64],
) -> int:
    """Make one slip in the first `length` bytes; return the new length (at most one more).

    Only ASCII bytes are touched, so UTF-8 stays whole. `near[b]` lists the bytes beside b on the keyboard and
    `alike[b]` what a scanner may read instead (one or two bytes), both ended by 0.
    """
    if length == 0:
        return 0
    at = below(rng_state, length)
    byte = word[at]
    if byte >= 128:
        return length
    if uniform(rng_state) < scanned and alike[byte, 0] > 0:
        word[at] = alike[byte, 0]
        if alike[byte, 1] == 0:
            return length
        for i in range(length, at + 1, -1):
            word[i] = word[i - 1]
        word[at + 1] = alike[byte, 1]
        return length + 1
    kind = uniform(rng_state)
    if kind < 0.25 and length > 1:  # left out
        for i in range(at, length - 1):
            word[i] = word[i + 1]
        return length - 1
    if kind < 0.5 and at + 1 < length and word[at + 1] < 128 and word[at + 1] != byte:  # two in the wrong order
        word[at], word[at + 1] = word[at + 1], byte
        return length
    n_near = 0
    while n_near < near.shape[1] and near[byte, n_near] > 0:
        n_near += 1
    if n_near == 0:
        return length
    if kind < 0.7:  # one too many: the same again, or a neighbour
        pick = below(rng_state, n_near + 1)
        for i in range(length, at + 1, -1):
            word[i] = word[i - 1]
        word[at + 1] = byte if pick == n_near else near[byte, pick]
        return length + 1
    word[at] = near[byte, below(rng_state, n_near)]
    return length


@nb.njit(
    "Tuple((int32[::1], uint8[::1]))"
    "(int32[::1], uint8[::1], int8[::1], float64, uint8[:,::1], uint8[:,::1], uint64[::1])",
    cache=True,
    nogil=True,
)
def edit_strings(
    offsets: NDArray[np.int32],
    data: NDArray[np.uint8],
    n_edits: NDArray[np.int8],
    scanned: float,
    near: NDArray[np.uint8],
    alike: NDArray[np.uint8],
    rng_state: NDArray[np.uint64],
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Copy a string column, making n_edits[i] slips in string i."""
    n = len(n_edits)
    total = 0
    longest = 0
    for i in range(n):
        size = offsets[i + 1] - offsets[i] + n_edits[i]
        total += size
        longest = max(longest, size)
    out = np.empty(total, dtype=np.uint8)
    places = np.empty(n + 1, dtype=np.int32)
    word = np.empty(longest + 1, dtype=np.uint8)
    places[0] = 0
    end = 0
    for i in range(n):
        length = offsets[i + 1] - offsets[i]
        if n_edits[i] == 0:
            out[end : end + length] = data[offsets[i] : offsets[i + 1]]
        else:
            word[:length] = data[offsets[i] : offsets[i + 1]]
            for _ in range(n_edits[i]):
                length = edit_inplace(word, length, scanned, near, alike, rng_state)
            out[end : end + length] = word[:length]
        end += length
        places[i + 1] = end
    return places, out[:end].copy()
