"""Kernels of dynamic alignment: features of pairs are rows of numbers, the k-th of the k-th template.

Pair (i, j) with i < j is row j (j - 1) / 2 + i. The candidates of mentions are entries of a knowledge base, numbered in
the document; `match[c, j]` says that the text of mention j is a name of candidate c.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["decode", "hinge_epoch", "knowledge_of_pairs"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@njit(cache=True, nogil=True)
def _score(rows: NDArray[np.int32], first: int, second: int, known: int, single: Ints, weights: Floats) -> float:
    """Score a pair: its features, those of the pair that is merged in where they differ, and all again where known."""
    half = len(weights) // 2
    total = 0.0
    for k in range(rows.shape[1]):
        total += weights[rows[first, k]]
        if known:
            total += weights[half + rows[first, k]]
        if second >= 0 and single[k] == 0 and rows[second, k] != rows[first, k]:
            total += weights[rows[second, k]]
    return total


@njit(cache=True, nogil=True)
def hinge_epoch(
    rows: NDArray[np.int32],
    order: Ints,
    merged: Ints,
    known: NDArray[np.int8],
    signs: Floats,
    single: Ints,
    penalty: float,
    weights: Floats,
    total: Floats,
    step: int,
) -> int:
    """Go once over pairs: subgradient steps of the hinge loss with an L2 penalty; return how many steps there were.

    `total` holds the sum of step · change, so that the average of all states after n steps is weights - total / n. The
    penalty shrinks the weights of the features at hand, at each step that changes them.
    """
    half = len(weights) // 2
    for at in range(len(order)):
        pair = order[at]
        step += 1
        rate = 1.0 / np.sqrt(1.0 + step * penalty)
        score = _score(rows, pair, merged[pair], known[pair], single, weights)
        if signs[pair] * score >= 1.0:
            continue
        change = 0.01 * rate * signs[pair]
        for k in range(rows.shape[1]):
            f = rows[pair, k]
            new = change - 0.01 * rate * penalty * weights[f]
            weights[f] += new
            total[f] += step * new
            if known[pair]:
                g = half + f
                new = change - 0.01 * rate * penalty * weights[g]
                weights[g] += new
                total[g] += step * new
            second = merged[pair]
            if second >= 0 and single[k] == 0 and rows[second, k] != f:
                h = rows[second, k]
                new = change - 0.01 * rate * penalty * weights[h]
                weights[h] += new
                total[h] += step * new
    return step


@njit(cache=True, nogil=True)
def _top(counts: Ints, relevance: Floats) -> int:
    """Return the candidate that occurs most often, ties by relevance; -1 if there is none."""
    best = -1
    for c in range(len(counts)):
        if counts[c] > 0 and (
            best < 0 or counts[c] > counts[best] or (counts[c] == counts[best] and relevance[c] > relevance[best])
        ):
            best = c
    return best


@njit(cache=True, nogil=True)
def knowledge_of_pairs(
    labels: Ints, lists: Floats, match: NDArray[np.int8], is_dynamic: bool, merged: Ints, known: NDArray[np.int8]
) -> None:
    """Fill in, for true entities, which pair is merged into each pair and whether the antecedent's top entry fits.

    Parameters
    ----------
    labels
        The entity of each mention.
    lists
        The relevance of each candidate for each mention, 0 where it is none.
    is_dynamic
        Whether lists are merged as mentions join; else each mention keeps its own.
    """
    n, n_candidates = lists.shape
    counts = np.zeros((n, n_candidates), np.int64)
    relevance = np.zeros((n, n_candidates))
    first = np.full(n, -1, np.int64)
    for j in range(n):
        for i in range(j):
            here = first[i] if is_dynamic else i
            pair = j * (j - 1) // 2 + i
            top = _top(counts[here], relevance[here])
            known[pair] = top >= 0 and match[top, j]
            merged[pair] = -1
            for q in range(j - 1, i, -1):
                if labels[q] == labels[i]:
                    merged[pair] = j * (j - 1) // 2 + q
                    break
        first[j] = j
        for i in range(j):
            if labels[i] == labels[j]:
                first[j] = first[i]
                break
        here = first[j] if is_dynamic else j
        for c in range(n_candidates):
            if lists[j, c] > 0:
                counts[here, c] += 1
                relevance[here, c] = max(relevance[here, c], lists[j, c])


@njit(cache=True, nogil=True)
def decode(
    rows: NDArray[np.int32],
    single: Ints,
    pronoun: NDArray[np.int8],
    lists: Floats,
    match: NDArray[np.int8],
    mode: int,
    weights: Floats,
    threshold: float,
    labels: Ints,
) -> None:
    """Link each mention to its best antecedent above a threshold; fill in entities by their first mention.

    `mode` is 0 without knowledge, 1 with lists that stay, 2 with lists that are merged and ranked again.
    """
    n, n_candidates = lists.shape
    counts = np.zeros((n, n_candidates), np.int64)
    relevance = np.zeros((n, n_candidates))
    tops = np.full(n, -1, np.int64)
    for j in range(n):
        best, chosen = threshold, -1
        for i in range(j):
            if pronoun[i] and not pronoun[j]:
                continue
            second = -1
            for q in range(j - 1, i, -1):
                if labels[q] == labels[i] and not (pronoun[q] and not pronoun[j]):
                    second = j * (j - 1) // 2 + q
                    break
            top = -1 if mode == 0 else tops[labels[i]] if mode == 2 else tops[i]
            known = 1 if top >= 0 and match[top, j] else 0
            score = _score(rows, j * (j - 1) // 2 + i, second, known, single, weights)
            if score > best:
                best, chosen = score, i
        labels[j] = j if chosen < 0 else labels[chosen]
        here = labels[j] if mode == 2 else j
        for c in range(n_candidates):
            if lists[j, c] > 0:
                counts[here, c] += 1
                relevance[here, c] = max(relevance[here, c], lists[j, c])
        tops[here] = _top(counts[here], relevance[here])
