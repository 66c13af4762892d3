"""Metropolis–Hastings with any proposal: change the world a little, keep the change or take it back.

A proposed change is accepted with probability min(1, exp(d_log_score / τ + log_q_ratio)): the temperature divides the
model's score and not the proposal's ratio (Metropolis et al. 1953; Hastings 1970). Cost: whatever proposing costs.

This file runs proposals written in Python, on worlds of any kind. On a compiled graph, `Chains` runs the two built-in
proposals as compiled sweeps.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from onoma.errors import SettingsError
from onoma.mcmc._chain_arrays import METROPOLIS, Moves
from onoma.mcmc.minibatch import Poisson
from onoma.mcmc.proposals import Proposal, ProposalFn, WorldChange
from onoma.mcmc.schedules import Constant, Schedule
from onoma.mcmc.subsampling import Exact, Strategy
from onoma.mcmc.trace import Trace
from onoma.numerics.rng import stream

__all__ = ["Metropolis", "MetropolisInfo", "MetropolisState", "Search", "build_kernel", "init", "search"]

AnyWorld = TypeVar("AnyWorld")


class MetropolisState(NamedTuple, Generic[AnyWorld]):
    """What the next step needs."""

    world: AnyWorld  # owned by the chain, changed in place
    log_score: float


class MetropolisInfo(NamedTuple, Generic[AnyWorld]):
    """What an observer may want; never read by the next step."""

    proposal: Proposal[AnyWorld]
    log_accept: float
    is_accepted: bool


StepFn = Callable[
    [np.random.Generator, MetropolisState[AnyWorld], float], tuple[MetropolisState[AnyWorld], MetropolisInfo[AnyWorld]]
]
"""step(rng, state, temperature) -> (state, info)"""


@dataclass(frozen=True)
class Metropolis:
    """Compiled Metropolis–Hastings on a graph: uniform flips of one variable, and of pairs that share a factor.

    Parameters
    ----------
    pair_share
        The share of pair proposals; below 1, as pairs alone do not reach every world.
    scoring
        How many factors to look at: `Exact`, `Uniform`, `Confidence` or `Adaptive`.
    """

    pair_share: float = 0.0
    scoring: Strategy = Exact()

    def __post_init__(self) -> None:
        if not 0.0 <= self.pair_share < 1.0:
            raise SettingsError(f"pair_share is {self.pair_share}; allowed is 0 up to, not including, 1")
        if isinstance(self.scoring, Poisson):
            raise SettingsError(
                "Poisson minibatches draw a value given counts, which Metropolis–Hastings does not do",
                hint="Use Gibbs(scoring=Poisson()).",
            )

    def moves(self) -> Moves:
        """Return the sampler as numbers."""
        return Moves(METROPOLIS, float(self.pair_share))


def init(world: AnyWorld, log_score: float) -> MetropolisState[AnyWorld]:
    """Return the state of a chain that owns the world from now on."""
    return MetropolisState(world, log_score)


def build_kernel(propose: ProposalFn[AnyWorld]) -> StepFn[AnyWorld]:
    """Return step(rng, state, temperature), which proposes once and decides.

    Examples
    --------
    >>> from onoma.graph.factor_graph import FactorGraph
    >>> from onoma.mcmc.proposals import flips
    >>> graph = FactorGraph()
    >>> graph.variable("coin", ["heads", "tails"])
    >>> graph.factor(["coin"], [0.0, -np.inf])
    >>> compiled = graph.compile()
    >>> state, info = build_kernel(flips(compiled))(stream(7), init(compiled.world(), 0.0), 1.0)
    >>> info.log_accept, info.is_accepted
    (-inf, False)
    """

    def step(
        rng: np.random.Generator, state: MetropolisState[AnyWorld], temperature: float
    ) -> tuple[MetropolisState[AnyWorld], MetropolisInfo[AnyWorld]]:
        proposal = propose(rng, state.world)
        log_accept = proposal.d_log_score / temperature + proposal.log_q_ratio
        is_accepted = log_accept >= 0.0 or rng.random() < math.exp(log_accept)
        if is_accepted:
            proposal.change.apply_inplace(state.world)
            state = MetropolisState(state.world, state.log_score + proposal.d_log_score)
        return state, MetropolisInfo(proposal, log_accept, is_accepted)

    return step


@dataclass(frozen=True)
class Search(Generic[AnyWorld]):
    """What a search left: the world, put back to the best one seen, its log score, and the trace."""

    world: AnyWorld
    log_score: float
    last_log_score: float
    trace: pa.Table


def search(
    propose: ProposalFn[AnyWorld],
    state: MetropolisState[AnyWorld],
    *,
    n_steps: int,
    seed: int,
    schedule: Schedule = Constant(),
    every: int | None = None,
) -> Search[AnyWorld]:
    """Run Metropolis–Hastings and go back to the best world seen; `every` so many steps give a row of the trace.

    The accepted changes since the best world are remembered, and undone at the end: no world is copied.
    """
    step, rng, trace = build_kernel(propose), stream(seed, "search"), Trace()
    temperatures = schedule.temperatures(0, n_steps)
    every = max(1, n_steps // 100) if every is None else every
    best, since_best = state.log_score, list[WorldChange[AnyWorld]]()
    n_factors = n_accepted = 0
    started = time.perf_counter()
    for t in range(n_steps):
        state, info = step(rng, state, float(temperatures[t]))
        n_factors += info.proposal.n_factors
        if info.is_accepted:
            n_accepted += 1
            since_best.append(info.proposal.change)
            if state.log_score > best:
                best = state.log_score
                since_best.clear()
        if (t + 1) % every == 0:
            seconds = time.perf_counter() - started
            trace.add(0, t + 1, temperatures[t], state.log_score, best, n_factors, t + 1, n_accepted, seconds)
    for change in reversed(since_best):
        change.undo_inplace(state.world)
    return Search(state.world, best, state.log_score, trace.table())
