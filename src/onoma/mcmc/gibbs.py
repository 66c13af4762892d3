"""Gibbs sampling on a compiled graph: draw one variable given all others, again and again.

p(y_i = v | the rest) ∝ exp( Σ_{f at i} f(v, the rest) / τ ). Cost of an update: the factors at i, each under every
value of i, or as many of them as the scoring strategy looks at (Geman and Geman 1984; Singh, Wick and McCallum 2012).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError, SettingsError
from onoma.graph.changes import World
from onoma.graph.compiled import CompiledGraph
from onoma.mcmc._chain_arrays import FACTORS, RANDOM, SYSTEMATIC, ChainArrays, Moves, new_scratch
from onoma.mcmc._gibbs_kernels import gibbs_update
from onoma.mcmc.minibatch import Poisson, no_minibatch, prepare
from onoma.mcmc.subsampling import Exact, Strategy

__all__ = ["Gibbs", "GibbsInfo", "GibbsState", "build_kernel", "init"]


class GibbsState(NamedTuple):
    """What the next step needs."""

    world: World  # owned by the chain, changed in place
    log_score: float  # NaN once factors have been sampled: not known


class GibbsInfo(NamedTuple):
    """What an observer may want; never read by the next step."""

    variable: int
    old: int
    new: int
    n_factors: int


StepFn = Callable[[NDArray[np.uint64], GibbsState, int, float], tuple[GibbsState, GibbsInfo]]
"""step(rng_state, state, variable, temperature) -> (state, info)"""


@dataclass(frozen=True)
class Gibbs:
    """Gibbs sampling: the free variables in order ("systematic"), or as many drawn at random ("random").

    Parameters
    ----------
    scan
        Systematic scans mix at least as fast in most graphs; random scans are reversible.
    scoring
        How many factors to look at: `Exact`, `Uniform`, `Confidence`, `Adaptive` or `Poisson`.
    """

    scan: Literal["systematic", "random"] = "systematic"
    scoring: Strategy = Exact()

    def __post_init__(self) -> None:
        if self.scan not in ("systematic", "random"):
            raise SettingsError(f"scan is {self.scan!r}; allowed: 'systematic', 'random'")

    def moves(self) -> Moves:
        """Return the sampler as numbers."""
        return Moves(SYSTEMATIC if self.scan == "systematic" else RANDOM, 0.0)


def init(world: World, graph: CompiledGraph) -> GibbsState:
    """Return the state of a chain that starts from a copy of a world, which must not be forbidden."""
    world = graph.check_world(world).copy()
    log_score = graph.log_score(world)
    if log_score == -np.inf:
        raise DataError("the starting world is forbidden", hint="`allowed_world` finds one that is not.")
    return GibbsState(world, log_score)


def build_kernel(graph: CompiledGraph, scoring: Strategy = Exact()) -> StepFn:
    """Return step(rng_state, state, variable, temperature), one compiled update; `Adaptive` stays at its start.

    Examples
    --------
    >>> from onoma.graph.factor_graph import FactorGraph
    >>> from onoma.numerics.rng import kernel_state
    >>> graph = FactorGraph()
    >>> graph.variable("coin", ["heads", "tails"])
    >>> graph.factor(["coin"], [0.0, -np.inf])
    >>> compiled = graph.compile()
    >>> step = build_kernel(compiled)
    >>> step(kernel_state(7), init(compiled.world(), compiled), 0, 1.0)[1]
    GibbsInfo(variable=0, old=0, new=0, n_factors=1)
    """
    plan, scratch = scoring.plan(), new_scratch(graph.arrays)
    minibatch = prepare(graph) if isinstance(scoring, Poisson) else no_minibatch()
    proportion = float(scoring.proportions(0, 1)[0])
    tally, nothing = np.zeros(4, np.int64), np.zeros(2)

    def step(
        rng_state: NDArray[np.uint64], state: GibbsState, variable: int, temperature: float
    ) -> tuple[GibbsState, GibbsInfo]:
        old = int(state.world[variable])
        tally[FACTORS] = 0
        chain = ChainArrays(state.world, state.world, rng_state, tally, nothing)
        n, d_log_score = gibbs_update(graph.arrays, plan, proportion, minibatch, chain, variable, temperature, scratch)
        if n:
            log_score = state.log_score + d_log_score if isinstance(scoring, Exact) else float("nan")
            state = GibbsState(state.world, log_score)
        return state, GibbsInfo(variable, old, int(state.world[variable]), int(chain.tally[FACTORS]))

    return step
