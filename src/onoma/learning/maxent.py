"""Maximum entropy classifiers (multinomial logistic regression), on sparse features.

    P_w(y | x) = exp(Σ_t w_t f_t(x, y)) / T_w(x)

`MaxEnt` is the usual form: a weight for each pair of an input feature and a class. `CandidateMaxEnt` is the general
form, where each context lists its own candidates (antecedents of a mention, entities of a name). The objective is in
`objective`, the solvers in `solvers`.

There is no hidden bias: add a feature that always fires if the classes differ in frequency.

Memory for n samples, K classes, nnz stored values, W weights (m × K, or the pairs seen): 24 nnz + 8 W bytes, and for
`cd` and `scgis` 8 n K bytes of scores (4 n K with ``store="float32"``, none with ``store="nothing"``), 8 W for each
iterate that acceleration keeps; `lbfgs` keeps 20 vectors of 8 W bytes.
"""

import itertools
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import scipy.sparse as sp
from numpy.typing import NDArray

from onoma.errors import ConvergenceWarning, DataError, SettingsError
from onoma.learning.candidate_problem import CandidateProblem
from onoma.learning.inputs import Labels, MatrixLike, as_counts, as_matrix, coded, find_classes
from onoma.learning.objective import Penalty
from onoma.learning.product_problem import Pairs, ProductProblem, product_scores
from onoma.learning.solvers import Plan, Point, Solution, Solver, solve
from onoma.learning.storage import load_model, save_model
from onoma.progress import SILENT, Progress

__all__ = ["CandidateMaxEnt", "MaxEnt"]

Floats = NDArray[np.float64]
Watcher = Callable[[Point, Floats], object]


class _Fitted:
    """What both forms share: settings, and the evidence of a fit."""

    def __init__(
        self, *, variance: float = 10.0, l1: float = 0.0, solver: Solver = "cd", plan: Plan | None = None
    ) -> None:
        if plan is not None and plan.solver != solver and solver != "cd":
            raise SettingsError(f"solver is {solver!r} and the plan says {plan.solver!r}; give one of them")
        self.penalty = Penalty(variance, l1)
        self.plan = Plan(solver=solver) if plan is None else plan
        self.trace_: list[Point] = []
        self.is_converged_ = False
        self.gap_ = np.inf

    def _note(self, solution: Solution) -> None:
        self.trace_, self.is_converged_, self.gap_ = solution.trace, solution.is_converged, solution.gap
        if not solution.is_converged:
            warnings.warn(
                f"{self.plan.solver} stopped after {len(solution.trace)} iterations with a relative gap of at most "
                f"{solution.gap:.3g}; the tolerance is {self.plan.tolerance:.3g}. Raise the limit or the tolerance.",
                ConvergenceWarning,
                stacklevel=3,
            )

    @property
    def objective_(self) -> float:
        """The objective where the solver stopped."""
        return self.trace_[-1].objective if self.trace_ else np.inf


