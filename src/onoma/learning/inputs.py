"""What learners accept, checked once and the same way for all."""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from onoma.errors import DataError

__all__ = ["Labels", "MatrixLike", "SparseRows", "as_counts", "as_matrix", "coded", "find_classes"]

MatrixLike: TypeAlias = ArrayLike | sp.sparray | sp.spmatrix
"""Rows × features, dense or sparse."""
Labels: TypeAlias = Sequence[Any] | NDArray[Any]


class SparseRows(NamedTuple):
    """The three arrays of a compressed matrix, with the types kernels expect; no values means that all are 1."""

    ptr: NDArray[np.int64]
    ids: NDArray[np.int32]
    values: NDArray[np.float64]

    @classmethod
    def of(cls, matrix: sp.csr_array | sp.csc_array, *, ones: bool = True) -> "SparseRows":
        """Take a CSR or CSC matrix; with `ones`, a matrix of ones keeps no values."""
        if matrix.shape[0] > np.iinfo(np.int32).max or matrix.shape[1] > np.iinfo(np.int32).max:
            raise DataError(f"a matrix of {matrix.shape[0]:,} × {matrix.shape[1]:,}; each side has room for 2**31 - 1")
        is_binary = ones and bool((matrix.data == 1.0).all())
        return cls(
            matrix.indptr.astype(np.int64),
            matrix.indices.astype(np.int32, copy=False),
            np.zeros(0) if is_binary else matrix.data.astype(np.float64, copy=False),
        )


def as_matrix(X: MatrixLike) -> sp.csr_array:
    """Return a finite CSR matrix with sorted, unique columns in each row; anything else is refused."""
    dense: Any = X if sp.issparse(X) else np.atleast_2d(np.asarray(X, np.float64))
    matrix: Any = sp.csr_array(dense, dtype=np.float64)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    bad = np.flatnonzero(~np.isfinite(matrix.data))
    if len(bad):
        row = int(np.searchsorted(matrix.indptr, bad[0], side="right"))
        raise DataError(
            f"{len(bad):,} feature values are not finite; the first is {matrix.data[bad[0]]} of feature "
            f"{matrix.indices[bad[0]]}",
            row=row,
            hint="Leave missing features out: in a sparse row, absent means 0.",
        )
    return matrix


def as_counts(counts: ArrayLike | None, n: int) -> NDArray[np.float64]:
    """Return the weights of n samples: finite, from 0 up, not all 0; None means 1 each."""
    if n == 0:
        raise DataError("there are no samples to learn from")
    if counts is None:
        return np.ones(n)
    array = np.asarray(counts, np.float64)
    if array.shape != (n,):
        raise DataError(f"counts have shape {array.shape}; wanted one per sample, {n:,}")
    bad = np.flatnonzero(~((array >= 0.0) & np.isfinite(array)))
    if len(bad):
        raise DataError(f"a count is {array[bad[0]]}; allowed are finite numbers from 0 up", row=int(bad[0]) + 1)
    if not array.any():
        raise DataError("every count is 0; there is nothing to learn from")
    return array


def find_classes(labels: Labels, classes: Sequence[Any] | None) -> list[Any]:
    """Return the classes: as given, or those of the labels, sorted."""
    if classes is None:
        return sorted(set(np.asarray(labels).tolist()))
    if len(set(classes)) != len(classes):
        raise DataError("a class is named twice", hint=f"Classes given: {list(classes)[:20]}")
    return list(classes)


def coded(labels: Labels, classes: Sequence[Any], *, n: int | None = None) -> NDArray[np.int64]:
    """Return the place of each label among the classes; refuse a label that is none of them, or others than n."""
    place = {label: y for y, label in enumerate(classes)}
    values = np.asarray(labels).tolist()
    if n is not None and len(values) != n:
        raise DataError(f"{n:,} rows and {len(values):,} labels; they must be equally many")
    try:
        return np.array([place[label] for label in values], np.int64)
    except KeyError as error:
        unknown = error.args[0]
        raise DataError(
            f"the label {unknown!r} is none of the {len(classes)} classes",
            row=values.index(unknown) + 1,
            hint="Classes: " + ", ".join(map(repr, classes[:20])) + (" …" if len(classes) > 20 else ""),
        ) from None
