"""Networks as they are kept: weights in a byte a number, and products that are exact.

A product of matrices is a sum, and libraries of linear algebra add in whatever order is quickest for a shape and a
processor; the last bits of a token's numbers would then depend on what else stands in the batch. So what goes into a
product is rounded to whole numbers, weights to ±127 and inputs to ±511, each times a scale of its own: sums of up to
256 such products stay below 2²⁴, which single precision holds exactly, in any order. The same text gives the same
numbers in any batch, on any machine.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onoma.errors import SettingsError
from onoma.learning.neural._tables_kernels import gather_bytes

__all__ = ["ByteMatrix", "ByteTable"]

_WEIGHT, _INPUT = 127, 511
_WIDEST = (1 << 24) // (_WEIGHT * _INPUT)
"""Inputs whose weighted sum is exact: 258."""


@dataclass(frozen=True, eq=False)
class ByteMatrix:
    """Weights of a product, in a byte each.

    Examples
    --------
    >>> matrix = ByteMatrix.of(np.array([[1.0, 0.5], [0.0, -2.0]], np.float32), np.array([1.0, 4.0]))
    >>> matrix.times(np.array([[1.0, 2.0], [0.0, 9.0]], np.float32)).round(1).tolist()
    [[1.0, -3.5], [0.0, -8.0]]
    """

    values: NDArray[np.float32]
    """Whole numbers."""
    scales: NDArray[np.float32]
    """Of each output."""
    steps: NDArray[np.float32]
    """What each input is multiplied by before it is rounded."""

    @classmethod
    def of(cls, weights: NDArray[np.float32], reach: NDArray[Any]) -> "ByteMatrix":
        """Round weights, given how far each input reaches; inputs beyond are cut there."""
        if len(weights) > _WIDEST:
            raise SettingsError(f"{len(weights)} inputs; sums are exact for up to {_WIDEST}")
        reach = np.maximum(np.asarray(reach, np.float64), 1e-6)
        wide = weights * reach[:, None]
        largest = np.maximum(np.abs(wide).max(axis=0, initial=0.0), 1e-12)
        values = np.rint(wide * (_WEIGHT / largest)).astype(np.float32)
        return cls(values, (largest / (_WEIGHT * _INPUT)).astype(np.float32), (_INPUT / reach).astype(np.float32))

    def times(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return rows times the weights."""
        whole = rows * self.steps
        np.rint(whole, out=whole)
        np.clip(whole, -_INPUT, _INPUT, out=whole)
        return np.asarray((whole @ self.values) * self.scales, np.float32)

    def stored(self, name: str) -> dict[str, NDArray[Any]]:
        """Return what a file holds."""
        return {
            f"{name}_values": self.values.astype(np.int8),
            f"{name}_scales": self.scales,
            f"{name}_steps": self.steps,
        }

    @classmethod
    def load(cls, name: str, arrays: Mapping[str, NDArray[Any]]) -> "ByteMatrix":
        """Return the matrix that `stored` gave."""
        return cls(arrays[f"{name}_values"].astype(np.float32), arrays[f"{name}_scales"], arrays[f"{name}_steps"])


@dataclass(frozen=True, eq=False)
class ByteTable:
    """Vectors in a byte a number; they stay so in memory.

    Examples
    --------
    >>> table = ByteTable.of(np.array([[1.0, -0.5], [0.0, 0.0]], np.float32))
    >>> table.sums(np.array([[0, 0], [1, -1]], np.int32)).round(1).tolist()
    [[2.0, -1.0], [0.0, 0.0]]
    """

    values: NDArray[np.int8]
    scales: NDArray[np.float32]
    """Of each row."""

    @classmethod
    def of(cls, table: NDArray[np.float32]) -> "ByteTable":
        """Round each row to 255 steps."""
        scales = (np.abs(table).max(axis=1, initial=0.0) / _WEIGHT).astype(np.float32)
        values = np.rint(table / np.where(scales > 0, scales, 1)[:, None]).clip(-_WEIGHT, _WEIGHT).astype(np.int8)
        return cls(values, scales)

    def sums(self, rows: NDArray[np.int32], out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """Return the sum of the vectors of each line of rows (below 0: none), added to `out` where it is given."""
        out = np.zeros((len(rows), self.values.shape[1]), np.float32) if out is None else out
        gather_bytes(rows, self.values, self.scales, out)
        return out

    def stored(self, name: str) -> dict[str, NDArray[Any]]:
        """Return what a file holds."""
        return {f"{name}_bytes": self.values, f"{name}_scales": self.scales}

    @classmethod
    def load(cls, name: str, arrays: Mapping[str, NDArray[Any]]) -> "ByteTable":
        """Return the table that `stored` gave."""
        return cls(arrays[f"{name}_bytes"], arrays[f"{name}_scales"])