class MaxEnt(_Fitted):
    """Maximum entropy with a weight for each input feature and class.

    Parameters
    ----------
    variance
        σ² of the Gaussian prior on the weights; ``inf`` for none.
    l1
        Weight of Σ |w|; only with ``cd``.
    solver
        Short for ``plan=Plan(solver=…)``.
    pairs
        ``"all"`` features × classes, or only those ``"seen"`` together in the samples (smaller, faster).
    plan
        Tolerance, limits, memory: see `Plan`.

    Attributes
    ----------
    classes_
        The classes, sorted (or as given).
    weights_
        Features × classes: an array, or a CSR array when only seen pairs have weights.
    trace_, is_converged_, gap_
        Evidence: time, objective and gradient norm of each iteration; whether the tolerance was reached; the bound on
        (L − L*) / L.

    Examples
    --------
    >>> X = sp.csr_array([[1, 1, 0], [1, 1, 0], [1, 0, 1], [1, 0, 1]])
    >>> model = MaxEnt(variance=10.0).fit(X, ["cat", "cat", "dog", "dog"], feature_names=["bias", "purrs", "barks"])
    >>> model.predict(X[:1]), model.top_features("dog", 1)[0][0]
    (['cat'], 'barks')
    >>> model.predict_log_proba(X).round(1).tolist()[0]
    [-0.1, -2.7]
    """

    def __init__(
        self,
        *,
        variance: float = 10.0,
        l1: float = 0.0,
        solver: Solver = "cd",
        pairs: Pairs = "all",
        plan: Plan | None = None,
    ) -> None:
        super().__init__(variance=variance, l1=l1, solver=solver, plan=plan)
        if pairs not in ("all", "seen"):
            raise SettingsError(f"pairs is {pairs!r}; allowed: all, seen")
        self.pairs = pairs
        self.classes_: list[Any] = []
        self.feature_names_: list[str] | None = None
        self.n_features_ = 0
        self._w, self._w_ptr, self._w_class = np.zeros(0), np.zeros(1, np.int64), np.zeros(0, np.int32)

    def fit(
        self,
        X: MatrixLike,
        labels: Labels,
        *,
        counts: Floats | None = None,
        classes: Sequence[Any] | None = None,
        feature_names: Sequence[str] | None = None,
        warm: bool = False,
        on_iteration: Watcher | None = None,
        progress: Progress = SILENT,
    ) -> Self:
        """Learn the weights.

        Parameters
        ----------
        X
            Samples × features, sparse or dense, finite.
        labels
            The class of each sample.
        counts
            The weight of each sample, from 0 up; default 1.
        classes
            All classes, in the order wanted; default those of the labels, sorted. A class without samples is allowed
            when the variance is finite: it is learnt to be improbable (or, with seen pairs, left at score 0).
        feature_names
            For `top_features`.
        warm
            Start from the weights of the last fit (same classes, features and pairs).
        on_iteration
            Called with each point of the trace and the flat weights; its time is not counted.
        progress
            Shows iterations.
        """
        X = as_matrix(X)
        self.classes_ = find_classes(labels, classes)
        y, weights = coded(labels, self.classes_, n=X.shape[0]), as_counts(counts, X.shape[0])
        if feature_names is not None and len(feature_names) != X.shape[1]:
            raise DataError(f"{X.shape[1]:,} features and {len(feature_names):,} names; they must be equally many")
        empty = np.flatnonzero(np.bincount(y, weights, len(self.classes_)) == 0.0)
        if len(empty) and np.isinf(self.penalty.variance):
            raise DataError(
                f"class {self.classes_[empty[0]]!r} has no samples, and without an L2 penalty its weights have no "
                "optimum",
                hint="Leave the class out or set a finite variance.",
            )
        problem = ProductProblem(X, y, len(self.classes_), counts=weights, pairs=self.pairs)
        start = self._start(problem) if warm else None
        solution = solve(problem, self.penalty, self.plan, start=start, on_iteration=on_iteration, progress=progress)
        self.feature_names_ = None if feature_names is None else list(feature_names)
        self.n_features_ = X.shape[1]
        self._w, self._w_ptr, self._w_class = solution.weights, problem.w_ptr, problem.w_class
        self._note(solution)
        return self

    def _start(self, problem: ProductProblem) -> Floats:
        if len(self._w) == 0:
            raise SettingsError("warm start asked of a model that was never fitted", hint="Fit once without warm.")
        if not (np.array_equal(problem.w_ptr, self._w_ptr) and np.array_equal(problem.w_class, self._w_class)):
            raise DataError("a warm start needs the same features, classes and pairs as the last fit")
        return self._w

    @property
    def weights_(self) -> Floats | sp.csr_array:
        """Features × classes: an array, or a CSR array when only seen pairs have weights."""
        shape = (self.n_features_, len(self.classes_))
        if self.pairs == "all":
            return self._w.reshape(shape)
        return sp.csr_array((self._w, self._w_class, self._w_ptr), shape=shape)

    def scores(self, X: MatrixLike) -> Floats:
        """Return Σ_t w_t f_t(x, y) for each row and class."""
        X = as_matrix(X)
        if X.shape[1] != self.n_features_ and self.classes_:
            raise DataError(f"{X.shape[1]:,} features; this model was learnt from {self.n_features_:,}")
        return product_scores(X, self._w_ptr, self._w_class, self._w, len(self.classes_))

    def predict_log_proba(self, X: MatrixLike) -> Floats:
        """Return log P(y | x) for each row and class."""
        scores = self.scores(X)
        scores -= scores.max(axis=1, keepdims=True)
        scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return scores

    def predict(self, X: MatrixLike) -> list[Any]:
        """Return the most probable class of each row; the first of equals."""
        return [self.classes_[y] for y in self.scores(X).argmax(axis=1)]

    def log_likelihood(self, X: MatrixLike, labels: Labels) -> float:
        """Return Σ log P(label | row); a label unseen in training is an error."""
        log_proba = self.predict_log_proba(X)
        return float(log_proba[np.arange(len(log_proba)), coded(labels, self.classes_)].sum())

    def top_features(self, label: object, n: int = 10) -> list[tuple[str, float]]:
        """Return the features that speak most for a class, with their weights."""
        column = self._column(int(coded([label], self.classes_)[0]))
        names = self.feature_names_
        best = np.argsort(-column, kind="stable")[:n]
        return [(str(t) if names is None else names[t], float(column[t])) for t in best]

    def _column(self, y: int) -> Floats:
        if self.pairs == "all":
            return self._w.reshape(self.n_features_, -1)[:, y]
        column = np.zeros(self.n_features_)
        at = np.flatnonzero(self._w_class == y)
        column[np.searchsorted(self._w_ptr, at, side="right") - 1] = self._w[at]
        return column

    def save(self, folder: str | Path) -> None:
        """Write the model to a folder (arrays and JSON)."""
        facts = {
            "classes": self.classes_,
            "pairs": self.pairs,
            "n_features": self.n_features_,
            "variance": self.penalty.variance if np.isfinite(self.penalty.variance) else None,
            "l1": self.penalty.l1,
            "solver": self.plan.solver,
            "is_converged": self.is_converged_,
            "gap": self.gap_ if np.isfinite(self.gap_) else None,
        }
        arrays: dict[str, NDArray[Any]] = {"weights": self._w, "pointers": self._w_ptr, "weight_classes": self._w_class}
        if self.feature_names_ is not None:
            arrays |= _packed(self.feature_names_)
        save_model(folder, "maxent", facts, arrays)

    @classmethod
    def load(cls, folder: str | Path) -> "MaxEnt":
        """Read a model written by `save`."""
        facts, arrays = load_model(folder, "maxent")
        variance = np.inf if facts["variance"] is None else facts["variance"]
        model = cls(variance=variance, l1=facts["l1"], solver=facts["solver"], pairs=facts["pairs"])
        model.classes_, model.n_features_ = facts["classes"], facts["n_features"]
        model.is_converged_, model.gap_ = facts["is_converged"], np.inf if facts["gap"] is None else facts["gap"]
        model._w, model._w_ptr, model._w_class = arrays["weights"], arrays["pointers"], arrays["weight_classes"]
        model.feature_names_ = _unpacked(arrays)
        return model


