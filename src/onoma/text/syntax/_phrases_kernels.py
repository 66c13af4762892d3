"""Kernels of noun phrases: the reach of each token's subtree, and the phrases around nominal heads."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ADVERB",
    "APPOSITION",
    "BASE",
    "CONJUNCT",
    "COORDINATION",
    "MAXIMAL",
    "NAME",
    "OUT",
    "PLAIN",
    "POSSESSIVE",
    "POST",
    "PRE",
    "PREDICATE",
    "RELATIVE",
    "phrases_of",
    "reaches",
]  # fmt: skip

POST, OUT, PRE, NAME, CONJUNCT, APPOSITION, PREDICATE, ADVERB, RELATIVE, POSSESSIVE = range(10)
"""Roles of a noun's dependents: after the head; outside the phrase; before the head; part of a name or number;
conjunct; apposition; sign of a predicate (copula, subject); adverb; clause; the 's of a possessor."""
BASE, MAXIMAL, COORDINATION, PLAIN = 1, 2, 4, 8
"""Kinds of phrases, as bits: up to the head; with all that follows it; of several; without clauses and appositions."""


@nb.njit(cache=True, nogil=True)
def reaches(
    sentences: NDArray[np.int32], heads: NDArray[np.int32], left: NDArray[np.int32], right: NDArray[np.int32]
) -> None:
    """Write the first and the last token of each token's subtree."""
    for s in range(len(sentences) - 1):
        for i in range(sentences[s], sentences[s + 1]):
            left[i], right[i] = i, i
        for i in range(sentences[s], sentences[s + 1]):
            above, steps = heads[i], 0
            while above >= 0 and steps < sentences[s + 1] - sentences[s]:
                left[above], right[above] = min(left[above], i), max(right[above], i)
                above = heads[above]
                steps += 1


@nb.njit(cache=True, nogil=True)
def _trim(start: int, end: int, head: int, loose: NDArray[np.bool_]) -> tuple[int, int]:
    """Take punctuation off both ends, but never the head."""
    while start < head and loose[start]:
        start += 1
    while end - 1 > head and loose[end - 1]:
        end -= 1
    return start, end


@nb.njit(cache=True, nogil=True)
def _put(out: NDArray[np.int32], n: int, first: int, start: int, end: int, head: int, kind: int) -> int:
    """Add a phrase, or its kind to the same phrase of the same head; return the number of phrases."""
    for k in range(first, n):
        if out[k, 0] == start and out[k, 1] == end and (out[k, 2] == head):
            out[k, 3] |= kind
            return n
    out[n, 0], out[n, 1], out[n, 2], out[n, 3] = start, end, head, kind
    return n + 1


@nb.njit(cache=True, nogil=True)
def phrases_of(
    sentences: NDArray[np.int32],
    heads: NDArray[np.int32],
    roles: NDArray[np.uint8],
    nominal: NDArray[np.bool_],
    loose: NDArray[np.bool_],
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    out: NDArray[np.int32],
) -> int:
    """Write (first token, end, head, kinds) of every noun phrase, in the order of heads; return how many."""
    n = 0
    for s in range(len(sentences) - 1):
        begin, end = sentences[s], sentences[s + 1]
        spans = np.empty((end - begin, 6), np.int32)  # base, plain, maximal
        predicate = np.zeros(end - begin, np.bool_)
        possessed = np.full(end - begin, -1, np.int32)
        for i in range(begin, end):
            spans[i - begin, 0::2], spans[i - begin, 1::2] = i, i + 1
            if heads[i] >= 0 and roles[i] == PREDICATE:
                predicate[heads[i] - begin] = True
            if heads[i] >= 0 and roles[i] == POSSESSIVE:
                possessed[heads[i] - begin] = i
        for i in range(begin, end):
            head, role = heads[i], roles[i]
            if head < 0 or not nominal[head] or role in (OUT, PREDICATE, CONJUNCT, POSSESSIVE):
                continue
            if role == ADVERB and (predicate[head - begin] or i > head):
                continue
            span, before = spans[head - begin], i < head
            span[4], span[5] = min(span[4], left[i]), max(span[5], right[i] + 1)
            if role not in (RELATIVE, APPOSITION):
                span[2], span[3] = min(span[2], left[i]), max(span[3], right[i] + 1)
            if role == NAME or (before and role in (PRE, ADVERB)):
                span[0], span[1] = min(span[0], left[i]), max(span[1], right[i] + 1)
        for i in range(begin, end):
            if not nominal[i]:
                continue
            first, span = n, spans[i - begin]
            for k in range(3):
                start, stop = _trim(span[2 * k], span[2 * k + 1], i, loose)
                kind = BASE if k == 0 else (PLAIN if k == 1 else MAXIMAL)
                n = _put(out, n, first, start, stop, i, kind)
                if possessed[i - begin] >= 0 and k == 2 and stop == possessed[i - begin]:
                    n = _put(out, n, first, start, stop + 1, i, MAXIMAL)
            last = -1
            for j in range(i + 1, right[i] + 1):
                if heads[j] == i and roles[j] == CONJUNCT:
                    last = j
            if last >= 0:
                start, stop = _trim(span[4], max(right[last] + 1, span[5]), i, loose)
                n = _put(out, n, first, start, stop, i, COORDINATION)
    return n
