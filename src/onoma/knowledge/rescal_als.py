"""Alternating least squares for the factorisation X_k ≈ A R_k Aᵀ, with or without types.

The loss counts the cells that types allow, L_k × R_k for relation k (everything, for RESCAL):

    ½ Σ_k ‖X_k − A R_k Aᵀ‖²_{L_k × R_k}  +  λ/2 (‖A‖² + Σ_k ‖R_k‖²)

*Relations.* With G_l = A_lᵀA_l = V_l diag(s_l) V_lᵀ and G_r likewise, R_k = V_l (M ⊘ (s_l s_rᵀ + λ)) V_rᵀ where
M = V_lᵀ A_lᵀ X_k A_r V_r: exact, r³ instead of r⁶ (Chang et al., 2014).

*Entities.* Row i solves a_i S_i = n_i with

    n_i = Σ_k [i ∈ L_k] (X_k A R_kᵀ)_i + [i ∈ R_k] (X_kᵀ A R_k)_i
    S_i = Σ_k [i ∈ L_k] R_k G_r R_kᵀ + [i ∈ R_k] R_kᵀ G_l R_k + λ I

S_i is the same for all entities of a block (`types.Fit`), so one factorisation a block makes the solve exact. The paper
writes one inverse for all entities, with every relation in its sum (`solve="shared"`): that has other fixed points.

The step n_i S_i⁻¹ − a_i is a descent direction of the loss but may overshoot, because A stands on both sides of R_k. If
the loss rose, the step is halved until it does not: the loss never rises.

Cost. Entities are held block by block, so the Gram matrices of all sides come from one pass over A; everything else
touches only rows that have facts: Σ_k min(subjects_k, objects_k) r² + n r² + (relations + blocks) r³ an iteration.
Numbers of n × r are in the chosen precision, those of r × r in double.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from onoma.errors import SettingsError
from onoma.knowledge.facts import Facts
from onoma.knowledge.types import Fit
from onoma.progress import SILENT, Progress

__all__ = [
    "Layout",
    "Plan",
    "Point",
    "Problem",
    "Solution",
    "Sweep",
    "block_systems",
    "inverse",
    "relation_from",
    "side_grams",
    "side_terms",
    "solve",
    "sweep",
]

Matrix = NDArray[np.floating]
Double = NDArray[np.float64]

_CHUNK_BYTES = 1 << 27
"""How much of r × r matrices is held at once where they are needed one block after the other."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How to factorise.

    Parameters
    ----------
    rank
        Numbers per entity.
    regularisation
        λ.
    max_iterations, tolerance
        Stop after so many iterations, or when the loss falls by less than this share of itself.
    solve
        `"exact"`, or `"shared"` for the paper's one inverse for all entities.
    precision
        `"float32"` or `"float64"`, for all that grows with the number of entities.
    threads
        How many relations are worked on at once. The result does not depend on it. With more than one, or with types,
        BLAS is held to one thread: many small products are slower with the threads of its own.
    seed
        For the start, where it is random.
    """

    rank: int = 100
    regularisation: float = 0.1
    max_iterations: int = 10
    tolerance: float = 1e-4
    solve: str = "exact"
    precision: str = "float32"
    threads: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        if self.rank < 1 or self.max_iterations < 0 or self.threads < 1:
            raise SettingsError(
                f"rank {self.rank}, max_iterations {self.max_iterations}, threads {self.threads}: "
                "rank and threads are from 1 up, max_iterations from 0"
            )
        if not (np.isfinite(self.regularisation) and self.regularisation >= 0.0 and self.tolerance >= 0.0):
            raise SettingsError(
                f"regularisation is {self.regularisation}, tolerance {self.tolerance}; both are numbers from 0 up"
            )
        if self.solve not in ("exact", "shared"):
            raise SettingsError(f"solve is {self.solve!r}; it may be 'exact' or 'shared'")
        if self.precision not in ("float32", "float64"):
            raise SettingsError(f"precision is {self.precision!r}; it may be 'float32' or 'float64'")


class Point(NamedTuple):
    """Where an iteration arrived."""

    iteration: int
    loss: float
    step: float
    """1, or less where the full step would have raised the loss; 0: no step lowers it."""
    seconds: float


@dataclass(frozen=True, eq=False)
class Solution:
    """What the iterations led to: entities (n × r), relations (m × r × r) and how it went."""

    A: Matrix
    R: Double
    trace: list[Point]
    converged: bool


class Slice(NamedTuple):
    """The facts of one relation, reduced to the rows and columns that have any."""

    relation: int
    subjects: NDArray[np.int64]
    objects: NDArray[np.int64]
    X: sp.csr_array
    XT: sp.csr_array


class Sweep(NamedTuple):
    """Everything that one pass over the facts gives for one A: the best R, the loss, and the right-hand sides."""

    R: Double
    loss: float
    N: Matrix
    grams: Double


class Layout:
    """Entities in the order of their blocks, and the different sets of blocks that are sides of relations."""

    def __init__(self, fit: Fit) -> None:
        self.n_relations = len(fit.subjects)
        self.order = np.argsort(fit.block, kind="stable")
        self.place = np.empty_like(self.order)
        self.place[self.order] = np.arange(len(self.place))
        self.ends = np.concatenate([[0], np.cumsum(fit.sizes)])
        self.of_subjects, self.of_objects = fit.subjects, fit.objects
        self.sides, which = np.unique(np.vstack([fit.subjects, fit.objects]), axis=0, return_inverse=True)
        self.side_of_subjects, self.side_of_objects = np.split(which.reshape(-1), [self.n_relations])


class Problem:
    """The facts and the fit of types, laid out for the iterations."""

    def __init__(self, facts: Facts, fit: Fit, precision: str = "float64") -> None:
        self.layout = Layout(fit)
        self.dtype = np.dtype(precision)
        allowed = fit.allows(facts.triples)
        self.n_excluded = int(len(allowed) - allowed.sum())
        self.slices = [_slice(k, X, self.layout.place, self.dtype) for k, X in facts.keep(allowed).slices()]
        self.squares = float(np.sum(facts.probability[allowed] ** 2))


def _slice(k: int, X: sp.coo_array, place: NDArray[np.int64], dtype: np.dtype[np.floating]) -> Slice:
    subjects, rows = np.unique(place[X.row], return_inverse=True)
    objects, columns = np.unique(place[X.col], return_inverse=True)
    small = sp.csr_array((X.data.astype(dtype), (rows, columns)), shape=(len(subjects), len(objects)))
    return Slice(k, subjects, objects, small, small.T.tocsr())


def solve(
    problem: Problem,
    start: Matrix,
    plan: Plan,
    *,
    progress: Progress = SILENT,
    on_iteration: Callable[[Point, Matrix, Double], None] | None = None,
) -> Solution:
    """Iterate from a start (entities in the order of the facts).

    Parameters
    ----------
    problem, plan
        What to factorise, and how.
    start
        A, n × r.
    progress
        Where the work shows itself.
    on_iteration
        Called after every iteration with the point, A in the order of the blocks, and R.
    """
    clock = time.perf_counter()
    A = np.ascontiguousarray(start[problem.layout.order], problem.dtype)
    small = plan.threads > 1 or len(problem.layout.sides) > 1
    with (
        threadpool_limits(1 if small else None, user_api="blas"),
        progress.task("factorising", plan.max_iterations, "iterations") as shown,
    ):
        state = sweep(problem, A, plan)
        trace, converged = [Point(0, state.loss, 1.0, time.perf_counter() - clock)], False
        for iteration in range(1, plan.max_iterations + 1):
            A, state, step = _advance(problem, A, state, plan)
            trace.append(Point(iteration, state.loss, step, time.perf_counter() - clock))
            shown.advance(1, loss=state.loss)
            if on_iteration is not None:
                on_iteration(trace[-1], A, state.R)
            fall = trace[-2].loss - trace[-1].loss
            if step == 0.0 or 0.0 <= fall <= plan.tolerance * trace[-2].loss:
                converged = True
                break
    back = np.empty_like(A)
    back[problem.layout.order] = A
    return Solution(back, state.R, trace, converged)


def _advance(problem: Problem, A: Matrix, state: Sweep, plan: Plan) -> tuple[Matrix, Sweep, float]:
    """Take one step in A and the best R after it, shortened until the loss does not rise."""
    target = _solve_blocks(problem, state, plan)
    if plan.solve == "shared":
        return target, sweep(problem, target, plan), 1.0
    step = 1.0
    # Single precision cannot tell losses apart that differ by less.
    slack = 1e-6 * state.loss if problem.dtype == np.float32 else 1e-12 * state.loss
    while step >= 2.0**-20:
        tried = target if step == 1.0 else A + problem.dtype.type(step) * (target - A)
        after = sweep(problem, tried, plan)
        if after.loss <= state.loss + slack:
            return tried, after, step
        step /= 2.0
    return A, state, 0.0


def sweep(problem: Problem, A: Matrix, plan: Plan) -> Sweep:
    """Return the best R for this A, the loss there, and the right-hand sides of the next step."""
    layout = problem.layout
    grams = side_grams(layout, A)
    eigen = [found for _, found in _ordered(np.linalg.eigh, grams, plan.threads)]
    lam = plan.regularisation
    R = np.zeros((layout.n_relations, A.shape[1], A.shape[1]))
    N = np.zeros_like(A)
    loss = 0.5 * problem.squares + 0.5 * lam * _sum_of_squares(A)

    def work(piece: Slice) -> tuple[Double, float, Matrix, Matrix]:
        left, right = A[piece.subjects], A[piece.objects]
        few_subjects = len(piece.subjects) <= len(piece.objects)
        # The sparse product on the side that has fewer rows afterwards: W is X right, or Xᵀ left.
        W = piece.X @ right if few_subjects else piece.XT @ left
        M = left.T @ W if few_subjects else W.T @ right
        sides = layout.side_of_subjects[piece.relation], layout.side_of_objects[piece.relation]
        R_k, change = relation_from(M.astype(np.float64), eigen[sides[0]], eigen[sides[1]], lam)
        small = R_k.astype(A.dtype)
        if few_subjects:
            return R_k, change, W @ small.T, piece.XT @ (left @ small)
        return R_k, change, piece.X @ (right @ small.T), W @ small

    for piece, (R_k, change, to_subjects, to_objects) in _ordered(work, problem.slices, plan.threads):
        R[piece.relation] = R_k
        loss += change
        N[piece.subjects] += to_subjects
        N[piece.objects] += to_objects
    return Sweep(R, loss, N, grams)


def relation_from(
    M: Double, left: tuple[Double, Double], right: tuple[Double, Double], lam: float
) -> tuple[Double, float]:
    """Return the R that minimises ½‖X − A_l R A_rᵀ‖² + λ/2 ‖R‖², and that minimum less ½‖X‖².

    Parameters
    ----------
    M
        A_lᵀ X A_r.
    left, right
        Eigenvalues and eigenvectors of A_lᵀA_l and of A_rᵀA_r.
    lam
        λ; with 0, directions that A does not have stay 0.
    """
    (s_l, V_l), (s_r, V_r) = left, right
    M1 = V_l.T @ M @ V_r
    M2 = np.outer(s_l, s_r) + lam
    floor = 1e-12 * max(float(np.max(np.abs(M2))), np.finfo(np.float64).tiny)
    P = np.divide(M1, M2, out=np.zeros_like(M1), where=floor < M2)
    return V_l @ P @ V_r.T, float(-0.5 * np.sum(M1 * P))


def _sum_of_squares(A: Matrix) -> float:
    """Return ‖A‖², a few rows at a time: hundreds of millions of single-precision numbers do not add up in one go."""
    return sum(float(np.vdot(part, part)) for part in (A[i : i + 1024] for i in range(0, len(A), 1024)))


def side_grams(layout: Layout, A: Matrix) -> Double:
    """Return A_sᵀA_s for every different side s, from the Gram matrices of blocks; A is in the order of the blocks."""
    n_blocks, rank = len(layout.ends) - 1, A.shape[1]
    grams = np.zeros((len(layout.sides), rank * rank))
    used = np.asarray(layout.sides.any(axis=0))
    flags = layout.sides.astype(np.float64)
    for chunk in _chunks(n_blocks, rank):
        stack = np.zeros((len(chunk), rank, rank))
        for place, b in enumerate(chunk):
            if used[b]:
                rows = A[layout.ends[b] : layout.ends[b + 1]]
                stack[place] = rows.T @ rows
        grams += flags[:, chunk.start : chunk.stop] @ stack.reshape(len(chunk), -1)
    return grams.reshape(-1, rank, rank)


def _chunks(n_blocks: int, rank: int) -> Iterator[range]:
    size = max(1, _CHUNK_BYTES // (8 * rank * rank))
    return (range(start, min(start + size, n_blocks)) for start in range(0, n_blocks, size))


def _solve_blocks(problem: Problem, state: Sweep, plan: Plan) -> Matrix:
    """Return N S⁻¹, block by block."""
    layout, A = problem.layout, np.empty_like(state.N)
    terms = side_terms(layout, state.R, state.grams, plan.threads)
    of_subjects, of_objects, ends = layout.of_subjects, layout.of_objects, layout.ends
    if plan.solve == "shared":
        of_subjects = of_objects = np.ones((layout.n_relations, 1), np.bool_)
        ends = np.array([0, len(A)])

    def work(system: tuple[int, Double]) -> None:
        b, S = system
        rows = slice(ends[b], ends[b + 1])
        A[rows] = state.N[rows] @ inverse(S, plan.regularisation).astype(A.dtype)

    for _ in _ordered(work, block_systems(terms, of_subjects, of_objects, plan.regularisation), plan.threads):
        pass
    return A


def side_terms(layout: Layout, R: Double, grams: Double, threads: int = 1) -> tuple[Double, Double]:
    """Return what each relation adds to S of its subjects, R_k G_r R_kᵀ, and of its objects, R_kᵀ G_l R_k."""
    B, C = np.empty_like(R), np.empty_like(R)

    def work(k: int) -> None:
        B[k] = R[k] @ grams[layout.side_of_objects[k]] @ R[k].T
        C[k] = R[k].T @ grams[layout.side_of_subjects[k]] @ R[k]

    for _ in _ordered(work, range(layout.n_relations), threads):
        pass
    return B, C


def block_systems(
    terms: tuple[Double, Double], of_subjects: NDArray[np.bool_], of_objects: NDArray[np.bool_], lam: float
) -> Iterator[tuple[int, Double]]:
    """Yield S for each block, given what relations add and whose subjects (objects) it may be: relations by blocks."""
    rank = terms[0].shape[1]
    B, C = (term.reshape(-1, rank * rank) for term in terms)
    for chunk in _chunks(of_subjects.shape[1], rank):
        columns = slice(chunk.start, chunk.stop)
        sums = of_subjects[:, columns].T.astype(np.float64) @ B + of_objects[:, columns].T.astype(np.float64) @ C
        for place, b in enumerate(chunk):
            yield b, sums[place].reshape(rank, rank) + lam * np.eye(rank)


def inverse(S: Double, lam: float) -> Double:
    """Return S⁻¹; with λ = 0, the pseudo-inverse, for S may be singular."""
    if lam == 0.0:
        return np.asarray(scipy.linalg.pinvh(S))
    factor = scipy.linalg.cho_factor(S, lower=True)
    return np.asarray(scipy.linalg.cho_solve(factor, np.eye(len(S))))


Item = TypeVar("Item")
Made = TypeVar("Made")


def _ordered(work: Callable[[Item], Made], items: Iterable[Item], threads: int) -> Iterator[tuple[Item, Made]]:
    """Yield each item with what the work makes of it, in order; a few ahead are worked on by other threads."""
    if threads == 1:
        for item in items:
            yield item, work(item)
        return
    with ThreadPoolExecutor(threads) as pool:
        ahead: list[tuple[Item, Future[Made]]] = []
        for item in items:
            ahead.append((item, pool.submit(work, item)))
            if len(ahead) > 2 * threads:
                first, future = ahead.pop(0)
                yield first, future.result()
        for first, future in ahead:
            yield first, future.result()
