"""Five ways to the same optimum: coordinate descent, iterative scaling (three kinds) and quasi-Newton.

Iterative scaling and coordinate descent share one frame (Huang, Hsieh, Chang and Lin, 2009): each step minimises, one
weight at a time, an upper bound A_t(z) ≥ L(w + z e_t) − L(w) with A_t(0) = 0. They differ in how tight the bound is and
in whether the weights move together (`gis`, `iis`) or one after the other (`scgis`, `cd`); `bounds` has the formulas.
`lbfgs` is SciPy's.

Where two things differ from the paper:

* In product form the weights of one input feature move together, all classes at once. The Hessian of such a block is
  Σ c x² (diag P − P Pᵀ), which the diagonal matrix 2 Σ c x² P (1 − P) bounds from above (its rows sum to 0), so `cd`
  takes its Newton step with that curvature; the bound of `scgis` separates over classes by itself.
* The line search of `cd` never looks at the samples: see `_maxent_kernels._steps`.

`cd` may also extrapolate: every few sweeps it tries the combination of the last iterates with the smallest residual
(Anderson acceleration; Bertrand and Massias, 2021) and keeps it when it lowers the objective.
"""

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult, minimize

from onoma.errors import DataError, SettingsError
from onoma.learning._maxent_kernels import CD, SCGIS, scaling_steps
from onoma.learning.objective import Penalty, Problem, Search, State, Store
from onoma.progress import SILENT, Progress

__all__ = ["SOLVERS", "Plan", "Point", "Solution", "Solver", "solve"]

Floats = NDArray[np.float64]
Solver = Literal["cd", "scgis", "gis", "iis", "lbfgs"]
SOLVERS: tuple[Solver, ...] = ("cd", "scgis", "gis", "iis", "lbfgs")


@dataclass(frozen=True)
class Point:
    """One iteration of the trace. Seconds are of processor time, without those spent in `on_iteration`."""

    iteration: int
    seconds: float
    objective: float
    gradient_norm: float


@dataclass(frozen=True)
class Plan:
    """How to solve, apart from what.

    Parameters
    ----------
    solver
        ``cd``, ``scgis``, ``gis``, ``iis`` or ``lbfgs``.
    tolerance
        Stop when L(w) − L(w*) is surely at most this fraction of L(w). With an L2 term the objective is strongly
        convex, so the gap is at most σ²/2 · ‖∇L(w)‖². Without one, stop when ‖∇L‖ ≤ tolerance · Σ c(x).
    max_iterations, max_seconds, target
        Stop, unconverged, after so many sweeps or passes, so much processor time, or when the objective is at most
        the target.
    store
        What the sequential methods keep of S_w: ``float64``, ``float32`` (half the memory) or ``nothing``.
    accelerate
        `cd` extrapolates from this many steps (0: never).
    search
        The line search of `cd`.
    """

    solver: Solver = "cd"
    tolerance: float = 1e-3
    max_iterations: int = 200
    max_seconds: float = np.inf
    target: float = -np.inf
    store: Store = "float64"
    accelerate: int = 5
    search: Search = field(default_factory=Search)

    def __post_init__(self) -> None:
        if self.solver not in SOLVERS:
            raise SettingsError(f"there is no solver {self.solver!r}", hint=f"Solvers: {', '.join(SOLVERS)}")
        if not self.tolerance >= 0.0:
            raise SettingsError(f"tolerance is {self.tolerance}; allowed are numbers from 0 up")
        if self.max_iterations < 1 or self.accelerate < 0 or self.accelerate == 1:
            raise SettingsError(
                f"max_iterations is {self.max_iterations}, accelerate {self.accelerate}; "
                "allowed: max_iterations from 1 up, accelerate 0 or from 2 up"
            )
        if self.store not in ("float64", "float32", "nothing"):
            raise SettingsError(f"store is {self.store!r}; allowed: float64, float32, nothing")


@dataclass(frozen=True)
class Solution:
    """Where a solver stopped, and the evidence."""

    weights: Floats
    trace: list[Point]
    is_converged: bool
    gap: float


