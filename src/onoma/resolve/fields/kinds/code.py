"""Codes: identifiers, telephones, postcodes, e-mail addresses. Separators mean nothing, every sign counts."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.fields.features import Features, FeaturesBuilder, trigrams
from onoma.resolve.fields.field import Codes, Levels
from onoma.resolve.fields.kinds._levels_kernels import code_levels
from onoma.resolve.fields.packed.texts import Texts, plain
from onoma.resolve.fields.writing import fold_all

__all__ = ["Code", "CodeComparison"]

_TRIGRAMS = 40  # signs: longer codes share trigrams by chance


class Code:
    """Codes, of which every sign counts."""

    name = "code"
    is_alone = True
    """Two values are compared by themselves, whatever others there are."""

    def normalise(self, raw: Sequence[str]) -> Sequence[str]:
        """Write in small letters, without separators."""
        return fold_all(raw, apart="")

    def prepare(self, values: Sequence[str], counts: NDArray[np.int64]) -> "CodeComparison":
        """Keep the codes as they are."""
        del counts
        return CodeComparison(values)

    def prepare_first(self, values: Sequence[str], counts: NDArray[np.int64], n: int) -> "CodeComparison":
        """Leave out all others: two values are compared by themselves."""
        return self.prepare(values[:n], counts[:n])


class CodeComparison:
    """Codes compared by the slips between them.

    A level says how a copy may differ. That two telephones or postcodes are of one area says that two things are near
    each other, not that they are one, and is no level.
    """

    levels: tuple[str, ...] = ("equal", "one slip", "two slips", "one within the other", "different")

    def __init__(self, values: Sequence[str]) -> None:
        self._values = values
        self._texts = Texts(values)

    def compare(self, a: Codes, b: Codes) -> Levels:
        """Return the level of each pair."""
        texts = self._texts
        return code_levels(plain(a), plain(b), texts.letters, texts.offsets, texts.tallies)

    def features(self) -> Features:
        """Return the code, and the trigrams of short ones."""
        builder = FeaturesBuilder(len(self._values))
        builder.add_values(self._values)
        builder.add_rows("trigram", *trigrams(self._texts, _TRIGRAMS))
        return builder.build()
