"""Free text: titles, descriptions, product names. Compared by the idf-weighted cosine of its words."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.fields.bags import COSINE_CUTS, Bags, cosine_names, cut
from onoma.resolve.fields.features import Features, FeaturesBuilder
from onoma.resolve.fields.field import Codes, Levels
from onoma.resolve.fields.writing import fold_all

__all__ = ["Text", "TextComparison", "words_of"]

_JOINED = 14  # letters: longer ones are no model numbers


def words_of(text: str) -> Iterator[str]:
    """Yield the words of a normalised text, and neighbours joined where one holds a digit.

    So that `PS-LX350H` and `PSLX350H` share a word.

    Examples
    --------
    >>> list(words_of("sony ps lx350h"))
    ['sony', 'ps', 'lx350h', 'pslx350h']
    """
    words = text.split()
    yield from words
    for first, second in pairwise(words):
        joined = first + second
        if len(joined) <= _JOINED and not joined.isalpha():
            yield joined


class Text:
    """Free text: idf-weighted words."""

    name = "text"

    def normalise(self, raw: Sequence[str]) -> Sequence[str]:
        """Write in small letters, without accents and punctuation."""
        return fold_all(raw)

    def prepare(self, values: Sequence[str], counts: NDArray[np.int64]) -> "TextComparison":
        """Make bags of words."""
        return TextComparison(values, Bags.build((words_of(value) for value in values), counts))


class TextComparison:
    """Texts compared by the cosine of their bags."""

    levels = cosine_names(COSINE_CUTS)

    def __init__(self, values: Sequence[str], bags: Bags) -> None:
        self._values = values
        self._bags = bags

    def compare(self, a: Codes, b: Codes) -> Levels:
        """Return the level of each pair."""
        return cut(self._bags.cosines(a, b), COSINE_CUTS)

    def features(self) -> Features:
        """Return the value itself and its words."""
        builder = FeaturesBuilder(len(self._values))
        builder.add_values(self._values)
        builder.add_rows("token", self._bags.row_ids(), self._bags.ids.astype(np.int64), self._bags.words)
        return builder.build()
