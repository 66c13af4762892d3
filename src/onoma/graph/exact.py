"""Exact answers where they can be had: every world enumerated, or sum-product and max-product on a forest.

Enumeration costs the product of the domain sizes; message passing (Pearl 1982; Kschischang, Frey and Loeliger 2001)
costs the cells of all tables, and asks that the factors and the variables left free by the observations form no cycle.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.errors import DataError, UnsupportedError
from onoma.graph._forest_kernels import MAX, SUM, Conditioned, decode_inplace, forest_order, pass_downward, pass_upward
from onoma.graph.changes import World
from onoma.graph.compiled import CompiledGraph
from onoma.numerics.logspace import log_sum_exp

__all__ = [
    "Enumeration", "Solution", "best_world", "enumerate_worlds", "is_forest", "max_product", "solve", "sum_product",
]  # fmt: skip

LIMIT = 2**22
"""How many worlds are enumerated unless more are asked for: four million, 32 MB, under a second for few factors."""


@dataclass(frozen=True, eq=False)
class Solution:
    """Exact marginals: log Z, and p(variable = value) for every variable, observed ones included."""

    graph: CompiledGraph
    log_z: float
    probabilities: tuple[NDArray[np.float64], ...]

    def table(self) -> pa.Table:
        """Return the marginals as a table (variable, value, probability)."""
        graph = self.graph
        sizes = graph.arrays.n_values
        return pa.table(
            {
                "variable": pa.array(np.repeat(np.array(graph.names, dtype=object), sizes), pa.string()),
                "value": pa.array([str(value) for domain in graph.domains for value in domain], pa.string()),
                "probability": pa.array(np.concatenate(self.probabilities)),
            }
        )


@dataclass(frozen=True, eq=False)
class Enumeration:
    """Every world of a small graph: `log_scores` has one axis for each free variable, in order."""

    graph: CompiledGraph
    log_scores: NDArray[np.float64]

    @cached_property
    def log_z(self) -> float:
        """Log Σ exp ψ over all worlds."""
        return float(log_sum_exp(self.log_scores))

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """The probability of every world, by `index`."""
        return np.exp(self.log_scores - self.log_z).ravel()

    def index(self, worlds: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return where worlds (rows) stand in `probabilities`."""
        free = self.graph.arrays.free
        if not len(free):
            return np.zeros(worlds.shape[:-1], dtype=np.int64)
        return np.ravel_multi_index(tuple(np.moveaxis(worlds[..., free], -1, 0)), self.log_scores.shape)

    def world(self, index: int) -> World:
        """Return the world at an index."""
        world = self.graph.world()
        world[self.graph.arrays.free] = np.unravel_index(index, self.log_scores.shape) if self.log_scores.ndim else ()
        return world

    def solution(self) -> Solution:
        """Return the marginals."""
        joint, graph = np.exp(self.log_scores - self.log_z), self.graph
        marginals = [_certain(graph, variable) for variable in range(graph.n_variables)]
        for axis, variable in enumerate(graph.arrays.free):
            marginals[variable] = joint.sum(axis=tuple(i for i in range(joint.ndim) if i != axis))
        return Solution(graph, self.log_z, tuple(marginals))

    def best(self) -> tuple[World, float]:
        """Return the first of the best worlds, and its log score."""
        index = int(np.argmax(self.log_scores))
        return self.world(index), float(self.log_scores.ravel()[index])


def enumerate_worlds(graph: CompiledGraph, *, limit: int = LIMIT) -> Enumeration:
    """Score every world.

    Examples
    --------
    >>> from onoma.graph.factor_graph import FactorGraph
    >>> graph = FactorGraph()
    >>> graph.variables(["a", "b"], ["no", "yes"])
    >>> graph.factor(["a", "b"], [[0.0, -np.inf], [-np.inf, np.log(3)]])
    >>> enumerate_worlds(graph.compile()).probabilities.round(2).tolist()
    [0.25, 0.0, 0.0, 0.75]
    """
    free, sizes = graph.arrays.free, graph.arrays.n_values
    n_worlds = float(np.prod(sizes[free].astype(np.float64)))
    if n_worlds > limit:
        raise UnsupportedError(
            f"{n_worlds:.3g} worlds; at most {limit:,} are enumerated", hint="Sample instead, or raise the limit."
        )
    log_scores = np.zeros(tuple(sizes[free]))
    fixed = graph.world()
    axis = {int(variable): i for i, variable in enumerate(free)}
    for factor in range(graph.n_factors):
        log_scores += _broadcast(graph, factor, fixed, axis)
    if np.isneginf(log_scores).all():
        raise _all_forbidden()
    return Enumeration(graph, log_scores)


def is_forest(graph: CompiledGraph) -> bool:
    """Say whether message passing is exact here: no cycle among factors and free variables."""
    return bool(forest_order(graph.arrays, _free_mask(graph))[0])


