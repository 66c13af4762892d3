"""Kernels of `compiled.py`: the flat form of a factor graph, and scoring on it.

An *edge* joins a variable and a factor that looks at it. A variable's edges lie together, those to *hard* factors (some
cell is -inf) first. The cells of a factor are its table in row-major order; the cell a world selects is
cell_offset + Σ stride · value. An edge keeps what its variable needs of the factor: where the table begins, the
variable's own stride, and the other variables with theirs.
"""

from typing import NamedTuple

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import lean


class GraphArrays(NamedTuple):
    """A factor graph as flat arrays, the form kernels take. V variables, F factors, E edges, T cells."""

    n_values: NDArray[np.int32]  # [V] size of each domain
    free: NDArray[np.int32]  # the variables that may change: not observed, at least two values
    cells: NDArray[np.float64]  # [T] log scores
    cell_offsets: NDArray[np.int64]  # [F] where a factor's table begins; tied factors share one
    factor_offsets: NDArray[np.int64]  # [F+1] into the next two
    factor_variables: NDArray[np.int32]  # [E]
    factor_strides: NDArray[np.int32]  # [E]
    edge_offsets: NDArray[np.int64]  # [V+1] into the next four
    edge_factors: NDArray[np.int32]  # [E]
    edge_cells: NDArray[np.int64]  # [E] the factor's cell offset, at hand
    edge_strides: NDArray[np.int32]  # [E] the variable's own stride
    other_offsets: NDArray[np.int64]  # [E+1] into the next two
    other_variables: NDArray[np.int32]
    other_strides: NDArray[np.int32]
    n_hard: NDArray[np.int64]  # [V] how many of a variable's edges are to hard factors


@lean
def factor_cell(graph: GraphArrays, world: NDArray[np.int32], factor: int) -> int:
    """Return the cell of a factor that a world selects."""
    cell = graph.cell_offsets[factor]
    for i in range(graph.factor_offsets[factor], graph.factor_offsets[factor + 1]):
        cell += np.int64(graph.factor_strides[i]) * world[graph.factor_variables[i]]
    return cell


@lean
def edge_cell(graph: GraphArrays, world: NDArray[np.int32], edge: int) -> int:
    """Return the cell an edge's factor selects when the edge's own variable has value 0."""
    cell = graph.edge_cells[edge]
    for i in range(graph.other_offsets[edge], graph.other_offsets[edge + 1]):
        cell += np.int64(graph.other_strides[i]) * world[graph.other_variables[i]]
    return cell


@nb.njit(cache=True, nogil=True)
def world_cells(graph: GraphArrays, world: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the selected cell of every factor."""
    n = len(graph.cell_offsets)
    result = np.empty(n, dtype=np.int64)
    for factor in range(n):
        result[factor] = factor_cell(graph, world, factor)
    return result


@nb.njit(cache=True, nogil=True)
def world_log_score(graph: GraphArrays, world: NDArray[np.int32]) -> float:
    """Return Σ over factors of the selected cell."""
    total = 0.0
    for factor in range(len(graph.cell_offsets)):
        total += graph.cells[factor_cell(graph, world, factor)]
    return total


@lean
def edge_change(
    graph: GraphArrays, world: NDArray[np.int32], edge: int, variables: NDArray[np.int32], values: NDArray[np.int32]
) -> tuple[int, int, int]:
    """Return the cell before and after a change at an edge's factor, and how many changed variables it looks at."""
    factor = graph.edge_factors[edge]
    before = graph.cell_offsets[factor]
    after = before
    times = 0
    for i in range(graph.factor_offsets[factor], graph.factor_offsets[factor + 1]):
        variable, stride = graph.factor_variables[i], np.int64(graph.factor_strides[i])
        value = world[variable]
        before += stride * value
        for c in range(len(variables)):
            if variables[c] == variable:
                value = values[c]
                times += 1
        after += stride * value
    return before, after, times


@nb.njit(cache=True, nogil=True)
def _is_earlier(graph: GraphArrays, edge: int, variables: NDArray[np.int32], c: int) -> bool:
    """Say whether an edge's factor looks at one of the first c changed variables."""
    factor = graph.edge_factors[edge]
    for i in range(graph.factor_offsets[factor], graph.factor_offsets[factor + 1]):
        for earlier in range(c):
            if graph.factor_variables[i] == variables[earlier]:
                return True
    return False


@nb.njit(cache=True, nogil=True)
def changed_cells(
    graph: GraphArrays, world: NDArray[np.int32], variables: NDArray[np.int32], values: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Return every factor a change touches, once each, with its cell before and after."""
    most = 0
    for variable in variables:
        most += graph.edge_offsets[variable + 1] - graph.edge_offsets[variable]
    factors = np.empty(most, dtype=np.int32)
    before, after = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    n = 0
    for c in range(len(variables)):
        for edge in range(graph.edge_offsets[variables[c]], graph.edge_offsets[variables[c] + 1]):
            # A factor over several changed variables counts at the first of them.
            if c > 0 and _is_earlier(graph, edge, variables, c):
                continue
            factors[n] = graph.edge_factors[edge]
            before[n], after[n], _ = edge_change(graph, world, edge, variables, values)
            n += 1
    return factors[:n], before[:n], after[:n]


@nb.njit(cache=True, nogil=True)
def fill_others_inplace(
    edge_factors: NDArray[np.int32],
    edge_variables: NDArray[np.int32],
    factor_offsets: NDArray[np.int64],
    factor_variables: NDArray[np.int32],
    factor_strides: NDArray[np.int32],
    others: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]],
) -> None:
    """Fill, for each edge, the factor's other variables and their strides (offsets, variables, strides)."""
    offsets, variables, strides = others
    n = 0
    for edge in range(len(edge_factors)):
        offsets[edge] = n
        factor = edge_factors[edge]
        for i in range(factor_offsets[factor], factor_offsets[factor + 1]):
            if factor_variables[i] != edge_variables[edge]:
                variables[n] = factor_variables[i]
                strides[n] = factor_strides[i]
                n += 1
    offsets[len(edge_factors)] = n


@nb.njit(cache=True, nogil=True)
def weigh_cells_inplace(
    cells: NDArray[np.float64],
    feature_offsets: NDArray[np.int64],
    feature_names: NDArray[np.int32],
    feature_values: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> None:
    """Give every cell that has features the score Σ feature · weight."""
    for cell in range(len(cells)):
        first, last = feature_offsets[cell], feature_offsets[cell + 1]
        if last > first:
            total = 0.0
            for i in range(first, last):
                total += feature_values[i] * weights[feature_names[i]]
            cells[cell] = total


@nb.njit(cache=True, nogil=True)
def add_features_inplace(
    total: NDArray[np.float64],
    selected: NDArray[np.int64],
    sign: float,
    feature_offsets: NDArray[np.int64],
    feature_names: NDArray[np.int32],
    feature_values: NDArray[np.float64],
) -> None:
    """Add the features of some cells, times a sign, to a vector over all weights."""
    for cell in selected:
        for i in range(feature_offsets[cell], feature_offsets[cell + 1]):
            total[feature_names[i]] += sign * feature_values[i]
