"""Categories: a few values, equal or not."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.fields.features import Features, FeaturesBuilder
from onoma.resolve.fields.field import Codes, Levels
from onoma.resolve.fields.writing import fold

__all__ = ["Category", "CategoryComparison"]


class Category:
    """Values that are equal or not."""

    name = "category"

    def normalise(self, raw: Sequence[str]) -> list[str]:
        """Write in small letters; what is only signs stays as it is."""
        return [fold(text) or text.strip() for text in raw]

    def prepare(self, values: Sequence[str], counts: NDArray[np.int64]) -> "CategoryComparison":
        """Nothing needs preparing."""
        del counts
        return CategoryComparison(values)

    def prepare_first(self, values: Sequence[str], counts: NDArray[np.int64], n: int) -> "CategoryComparison":
        """Leave out all others: two values are compared by themselves."""
        return self.prepare(values[:n], counts[:n])


class CategoryComparison:
    """Categories compared for equality."""

    levels = ("equal", "different")

    def __init__(self, values: Sequence[str]) -> None:
        self._values = values

    def compare(self, a: Codes, b: Codes) -> Levels:
        """Return the level of each pair."""
        return (a != b).astype(np.int8)

    def features(self) -> Features:
        """Return the value."""
        builder = FeaturesBuilder(len(self._values))
        builder.add_values(self._values)
        return builder.build()
