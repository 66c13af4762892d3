"""Kernels of `features.py`: trigrams by counting, and rows put together without sorting."""

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel


@kernel
def count_trigrams(
    letters: NDArray[np.uint8], offsets: NDArray[np.int64], n_letters: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """Return the distinct trigrams of each row of letters (below their number): rows, trigrams, and the trigrams met.

    A trigram xyz is (x·n + y)·n + z; those met are numbered in ascending order, and so are those of a row.
    """
    seen_by = np.full(n_letters * n_letters * n_letters, -1, dtype=np.int32)
    size = 0
    for row in range(len(offsets) - 1):
        size += max(offsets[row + 1] - offsets[row] - 2, 0)
    rows = np.empty(size, dtype=np.int32)
    grams = np.empty(size, dtype=np.int32)
    m = 0
    for row in range(len(offsets) - 1):
        first = m
        for at in range(offsets[row], offsets[row + 1] - 2):
            gram = (np.int64(letters[at]) * n_letters + letters[at + 1]) * n_letters + letters[at + 2]
            if seen_by[gram] == row:
                continue
            seen_by[gram] = row
            to = m
            while to > first and grams[to - 1] > gram:
                grams[to] = grams[to - 1]
                to -= 1
            rows[m], grams[to] = row, gram
            m += 1
    n_met = 0
    for gram in range(len(seen_by)):
        n_met += seen_by[gram] >= 0
    met = np.empty(n_met, dtype=np.int64)
    number = 0
    for gram in range(len(seen_by)):
        if seen_by[gram] >= 0:
            met[number], seen_by[gram] = gram, number
            number += 1
    for e in range(m):
        grams[e] = seen_by[grams[e]]
    return rows[:m], grams[:m], met


@kernel
def count_entries(rows: NDArray[np.int32], offsets: NDArray[np.int64]) -> None:
    """Add to `offsets[row + 1]` the entries of a row."""
    for row in rows:
        offsets[row + 1] += 1


@kernel
def place_entries(
    rows: NDArray[np.int32], ids: NDArray[np.int32], place: NDArray[np.int64], found: NDArray[np.int32]
) -> None:
    """Put ids at the places of their rows, in the order given; places move on."""
    for e in range(len(ids)):
        found[place[rows[e]]] = ids[e]
        place[rows[e]] += 1
