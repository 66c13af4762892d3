"""Kernels of `ranking.py`: ranks among many candidates, and average precision with ties."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

__all__ = ["average_precisions", "filtered_ranks"]


@nb.njit(cache=True, nogil=True)
def average_precisions(
    scores: NDArray[np.float64], relevant: NDArray[np.bool_], ends: NDArray[np.int64], found: NDArray[np.float64]
) -> None:
    """Put the average precision of each query into `found`; query q owns positions ends[q] to ends[q + 1].

    Items with equal scores come in random order: the expectation over orders. At place j of a group of n items with r
    relevant ones, after `seen` items of which `hits` are relevant, an item is relevant with probability r / n, and then
    (j - 1) (r - 1) / (n - 1) others of the group before it are.
    """
    for q in range(len(ends) - 1):
        start, end = ends[q], ends[q + 1]
        order = np.argsort(-scores[start:end])
        total, hits, seen, i = 0.0, 0, 0, 0
        n = end - start
        while i < n:
            j, r = i, 0
            while j < n and scores[start + order[j]] == scores[start + order[i]]:
                r += relevant[start + order[j]]
                j += 1
            size = j - i
            for place in range(size):
                before = place * (r - 1) / (size - 1) if size > 1 else 0.0
                if r > 0:
                    total += r / size * (hits + before + 1.0) / (seen + place + 1.0)
            hits += r
            seen += size
            i = j
        found[q] = total / hits if hits > 0 else np.nan


@nb.njit(cache=True, nogil=True)
def filtered_ranks(
    scores: NDArray[np.floating],
    targets: NDArray[np.int64],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    known: NDArray[np.int64],
    ranks: NDArray[np.float64],
) -> None:
    """Put the rank of each row's target into `ranks`: 1 + candidates above it + half of those equal to it.

    known[starts[i]:ends[i]] are other right answers of row i, which are no candidates; the target may be among them.
    """
    for i in range(len(targets)):
        row = scores[i]
        own = row[targets[i]]
        above, equal = 0, 0
        for j in range(len(row)):
            above += row[j] > own
            equal += row[j] == own
        equal -= 1
        for position in range(starts[i], ends[i]):
            j = known[position]
            if j != targets[i]:
                above -= row[j] > own
                equal -= row[j] == own
        ranks[i] = 1.0 + above + 0.5 * equal
