"""Kernels of `gibbs.py`: one variable drawn given all others, from all factors or some."""

import numpy as np
from numpy.typing import NDArray

from onoma.graph._graph_kernels import GraphArrays, edge_cell
from onoma.mcmc._chain_arrays import FACTORS, PROPOSALS, ChainArrays, Scratch
from onoma.mcmc._minibatch_kernels import MinibatchArrays, add_poisson_weights_inplace, batch_size
from onoma.mcmc._subsampling_kernels import EXACT, POISSON, PROPORTION, ScoringPlan, sample_size, wants_more
from onoma.numerics.kernels import lean
from onoma.numerics.logspace import draw_log_inplace
from onoma.numerics.rng import uniform
from onoma.numerics.sampling import draw_next_inplace, put_back_inplace


@lean
def _add_scores_inplace(
    graph: GraphArrays, world: NDArray[np.int32], first: int, last: int, n: int, scores: NDArray[np.float64]
) -> None:
    """Add the scores of edges first…last-1 under each of their variable's n values."""
    for edge in range(first, last):
        cell, stride = edge_cell(graph, world, edge), np.int64(graph.edge_strides[edge])
        for x in range(n):
            scores[x] += graph.cells[cell + x * stride]


@lean
def _add_sampled_scores_inplace(
    graph: GraphArrays,
    plan: ScoringPlan,
    proportion: float,
    rng_state: NDArray[np.uint64],
    world: NDArray[np.int32],
    first: int,
    last: int,
    n: int,
    scratch: Scratch,
) -> int:
    """Add n_factors × the mean score of sampled edges under each value; return how many were scored."""
    means, squares, n_edges = scratch.means, scratch.squares, last - first
    for x in range(n):
        means[x] = 0.0
        squares[x] = 0.0
    k, widest = 0, 0.0
    while wants_more(plan, proportion, k, n_edges, widest):
        edge = first + draw_next_inplace(rng_state, scratch.deck, k, n_edges)
        cell, stride = edge_cell(graph, world, edge), np.int64(graph.edge_strides[edge])
        k += 1
        widest = 0.0
        for x in range(n):
            score = graph.cells[cell + x * stride]
            step = score - means[x]
            means[x] += step / k
            squares[x] += step * (score - means[x])
            widest = max(widest, squares[x])
    put_back_inplace(scratch.deck, k)
    for x in range(n):
        scratch.scores[x] += n_edges * means[x]
    return k


@lean
def _add_proportion_scores_inplace(
    graph: GraphArrays,
    proportion: float,
    rng_state: NDArray[np.uint64],
    world: NDArray[np.int32],
    first: int,
    last: int,
    n: int,
    scratch: Scratch,
) -> int:
    """Do the same for a fixed proportion, which needs no variances."""
    sums, n_edges = scratch.means, last - first
    for x in range(n):
        sums[x] = 0.0
    size = sample_size(n_edges, proportion)
    for k in range(size):
        edge = first + draw_next_inplace(rng_state, scratch.deck, k, n_edges)
        cell, stride = edge_cell(graph, world, edge), np.int64(graph.edge_strides[edge])
        for x in range(n):
            sums[x] += graph.cells[cell + x * stride]
    put_back_inplace(scratch.deck, size)
    for x in range(n):
        scratch.scores[x] += sums[x] * n_edges / size
    return size


@lean
def _weigh_inplace(scratch: Scratch, n: int, temperature: float) -> None:
    for x in range(n):
        scratch.log_weights[x] = scratch.scores[x] / temperature


@lean
def weigh_values_inplace(
    graph: GraphArrays,
    plan: ScoringPlan,
    proportion: float,
    minibatch: MinibatchArrays,
    rng_state: NDArray[np.uint64],
    world: NDArray[np.int32],
    variable: int,
    temperature: float,
    scratch: Scratch,
) -> int:
    """Fill scratch.log_weights for a Gibbs update of a variable; return how many factors were scored.

    Hard factors are always scored. With all factors scored, scratch.scores holds their sum under each value.
    """
    first, last, n = graph.edge_offsets[variable], graph.edge_offsets[variable + 1], graph.n_values[variable]
    for x in range(n):
        scratch.scores[x] = 0.0
    middle = first + graph.n_hard[variable]
    if plan.kind == EXACT or middle == last:
        _add_scores_inplace(graph, world, first, last, n, scratch.scores)
        _weigh_inplace(scratch, n, temperature)
        return last - first
    _add_scores_inplace(graph, world, first, middle, n, scratch.scores)
    if plan.kind == POISSON:
        _weigh_inplace(scratch, n, temperature)
        total = minibatch.totals[variable] / temperature
        if total == 0.0:
            return middle - first
        if not plan.fallback or batch_size(plan.rate, total) + total < last - middle:
            return (middle - first) + add_poisson_weights_inplace(
                graph, minibatch, rng_state, world, variable, plan.rate, temperature, scratch.log_weights
            )
        _add_scores_inplace(graph, world, middle, last, n, scratch.scores)
        n_scored = last - middle
    elif plan.kind == PROPORTION:
        n_scored = _add_proportion_scores_inplace(graph, proportion, rng_state, world, middle, last, n, scratch)
    else:
        n_scored = _add_sampled_scores_inplace(graph, plan, proportion, rng_state, world, middle, last, n, scratch)
    _weigh_inplace(scratch, n, temperature)
    return (middle - first) + n_scored


@lean
def gibbs_update(
    graph: GraphArrays,
    plan: ScoringPlan,
    proportion: float,
    minibatch: MinibatchArrays,
    chain: ChainArrays,
    variable: int,
    temperature: float,
    scratch: Scratch,
) -> tuple[int, float]:
    """Draw a variable's value given all others; return how many variables changed (0 or 1) and d_log_score."""
    world, n = chain.world, graph.n_values[variable]
    chain.tally[FACTORS] += weigh_values_inplace(
        graph, plan, proportion, minibatch, chain.rng_state, world, variable, temperature, scratch
    )
    chain.tally[PROPOSALS] += 1
    old = world[variable]
    new = draw_log_inplace(uniform(chain.rng_state), scratch.log_weights, n)
    # -1: every value is forbidden, which cannot be when the chain started from an allowed world; stay.
    if new == old or new < 0:
        return 0, 0.0
    scratch.variables[0] = variable
    scratch.values[0] = old
    world[variable] = new
    return 1, scratch.scores[new] - scratch.scores[old]
