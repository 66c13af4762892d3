"""Kernels of tables of vectors: sums of rows, and their gradients."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

__all__ = ["gather_bytes", "gather_rows", "scatter_rows"]


@nb.njit(cache=True, nogil=True)
def gather_rows(
    rows: NDArray[np.int32], kept: NDArray[np.float32], table: NDArray[np.float32], out: NDArray[np.float32]
) -> None:
    """Add to each line of `out` the weighted sum of its rows of a table; a row below 0 is none."""
    for i in range(len(rows)):
        for k in range(rows.shape[1]):
            row, weight = rows[i, k], kept[i, k]
            if row >= 0 and weight != 0:
                for j in range(table.shape[1]):
                    out[i, j] += weight * table[row, j]


@nb.njit(cache=True, nogil=True)
def gather_bytes(
    rows: NDArray[np.int32], table: NDArray[np.int8], scales: NDArray[np.float32], out: NDArray[np.float32]
) -> None:
    """Add to each line of `out` the sum of its rows of a table of bytes, each times its scale."""
    for i in range(len(rows)):
        for k in range(rows.shape[1]):
            row = rows[i, k]
            if row >= 0:
                for j in range(table.shape[1]):
                    out[i, j] += scales[row] * np.float32(table[row, j])


@nb.njit(cache=True, nogil=True)
def scatter_rows(
    rows: NDArray[np.int32],
    kept: NDArray[np.float32],
    given: NDArray[np.float32],
    gradient: NDArray[np.float32],
    seen: NDArray[np.bool_],
) -> None:
    """Add the gradient of each line's sum to the rows it was made of, and mark them."""
    for i in range(len(rows)):
        for k in range(rows.shape[1]):
            row, weight = rows[i, k], kept[i, k]
            if row >= 0 and weight != 0:
                seen[row] = True
                for j in range(gradient.shape[1]):
                    gradient[row, j] += weight * given[i, j]
