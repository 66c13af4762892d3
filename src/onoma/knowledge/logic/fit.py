"""Embeddings that make facts and rules true: the objective, its gradient, and the descent.

Everything learnt from is a clause (`logic_calculus`): a fact is a clause without a body, a fact known to be false has
its head negated, an instance of a rule has a body. The objective is

    Σ_clauses weight · loss([F]) + l2/2 · ‖parameters‖²,

minimised by Adam over batches of clauses with analytic gradients. Atoms are embedded in one of two ways:

    constants  "pairs"     a pair of entities has a vector of its own (the paper)
               "entities"  x and y have complex vectors and the pair is (Re x ȳ, Im x ȳ), so that pairs never seen
                           together have a vector too, and chains over entities can be learnt (Trouillon et al., 2016)
    truth      "linear"    [R(p)] = [R] [p] with a matrix 2×k, and the loss ‖[F] − ⊤‖₂ (the paper)
               "logistic"  [R(p)] = (σ(r·p), σ(−r·p)) with a vector r, and the loss −log P(F)
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal as Choice
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit

from onoma.errors import SettingsError
from onoma.knowledge.logic.calculus import clauses, distance, surprise
from onoma.progress import SILENT, Progress

__all__ = ["ClauseBatch", "Clauses", "Parameters", "Plan", "descend", "objective", "read_out", "truths"]

Array = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Plan:
    """How to learn.

    Parameters
    ----------
    rank
        k, the length of a pair's vector; even for entities.
    constants, truth
        The embedding, as above.
    epochs, batches
        Passes over all clauses, and steps in each.
    rate, l2
        Step width of Adam, and what weighs against large parameters.
    n_negatives, negative_weight
        Random unknown facts taken to be false, drawn anew for each known fact in each epoch, and what they count
        together.
    rule_weight
        What an instance of a rule of weight 1 counts, a fact counting 1.
    rounds
        How long chains of rules are followed.
    start
        Length of the random vectors at the start: small ones lead to solutions of low rank, which generalise.
    at_once
        Clauses of one shape that are learnt from in an epoch: of more, so many are drawn anew for each epoch, and each
        counts for those that were not. None: all.
    """

    rank: int = 50
    constants: Choice["pairs", "entities"] = "entities"
    truth: Choice["linear", "logistic"] = "logistic"
    epochs: int = 200
    batches: int = 4
    rate: float = 0.05
    l2: float = 1e-3
    n_negatives: int = 4
    negative_weight: float = 1.0
    rule_weight: float = 1.0
    rounds: int = 2
    start: float = 1.0
    at_once: int | None = None

    def __post_init__(self) -> None:
        if self.rank < 1 or (self.constants == "entities" and self.rank % 2):
            raise SettingsError(f"rank is {self.rank}; it is 1 or more, and even where constants are entities")
        if min(self.epochs, self.batches) < 1 or self.rate <= 0 or min(self.l2, self.n_negatives, self.rule_weight) < 0:
            raise SettingsError("epochs and batches are 1 or more, rate is above 0, the other numbers are 0 or more")
        if self.at_once is not None and self.at_once < 1:
            raise SettingsError(f"at_once is {self.at_once}; it is 1 or more, or None")
        if self.constants not in ("pairs", "entities") or self.truth not in ("linear", "logistic"):
            raise SettingsError(f"constants {self.constants!r} or truth {self.truth!r} is not among the choices")


class Parameters(NamedTuple):
    """What is learnt."""

    relations: Array
    """relations × k, or relations × 2 × k where truth is linear."""
    constants: Array
    """pairs × k, or entities × k: real parts, then imaginary parts."""


@dataclass(frozen=True, eq=False)
class Clauses:
    """Clauses of one length and one pattern of negation: clauses × literals, the head last."""

    relations: Codes
    firsts: Codes
    """The pair, or the subject, of each literal."""
    seconds: Codes
    """The object of each literal; not read where constants are pairs."""
    negated: NDArray[np.bool_]
    """One flag a literal."""
    weights: Array

    def __len__(self) -> int:
        return len(self.weights)

    def take(self, rows: Codes) -> "Clauses":
        """Return some of the clauses."""
        return Clauses(self.relations[rows], self.firsts[rows], self.seconds[rows], self.negated, self.weights[rows])


ClauseBatch = Sequence[Clauses]


def truths(parameters: Parameters, plan: Plan, relations: Codes, firsts: Codes, seconds: Codes) -> Array:
    """Return the truth vectors of atoms, in the shape of the codes and 2."""
    p = _pairs(parameters, plan, firsts, seconds)
    if plan.truth == "linear":
        return np.asarray(np.einsum("...ok,...k->...o", parameters.relations[relations], p))
    score = np.einsum("...k,...k->...", parameters.relations[relations], p)
    return np.stack([expit(score), expit(-score)], axis=-1)


def read_out(truth: Array, plan: Plan) -> Array:
    """Return degrees of truth from 0 to 1: ([F]·[1, −1] + 1) / 2, cut to the interval."""
    if plan.truth == "logistic":
        return truth[..., 0]
    return np.clip((truth[..., 0] - truth[..., 1] + 1) / 2, 0.0, 1.0)


def objective(parameters: Parameters, plan: Plan, batch: ClauseBatch) -> tuple[float, Parameters]:
    """Return the weighted loss of clauses and its gradient; the penalty is not in it."""
    total = 0.0
    gradient = Parameters(np.zeros_like(parameters.relations), np.zeros_like(parameters.constants))
    for group in batch:
        if len(group):
            total += _add_group_inplace(parameters, plan, group, gradient)
    return total, gradient


def descend(
    parameters: Parameters,
    plan: Plan,
    fixed: Sequence[Clauses],
    draw: "Draw",
    rng: np.random.Generator,
    *,
    progress: Progress = SILENT,
) -> tuple[Parameters, list[float]]:
    """Minimise the objective by Adam; return the parameters and the loss of each epoch.

    Parameters
    ----------
    parameters
        Where to start.
    plan
        The settings.
    fixed
        Clauses that are the same in every epoch.
    draw
        Gives the clauses that are drawn anew in each epoch.
    rng
        For drawing and for the order.
    progress
        Where to show the epochs.
    """
    state = _Adam.start(parameters)
    trace = []
    n = sum(len(group) for group in fixed)
    with progress.task("learning", plan.epochs, "epochs") as task:
        for epoch in range(plan.epochs):
            loss = 0.0
            rate = plan.rate * (1 - epoch / plan.epochs)  # to 0, so that the last steps do not shake
            some = [_sample(group, plan.at_once, rng) for group in fixed]
            for batch in _batches([*some, *draw(rng)], plan.batches, rng):
                part, gradient = objective(parameters, plan, batch)
                loss += part
                # The penalty is per step what it would be in the sum over all clauses.
                share = plan.l2 / plan.batches
                full = Parameters(*(g + share * x for g, x in zip(gradient, parameters, strict=True)))
                parameters = state.step(parameters, full, rate)
            trace.append(loss / max(n, 1))
            task.advance(loss=trace[-1])
    return parameters, trace


class Draw:
    """Draws facts that are taken to be false: a known fact with another subject or another object, itself not known."""

    def __init__(self, positive: Clauses, n_firsts: int, plan: Plan) -> None:
        self.positive, self.n, self.plan = positive, n_firsts, plan
        self.known = np.unique(self._key(positive.relations, positive.firsts, positive.seconds))

    def __call__(self, rng: np.random.Generator) -> list[Clauses]:
        """Return the clauses of one epoch."""
        times = self.plan.n_negatives
        if not times or self.n < 2:
            return []
        positive = _sample(self.positive, self.plan.at_once, rng)
        relations, firsts, seconds = (
            np.repeat(codes, times, axis=0) for codes in (positive.relations, positive.firsts, positive.seconds)
        )
        other = rng.integers(self.n, size=firsts.shape)
        change_first = rng.random(firsts.shape) < (1.0 if self.plan.constants == "pairs" else 0.5)
        firsts, seconds = np.where(change_first, other, firsts), np.where(change_first, seconds, other)
        fresh = ~np.isin(self._key(relations, firsts, seconds)[:, 0], self.known)
        weights = np.repeat(positive.weights, times) * self.plan.negative_weight / times
        whole = Clauses(relations, firsts, seconds, ~positive.negated, weights)
        return [whole.take(np.flatnonzero(fresh))]

    def _key(self, relations: Codes, firsts: Codes, seconds: Codes) -> Codes:
        """Return one number a fact; a pair is known by itself."""
        last = np.zeros_like(seconds) if self.plan.constants == "pairs" else seconds
        return (relations * self.n + firsts) * self.n + last


class _Adam:
    """Adam (Kingma and Ba, 2015), its usual constants."""

    def __init__(self, first: Parameters, second: Parameters) -> None:
        self.first, self.second, self.n_steps = first, second, 0

    @classmethod
    def start(cls, parameters: Parameters) -> "_Adam":
        return cls(
            Parameters(*(np.zeros_like(x) for x in parameters)), Parameters(*(np.zeros_like(x) for x in parameters))
        )

    def step(self, parameters: Parameters, gradient: Parameters, rate: float) -> Parameters:
        self.n_steps += 1
        moved = []
        for x, g, m, v in zip(parameters, gradient, self.first, self.second, strict=True):
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            scale = np.sqrt(1 - 0.999**self.n_steps) / (1 - 0.9**self.n_steps)
            moved.append(x - rate * scale * m / (np.sqrt(v) + 1e-8))
        return Parameters(*moved)


def _sample(group: Clauses, at_once: int | None, rng: np.random.Generator) -> Clauses:
    """Return the clauses, or so many of them, each counting for the others."""
    if at_once is None or len(group) <= at_once:
        return group
    some = group.take(rng.choice(len(group), at_once, replace=False))
    return replace(some, weights=some.weights * (len(group) / at_once))


def _batches(groups: Sequence[Clauses], n_batches: int, rng: np.random.Generator) -> list[list[Clauses]]:
    """Return batches that hold an equal share of every group."""
    parts = [np.array_split(rng.permutation(len(group)), n_batches) for group in groups]
    return [[group.take(rows[at]) for group, rows in zip(groups, parts, strict=True)] for at in range(n_batches)]


def _pairs(parameters: Parameters, plan: Plan, firsts: Codes, seconds: Codes) -> Array:
    if plan.constants == "pairs":
        return parameters.constants[firsts]
    half = plan.rank // 2
    x, y = parameters.constants[firsts], parameters.constants[seconds]
    a, b, c, d = x[..., :half], x[..., half:], y[..., :half], y[..., half:]
    return np.concatenate([a * c + b * d, b * c - a * d], axis=-1)  # (a + ib)(c − id)


def _add_group_inplace(parameters: Parameters, plan: Plan, group: Clauses, gradient: Parameters) -> float:
    """Add the gradient of one group of clauses; return its loss."""
    p = _pairs(parameters, plan, group.firsts, group.seconds)
    literals = truths(parameters, plan, group.relations, group.firsts, group.seconds)
    found = clauses(literals, group.negated, distance if plan.truth == "linear" else surprise)
    outer = found.gradient * group.weights[:, None, None]
    flat = group.relations.ravel()
    if plan.truth == "linear":
        d_p = np.einsum("nlo,nlok->nlk", outer, parameters.relations[group.relations])
        d_r = np.einsum("nlo,nlk->nlok", outer, p)
    else:
        # t = σ(s), f = σ(−s): dt/ds = t f, df/ds = −t f.
        slope = literals[..., 0] * literals[..., 1] * (outer[..., 0] - outer[..., 1])
        d_p = slope[..., None] * parameters.relations[group.relations]
        d_r = slope[..., None] * p
    gradient.relations[...] += _scattered(d_r, flat, gradient.relations.shape)
    _add_pairs_inplace(parameters, plan, group, d_p, gradient.constants)
    return float(found.loss @ group.weights)


def _add_pairs_inplace(parameters: Parameters, plan: Plan, group: Clauses, d_p: Array, into: Array) -> None:
    if plan.constants == "pairs":
        into += _scattered(d_p, group.firsts.ravel(), into.shape)
        return
    half = plan.rank // 2
    x, y = parameters.constants[group.firsts], parameters.constants[group.seconds]
    a, b, c, d = x[..., :half], x[..., half:], y[..., :half], y[..., half:]
    u, v = d_p[..., :half], d_p[..., half:]
    into += _scattered(np.concatenate([u * c - v * d, u * d + v * c], axis=-1), group.firsts.ravel(), into.shape)
    into += _scattered(np.concatenate([u * a + v * b, u * b - v * a], axis=-1), group.seconds.ravel(), into.shape)


def _scattered(values: Array, rows: Codes, shape: tuple[int, ...]) -> Array:
    """Return the sums of values by row; a sparse product is many times faster than np.add.at."""
    flat = values.reshape(len(rows), -1)
    gather = sp.csc_array((np.ones(len(rows)), rows, np.arange(len(rows) + 1)), shape=(shape[0], len(rows)))
    return np.asarray(gather @ flat).reshape(shape)