def solve(
    problem: Problem,
    penalty: Penalty,
    plan: Plan,
    *,
    start: Floats | None = None,
    on_iteration: Callable[[Point, Floats], object] | None = None,
    progress: Progress = SILENT,
) -> Solution:
    """Minimise the objective of a problem.

    Parameters
    ----------
    problem, penalty, plan
        What to minimise and how.
    start
        Weights to start from; default 0.
    on_iteration
        Called after each iteration with its point and the weights (not to be changed).
    progress
        Shows iterations.
    """
    _check(problem, penalty, plan)
    w = np.zeros(len(problem.observed)) if start is None else start.astype(np.float64, copy=True)
    with progress.task(f"maxent {plan.solver}", plan.max_iterations, "iterations") as task:

        def show(point: Point, weights: Floats) -> None:
            task.advance(1, objective=point.objective)
            if on_iteration is not None:
                on_iteration(point, weights)

        recorder = _Recorder(problem, penalty, plan, show)
        _METHODS[plan.solver](problem, penalty, plan, w, recorder)
    return Solution(recorder.weights, recorder.trace, recorder.is_converged, recorder.gap)


def _check(problem: Problem, penalty: Penalty, plan: Plan) -> None:
    if penalty.l1 > 0.0 and plan.solver != "cd":
        raise SettingsError(f"{plan.solver} has no L1 penalty", hint="Use solver='cd', or l1=0.")
    if plan.solver in ("scgis", "gis", "iis") and not problem.is_nonnegative:
        raise DataError(
            f"{plan.solver} needs features from 0 up, and some are negative",
            hint="Use solver='cd' or 'lbfgs', or split each such feature into its positive and its negative part.",
        )


class _Recorder:
    """Keeps time and trace, and decides when to stop."""

    def __init__(self, problem: Problem, penalty: Penalty, plan: Plan, show: Callable[[Point, Floats], object]) -> None:
        self.problem, self.penalty, self.plan, self.show = problem, penalty, plan, show
        self.trace: list[Point] = []
        self.is_converged = False
        self.gap = np.inf
        self.weights = np.zeros(0)
        self._clock = time.process_time()
        self._paused = 0.0

    def objective(self, w: Floats, log_partition: float) -> float:
        return log_partition - float(w @ self.problem.observed) + self.penalty.value(w)

    def relative_gap(self, objective: float, gradient_norm: float) -> float:
        if np.isfinite(self.penalty.variance):
            return 0.5 * self.penalty.variance * gradient_norm**2 / max(abs(objective), 1e-300)
        return gradient_norm / max(float(self.problem.counts.sum()), 1e-300)

    def record(self, w: Floats, objective: float, gradient_norm: float, *, is_exact: bool) -> bool:
        """Note one iteration; say whether to stop. Inexact numbers are checked by a pass before they are believed."""
        if not is_exact and self.relative_gap(objective, gradient_norm) <= self.plan.tolerance:
            log_partition, expected = self.problem.evaluate(w)
            objective = self.objective(w, log_partition)
            gradient_norm = float(np.linalg.norm(self.penalty.gradient(expected - self.problem.observed, w)))
        pause = time.process_time()
        point = Point(len(self.trace) + 1, pause - self._clock - self._paused, objective, gradient_norm)
        self.trace.append(point)
        self.weights = w
        self.show(point, w)
        self._paused += time.process_time() - pause
        self.gap = self.relative_gap(objective, gradient_norm)
        self.is_converged = self.gap <= self.plan.tolerance
        return self.is_converged or self._is_over(point)

    def _is_over(self, point: Point) -> bool:
        plan = self.plan
        return (
            point.iteration >= plan.max_iterations
            or point.seconds >= plan.max_seconds
            or point.objective <= plan.target
        )


def _sequential(problem: Problem, penalty: Penalty, plan: Plan, w: Floats, recorder: _Recorder) -> None:
    """`cd` and `scgis`: sweeps over the weights with S_w and T_w kept."""
    rule, memory = (CD, plan.accelerate) if plan.solver == "cd" else (SCGIS, 0)
    state = problem.state(plan.store)
    state.refresh(w)
    iterates: list[Floats] = []
    every = _REFRESH
    while True:
        squares = state.sweep(rule, w, penalty, plan.search)
        iteration = len(recorder.trace) + 1
        # The first sweeps are far from the regime in which steps shrink by a constant factor.
        if memory and iteration > 2:
            iterates.append(w.copy())
        if memory and len(iterates) > memory:
            _extrapolate(recorder, state, iterates, w)
            iterates = []
        elif iteration % every == 0:
            every = 1 if _drift(state, w) > _LARGEST_DRIFT * problem.counts.sum() else _REFRESH
        objective = recorder.objective(w, state.log_partition(w))
        if recorder.record(w, objective, float(np.sqrt(squares)), is_exact=False):
            return


_REFRESH = 10
"""Sweeps between two computations of S_w from the weights."""
_LARGEST_DRIFT = 1e-5
"""Mean error of log T_w(x) that is taken as a sign to refresh after each sweep."""


