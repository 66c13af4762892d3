"""A proposal is data: the change, what it does to the score, and how likely it was to be made either way.

Inference, learning from ranked pairs of worlds, and whoever wants to look at a chain all read the same object. The two
proposals here are the Python form of those compiled in `chains.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from onoma.graph.changes import Change, World
from onoma.graph.compiled import CompiledGraph

__all__ = ["Proposal", "ProposalFn", "WorldChange", "flips", "pair_flips"]

AnyWorld = TypeVar("AnyWorld")
AnyWorldIn = TypeVar("AnyWorldIn", contravariant=True)


class WorldChange(Protocol[AnyWorldIn]):
    """Something that can be done to a world, and undone; the only writer of a world."""

    def apply_inplace(self, world: AnyWorldIn) -> None:
        """Make the change."""

    def undo_inplace(self, world: AnyWorldIn) -> None:
        """Take the change back."""


@dataclass(frozen=True)
class Proposal(Generic[AnyWorld]):
    """A change that may be made.

    Attributes
    ----------
    change
        What to do to the world. "No change" is a legal outcome of proposing; it is a change that does nothing.
    d_log_score
        log_score(after) - log_score(before), exact or estimated.
    log_q_ratio
        log q(before | after) - log q(after | before): backward less forward.
    d_objective
        The same difference for whatever the world is to be good at, where it is known (learning).
    n_factors
        How many factors were scored.
    """

    change: WorldChange[AnyWorld]
    d_log_score: float
    log_q_ratio: float = 0.0
    d_objective: float | None = None
    n_factors: int = 0


ProposalFn = Callable[[np.random.Generator, AnyWorld], Proposal[AnyWorld]]
"""propose(rng, world) -> Proposal; leaves the world as it was."""


def flips(graph: CompiledGraph) -> ProposalFn[World]:
    """Propose another value, uniformly, for a free variable, uniformly: symmetric."""
    free, n_values = graph.arrays.free, graph.arrays.n_values

    def propose(rng: np.random.Generator, world: World) -> Proposal[World]:
        variable = int(free[rng.integers(len(free))])
        return _scored(graph, world, Change.of(world, {variable: _other(rng, world, variable, n_values[variable])}))

    return propose


def pair_flips(graph: CompiledGraph) -> ProposalFn[World]:
    """Propose other values for two free variables of one factor: symmetric; does not reach every world by itself."""
    is_free = np.zeros(graph.n_variables, dtype=np.bool_)
    is_free[graph.arrays.free] = True
    scopes = [graph.factor_variables(factor) for factor in range(graph.n_factors)]
    scopes = [scope[is_free[scope]] for scope in scopes]
    scopes = [scope for scope in scopes if len(scope) >= 2]

    def propose(rng: np.random.Generator, world: World) -> Proposal[World]:
        scope = scopes[rng.integers(len(scopes))]
        pair = [int(variable) for variable in rng.choice(scope, size=2, replace=False)]
        values = {v: _other(rng, world, v, graph.arrays.n_values[v]) for v in pair}
        return _scored(graph, world, Change.of(world, values))

    return propose


def _other(rng: np.random.Generator, world: World, variable: int, n_values: int) -> int:
    value = int(rng.integers(n_values - 1))
    return value + (value >= world[variable])


def _scored(graph: CompiledGraph, world: World, change: Change) -> Proposal[World]:
    factors, d_scores = graph.touched(world, change)
    return Proposal(change, float(np.sum(d_scores)), n_factors=len(factors))
