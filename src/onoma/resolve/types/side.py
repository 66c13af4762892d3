"""A column whose values are of another sort in each type of rows: side by side, each compared as its type does."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.fields.features import Features
from onoma.resolve.fields.field import Codes, FieldData, Levels

__all__ = ["side_by_side"]


class _SideBySide:
    """Values of several types, those of the first type first."""

    def __init__(self, fields: Sequence[FieldData]) -> None:
        self._fields = fields
        self._ends = np.cumsum([len(each.values) for each in fields])

    @property
    def levels(self) -> tuple[str, ...]:
        """Those of the type that has most."""
        return max((each.levels for each in self._fields), key=len)

    def compare(self, a: Codes, b: Codes) -> Levels:
        """Values of one type are at the level that it says, of different ones different."""
        found = np.full(len(a), len(self.levels) - 1, dtype=np.int8)
        one, other = (np.searchsorted(self._ends, side, side="right") for side in (a, b))
        for t, field in enumerate(self._fields):
            here, first = np.flatnonzero((one == t) & (other == t)), self._ends[t] - len(field.values)
            found[here] = field.comparison.compare(
                (a[here] - first).astype(np.int32), (b[here] - first).astype(np.int32)
            )
        return found

    def features(self) -> Features:
        """Those of each type, with other numbers."""
        made = [each.features() for each in self._fields]
        ids = np.cumsum([0, *(len(each) for each in made)])
        begins = np.cumsum([0, *(len(each.ids) for each in made)])
        return Features(
            np.concatenate([[0], *(each.offsets[1:] + begin for each, begin in zip(made, begins, strict=False))]),
            np.concatenate([each.ids + first for each, first in zip(made, ids, strict=False)]).astype(np.int32),
            np.concatenate([each.sorts for each in made]),
            [text for each in made for text in each.texts],
        )


def side_by_side(n: int, parts: Sequence[tuple[str, NDArray[np.int64], FieldData]]) -> FieldData:
    """Return a field of all rows, made of those of some types: its kind is that of the type with most values.

    Parameters
    ----------
    n
        How many rows there are.
    parts
        The name and the rows of each type, and its field.
    """
    codes, first = np.full(n, -1, dtype=np.int32), 0
    for _, rows, field in parts:
        codes[rows] = np.where(field.codes >= 0, field.codes + first, -1)
        first += len(field.values)
    fields = [field for _, _, field in parts]
    main = max(fields, key=lambda field: int(field.counts.sum()))
    if len(fields) == 1:
        return replace(main, codes=codes)
    same = len({(field.kind, field.reason) for field in fields}) == 1
    reason = main.reason if same else "; ".join(f"{name}: {each.kind}, {each.reason}" for name, _, each in parts)
    return replace(
        main,
        reason=reason,
        values=[value for field in fields for value in field.values],
        examples=[value for field in fields for value in field.examples],
        codes=codes,
        counts=np.concatenate([field.counts for field in fields]),
        comparison=_SideBySide(fields),
    )
