"""Kernels of `metropolis.py`: a proposal on a compiled graph, its score from all factors or some, the decision."""

import numpy as np
from numpy.typing import NDArray

from onoma.graph._graph_kernels import GraphArrays, edge_cell, edge_change
from onoma.mcmc._chain_arrays import FACTORS, PROPOSALS, ChainArrays, Moves, Scratch
from onoma.mcmc._subsampling_kernels import EXACT, ScoringPlan, wants_more
from onoma.numerics.kernels import lean
from onoma.numerics.rng import below, uniform
from onoma.numerics.sampling import draw_next_inplace, put_back_inplace


@lean
def _is_free(graph: GraphArrays, variable: int) -> bool:
    place = np.searchsorted(graph.free, variable)
    return bool(place < len(graph.free) and graph.free[place] == variable)


@lean
def propose_inplace(
    graph: GraphArrays, moves: Moves, rng_state: NDArray[np.uint64], world: NDArray[np.int32], scratch: Scratch
) -> int:
    """Fill scratch.variables and scratch.values with one or two variables' new values; return how many.

    A flip takes a free variable and another of its values, all equally likely. A pair takes a factor, two of its free
    variables, and another value for each. The choice of variables does not depend on the world, so proposals are
    symmetric: log_q_ratio = 0.
    """
    n = 1
    if moves.pair_share > 0.0 and len(scratch.coupled) > 0 and uniform(rng_state) < moves.pair_share:
        factor = scratch.coupled[below(rng_state, len(scratch.coupled))]
        first, arity = graph.factor_offsets[factor], graph.factor_offsets[factor + 1] - graph.factor_offsets[factor]
        n = 0
        while n < 2:
            variable = graph.factor_variables[first + below(rng_state, arity)]
            if _is_free(graph, variable) and (n == 0 or variable != scratch.variables[0]):
                scratch.variables[n] = variable
                n += 1
    else:
        scratch.variables[0] = graph.free[below(rng_state, len(graph.free))]
    for c in range(n):
        variable = scratch.variables[c]
        value = below(rng_state, int(graph.n_values[variable]) - 1)
        scratch.values[c] = value + 1 if value >= world[variable] else value
    return n


@lean
def _edge_d_score(graph: GraphArrays, world: NDArray[np.int32], scratch: Scratch, n: int, edge: int) -> float:
    """Return the change of an edge's factor, shared out among its edges to changed variables.

    A factor between both variables of a pair stands in both their lists, with half its change in each: the list sums to
    d_log_score, and a uniform sample of the list needs no search for doubles.
    """
    if n == 1:
        cell, stride = edge_cell(graph, world, edge), np.int64(graph.edge_strides[edge])
        old, new = world[scratch.variables[0]], scratch.values[0]
        return graph.cells[cell + new * stride] - graph.cells[cell + old * stride]
    before, after, times = edge_change(graph, world, edge, scratch.variables, scratch.values)
    return (graph.cells[after] - graph.cells[before]) / times


@lean
def _sampled_d_score(
    graph: GraphArrays,
    plan: ScoringPlan,
    proportion: float,
    rng_state: NDArray[np.uint64],
    world: NDArray[np.int32],
    n: int,
    scratch: Scratch,
) -> tuple[float, int]:
    """Estimate the soft factors' change from a sample without replacement; return it and how many were scored."""
    first = graph.edge_offsets[scratch.variables[0]] + graph.n_hard[scratch.variables[0]]
    n_first = graph.edge_offsets[scratch.variables[0] + 1] - first
    second = n_edges = n_first
    if n == 2:
        second = graph.edge_offsets[scratch.variables[1]] + graph.n_hard[scratch.variables[1]]
        n_edges = n_first + graph.edge_offsets[scratch.variables[1] + 1] - second
    k, mean, squares = 0, 0.0, 0.0
    while wants_more(plan, proportion, k, n_edges, squares):
        item = draw_next_inplace(rng_state, scratch.deck, k, n_edges)
        edge = first + item if item < n_first else second + item - n_first
        d_score = _edge_d_score(graph, world, scratch, n, edge)
        k += 1
        step = d_score - mean
        mean += step / k
        squares += step * (d_score - mean)
    put_back_inplace(scratch.deck, k)
    return n_edges * mean, k


@lean
def score_proposal(
    graph: GraphArrays,
    plan: ScoringPlan,
    proportion: float,
    rng_state: NDArray[np.uint64],
    world: NDArray[np.int32],
    n: int,
    scratch: Scratch,
) -> tuple[float, int]:
    """Return the proposal's d_log_score (hard factors always, others as planned) and how many factors were scored."""
    total, n_scored = 0.0, 0
    for c in range(n):
        variable = scratch.variables[c]
        first, last = graph.edge_offsets[variable], graph.edge_offsets[variable + 1]
        if plan.kind != EXACT:
            last = first + graph.n_hard[variable]
        for edge in range(first, last):
            total += _edge_d_score(graph, world, scratch, n, edge)
        n_scored += last - first
    if plan.kind != EXACT and total > -np.inf:
        estimate, k = _sampled_d_score(graph, plan, proportion, rng_state, world, n, scratch)
        total += estimate
        n_scored += k
    return total, n_scored


@lean
def metropolis_update(
    graph: GraphArrays,
    plan: ScoringPlan,
    proportion: float,
    moves: Moves,
    chain: ChainArrays,
    temperature: float,
    scratch: Scratch,
) -> tuple[int, float]:
    """Propose, score, accept or reject; return how many variables changed (0, 1 or 2) and d_log_score.

    After a change scratch.values holds the old values.
    """
    world = chain.world
    n = propose_inplace(graph, moves, chain.rng_state, world, scratch)
    d_log_score, n_scored = score_proposal(graph, plan, proportion, chain.rng_state, world, n, scratch)
    chain.tally[FACTORS] += n_scored
    chain.tally[PROPOSALS] += 1
    # Accept with probability min(1, exp(d/τ)); the proposals are symmetric.
    if uniform(chain.rng_state) >= np.exp(min(0.0, d_log_score / temperature)):
        return 0, 0.0
    for c in range(n):
        variable = scratch.variables[c]
        world[variable], scratch.values[c] = scratch.values[c], world[variable]
    return n, d_log_score
