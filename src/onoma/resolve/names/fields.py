"""The mutation model as the comparison of a field: how much likelier is a value as a copy than as a stranger's?

Values that differ are at a level by log₂ Pr(one | other) / Pr(one), the mean of both directions: rare words in common
count for much and common ones for little, and so do changes that copies often or seldom show. How copies change is
learnt from pairs of records that are probably copies, without labels.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.fields.features import Features
from onoma.resolve.fields.field import Codes, Comparison, FieldData, Levels
from onoma.resolve.fields.writing import number_texts
from onoma.resolve.names._mutation_kernels import words_apart
from onoma.resolve.names.mutation import Mutations, MutationSettings
from onoma.resolve.names.names import WordedNames

__all__ = ["MutationComparison", "learn_mutations"]

_BITS = (20, 16, 13, 10, 8, 6, 4, 2, 0)
"""Below all of them values are different: strangers nearly all are, or fields that go together would not show it."""
_MANY = 3
"""Words from which on two values without one in common are different, whatever else may be said of them."""
_ROUNDS = 3
_STRENGTH = 40.0
"""Less than for a bare list: that records are copies is known from their other fields."""
_PAIRS = 200_000
"""Distinct pairs of values to learn from, at most: the likeliest copies."""
_LEAST = 0.3
"""Of a value that all its records have copied, how many came from nowhere."""


class MutationComparison:
    """Values compared by how names change.

    Parameters
    ----------
    values
        The distinct values.
    by_kind
        How the field's kind compares them; it still says what brings values together.
    mutations
        The model as it was learnt.
    """

    levels = ("equal", "same words", *(f"≥ {bits} bits" for bits in _BITS), "different")

    def __init__(self, values: Sequence[str], by_kind: Comparison, mutations: Mutations) -> None:
        self._by_kind, self._mutations = by_kind, mutations
        self._sorted = number_texts("".join(sorted(value.split())) for value in values)
        self._joined = number_texts(value.replace(" ", "") for value in values)

    def compare(self, a: Codes, b: Codes) -> Levels:
        """Return the level of each pair."""
        level = np.full(len(a), len(self.levels) - 1)
        names = self._mutations.names
        near = np.flatnonzero(~words_apart(a, b, names.offsets, names.ids, names.classes, _MANY))
        level[near] = 2 + (self.bits(a[near], b[near])[:, None] < np.array(_BITS)).sum(axis=1)
        same = (self._sorted[a] == self._sorted[b]) | (self._joined[a] == self._joined[b])
        return np.where(same, 1, level).astype(np.int8)

    def bits(self, a: Codes, b: Codes) -> NDArray[np.float64]:
        """Return for each pair how much likelier one is as a copy of the other than by itself, as log₂."""
        ratios = self._mutations.over(*_both_ways(a, b)).log_ratios().reshape(-1, 2)
        found: NDArray[np.float64] = (np.logaddexp(ratios[:, 0], ratios[:, 1]) - np.log(2.0)) / np.log(2.0)
        return found

    def features(self) -> Features:
        """Return the blocking features of each value, as its kind has them."""
        return self._by_kind.features()


def learn_mutations(
    field: FieldData, a: NDArray[np.int32], b: NDArray[np.int32], copied: NDArray[np.float64]
) -> MutationComparison:
    """Learn how the values of a field change when records are copied.

    Parameters
    ----------
    field
        The field.
    a, b
        Pairs of records.
    copied
        How likely each is one record and its copy.
    """
    one, other = field.codes[a], field.codes[b]
    present = (one >= 0) & (other >= 0)
    n = len(field.values)
    taken = 0.5 * (np.bincount(one[present], copied[present], n) + np.bincount(other[present], copied[present], n))
    changed = np.flatnonzero(present & (one != other))
    low, high = np.minimum(one[changed], other[changed]), np.maximum(one[changed], other[changed])
    keys, place = np.unique(low.astype(np.int64) * n + high, return_inverse=True)
    weights = np.bincount(place, copied[changed], len(keys))
    kept = np.sort(np.argsort(-weights, kind="stable")[:_PAIRS])
    keys, weights = keys[kept], weights[kept]
    pairs = _both_ways((keys // n).astype(np.int32), (keys % n).astype(np.int32))
    names, often = WordedNames.of(field.values), field.counts.astype(np.float64)
    mutations = Mutations(names, *pairs, often=often, settings=MutationSettings(strength=_STRENGTH))
    for _ in range(_ROUNDS):
        mutations.learn(np.repeat(0.5 * weights, 2), np.maximum(field.counts - taken, _LEAST))
    return MutationComparison(field.values, field.comparison, mutations)


def _both_ways(a: Codes, b: Codes) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return pairs as (a, b), (b, a) in turn."""
    return np.stack([a, b], axis=1).reshape(-1).astype(np.int32), np.stack([b, a], axis=1).reshape(-1).astype(np.int32)
