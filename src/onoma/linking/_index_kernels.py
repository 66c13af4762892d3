"""Kernels of the index of aliases: which aliases share most letter trigrams with a name."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["share_trigrams"]


@njit(cache=True, nogil=True)
def share_trigrams(
    query: NDArray[np.int32],
    offsets: NDArray[np.int64],
    postings: NDArray[np.int32],
    lengths: NDArray[np.int32],
    counts: NDArray[np.int32],
    found: NDArray[np.int32],
    scores: NDArray[np.float32],
    least: float,
) -> int:
    """Write the aliases most like a query into `found`, best first, with their Dice scores; return how many.

    Parameters
    ----------
    query
        The query's trigrams, each once, ascending.
    offsets, postings
        The aliases of each trigram.
    lengths
        How many trigrams each alias has.
    counts
        Zeros, one for each alias; zeros again at the end.
    least
        Scores below are left out.
    """
    n_found = 0
    most = len(found)
    for at in range(len(query)):
        for k in range(offsets[query[at]], offsets[query[at] + 1]):
            counts[postings[k]] += 1
    for at in range(len(query)):
        for k in range(offsets[query[at]], offsets[query[at] + 1]):
            alias = postings[k]
            shared = counts[alias]
            if shared == 0:
                continue
            counts[alias] = 0
            score = np.float32(2.0 * shared / (len(query) + lengths[alias]))
            if score < least or (n_found == most and score <= scores[n_found - 1]):
                continue
            place = n_found if n_found < most else most - 1
            while place > 0 and scores[place - 1] < score:
                if place < most:
                    scores[place] = scores[place - 1]
                    found[place] = found[place - 1]
                place -= 1
            scores[place] = score
            found[place] = alias
            if n_found < most:
                n_found += 1
    return n_found