def sum_product(graph: CompiledGraph) -> Solution:
    """Return exact marginals of a forest, in one pass up and one down."""
    given, order, parent, roots = _forest(graph)
    offsets = given.value_offsets
    belief = pass_downward(given, order, parent, pass_upward(given, order, parent, SUM))
    log_z = _constant(graph, given.world, parent)
    for root in roots:
        log_z += float(log_sum_exp(belief[offsets[root] : offsets[root + 1]]))
    if log_z == -np.inf:
        raise _all_forbidden()
    return Solution(graph, log_z, _normalised(belief, offsets, given.world, given.is_free))


def max_product(graph: CompiledGraph) -> tuple[World, float]:
    """Return a best world of a forest, and its log score."""
    given, order, parent, roots = _forest(graph)
    offsets, world = given.value_offsets, given.world
    up, _, _ = pass_upward(given, order, parent, MAX)
    for root in roots:
        world[root] = np.argmax(up[offsets[root] : offsets[root + 1]])
    decode_inplace(given, order, parent, up)
    log_score = graph.log_score(world)
    if log_score == -np.inf:
        raise _all_forbidden()
    return world, log_score


def solve(graph: CompiledGraph, *, limit: int = LIMIT) -> Solution:
    """Return exact marginals, by message passing if the graph is a forest, else by enumeration if it is small."""
    return sum_product(graph) if is_forest(graph) else enumerate_worlds(graph, limit=limit).solution()


def best_world(graph: CompiledGraph, *, limit: int = LIMIT) -> tuple[World, float]:
    """Return a best world and its log score, by message passing or by enumeration."""
    return max_product(graph) if is_forest(graph) else enumerate_worlds(graph, limit=limit).best()


def _forest(
    graph: CompiledGraph,
) -> tuple[Conditioned, NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Return the graph as observed, the factors in order, each factor's parent, and the roots."""
    is_free = _free_mask(graph)
    found, order, parent, roots = forest_order(graph.arrays, is_free)
    if not found:
        raise UnsupportedError(
            "message passing needs a graph without cycles, and this one has some",
            hint="Use `solve`, which enumerates small graphs, or sample; observing a variable may cut a cycle.",
        )
    return Conditioned(graph.arrays, graph.world(), is_free, _value_offsets(graph)), order, parent, roots


def _free_mask(graph: CompiledGraph) -> NDArray[np.bool_]:
    mask = np.zeros(graph.n_variables, dtype=np.bool_)
    mask[graph.arrays.free] = True
    return mask


def _value_offsets(graph: CompiledGraph) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(graph.arrays.n_values)]).astype(np.int64)


def _normalised(
    belief: NDArray[np.float64], offsets: NDArray[np.int64], world: World, is_free: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], ...]:
    """Return each variable's probabilities from its log beliefs; a variable that is not free has its value for sure."""
    sizes = np.diff(offsets)
    log_beliefs = np.where(np.repeat(is_free, sizes), belief, -np.inf)
    log_beliefs[(offsets[:-1] + world)[~is_free]] = 0.0
    weights = np.exp(log_beliefs - np.repeat(np.maximum.reduceat(log_beliefs, offsets[:-1]), sizes))
    probabilities = weights / np.repeat(np.add.reduceat(weights, offsets[:-1]), sizes)
    return tuple(np.split(probabilities, offsets[1:-1]))


def _certain(graph: CompiledGraph, variable: int) -> NDArray[np.float64]:
    marginal = np.zeros(graph.arrays.n_values[variable])
    marginal[graph.observed.get(variable, 0)] = 1.0
    return marginal


def _constant(graph: CompiledGraph, world: World, parent: NDArray[np.int32]) -> float:
    """Return the log score of the factors that look at observed variables only."""
    arrays, total = graph.arrays, 0.0
    for factor in np.flatnonzero(parent < 0):
        scope = slice(arrays.factor_offsets[factor], arrays.factor_offsets[factor + 1])
        values = world[arrays.factor_variables[scope]]
        total += float(arrays.cells[arrays.cell_offsets[factor] + np.sum(arrays.factor_strides[scope] * values)])
    return total


def _broadcast(graph: CompiledGraph, factor: int, fixed: World, axis: dict[int, int]) -> NDArray[np.float64]:
    """Return a factor's table, observed values taken, with its axes where the free variables have theirs."""
    arrays, variables = graph.arrays, graph.factor_variables(factor)
    shape = tuple(arrays.n_values[variables])
    start = arrays.cell_offsets[factor]
    table = arrays.cells[start : start + int(np.prod(shape))].reshape(shape)
    table = table[tuple(slice(None) if int(v) in axis else fixed[v] for v in variables)]
    places = [axis[int(v)] for v in variables if int(v) in axis]
    full = [1] * len(axis)
    for place, size in zip(places, table.shape, strict=True):
        full[place] = size
    return table.transpose(np.argsort(places)).reshape(full) if places else table


def _all_forbidden() -> DataError:
    return DataError(
        "every world of this graph is forbidden (log score -inf)", hint="Look for factors that contradict."
    )
