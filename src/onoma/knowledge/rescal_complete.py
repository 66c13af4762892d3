"""The best facts that are missing, of all there could be, without looking at all.

A score is a product of two rows, so it is at most the product of their lengths. Objects are sorted by length, and for a
group of subjects only those long enough to beat the n-th best so far are multiplied. The answer is exact.

Squares are high where an entity meets itself, so a fact of a thing with itself is offered only for relations that hold
of some thing with itself already.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from onoma.knowledge.facts import Codes, Facts, Triples

if TYPE_CHECKING:
    from onoma.knowledge.rescal import Factorisation

__all__ = ["best_missing"]

_ROWS = 512
"""Subjects multiplied at once."""

Scores = NDArray[np.floating[Any]]


def best_missing(model: "Factorisation", facts: Facts, n: int) -> tuple[Triples, NDArray[np.float64]]:
    """Return the n facts with the highest scores that fit the types and are not known, best first; and the scores."""
    best = _Best(n)
    lengths = np.linalg.norm(model.A, axis=1).astype(np.float64)
    by_length = np.argsort(-lengths, kind="stable")
    known = facts.triples
    for k in range(len(model.relations)):
        objects = by_length[model.fit.objects[k, model.fit.block[by_length]]]
        subjects = np.flatnonzero(model.fit.subjects[k, model.fit.block])
        if len(objects) and len(subjects) and model.R[k].any():
            here = known.relations == k
            _search(best, model, k, subjects, objects, lengths[objects], (known.subjects[here], known.objects[here]))
    return best.cut()


class _Best:
    """The n best triples seen so far."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.floor = -np.inf
        self.rows: list[tuple[NDArray[np.float64], Codes, Codes, Codes]] = []

    def add(self, scores: NDArray[np.float64], k: int, subjects: Codes, objects: Codes) -> None:
        self.rows.append((scores, np.full(len(scores), k, np.int64), subjects, objects))
        if sum(len(row[0]) for row in self.rows) >= 4 * self.n:
            self.cut()

    def cut(self) -> tuple[Triples, NDArray[np.float64]]:
        """Keep the n best; equal scores in the order of relation, subject, object."""
        empty = np.empty(0, np.int64)
        scores, k, s, o = (
            np.concatenate([np.empty(0) if i == 0 else empty, *(row[i] for row in self.rows)]) for i in range(4)
        )
        order = np.lexsort((o, s, k, -scores))[: self.n]
        scores, k, s, o = scores[order], k[order], s[order], o[order]
        self.rows = [(scores, k, s, o)]
        if len(scores) == self.n:
            self.floor = float(scores[-1])
        return Triples(s, k, o), scores


def _search(
    best: _Best,
    model: "Factorisation",
    k: int,
    subjects: Codes,
    objects: Codes,
    lengths: NDArray[np.float64],
    known: tuple[Codes, Codes],
) -> None:
    """Offer the missing facts of one relation; objects come with falling lengths."""
    queries = model.A[subjects] @ model.R[k].astype(model.A.dtype, copy=False)
    reach = np.linalg.norm(queries, axis=1).astype(np.float64)
    order = np.argsort(-reach, kind="stable")
    queries, subjects, reach = queries[order], subjects[order], reach[order]
    columns = model.A[objects]
    place = _places(objects, len(model.A))
    at_row, at_column = _places(subjects, len(model.A))[known[0]], place[known[1]]
    reflexive = bool(np.any(known[0] == known[1]))
    for start in range(0, len(subjects), _ROWS):
        width = len(objects)
        if best.floor > 0.0:
            # A little is left for rounding.
            needed = best.floor / max(reach[start], np.finfo(np.float64).tiny) * (1.0 - 1e-5)
            width = int(np.searchsorted(-lengths, -needed, "right"))
        if width == 0:
            break
        scores = queries[start : start + _ROWS] @ columns[:width].T
        inside = (at_row >= start) & (at_row < start + _ROWS) & (at_column >= 0) & (at_column < width)
        scores[at_row[inside] - start, at_column[inside]] = -np.inf
        if not reflexive:
            itself = place[subjects[start : start + _ROWS]]
            row = np.flatnonzero((itself >= 0) & (itself < width))
            scores[row, itself[row]] = -np.inf
        row, column = _above(scores, best)
        best.add(scores[row, column].astype(np.float64), k, subjects[start + row], objects[column])


def _above(scores: Scores, best: _Best) -> tuple[Codes, Codes]:
    """Return the cells that may be among the n best."""
    floor = best.floor
    if scores.size > best.n:
        floor = max(floor, float(np.partition(scores.ravel(), scores.size - best.n)[scores.size - best.n]))
    row, column = np.nonzero((scores >= floor) & (scores > -np.inf))
    return row, column


def _places(codes: Codes, n: int) -> Codes:
    """Return where each of n codes stands among some, -1 where it does not."""
    place = np.full(n, -1, np.int64)
    place[codes] = np.arange(len(codes))
    return place
