"""Which hashed features have weights, and the weights, both small: a bitmap with ranks, and lists of what is not zero.

A model of four million slots and half a million rows takes 0.8 MB for the bitmap and some 7 MB for the rows, however
many classes there are; both are on disk what they are in memory, so that loading is reading.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError
from onoma.text._slots_kernels import mark_slots, spread

__all__ = ["Rows", "Slots"]


@dataclass(frozen=True, eq=False)
class Slots:
    """The slots that have a row; rows are numbered in the order of their slots.

    Examples
    --------
    >>> slots = Slots.of(np.array([3, 64, 70]), 7)
    >>> len(slots), slots.numbers.tolist()
    (3, [3, 64, 70])
    """

    marks: NDArray[np.uint64]
    """A bit for each slot."""
    before: NDArray[np.int32]
    """How many are marked before each 64."""
    n: int

    def __len__(self) -> int:
        return self.n

    @property
    def arrays(self) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        """What kernels take."""
        return self.marks, self.before

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The slots that are marked."""
        bits = np.unpackbits(self.marks.astype("<u8", copy=False).view(np.uint8), bitorder="little")
        return np.flatnonzero(bits)

    @classmethod
    def of(cls, slots: NDArray[np.integer], n_bits: int) -> "Slots":
        """Mark some of the 2**n_bits slots."""
        bits = np.zeros(1 << max(n_bits, 6), np.bool_)
        bits[slots] = True
        return cls.marked(np.packbits(bits, bitorder="little").view("<u8").astype(np.uint64))

    @classmethod
    def marked(cls, marks: NDArray[np.uint64]) -> "Slots":
        """Count the marks of a bitmap."""
        before = np.zeros(len(marks), np.int32)
        return cls(marks, before, mark_slots(marks, before))


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of weights of which most are zero: row i is `values[bounds[i] : bounds[i + 1]]` at these columns."""

    bounds: NDArray[np.int32]
    columns: NDArray[np.uint8]
    values: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @property
    def arrays(self) -> tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[np.int8]]:
        """What kernels take."""
        return self.bounds, self.columns, self.values

    @classmethod
    def of(cls, dense: NDArray[np.int8]) -> "Rows":
        """List what is not zero."""
        row, column = np.nonzero(dense)
        sizes = np.bincount(row, minlength=len(dense))
        return cls(_bounds(sizes), column.astype(np.uint8), dense[row, column])

    def dense(self, n_columns: int) -> NDArray[np.int8]:
        """Return rows × columns."""
        out = np.zeros((len(self), n_columns), np.int8)
        spread(*self.arrays, out)
        return out

    def stored(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return what a file holds."""
        sizes = np.diff(self.bounds).astype(np.uint8)
        return {f"{prefix}_sizes": sizes, f"{prefix}_columns": self.columns, f"{prefix}_values": self.values}

    @classmethod
    def load(cls, prefix: str, arrays: Mapping[str, NDArray[Any]]) -> "Rows":
        """Return the rows that `stored` gave."""
        found = cls(_bounds(arrays[f"{prefix}_sizes"]), arrays[f"{prefix}_columns"], arrays[f"{prefix}_values"])
        if not found.bounds[-1] == len(found.columns) == len(found.values):
            raise DataError(f"the weights {prefix!r} of a model do not fit together", hint="Train the model again.")
        return found


def _bounds(sizes: NDArray[np.integer]) -> NDArray[np.int32]:
    bounds = np.zeros(len(sizes) + 1, np.int32)
    np.cumsum(sizes, out=bounds[1:])
    return bounds