class CandidateMaxEnt(_Fitted):
    """Maximum entropy over candidates: P(y | x) ∝ exp(w · f(x, y)) among the candidates of x.

    Parameters
    ----------
    variance, l1, solver, plan
        As for `MaxEnt`.

    Examples
    --------
    Two contexts, with two and three candidates; the second feature marks the right one.

    >>> F = sp.csr_array([[1, 1], [1, 0], [0, 0], [1, 1], [1, 0]])
    >>> model = CandidateMaxEnt().fit(F, groups=[0, 0, 1, 1, 1], chosen=[1, 0, 0, 1, 0])
    >>> model.predict(F, groups=[0, 0, 1, 1, 1]).tolist()
    [0, 3]
    """

    def __init__(
        self, *, variance: float = 10.0, l1: float = 0.0, solver: Solver = "cd", plan: Plan | None = None
    ) -> None:
        super().__init__(variance=variance, l1=l1, solver=solver, plan=plan)
        self.weights_ = np.zeros(0)

    def fit(
        self,
        F: MatrixLike,
        groups: Sequence[int] | NDArray[Any],
        chosen: Sequence[float] | Floats,
        *,
        start: Floats | None = None,
        on_iteration: Watcher | None = None,
        progress: Progress = SILENT,
    ) -> Self:
        """Learn the weights.

        Parameters
        ----------
        F
            Candidates × features.
        groups
            The context of each candidate; candidates of one context in consecutive rows.
        chosen
            How often each candidate was observed (1 for the right one, 0 for the others), from 0 up.
        start
            Weights to start from.
        on_iteration, progress
            As for `MaxEnt.fit`.
        """
        F = as_matrix(F)
        counts = as_counts(np.asarray(chosen, np.float64), F.shape[0])
        problem = CandidateProblem(F, _group_ptr(groups, F.shape[0]), counts)
        solution = solve(problem, self.penalty, self.plan, start=start, on_iteration=on_iteration, progress=progress)
        self.weights_ = solution.weights
        self._note(solution)
        return self

    def predict_log_proba(self, F: MatrixLike, groups: Sequence[int] | NDArray[Any]) -> Floats:
        """Return the log-probability of each candidate within its context."""
        F = as_matrix(F)
        if F.shape[1] != len(self.weights_):
            raise DataError(f"{F.shape[1]:,} features; this model was learnt from {len(self.weights_):,}")
        ptr = _group_ptr(groups, F.shape[0])
        scores, sizes = F @ self.weights_, np.diff(ptr)
        scores -= np.repeat(np.maximum.reduceat(scores, ptr[:-1]), sizes)
        return scores - np.repeat(np.log(np.add.reduceat(np.exp(scores), ptr[:-1])), sizes)

    def predict(self, F: MatrixLike, groups: Sequence[int] | NDArray[Any]) -> NDArray[np.int64]:
        """Return the row of the most probable candidate of each context; the first of equals."""
        ptr = _group_ptr(groups, as_matrix(F).shape[0])
        log_proba = self.predict_log_proba(F, groups)
        return np.array([a + log_proba[a:b].argmax() for a, b in itertools.pairwise(ptr)], np.int64)


