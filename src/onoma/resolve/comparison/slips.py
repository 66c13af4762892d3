"""Slips: in how many fields a copy differs from its origin.

Were fields to go wrong one by one, each by its own chance, the number of fields in which a copy differs would follow
from the weights. It often does not: who types a record anew makes one slip, not three. So the number is counted among
the copies, and what is seen, divided by what the weights alone would give, becomes a factor of its own.

The factor can speak against copies that differ in more fields than is usual, but never for them: a pair that differs in
much looks like a relative, and a model that may explain any number of differences learns to take relatives for copies.
"""

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.comparison._slips_kernels import slip_distributions
from onoma.resolve.comparison.weights import COPIED, Weights

__all__ = ["SlipCounts", "parents_first"]

_STRENGTH = 5.0
"""Copies with some number of slips that what is seen of them must outweigh."""
_MOST = 4.0
"""The factor's logarithm is at most this, either way."""
_N_PATTERNS = 256
"""Patterns of known fields that are looked at, the most frequent ones."""


class SlipCounts:
    """Expected numbers of copies by number of slips and by pattern of known fields.

    Parameters
    ----------
    levels
        Levels in each field; -1: missing. A row for each candidate pair, or for several that are alike.
    """

    def __init__(self, levels: NDArray[np.int8]) -> None:
        self._n_fields = levels.shape[1]
        self._pattern, self._known = _patterns(levels >= 0)
        self._slips = np.count_nonzero(levels > 0, axis=1)
        self._by_slips = np.zeros(self._n_fields + 1)
        self._by_pattern = np.zeros(len(self._known))

    def add(self, step: float, copied: NDArray[np.float64]) -> None:
        """Move the counts a step towards those of new expectations."""
        self._by_slips += step * (np.bincount(self._slips, copied, self._n_fields + 1) - self._by_slips)
        self._by_pattern += step * (np.bincount(self._pattern, copied, len(self._known)) - self._by_pattern)

    def log_factors(self, weights: Weights) -> NDArray[np.float64]:
        """Return the factor's logarithm by number of known fields and number of slips.

        Whatever fields are known, the factor leaves the copies' probabilities summing to one.
        """
        found = np.zeros((self._n_fields + 1, self._n_fields + 1))
        use = np.argsort(-self._by_pattern, kind="stable")[:_N_PATTERNS]
        copies = self._by_pattern[use]
        if copies.sum() <= 0.0:
            return found
        expected = slip_distributions(
            parents_first(weights.parent),
            weights.parent,
            np.exp(weights.tables[COPIED]),
            weights.n_levels,
            self._known[use],
        )
        log_factor = self._log_factor(copies @ expected / copies.sum())
        n_known = self._known[use].sum(axis=1)
        for n in np.unique(n_known):
            here = n_known == n
            share = (copies[here] + 1e-9) @ expected[here]
            found[n] = log_factor - np.log(share @ np.exp(log_factor) / share.sum())
        return found

    def _log_factor(self, expected: NDArray[np.float64]) -> NDArray[np.float64]:
        seen, predicted = self._by_slips, expected * self._by_slips.sum()
        log_factor = np.clip(np.log((seen + _STRENGTH) / (predicted + _STRENGTH)), -_MOST, _MOST)
        slips = np.arange(len(expected))
        return np.where(slips > slips @ expected, np.minimum(log_factor, 0.0), log_factor)


def parents_first(parent: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the fields in an order in which each comes after the field it depends on.

    Examples
    --------
    >>> parents_first(np.array([2, -1, 1]))
    array([1, 2, 0])
    """
    order: list[int] = []
    while len(order) < len(parent):
        order += [f for f in range(len(parent)) if f not in order and (parent[f] < 0 or parent[f] in order)]
    return np.array(order)


def _patterns(known: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return for each row the number of its pattern, and the patterns."""
    number = np.zeros(len(known), dtype=np.int64)
    for column in known.T:  # renumbered after every field, so that any number of fields has room
        number = np.unique(number * 2 + column, return_inverse=True)[1]
    first = np.unique(number, return_index=True)[1]
    return number, known[first]
