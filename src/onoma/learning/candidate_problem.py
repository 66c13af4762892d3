"""Maximum entropy in general form: each context lists its own candidates, each candidate its own features."""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from onoma.errors import SettingsError
from onoma.learning import _candidate_kernels as kernels
from onoma.learning._candidate_kernels import Contexts
from onoma.learning._maxent_kernels import Scores
from onoma.learning.inputs import SparseRows
from onoma.learning.objective import Penalty, Search, Store, column_sharp, rule_of

__all__ = ["CandidateProblem"]

Floats = NDArray[np.float64]


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
        self.counts = np.add.reduceat(chosen, context_ptr[:-1]) if len(context_ptr) > 1 else np.zeros(0)
        context_of = np.repeat(np.arange(len(context_ptr) - 1, dtype=np.int32), np.diff(context_ptr))
        self.contexts = Contexts(context_ptr, context_of, self.counts)
        self.observed = np.asarray(F.T @ chosen)
        self.is_nonnegative = bool(F.data.min(initial=0.0) >= 0.0)

    def sharp(self) -> float:
        """Return f# = max_{x,y} Σ_t f_t(x, y)."""
        sums = np.concatenate([[0.0], np.cumsum(self.rows.values)])[self.rows.ptr]
        return float(np.diff(sums).max(initial=0.0))

    def evaluate(self, w: Floats) -> tuple[float, Floats]:
        """Return Σ_x c(x) log T_w(x) and the expectations E_w[f_t]."""
        state, expected = self._at(w), np.zeros(len(w))
        kernels.pass_candidates(self.contexts, self.rows, state.scores, expected)
        return state.log_partition(w), expected

    def scaling(self, w: Floats, z: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the data part of IIS's bound at z, with its first and second derivatives."""
        state = self._at(w)
        value, slope, curvature = np.zeros((3, len(w)))
        kernels.pass_candidate_scaling(self.contexts, self.rows, state.scores, z, value, slope, curvature)
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
        sizes = np.diff(problem.contexts.ptr).astype(np.float64)
        self.scores = Scores(np.ones(len(problem.contexts.of)), sizes, np.zeros(len(sizes)))
        self.order = np.argsort(-np.diff(problem.columns.ptr), kind="stable")
        self.sharp = column_sharp(problem.columns, signed=not problem.is_nonnegative)

    def refresh(self, w: Floats) -> None:
        """Compute everything from the weights."""
        problem = self.problem
        kernels.fill_candidate_scores(problem.contexts, problem.rows, w, self.scores)

    def sweep(self, rule: int, w: Floats, penalty: Penalty, search: Search) -> float:
        """Update every weight once, in place; return Σ (∂L/∂w_t)² as met on the way."""
        problem = self.problem
        return kernels.sweep_candidates(
            rule_of(rule, penalty, search),
            self.order,
            problem.columns,
            problem.contexts,
            w,
            problem.observed,
            self.sharp,
            self.scores,
        )

    def log_partition(self, w: Floats) -> float:  # noqa: ARG002 (a state's signature)
        """Return Σ_x c(x) log T_w(x)."""
        return float(self.problem.counts @ (np.log(self.scores.T) + self.scores.shift))
