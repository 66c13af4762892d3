"""Maximum entropy in product form: samples as rows of a sparse matrix, one weight for each column and class."""

from typing import Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from onoma.learning import _maxent_kernels as kernels
from onoma.learning._maxent_kernels import Scores, Weights
from onoma.learning.inputs import SparseRows
from onoma.learning.objective import Penalty, Search, Store, column_sharp, rule_of

__all__ = ["Pairs", "ProductProblem", "product_scores"]

Floats = NDArray[np.float64]
Pairs = Literal["all", "seen"]


class ProductProblem:
    """Samples as rows of a sparse matrix, one weight per column and class.

    Parameters
    ----------
    X
        Samples × input features.
    y
        The class of each sample, 0 … n_classes - 1.
    n_classes
        How many classes there are.
    counts
        How often each sample occurs (its weight); default 1.
    pairs
        ``"all"``: a weight for each column and class. ``"seen"``: only for those that occur together in a sample.
    """

    def __init__(
        self,
        X: sp.csr_array,
        y: NDArray[np.int64],
        n_classes: int,
        *,
        counts: Floats | None = None,
        pairs: Pairs = "all",
    ) -> None:
        self.n_classes = n_classes
        order = _neighbours(X)
        X, y = sp.csr_array(X[order]), y[order]
        self.counts = np.ones(X.shape[0]) if counts is None else counts[order]
        self.rows = SparseRows.of(X)
        self.columns = SparseRows.of(sp.csc_array(X))
        truth = sp.csr_array((self.counts, (np.arange(X.shape[0]), y)), shape=(X.shape[0], n_classes))
        # Presence, not the product of values, says which pairs were seen: values may cancel.
        seen = sp.csr_array(_ones(X).T @ _ones(truth))
        seen.sort_indices()
        observed = sp.csr_array(X.T @ truth)
        if pairs == "all":
            self.w_ptr = np.arange(X.shape[1] + 1, dtype=np.int64) * n_classes
            self.w_class = np.zeros(0, np.int32)
            self.observed = observed.toarray().ravel()
        else:
            self.w_ptr = seen.indptr.astype(np.int64)
            self.w_class = seen.indices.astype(np.int32)
            self.observed = _values_at(observed, seen)
        self.is_nonnegative = bool(len(self.rows.values) == 0 or self.rows.values.min(initial=0.0) >= 0.0)

    def _weights(self, w: Floats) -> Weights:
        return Weights(self.w_ptr, self.w_class, w)

    def sharp(self) -> float:
        """Return f# = max_{x,y} Σ_t f_t(x, y)."""
        largest, block = 0.0, max(1, 2**22 // self.n_classes)
        for start in range(0, len(self.rows.ptr) - 1, block):
            ptr = self.rows.ptr[start : start + block + 1]
            sums = np.empty((len(ptr) - 1, self.n_classes))
            kernels.log_scores(self.rows._replace(ptr=ptr), self._weights(np.ones(len(self.observed))), sums)
            largest = max(largest, float(sums.max(initial=0.0)))
        return largest

    def evaluate(self, w: Floats) -> tuple[float, Floats]:
        """Return Σ_x c(x) log T_w(x) and the expectations E_w[f_t]."""
        expected = np.zeros(len(w))
        total = kernels.pass_rows(self.rows, self._weights(w), self.counts, self.n_classes, expected)
        return total, expected

    def scaling(self, w: Floats, z: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the data part of IIS's bound at z, with its first and second derivatives."""
        value, slope, curvature = np.zeros((3, len(w)))
        found = (value, slope, curvature)
        kernels.pass_scaling(self.rows, self._weights(w), self.counts, self.n_classes, z, *found)
        return value, slope, curvature

    def scores(self, X: sp.csr_array, w: Floats) -> Floats:
        """Return Σ_t w_t f_t(x, y) for each row of a matrix and each class."""
        return product_scores(X, self.w_ptr, self.w_class, w, self.n_classes)

    def weight_rows(self, features: NDArray[np.int64], w: Floats) -> Floats:
        """Return the weights of some input features, features × classes, 0 where a pair has none."""
        result = np.zeros((len(features), self.n_classes))
        for row, p in enumerate(features):
            entries = slice(self.w_ptr[p], self.w_ptr[p + 1])
            result[row, self.w_class[entries] if len(self.w_class) else slice(None)] = w[entries]
        return result

    def state(self, store: Store) -> "ProductState":
        """Return room for S_w and T_w."""
        return ProductState(self, store)


class ProductState:
    """S_w (samples × classes) and T_w of a product problem.

    With store ``"nothing"`` the rows of S_w are computed again whenever a column needs them: O(samples) memory instead
    of O(samples × classes), and about as many times slower as a sample has features.
    """

    def __init__(self, problem: ProductProblem, store: Store) -> None:
        n = len(problem.counts)
        self.problem = problem
        dtype = np.float32 if store == "float32" else np.float64
        # Whole vector registers, where that costs little memory.
        padded = -(-problem.n_classes // 8) * 8
        width = padded if padded <= 1.15 * problem.n_classes and store != "nothing" else problem.n_classes
        self.S = np.zeros((0 if store == "nothing" else n, width), dtype)
        self.T, self.shift = np.full(n, float(problem.n_classes)), np.zeros(n)
        self._scores = Scores(self.S, self.T, self.shift)
        columns = problem.columns
        # Frequent features first: what they explain need not be unlearnt by the rare ones.
        self.order = np.argsort(-np.diff(columns.ptr), kind="stable")
        self.sharp = column_sharp(columns, signed=not problem.is_nonnegative)

    def refresh(self, w: Floats) -> None:
        """Compute everything from the weights."""
        problem = self.problem
        if len(self.S):
            kernels.fill_scores(problem.rows, problem._weights(w), problem.n_classes, self._scores)

    def sweep(self, rule: int, w: Floats, penalty: Penalty, search: Search) -> float:
        """Update every weight once, in place; return Σ (∂L/∂w_t)² as met on the way."""
        problem = self.problem
        return kernels.sweep(
            rule_of(rule, penalty, search),
            self.order,
            problem.columns,
            problem.rows,
            problem._weights(w),
            problem.observed,
            problem.counts,
            self.sharp,
            problem.n_classes,
            self._scores,
        )

    def log_partition(self, w: Floats) -> float:
        """Return Σ_x c(x) log T_w(x)."""
        if len(self.S) < len(self.T):
            return self.problem.evaluate(w)[0]
        return float(self.problem.counts @ (np.log(self.T) + self.shift))


def product_scores(
    X: sp.csr_array, w_ptr: NDArray[np.int64], w_class: NDArray[np.int32], w: Floats, n_classes: int
) -> Floats:
    """Return Σ_t w_t f_t(x, y) for each row of a matrix and each class; weights as in `ProductProblem`."""
    result = np.empty((X.shape[0], n_classes))
    kernels.log_scores(SparseRows.of(X), Weights(w_ptr, w_class, w), result)
    return result


def _neighbours(X: sp.csr_array, n_keys: int = 8) -> NDArray[np.int64]:
    """Return an order of the rows in which rows with the same frequent features are near each other.

    Rows of S_w that one feature visits are then near each other in memory: sweeps take about a quarter less time.
    """
    frequency = np.bincount(X.indices, minlength=X.shape[1])
    rank = np.empty(X.shape[1], np.int32)
    rank[np.argsort(-frequency, kind="stable")] = np.arange(X.shape[1], dtype=np.int32)
    # Sorted with values of its own: with those of X they would change places in X.
    ranked = sp.csr_array((np.ones(len(X.indices), np.int8), rank[X.indices], X.indptr), shape=X.shape)
    ranked.sort_indices()
    keys = np.full((n_keys, X.shape[0]), X.shape[1], np.int32)
    sizes = np.diff(X.indptr)
    for k in range(n_keys):
        filled = np.flatnonzero(sizes > k)
        keys[k, filled] = ranked.indices[ranked.indptr[filled] + k]
    return np.lexsort(keys[::-1])


def _ones(matrix: sp.csr_array) -> sp.csr_array:
    return sp.csr_array((np.ones(len(matrix.data)), matrix.indices, matrix.indptr), shape=matrix.shape)


def _values_at(matrix: sp.csr_array, pattern: sp.csr_array) -> Floats:
    """Return the values of a matrix at the places of a pattern that contains its own."""
    matrix = sp.csr_array(matrix)
    matrix.sort_indices()
    width = np.int64(matrix.shape[1])
    keys = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr)) * width + pattern.indices
    own = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)) * width + matrix.indices
    values = np.zeros(len(keys))
    values[np.searchsorted(keys, own)] = matrix.data
    return values
