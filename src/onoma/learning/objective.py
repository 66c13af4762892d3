"""The objective of maximum entropy, in the two forms data come in.

Both forms minimise the same function of the weights w,

    L(w) = Σ_x c(x) log T_w(x) − Σ_t w_t P̃(f_t) + Σ_t w_t² / (2σ²) + λ Σ_t |w_t|,
    T_w(x) = Σ_y exp Σ_t w_t f_t(x, y),

where c(x) counts the samples with context x and P̃(f_t) = Σ c(x, y) f_t(x, y) is what was observed. Counts are not
divided by their sum: σ² is the variance of a Gaussian prior on each weight.

* `ProductProblem`: a context is a row of a sparse matrix X, and there is a feature f_py(x, y') = x_p [y' = y] for each
  pair of a column p and a class y (or for the pairs seen together in the samples). The product is never materialised.
* `CandidateProblem`: each context lists its own candidates and each candidate its own features f_t(x, y).

A problem gives the solvers what they need: expectations (one pass over the samples) and a `State` that sequential
methods update weight by weight.
"""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from onoma.errors import DataError, SettingsError
from onoma.learning import _candidate_kernels as candidate_kernels
from onoma.learning import _maxent_kernels as kernels

__all__ = [
    "CandidateProblem",
    "Pairs",
    "Penalty",
    "Problem",
    "ProductProblem",
    "Search",
    "SparseRows",
    "State",
    "Store",
    "product_scores",
]

Floats = NDArray[np.float64]
Pairs = Literal["all", "seen"]
Store = Literal["float64", "float32", "nothing"]


@dataclass(frozen=True)
class Penalty:
    """Σ w² / (2 variance) + l1 Σ |w|; an infinite variance means no L2 term."""

    variance: float = 10.0
    l1: float = 0.0

    def __post_init__(self) -> None:
        if not self.variance > 0.0:
            raise SettingsError(f"variance is {self.variance}; allowed are numbers above 0 (inf: no L2 penalty)")
        if not 0.0 <= self.l1 < np.inf:
            raise SettingsError(f"l1 is {self.l1}; allowed are finite numbers from 0 up")

    @property
    def inverse_variance(self) -> float:
        """1/σ²."""
        return 1.0 / self.variance

    def value(self, w: Floats) -> float:
        """Return the penalty of some weights."""
        return float(0.5 * self.inverse_variance * (w @ w)) + (self.l1 * float(np.abs(w).sum()) if self.l1 else 0.0)

    def gradient(self, slope: Floats, w: Floats) -> Floats:
        """Return the gradient of the whole from that of the likelihood; with L1, the shortest subgradient."""
        slope = slope + self.inverse_variance * w
        if self.l1 == 0.0:
            return slope
        return np.where(
            w != 0.0, slope + self.l1 * np.sign(w), np.sign(slope) * np.maximum(np.abs(slope) - self.l1, 0.0)
        )


@dataclass(frozen=True)
class Search:
    """The line search of `cd`: steps β^k d, accepted when they bring at least γ of the promised decrease."""

    beta: float = 0.5
    gamma: float = 0.001

    def __post_init__(self) -> None:
        if not 0.0 < self.beta < 1.0 or not 0.0 < self.gamma < 0.5:
            raise SettingsError(f"beta is {self.beta}, gamma {self.gamma}; allowed: 0 < beta < 1, 0 < gamma < 1/2")

    @property
    def safe_range(self) -> float:
        """The largest r with (e^r - r - 1) / r² ≤ 1 - γ: within it a full Newton step needs no test."""
        low, high = 0.5, 2.0
        for _ in range(60):
            r = 0.5 * (low + high)
            low, high = (r, high) if np.expm1(r) - r <= (1.0 - self.gamma) * r * r else (low, r)
        return low


class SparseRows(NamedTuple):
    """The three arrays of a compressed matrix, with the types kernels expect; no values means that all are 1."""

    ptr: NDArray[np.int64]
    ids: NDArray[np.int32]
    values: Floats

    @classmethod
    def of(cls, matrix: Any, *, ones: bool = True) -> "SparseRows":  # noqa: ANN401
        """Take a CSR or CSC matrix; with `ones`, a matrix of ones keeps no values."""
        if matrix.shape[0] > np.iinfo(np.int32).max or matrix.shape[1] > np.iinfo(np.int32).max:
            raise DataError(f"a matrix of {matrix.shape[0]:,} × {matrix.shape[1]:,}; each side has room for 2**31 - 1")
        is_binary = ones and bool((matrix.data == 1.0).all())
        return cls(
            matrix.indptr.astype(np.int64),
            matrix.indices.astype(np.int32, copy=False),
            np.zeros(0) if is_binary else matrix.data.astype(np.float64, copy=False),
        )


