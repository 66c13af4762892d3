"""Kernels of `exact.py`: sum-product and max-product on a factor graph without cycles.

Factors are met breadth first from a root variable, so a factor has one *parent* variable and its other free variables
are its children. Upward, factor f tells its parent v

    m_f(x_v) = ⊕ over the other values of [ f(y_f) + Σ_{children u} up_u(x_u) ],   up_v = Σ_{factors f below v} m_f

with ⊕ = log Σ exp (sum-product) or max (max-product); downward the same with the parent's belief less m_f, its own
share.
"""

from typing import NamedTuple

import numba as nb
import numpy as np
from numpy.typing import NDArray

from onoma.graph._graph_kernels import GraphArrays
from onoma.numerics.kernels import lean

SUM, MAX = 0, 1  # what ⊕ is


class Conditioned(NamedTuple):
    """A graph with what was observed in it."""

    graph: GraphArrays
    world: NDArray[np.int32]
    is_free: NDArray[np.bool_]
    """Which variables were not observed."""
    value_offsets: NDArray[np.int64]
    """Where the values of each variable begin, among those of all."""


@nb.njit(cache=True, nogil=True)
def forest_order(
    graph: GraphArrays, is_free: NDArray[np.bool_]
) -> tuple[bool, NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Return whether the free variables form a forest; then the factors in order, each factor's parent, the roots."""
    n_variables, n_factors = len(graph.n_values), len(graph.cell_offsets)
    order, parent = np.empty(n_factors, dtype=np.int32), np.full(n_factors, -1, dtype=np.int32)
    above, queue = np.full(n_variables, -2, dtype=np.int32), np.empty(n_variables, dtype=np.int32)
    roots = np.empty(n_variables, dtype=np.int32)
    n_order, n_queue, n_roots, head = 0, 0, 0, 0
    for root in range(n_variables):
        if not is_free[root] or above[root] != -2:
            continue
        roots[n_roots] = root
        n_roots += 1
        above[root] = -1
        queue[n_queue] = root
        n_queue += 1
        while head < n_queue:
            variable = queue[head]
            head += 1
            for edge in range(graph.edge_offsets[variable], graph.edge_offsets[variable + 1]):
                factor = graph.edge_factors[edge]
                if factor == above[variable]:
                    continue
                if parent[factor] != -1:
                    return False, order, parent, roots
                parent[factor] = variable
                order[n_order] = factor
                n_order += 1
                for i in range(graph.other_offsets[edge], graph.other_offsets[edge + 1]):
                    child = graph.other_variables[i]
                    if is_free[child]:
                        if above[child] != -2:
                            return False, order, parent, roots
                        above[child] = factor
                        queue[n_queue] = child
                        n_queue += 1
    return True, order[:n_order], parent, roots[:n_roots]


@lean
def _cell_total(
    given: Conditioned,
    factor: int,
    cell: int,
    target: int,
    parent: int,
    cavity: NDArray[np.float64],
    up: NDArray[np.float64],
) -> tuple[float, int]:
    """Return a cell's score with what all but the target say (-inf if observed away), and the target's value."""
    graph, world, is_free, value_offsets = given
    total = graph.cells[graph.cell_offsets[factor] + cell]
    at = 0
    for i in range(graph.factor_offsets[factor], graph.factor_offsets[factor + 1]):
        variable = graph.factor_variables[i]
        value = (cell // graph.factor_strides[i]) % graph.n_values[variable]
        if not is_free[variable]:
            if value != world[variable]:
                return -np.inf, 0
        elif variable == target:
            at = value
        elif variable == parent:
            total += cavity[value]
        else:
            total += up[value_offsets[variable] + value]
    return total, at


@lean
def _table_size(graph: GraphArrays, factor: int) -> int:
    size = 1
    for i in range(graph.factor_offsets[factor], graph.factor_offsets[factor + 1]):
        size *= graph.n_values[graph.factor_variables[i]]
    return size


@lean
def _message_inplace(
    given: Conditioned,
    factor: int,
    target: int,
    parent: int,
    cavity: NDArray[np.float64],
    up: NDArray[np.float64],
    kind: int,
    out: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> None:
    """Fill out[x] with ⊕ over the cells in which the target has value x; `sums` is working space."""
    size, n = _table_size(given.graph, factor), given.graph.n_values[target]
    for x in range(n):
        out[x] = -np.inf
    for cell in range(size):
        total, x = _cell_total(given, factor, cell, target, parent, cavity, up)
        out[x] = max(out[x], total)
    if kind == MAX:
        return
    for x in range(n):
        sums[x] = 0.0
    for cell in range(size):
        total, x = _cell_total(given, factor, cell, target, parent, cavity, up)
        if out[x] > -np.inf:
            sums[x] += np.exp(total - out[x])
    for x in range(n):
        if sums[x] > 0.0:
            out[x] += np.log(sums[x])


@nb.njit(cache=True, nogil=True)
def pass_upward(
    given: Conditioned, order: NDArray[np.int32], parent: NDArray[np.int32], kind: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Return what lies below each variable says of it, each factor's message to its parent, and where that begins."""
    n_values, value_offsets = given.graph.n_values, given.value_offsets
    starts = np.zeros(len(parent) + 1, dtype=np.int64)
    for factor in range(len(parent)):
        starts[factor + 1] = starts[factor] + (n_values[parent[factor]] if parent[factor] >= 0 else 0)
    up, messages = np.zeros(value_offsets[-1]), np.zeros(starts[-1])
    nothing, sums = np.zeros(1), np.empty(np.max(n_values))
    for k in range(len(order) - 1, -1, -1):
        factor = order[k]
        variable = parent[factor]
        out = messages[starts[factor] : starts[factor + 1]]
        _message_inplace(given, factor, variable, -1, nothing, up, kind, out, sums)
        for x in range(n_values[variable]):
            up[value_offsets[variable] + x] += out[x]
    return up, messages, starts


@nb.njit(cache=True, nogil=True)
def pass_downward(
    given: Conditioned,
    order: NDArray[np.int32],
    parent: NDArray[np.int32],
    upward: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]],
) -> NDArray[np.float64]:
    """Return each variable's log belief: what everything above and below says of it (sum-product)."""
    graph, _, is_free, value_offsets = given
    up, messages, starts = upward
    belief = up.copy()
    largest = np.max(graph.n_values)
    cavity, out, sums = np.empty(largest), np.empty(largest), np.empty(largest)
    for factor in order:
        variable = parent[factor]
        for x in range(graph.n_values[variable]):
            own = messages[starts[factor] + x]
            # Where the factor's own message is -inf, no value its children can take meets x: -inf is right there too.
            cavity[x] = belief[value_offsets[variable] + x] - own if own > -np.inf else -np.inf
        for i in range(graph.factor_offsets[factor], graph.factor_offsets[factor + 1]):
            child = graph.factor_variables[i]
            if child == variable or not is_free[child]:
                continue
            _message_inplace(given, factor, child, variable, cavity, up, SUM, out, sums)
            for x in range(graph.n_values[child]):
                belief[value_offsets[child] + x] = up[value_offsets[child] + x] + out[x]
    return belief


@nb.njit(cache=True, nogil=True)
def decode_inplace(
    given: Conditioned, order: NDArray[np.int32], parent: NDArray[np.int32], up: NDArray[np.float64]
) -> None:
    """Give the children of each factor, from the roots down, the values of its best cell (max-product)."""
    graph, world, is_free, _ = given
    nothing = np.zeros(1)
    for factor in order:
        variable = parent[factor]
        best, best_cell = -np.inf, 0
        for cell in range(_table_size(graph, factor)):
            total, x = _cell_total(given, factor, cell, variable, -1, nothing, up)
            if x == world[variable] and total > best:
                best, best_cell = total, cell
        for i in range(graph.factor_offsets[factor], graph.factor_offsets[factor + 1]):
            child = graph.factor_variables[i]
            if is_free[child] and child != variable:
                world[child] = (best_cell // graph.factor_strides[i]) % graph.n_values[child]