def _drift(state: State, w: Floats) -> float:
    """Compute S_w and T_w afresh; return how far log T_w had drifted (products of many factors, floored scores)."""
    before = state.log_partition(w)
    state.refresh(w)
    return abs(state.log_partition(w) - before)


def _extrapolate(recorder: _Recorder, state: State, iterates: list[Floats], w: Floats) -> None:
    """Replace w by the affine combination of the iterates with the smallest residual, if that lowers the objective."""
    before = recorder.objective(w, state.log_partition(w))
    steps = [after - before for before, after in itertools.pairwise(iterates)]
    gram = np.array([[a @ b for a in steps] for b in steps])
    # A little of the identity keeps the system solvable when steps are parallel or 0.
    gram += (1e-12 * np.trace(gram) + np.finfo(float).tiny) * np.eye(len(gram))
    share = np.linalg.solve(gram, np.ones(len(gram)))
    w[:] = 0.0
    for part, iterate in zip(share / share.sum(), iterates[1:], strict=True):
        w += part * iterate
    state.refresh(w)
    if not recorder.objective(w, state.log_partition(w)) < before:
        w[:] = iterates[-1]
        state.refresh(w)


def _parallel(problem: Problem, penalty: Penalty, plan: Plan, w: Floats, recorder: _Recorder) -> None:
    """`gis` and `iis`: one pass over the samples gives every weight its own one-variable problem."""
    sharp = problem.sharp() or 1.0
    _, expected = problem.evaluate(w)
    while True:
        z = scaling_steps(expected, problem.observed, w, penalty.inverse_variance, sharp)
        w += _improved(problem, penalty, w, z) if plan.solver == "iis" else z
        log_partition, expected = problem.evaluate(w)
        norm = float(np.linalg.norm(penalty.gradient(expected - problem.observed, w)))
        if recorder.record(w, recorder.objective(w, log_partition), norm, is_exact=True):
            return


_IIS_PASSES = 4
"""Newton steps of one IIS iteration, each a pass over the samples."""


def _improved(problem: Problem, penalty: Penalty, w: Floats, z: Floats) -> Floats:
    """Return steps that lower IIS's bound: Newton's method from the steps of GIS, whose bound is above it.

    The best step seen is kept for each weight, so the bound, and with it the objective, never rises.
    """
    best, lowest = np.zeros(len(w)), np.zeros(len(w))
    for _ in range(_IIS_PASSES):
        value, slope, curvature = problem.scaling(w, z)
        value += penalty.inverse_variance * (w * z + 0.5 * z * z) - z * problem.observed
        slope += penalty.inverse_variance * (w + z) - problem.observed
        curvature += penalty.inverse_variance
        is_better = value < lowest
        best[is_better], lowest[is_better] = z[is_better], value[is_better]
        # Steps to the right overshoot (the derivative is convex): keep the exponential within reach.
        change = np.divide(-slope, curvature, out=np.zeros_like(z), where=curvature > 0.0)
        z = z + np.minimum(change, 1.0)
    return best


def _quasi_newton(problem: Problem, penalty: Penalty, plan: Plan, w: Floats, recorder: _Recorder) -> None:
    """`lbfgs`: SciPy's, stopped by our own test."""
    norms: dict[float, float] = {}

    def objective(weights: Floats) -> tuple[float, Floats]:
        log_partition, expected = problem.evaluate(weights)
        value = recorder.objective(weights, log_partition)
        gradient = penalty.gradient(expected - problem.observed, weights)
        norms[value] = float(np.linalg.norm(gradient))
        return value, gradient

    def after(intermediate_result: OptimizeResult) -> None:
        value = float(intermediate_result.fun)
        norm = norms[value]
        norms.clear()
        if recorder.record(intermediate_result.x.copy(), value, norm, is_exact=True):
            raise StopIteration

    value, gradient = objective(w)
    norm = float(np.linalg.norm(gradient))
    if recorder.relative_gap(value, norm) <= plan.tolerance:
        recorder.record(w, value, norm, is_exact=True)
        return
    minimize(
        objective,
        w,
        jac=True,
        method="L-BFGS-B",
        callback=after,
        options={"maxiter": plan.max_iterations, "maxfun": 100 * plan.max_iterations, "ftol": 0.0, "gtol": 0.0},
    )


_METHODS: dict[Solver, Callable[[Problem, Penalty, Plan, Floats, _Recorder], None]] = {
    "cd": _sequential,
    "scgis": _sequential,
    "gis": _parallel,
    "iis": _parallel,
    "lbfgs": _quasi_newton,
}
