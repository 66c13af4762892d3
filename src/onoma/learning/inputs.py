"""What learners accept, checked once and the same way for all."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from onoma.errors import DataError

__all__ = ["as_counts", "as_matrix", "coded", "find_classes"]


def as_matrix(X: Any) -> sp.csr_array:  # noqa: ANN401
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


def as_counts(counts: Any, n: int) -> NDArray[np.float64]:  # noqa: ANN401
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


def find_classes(labels: Sequence[Any] | NDArray[Any], classes: Sequence[Any] | None) -> list[Any]:
    """Return the classes: as given, or those of the labels, sorted."""
    if classes is None:
        return sorted(set(np.asarray(labels).tolist()))
    if len(set(classes)) != len(classes):
        raise DataError("a class is named twice", hint=f"Classes given: {list(classes)[:20]}")
    return list(classes)


def coded(labels: Sequence[Any] | NDArray[Any], classes: Sequence[Any]) -> NDArray[np.int64]:
    """Return the place of each label among the classes; refuse a label that is none of them."""
    place = {label: y for y, label in enumerate(classes)}
    values = np.asarray(labels).tolist()
    try:
        return np.array([place[label] for label in values], np.int64)
    except KeyError as error:
        unknown = error.args[0]
        raise DataError(
            f"the label {unknown!r} is none of the {len(classes)} classes",
            row=values.index(unknown) + 1,
            hint="Classes: " + ", ".join(map(repr, classes[:20])) + (" …" if len(classes) > 20 else ""),
        ) from None