def _group_ptr(groups: Sequence[int] | NDArray[Any], n: int) -> NDArray[np.int64]:
    array = np.asarray(groups)
    if len(array) != n or n == 0:
        raise DataError(f"{n:,} candidates and {len(array):,} groups; they must be equally many, at least one")
    starts = np.concatenate([[0], np.flatnonzero(array[1:] != array[:-1]) + 1])
    if len(np.unique(array)) != len(starts):
        raise DataError("the candidates of one context stand apart", hint="Sort the rows by their group first.")
    return np.append(starts, n).astype(np.int64)


def _packed(names: list[str]) -> dict[str, NDArray[Any]]:
    text = pa.array(names, pa.large_string())
    _, offsets, data = text.buffers()
    content = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
    return {"name_offsets": np.frombuffer(offsets, np.int64)[: len(names) + 1], "name_bytes": content}


def _unpacked(arrays: dict[str, NDArray[Any]]) -> list[str] | None:
    if "name_offsets" not in arrays:
        return None
    offsets, content = arrays["name_offsets"], arrays["name_bytes"]
    buffers = [None, pa.py_buffer(offsets.tobytes()), pa.py_buffer(content.tobytes())]
    return list(pa.Array.from_buffers(pa.large_string(), len(offsets) - 1, buffers).to_pylist())
