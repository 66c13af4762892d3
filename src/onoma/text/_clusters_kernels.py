"""Kernels of the word clusters: neighbours counted, nearest centres found."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

__all__ = ["count_neighbours"]


@nb.njit(cache=True, nogil=True)
def count_neighbours(
    tokens: NDArray[np.int32], n_contexts: int, n_far: int, counts: NDArray[np.float32], weight: float
) -> None:
    """Count, for each word, the frequent words before and after it.

    Words are numbered by frequency; -1 ends a sentence, and a number beyond the table's rows is a word left out.
    Columns: `n_contexts` for the word before, as many for the word after, `n_far` for the second before and the second
    after.
    """
    n_words = counts.shape[0]
    n = len(tokens)
    for i in range(n):
        word = tokens[i]
        if word < 0 or word >= n_words:
            continue
        if i > 0:
            before = tokens[i - 1]
            if 0 <= before < n_contexts:
                counts[word, before] += weight
            if before >= 0 and i > 1 and 0 <= tokens[i - 2] < n_far:
                counts[word, 2 * n_contexts + tokens[i - 2]] += weight
        if i + 1 < n:
            after = tokens[i + 1]
            if 0 <= after < n_contexts:
                counts[word, n_contexts + after] += weight
            if after >= 0 and i + 2 < n and 0 <= tokens[i + 2] < n_far:
                counts[word, 2 * n_contexts + n_far + tokens[i + 2]] += weight