class State(Protocol):
    """What a sequential method keeps: S_w and T_w."""

    def refresh(self, w: Floats) -> None:
        """Compute everything from the weights."""

    def sweep(self, rule: int, w: Floats, penalty: Penalty, search: Search) -> float:
        """Update every weight once, in place; return Σ (∂L/∂w_t)² as met on the way."""

    def log_partition(self, w: Floats) -> float:
        """Return Σ_x c(x) log T_w(x)."""


class Problem(Protocol):
    """What a solver knows of the data."""

    observed: Floats
    counts: Floats
    is_nonnegative: bool

    def sharp(self) -> float:
        """Return f# = max_{x,y} Σ_t f_t(x, y)."""

    def evaluate(self, w: Floats) -> tuple[float, Floats]:
        """Return Σ_x c(x) log T_w(x) and the expectations E_w[f_t]."""

    def scaling(self, w: Floats, z: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the data part of IIS's bound at z, with its first and second derivatives."""

    def state(self, store: Store) -> State:
        """Return room for S_w and T_w."""


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

    @property
    def _weights(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        return self.w_ptr, self.w_class

    def sharp(self) -> float:
        """Return f# = max_{x,y} Σ_t f_t(x, y)."""
        largest, block = 0.0, max(1, 2**22 // self.n_classes)
        for start in range(0, len(self.rows.ptr) - 1, block):
            ptr = self.rows.ptr[start : start + block + 1]
            sums = np.empty((len(ptr) - 1, self.n_classes))
            kernels.log_scores(
                ptr, self.rows.ids, self.rows.values, self.w_ptr, self.w_class, np.ones(len(self.observed)), sums
            )
            largest = max(largest, float(sums.max(initial=0.0)))
        return largest

    def evaluate(self, w: Floats) -> tuple[float, Floats]:
        """Return Σ_x c(x) log T_w(x) and the expectations E_w[f_t]."""
        expected = np.zeros(len(w))
        total = kernels.pass_rows(*self.rows, *self._weights, w, self.counts, self.n_classes, expected)
        return total, expected

    def scaling(self, w: Floats, z: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the data part of IIS's bound at z, with its first and second derivatives."""
        value, slope, curvature = np.zeros((3, len(w)))
        kernels.pass_scaling(
            *self.rows, *self._weights, w, self.counts, self.n_classes, z, value, slope, curvature
        )  # fmt: skip
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
        columns = problem.columns
        # Frequent features first: what they explain need not be unlearnt by the rare ones.
        self.order = np.argsort(-np.diff(columns.ptr), kind="stable")
        self.sharp = _column_sharp(columns, signed=not problem.is_nonnegative)

    def refresh(self, w: Floats) -> None:
        """Compute everything from the weights."""
        problem = self.problem
        if len(self.S):
            kernels.fill_scores(*problem.rows, *problem._weights, w, problem.n_classes, self.S, self.T, self.shift)

    def sweep(self, rule: int, w: Floats, penalty: Penalty, search: Search) -> float:
        """Update every weight once, in place; return Σ (∂L/∂w_t)² as met on the way."""
        problem = self.problem
        return kernels.sweep(
            rule, self.order, *problem.columns, *problem.rows, *problem._weights, w, problem.observed,
            problem.counts, self.sharp, penalty.inverse_variance, penalty.l1, search.gamma, search.beta,
            search.safe_range, problem.n_classes, self.S, self.T, self.shift,
        )  # fmt: skip

    def log_partition(self, w: Floats) -> float:
        """Return Σ_x c(x) log T_w(x)."""
        if len(self.S) < len(self.T):
            return self.problem.evaluate(w)[0]
        return float(self.problem.counts @ (np.log(self.T) + self.shift))


class CandidateProblem:
    """Contexts that list their own candidates, candidates with their own features.

    Parameters
    ----------
    F
        Candidates × features, the candidates of one context in consecutive rows.
    context_ptr
        Context x owns the rows context_ptr[x] … context_ptr[x + 1] - 1.
    chosen
        How often each candidate was observed.
    """

    def __init__(self, F: sp.csr_array, context_ptr: NDArray[np.int64], chosen: Floats) -> None:
        self.rows = SparseRows.of(F, ones=False)
        self.columns = SparseRows.of(sp.csc_array(F), ones=False)
        self.context_ptr = context_ptr
        self.context_of = np.repeat(np.arange(len(context_ptr) - 1, dtype=np.int32), np.diff(context_ptr))
        self.counts = np.add.reduceat(chosen, context_ptr[:-1]) if len(context_ptr) > 1 else np.zeros(0)
        self.observed = np.asarray(F.T @ chosen)
        self.is_nonnegative = bool(F.data.min(initial=0.0) >= 0.0)

    def sharp(self) -> float:
        """Return f# = max_{x,y} Σ_t f_t(x, y)."""
        sums = np.concatenate([[0.0], np.cumsum(self.rows.values)])[self.rows.ptr]
        return float(np.diff(sums).max(initial=0.0))

    def evaluate(self, w: Floats) -> tuple[float, Floats]:
        """Return Σ_x c(x) log T_w(x) and the expectations E_w[f_t]."""
        state, expected = self._at(w), np.zeros(len(w))
        candidate_kernels.pass_candidates(self.context_ptr, *self.rows, self.counts, state.S, state.T, expected)
        return state.log_partition(w), expected

    def scaling(self, w: Floats, z: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the data part of IIS's bound at z, with its first and second derivatives."""
        state = self._at(w)
        value, slope, curvature = np.zeros((3, len(w)))
        candidate_kernels.pass_candidate_scaling(
            self.context_ptr, *self.rows, self.counts, state.S, state.T, z, value, slope, curvature
        )
        return value, slope, curvature

    def state(self, store: Store) -> "CandidateState":
        """Return room for S_w and T_w."""
        if store != "float64":
            raise SettingsError(f"store is {store!r}; candidates are few, their scores are always kept as 'float64'")
        return CandidateState(self)

    def _at(self, w: Floats) -> "CandidateState":
        state = CandidateState(self)
        state.refresh(w)
        return state


class CandidateState:
    """S_w (one number a candidate) and T_w of a candidate problem."""

    def __init__(self, problem: CandidateProblem) -> None:
        self.problem = problem
        self.S = np.ones(len(problem.context_of))
        self.T, self.shift = np.diff(problem.context_ptr).astype(np.float64), np.zeros(len(problem.counts))
        self.order = np.argsort(-np.diff(problem.columns.ptr), kind="stable")
        self.sharp = _column_sharp(problem.columns, signed=not problem.is_nonnegative)

    def refresh(self, w: Floats) -> None:
        """Compute everything from the weights."""
        problem = self.problem
        candidate_kernels.fill_candidate_scores(problem.context_ptr, *problem.rows, w, self.S, self.T, self.shift)

    def sweep(self, rule: int, w: Floats, penalty: Penalty, search: Search) -> float:
        """Update every weight once, in place; return Σ (∂L/∂w_t)² as met on the way."""
        problem = self.problem
        return candidate_kernels.sweep_candidates(
            rule, self.order, *problem.columns, problem.context_of, problem.context_ptr, w, problem.observed,
            problem.counts, self.sharp, penalty.inverse_variance, penalty.l1, search.gamma, search.beta,
            search.safe_range, self.S, self.T, self.shift,
        )  # fmt: skip

    def log_partition(self, w: Floats) -> float:  # noqa: ARG002
        """Return Σ_x c(x) log T_w(x)."""
        return float(self.problem.counts @ (np.log(self.T) + self.shift))


def product_scores(
    X: sp.csr_array, w_ptr: NDArray[np.int64], w_class: NDArray[np.int32], w: Floats, n_classes: int
) -> Floats:
    """Return Σ_t w_t f_t(x, y) for each row of a matrix and each class; weights as in `ProductProblem`."""
    result = np.empty((X.shape[0], n_classes))
    kernels.log_scores(*SparseRows.of(X), w_ptr, w_class, w, result)
    return result


def _neighbours(X: sp.csr_array, n_keys: int = 8) -> NDArray[np.int64]:
    """Return an order of the rows in which rows with the same frequent features are near each other.

    Rows of S_w that one feature visits are then near each other in memory: sweeps take about a quarter less time.
    """
    frequency = np.bincount(X.indices, minlength=X.shape[1])
    rank = np.empty(X.shape[1], np.int32)
    rank[np.argsort(-frequency, kind="stable")] = np.arange(X.shape[1], dtype=np.int32)
    ranked = sp.csr_array((X.data, rank[X.indices], X.indptr), shape=X.shape)
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


def _column_sharp(columns: SparseRows, *, signed: bool) -> Floats:
    """Return max |f| of each column; when values may be negative, -(max - min) with 0 among them."""
    n = len(columns.ptr) - 1
    if len(columns.values) == 0:
        return np.ones(n)
    result = np.ones(n)
    filled = np.flatnonzero(np.diff(columns.ptr))
    if len(filled) == 0:
        return result
    starts = columns.ptr[filled]
    highest = np.maximum(np.maximum.reduceat(columns.values, starts), 0.0)
    lowest = np.minimum(np.minimum.reduceat(columns.values, starts), 0.0)
    result[filled] = -(highest - lowest) if signed else highest
    # A column of stored zeros has no reach; any number will do for it.
    result[result == 0.0] = 1.0
    return result
