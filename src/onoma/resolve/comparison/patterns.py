"""Pairs that are alike in every field: counted once for all of them.

Of a few hundred thousand candidate pairs most have the levels of another one. Learning goes over them a hundred times,
and what it asks of levels it asks of patterns of levels, a tenth as many.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.comparison._weights_kernels import score_pairs, subtract_shares
from onoma.resolve.comparison.weights import Evidence, Weights, as_weights
from onoma.resolve.fields._pairs_kernels import distinct_keys

__all__ = ["PatternWeights", "Patterns"]


@dataclass(frozen=True, eq=False)
class Patterns:
    """The distinct rows of levels, by first appearance, and which of them each pair has."""

    levels: NDArray[np.int8]
    number: NDArray[np.int64]

    @classmethod
    def of(cls, levels: NDArray[np.int8]) -> "Patterns":
        """Find the patterns of some pairs.

        Examples
        --------
        >>> found = Patterns.of(np.array([[0, -1], [1, 2], [0, -1]], dtype=np.int8))
        >>> found.levels.tolist(), found.number.tolist(), found.sums(np.array([1.0, 2.0, 4.0])).tolist()
        ([[0, -1], [1, 2]], [0, 1, 0], [5.0, 2.0])
        """
        n, n_fields = levels.shape
        number, n_seen = np.zeros(n, dtype=np.int64), 1
        for f in range(n_fields):
            n_levels = int(levels[:, f].max(initial=-1)) + 2
            if n_seen > (1 << 62) // n_levels:  # no room for another field: those so far are numbered anew
                number, n_seen = _numbered(number)
            number = number * n_levels + (levels[:, f] + 1)
            n_seen *= n_levels
        number, n_seen = _numbered(number)
        first = np.empty(n_seen, dtype=np.int64)
        first[number[::-1]] = np.arange(n - 1, -1, -1)
        return cls(levels[first], number)

    def sums(self, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum of the weights of the pairs of each pattern."""
        found = np.bincount(self.number, np.broadcast_to(weight, self.number.shape), len(self.levels))
        return np.asarray(found, dtype=np.float64)


def _numbered(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    distinct, place = distinct_keys(keys, len(keys).bit_length() + 1)
    return place, len(distinct)


class PatternWeights:
    """What the same pairs weigh, again and again: what levels say is worked out for patterns, the rest for pairs."""

    def __init__(self, evidence: Evidence, patterns: Patterns) -> None:
        self._evidence, self._patterns = evidence, patterns
        equal = patterns.levels == 0
        self._pattern, self._field = (np.ascontiguousarray(each) for each in np.nonzero(equal))
        self._offsets = np.concatenate([[0], np.cumsum(np.count_nonzero(equal, axis=1))])
        self._nothing = np.zeros(patterns.levels.shape, dtype=np.float32)
        self._tree: NDArray[np.int64] | None = None
        self._above: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        """Where values are equal, the level of the field that this one depends on, in the tree of the last weights."""

    def __call__(self, weights: Weights) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what `edge_weights` does, but for rounding."""
        levels, number = self._patterns.levels, self._patterns.number
        copied, related = np.empty(len(levels)), np.empty(len(levels))
        tables = (weights.parent, weights.tables, weights.keep, weights.slips)
        score_pairs(levels, self._nothing, *tables, copied, related)
        if self._tree is None or not np.array_equal(self._tree, weights.parent):
            above = weights.parent[self._field]
            self._tree, self._above = weights.parent, np.where(above >= 0, levels[self._pattern, above], -1)
        keep = weights.keep[self._field, self._above]  # -1, of a parent that is missing or not there, is the last
        copy, relative = np.empty(len(number)), np.empty(len(number))
        log_share = self._evidence.log_share

        def score(first: int, end: int) -> None:
            part = slice(first, end)
            found = (copy[part], relative[part])
            subtract_shares(number[part], copied, related, self._offsets, self._field, keep, log_share[part], *found)

        return as_weights(copy, relative, weights, score)
