"""Kernels of `minibatch.py`: the Poisson minibatch of one Gibbs update."""

from typing import NamedTuple

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.graph._graph_kernels import GraphArrays, edge_cell
from onoma.numerics.kernels import lean
from onoma.numerics.rng import uniform
from onoma.numerics.sampling import alias_tables_inplace, draw_alias, poisson


class MinibatchArrays(NamedTuple):
    """Bounds and alias tables, one entry for each edge of the graph, and two numbers for each variable."""

    bounds: NDArray[np.float64]  # [E] M_f: how far a factor can move when the edge's variable does; 0 for hard factors
    keep: NDArray[np.float64]  # [E] alias table of a variable's soft edges, in proportion to M_f
    other: NDArray[np.int64]  # [E]
    totals: NDArray[np.float64]  # [V] L = Σ M_f


@lean
def bounds_inplace(graph: GraphArrays, bounds: NDArray[np.float64]) -> None:
    """Fill, for each soft edge, the largest range of its factor over the edge's variable, the others held fixed."""
    for variable in range(len(graph.n_values)):
        n = graph.n_values[variable]
        for edge in range(graph.edge_offsets[variable] + graph.n_hard[variable], graph.edge_offsets[variable + 1]):
            factor, stride = graph.edge_factors[edge], np.int64(graph.edge_strides[edge])
            size = 1
            for i in range(graph.factor_offsets[factor], graph.factor_offsets[factor + 1]):
                size *= graph.n_values[graph.factor_variables[i]]
            for cell in range(size):
                if (cell // stride) % n != 0:
                    continue
                start = graph.cell_offsets[factor] + cell
                low, high = np.inf, -np.inf
                for x in range(n):
                    low = min(low, graph.cells[start + x * stride])
                    high = max(high, graph.cells[start + x * stride])
                bounds[edge] = max(bounds[edge], high - low)


@nb.njit(cache=True, nogil=True)
def alias_by_variable_inplace(graph: GraphArrays, arrays: MinibatchArrays) -> None:
    """Sum the bounds of each variable and build its alias table."""
    for variable in range(len(graph.n_values)):
        first = graph.edge_offsets[variable] + graph.n_hard[variable]
        last = graph.edge_offsets[variable + 1]
        arrays.totals[variable] = np.sum(arrays.bounds[first:last])
        if arrays.totals[variable] > 0.0:
            alias_tables_inplace(arrays.bounds[first:last], arrays.keep[first:last], arrays.other[first:last])


@lean
def batch_size(rate: float, total: float) -> float:
    """Return λ = rate · max(L, L²)."""
    return rate * max(total, total * total)


@lean
def add_poisson_weights_inplace(
    graph: GraphArrays,
    arrays: MinibatchArrays,
    rng_state: NDArray[np.uint64],
    world: NDArray[np.int32],
    variable: int,
    rate: float,
    temperature: float,
    log_weights: NDArray[np.float64],
) -> int:
    """Draw s given the current value and add log p(value | s) of the soft factors; return how many were looked at.

    s_f ~ Poisson(λ M_f/L + g_f(x)) for all f at once: a Poisson(λ + L) number of arrivals, each at f with probability
    M_f/L and kept with probability (λ M_f/L + g_f(x)) / (λ M_f/L + M_f). Every kept arrival multiplies the weight of
    value v by 1 + L g_f(v) / (λ M_f).
    """
    first = graph.edge_offsets[variable] + graph.n_hard[variable]
    n_soft, n = graph.edge_offsets[variable + 1] - first, graph.n_values[variable]
    total = arrays.totals[variable] / temperature
    batch = batch_size(rate, total)
    # In units of M_f the temperature is left in L alone: λ/L, and g_f(v)/M_f in [0, 1].
    base = batch / total
    arrivals = poisson(rng_state, batch + total)
    for _ in range(arrivals):
        edge = first + draw_alias(rng_state, arrays.keep, arrays.other, first, n_soft)
        cell, stride = edge_cell(graph, world, edge), np.int64(graph.edge_strides[edge])
        low = np.inf
        for x in range(n):
            low = min(low, graph.cells[cell + x * stride])
        bound = arrays.bounds[edge]
        now = (graph.cells[cell + world[variable] * stride] - low) / bound
        if uniform(rng_state) * (base + 1.0) < base + now:
            for x in range(n):
                log_weights[x] += np.log1p((graph.cells[cell + x * stride] - low) / bound / base)
    return arrivals
