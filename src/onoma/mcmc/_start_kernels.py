"""Kernel of `starts.py`: repairing a forbidden world."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.graph._graph_kernels import GraphArrays, edge_cell, factor_cell
from onoma.numerics.rng import below, uniform


@nb.njit(cache=True, nogil=True)
def _n_violated(graph: GraphArrays, world: NDArray[np.int32], variable: int, value: int) -> int:
    """Return how many of a variable's hard factors forbid a value."""
    count, first = 0, graph.edge_offsets[variable]
    for edge in range(first, first + graph.n_hard[variable]):
        cell = edge_cell(graph, world, edge) + value * np.int64(graph.edge_strides[edge])
        count += graph.cells[cell] == -np.inf
    return count


@nb.njit(cache=True, nogil=True)
def repair_inplace(graph: GraphArrays, rng_state: NDArray[np.uint64], world: NDArray[np.int32], n_steps: int) -> bool:
    """Change values until no factor forbids the world; say whether that was reached."""
    is_free = np.zeros(len(graph.n_values), dtype=np.bool_)
    for variable in graph.free:
        is_free[variable] = True
    violated = np.empty(len(graph.cell_offsets), dtype=np.int64)
    for _ in range(n_steps):
        n = 0
        for factor in range(len(graph.cell_offsets)):
            if graph.cells[factor_cell(graph, world, factor)] == -np.inf:
                violated[n] = factor
                n += 1
        if n == 0:
            return True
        factor = violated[below(rng_state, n)]
        first = graph.factor_offsets[factor]
        variable = graph.factor_variables[first + below(rng_state, graph.factor_offsets[factor + 1] - first)]
        if not is_free[variable]:
            continue
        if uniform(rng_state) < 0.1:
            world[variable] = below(rng_state, int(graph.n_values[variable]))
            continue
        # The least violated value, ties at random: each later equal takes over with probability 1/ties.
        least, ties, best = 1 << 60, 0, int(world[variable])
        for value in range(graph.n_values[variable]):
            count = _n_violated(graph, world, variable, value)
            if count < least:
                least, ties, best = count, 1, value
            elif count == least:
                ties += 1
                if below(rng_state, ties) == 0:
                    best = value
        world[variable] = best
    return False
