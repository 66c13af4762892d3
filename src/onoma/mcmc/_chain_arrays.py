"""What the kernels of a chain on a compiled graph pass around."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from onoma.graph._graph_kernels import GraphArrays
from onoma.numerics.sampling import Deck, new_deck

SYSTEMATIC, RANDOM, METROPOLIS = 0, 1, 2
SWEEPS, FACTORS, PROPOSALS, ACCEPTED = 0, 1, 2, 3


class ChainArrays(NamedTuple):
    """The state of a chain, changed in place."""

    world: NDArray[np.int32]
    best_world: NDArray[np.int32]
    rng_state: NDArray[np.uint64]
    tally: NDArray[np.int64]  # [4] sweeps done, factors scored, updates proposed, updates that changed the world
    log_scores: NDArray[np.float64]  # [2] of the world (NaN: not known, factors being sampled), of the best world


class Scratch(NamedTuple):
    """Working space of one thread."""

    scores: NDArray[np.float64]  # [largest domain], as are the next three
    log_weights: NDArray[np.float64]
    means: NDArray[np.float64]
    squares: NDArray[np.float64]
    deck: Deck
    variables: NDArray[np.int32]  # [2] a proposal
    values: NDArray[np.int32]
    journal_variables: NDArray[np.int32]  # changes since the sweep began, to find the way back to its best world
    journal_values: NDArray[np.int32]
    coupled: NDArray[np.int32]  # the factors that look at two free variables or more


class Moves(NamedTuple):
    """How updates are chosen."""

    kind: int
    pair_share: float


class Keep(NamedTuple):
    """Which worlds are kept, after how many sweeps, and where."""

    burn_in: int
    thin: int
    worlds: NDArray[np.int32]
    n_factors: NDArray[np.int64]


def new_scratch(graph: GraphArrays) -> Scratch:
    """Return working space for a graph."""
    largest = int(graph.n_values.max())
    degree = int(np.diff(graph.edge_offsets).max(initial=0))
    is_free = np.isin(graph.factor_variables, graph.free)
    factor = np.repeat(np.arange(len(graph.cell_offsets)), np.diff(graph.factor_offsets))
    n_free = np.bincount(factor[is_free], minlength=len(graph.cell_offsets))
    return Scratch(
        np.zeros(largest),
        np.zeros(largest),
        np.zeros(largest),
        np.zeros(largest),
        new_deck(2 * degree),  # a pair's factors are drawn together
        np.zeros(2, np.int32),
        np.zeros(2, np.int32),
        np.zeros(2 * len(graph.free), np.int32),
        np.zeros(2 * len(graph.free), np.int32),
        np.flatnonzero(n_free >= 2).astype(np.int32),
    )


def new_chain(world: NDArray[np.int32], log_score: float, rng_state: NDArray[np.uint64]) -> ChainArrays:
    """Return the state of a chain that starts from a world."""
    return ChainArrays(
        world.copy(), world.copy(), rng_state, np.zeros(4, np.int64), np.array([log_score, log_score], dtype=np.float64)
    )
