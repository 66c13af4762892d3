"""Codes: identifiers, telephones, postcodes, e-mail addresses. Separators mean nothing, every sign counts."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import distance

from onoma.resolve.fields.features import Features, FeaturesBuilder, trigrams
from onoma.resolve.fields.field import Codes, Levels
from onoma.resolve.fields.writing import element_wise, fold_all

__all__ = ["Code", "CodeComparison"]

_TRIGRAMS = 40  # signs: longer codes share trigrams by chance


class Code:
    """Codes, of which every sign counts."""

    name = "code"

    def normalise(self, raw: Sequence[str]) -> list[str]:
        """Write in small letters, without separators."""
        return [text.replace(" ", "") for text in fold_all(raw)]

    def prepare(self, values: list[str], counts: NDArray[np.int64]) -> "CodeComparison":
        """Keep the codes as they are."""
        del counts
        return CodeComparison(values)

    def prepare_first(self, values: list[str], counts: NDArray[np.int64], n: int) -> "CodeComparison":
        """Leave out all others: two values are compared by themselves."""
        return self.prepare(values[:n], counts[:n])


class CodeComparison:
    """Codes compared by the slips between them.

    A level says how a copy may differ. That two telephones or postcodes are of one area says that two things are near
    each other, not that they are one, and is no level.
    """

    levels = ("equal", "one slip", "two slips", "one within the other", "different")

    def __init__(self, values: list[str]) -> None:
        self._values = values
        self._table = np.array(values, dtype=object)
        self._lengths = np.array([len(value) for value in values], np.int32)

    def compare(self, a: Codes, b: Codes) -> Levels:
        """Return the level of each pair."""
        longest = np.maximum(self._lengths[a], self._lengths[b])
        shortest = np.minimum(self._lengths[a], self._lengths[b])
        slips = element_wise(self._table, a, b, distance.OSA.distance, score_cutoff=2)
        within = np.zeros(len(a), np.bool_)
        uneven = np.flatnonzero((longest > shortest) & (shortest >= 4))
        for scorer in (distance.Prefix.similarity, distance.Postfix.similarity):
            within[uneven] |= element_wise(self._table, a[uneven], b[uneven], scorer) >= shortest[uneven]
        conditions = [
            (slips <= 1) & (longest >= 3),
            (slips <= 2) & (longest >= 6),
            within,
        ]
        return np.select(conditions, range(1, 4), 4).astype(np.int8)

    def features(self) -> Features:
        """Return the code, and the trigrams of short ones."""
        builder = FeaturesBuilder(len(self._values))
        builder.add_values(self._values)
        builder.add_rows("trigram", *trigrams([value[:_TRIGRAMS] for value in self._values]))
        return builder.build()
