"""Kernel of `decode`: beam search over tag histories, exact when the beam holds them all."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

__all__ = ["beam_search"]


@nb.njit(cache=True, nogil=True, fastmath=True)
def _local(
    emissions: NDArray[np.float64],
    i: int,
    first: NDArray[np.float64],
    t1: int,
    pairs: NDArray[np.float64],
    row: int,
    is_normalised: bool,
    scores: NDArray[np.float64],
) -> None:
    """Write the score of each tag of token i after the history, as a log-probability if asked."""
    for y in range(len(scores)):
        scores[y] = emissions[i, y] + first[t1, y]
    if row >= 0:
        for y in range(len(scores)):
            scores[y] += pairs[row, y]
    if is_normalised:
        largest = scores.max()
        total = 0.0
        for y in range(len(scores)):
            total += np.exp(scores[y] - largest)
        scores -= largest + np.log(total)


@nb.njit(cache=True, nogil=True)
def beam_search(
    emissions: NDArray[np.float64],
    sentence_ptr: NDArray[np.int64],
    first: NDArray[np.float64],
    pair_rows: NDArray[np.int32],
    pairs: NDArray[np.float64],
    beam: int,
    is_normalised: bool,
) -> NDArray[np.int32]:
    """Return the tag of each token on the best path of each sentence that the beam keeps.

    A path's state is its last two tags (K stands for "before the sentence"); of the paths in one state only the best
    goes on, so with a beam of K² the search is Viterbi's.
    """
    n, n_tags = emissions.shape
    result = np.empty(n, np.int32)
    scores = np.empty(n_tags)
    best = np.empty((n_tags + 1, n_tags))
    origin = np.empty((n_tags + 1, n_tags), np.int32)
    beam = min(beam, n_tags * n_tags)
    log_score = np.empty(beam)
    for s in range(len(sentence_ptr) - 1):
        start, end = sentence_ptr[s], sentence_ptr[s + 1]
        older, newer = np.empty((end - start + 1, beam), np.int32), np.empty((end - start + 1, beam), np.int32)
        back = np.empty((end - start + 1, beam), np.int32)
        older[0, 0], newer[0, 0], log_score[0], n_kept = n_tags, n_tags, 0.0, 1
        for i in range(start, end):
            at = i - start
            for k in range(n_kept):
                best[newer[at, k], :] = -np.inf
            for k in range(n_kept):
                t1 = newer[at, k]
                row = pair_rows[older[at, k], t1] if len(pairs) else -1
                _local(emissions, i, first, t1, pairs, row, is_normalised, scores)
                for y in range(n_tags):
                    total = log_score[k] + scores[y]
                    if total > best[t1, y]:
                        best[t1, y], origin[t1, y] = total, k
            n_kept = _keep_best(
                n_kept, newer[at], best, origin, beam, log_score, older[at + 1], newer[at + 1], back[at + 1]
            )
        k = 0
        for at in range(end - start, 0, -1):
            result[start + at - 1] = newer[at, k]
            k = back[at, k]
    return result


@nb.njit(cache=True, nogil=True)
def _keep_best(
    n_kept: int,
    histories: NDArray[np.int32],
    best: NDArray[np.float64],
    origin: NDArray[np.int32],
    beam: int,
    log_score: NDArray[np.float64],
    older: NDArray[np.int32],
    newer: NDArray[np.int32],
    back: NDArray[np.int32],
) -> int:
    """Fill the next column of the beam, best first; return how many states it holds."""
    n = 0
    for k in range(n_kept):
        t1 = histories[k]
        for y in range(best.shape[1]):
            total = best[t1, y]
            if total == -np.inf or (n == beam and total <= log_score[n - 1]):
                continue
            n = min(n + 1, beam)
            j = n - 1
            while j > 0 and log_score[j - 1] < total:
                log_score[j], older[j], newer[j], back[j] = log_score[j - 1], older[j - 1], newer[j - 1], back[j - 1]
                j -= 1
            log_score[j], older[j], newer[j], back[j] = total, t1, y, origin[t1, y]
        # Two states may share their last tag; each successor state is entered once.
        best[t1, :] = -np.inf
    return n
