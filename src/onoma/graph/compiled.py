"""A factor graph as flat arrays: scoring worlds and changes, reading features, explaining scores."""

import hashlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.errors import DataError
from onoma.graph._graph_kernels import (
    GraphArrays,
    add_features_inplace,
    changed_cells,
    fill_others_inplace,
    weigh_cells_inplace,
    world_cells,
    world_log_score,
)
from onoma.graph.changes import Change, World

if TYPE_CHECKING:
    from onoma.graph.factor_graph import FactorBlock

__all__ = ["CompiledGraph", "FeatureArrays", "assemble"]


@dataclass(frozen=True)
class FeatureArrays:
    """Sparse features of every cell: cell c has names[offsets[c]:offsets[c+1]] with as many values."""

    offsets: NDArray[np.int64]
    names: NDArray[np.int32]
    values: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CompiledGraph:
    """A graph ready to score, explain, solve and sample; made by `FactorGraph.compile`.

    Attributes
    ----------
    names
        The variables, in order: a world has one value for each.
    domains
        The values of each variable.
    arrays
        The flat form, as kernels take it.
    weights
        All templates' weights as one vector, named by `weight_names` ("template.feature").
    """

    names: tuple[str, ...]
    domains: tuple[tuple[Hashable, ...], ...]
    arrays: GraphArrays
    observed: Mapping[int, int]
    weights: NDArray[np.float64]
    weight_names: tuple[str, ...]
    feature_arrays: FeatureArrays
    block_names: tuple[tuple[str, int], ...]  # (name, how many factors), in order

    def __repr__(self) -> str:
        return (
            f"CompiledGraph({self.n_variables:,} variables, {self.n_factors:,} factors, "
            f"{len(self.arrays.cells):,} cells, {len(self.weights):,} weights)"
        )

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return len(self.names)

    @property
    def n_factors(self) -> int:
        """The number of factors."""
        return len(self.arrays.cell_offsets)

    @cached_property
    def positions(self) -> dict[str, int]:
        """Where each variable stands in a world."""
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def fingerprint(self) -> str:
        """A digest of everything that decides a score; equal for equal graphs."""
        digest = hashlib.sha256(repr((self.names, self.domains, sorted(self.observed.items()))).encode())
        for array in self.arrays:
            digest.update(array.tobytes())
        return digest.hexdigest()[:16]

    def world(self, values: Mapping[str, Hashable] | None = None) -> World:
        """Return a world: observed values, then the values given, and the first value of everything else."""
        world = np.zeros(self.n_variables, dtype=np.int32)
        for variable, value in self.observed.items():
            world[variable] = value
        for name, named in (values or {}).items():
            if name not in self.positions:
                raise DataError(f"unknown variable {name!r}", hint="Variables: " + ", ".join(self.names[:10]))
            variable = self.positions[name]
            if named not in self.domains[variable]:
                raise DataError(f"variable {name!r}: unknown value {named!r}; allowed: {list(self.domains[variable])}")
            value = self.domains[variable].index(named)
            if self.observed.get(variable, value) != value:
                raise DataError(f"variable {name!r} is observed as {self.domains[variable][self.observed[variable]]!r}")
            world[variable] = value
        return world

    def describe(self, world: World) -> dict[str, Hashable]:
        """Return each variable's value by name."""
        return {name: self.domains[i][world[i]] for i, name in enumerate(self.names)}

    def change(self, world: World, values: Mapping[str, Hashable]) -> Change:
        """Return the change that gives named variables named values."""
        target = self.world(values)
        return Change.of(world, {self.positions[name]: int(target[self.positions[name]]) for name in values})

    def check_world(self, world: World) -> World:
        """Return the world as a contiguous int32 array, or say what is wrong with it."""
        array = np.ascontiguousarray(world, dtype=np.int32)
        if array.shape != (self.n_variables,):
            raise DataError(f"a world of shape {array.shape}; this graph has {self.n_variables:,} variables")
        wrong = np.flatnonzero((array < 0) | (array >= self.arrays.n_values))
        if len(wrong):
            i = int(wrong[0])
            raise DataError(
                f"variable {self.names[i]!r} has value {array[i]}; values are 0 to {self.arrays.n_values[i] - 1}"
            )
        for variable, value in self.observed.items():
            if array[variable] != value:
                raise DataError(f"variable {self.names[variable]!r} is observed, and the world has another value")
        return array

    def log_score(self, world: World) -> float:
        """Return ψ(world) = Σ_f f(world), -inf for a forbidden world."""
        return float(world_log_score(self.arrays, self.check_world(world)))

    def d_log_score(self, world: World, change: Change) -> float:
        """Return ψ(after) - ψ(before), looking only at the factors the change touches; before must not be forbidden."""
        _, before, after = self._touched(world, change)
        return float(np.sum(self.arrays.cells[after] - self.arrays.cells[before]))

    def touched(self, world: World, change: Change) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return every factor a change touches, and by how much its log score changes."""
        factors, before, after = self._touched(world, change)
        return factors, self.arrays.cells[after] - self.arrays.cells[before]

    def features(self, world: World) -> NDArray[np.float64]:
        """Return the features of a world summed over factors, one number for each weight."""
        total = np.zeros(len(self.weights))
        self._add_features_inplace(total, world_cells(self.arrays, self.check_world(world)), 1.0)
        return total

    def d_features(self, world: World, change: Change) -> NDArray[np.float64]:
        """Return features(after) - features(before), looking only at the factors the change touches."""
        _, before, after = self._touched(world, change)
        total = np.zeros(len(self.weights))
        self._add_features_inplace(total, before, -1.0)
        self._add_features_inplace(total, after, 1.0)
        return total

    def with_weights(self, weights: NDArray[np.float64] | Mapping[str, float]) -> "CompiledGraph":
        """Return the same graph under other weights: all as a vector, or some by name."""
        vector = self._weight_vector(weights)
        cells = self.arrays.cells.copy()
        features = self.feature_arrays
        weigh_cells_inplace(cells, features.offsets, features.names, features.values, vector)
        return replace(self, arrays=self.arrays._replace(cells=cells), weights=vector)

    def explain(self, world: World) -> pa.Table:
        """Return a world's log score factor by factor, the weightiest first."""
        cells = world_cells(self.arrays, self.check_world(world))
        scores = self.arrays.cells[cells]
        order = np.argsort(-np.abs(scores), kind="stable")
        return pa.table(
            {
                "factor": pa.array([self.factor_name(int(f)) for f in order], pa.string()),
                "variables": pa.array([self._scope(int(f)) for f in order], pa.list_(pa.string())),
                "values": pa.array([self._values(int(f), world) for f in order], pa.list_(pa.string())),
                "log_score": pa.array(scores[order]),
            }
        )

    def explain_change(self, world: World, change: Change) -> pa.Table:
        """Return what a change does to each factor it touches, the weightiest first."""
        factors, before, after = self._touched(world, change)
        cells = self.arrays.cells
        d_scores = cells[after] - cells[before]
        order = np.argsort(-np.abs(d_scores), kind="stable")
        next_world = world.copy()
        change.apply_inplace(next_world)
        ids = [int(f) for f in factors[order]]
        return pa.table(
            {
                "factor": pa.array([self.factor_name(f) for f in ids], pa.string()),
                "variables": pa.array([self._scope(f) for f in ids], pa.list_(pa.string())),
                "old": pa.array([self._values(f, world) for f in ids], pa.list_(pa.string())),
                "new": pa.array([self._values(f, next_world) for f in ids], pa.list_(pa.string())),
                "d_log_score": pa.array(d_scores[order]),
            }
        )

    def factor_name(self, factor: int) -> str:
        """Return what a factor is called: its own name, or its group's with its place in it."""
        if not 0 <= factor < self.n_factors:
            raise DataError(f"factor {factor}; this graph has {self.n_factors:,}")
        block = int(np.searchsorted(self._block_ends, factor, side="right"))
        name, n = self.block_names[block]
        return name if n == 1 else f"{name}[{factor - self._block_ends[block] + n}]"

    @cached_property
    def _block_ends(self) -> NDArray[np.int64]:
        return np.cumsum([n for _, n in self.block_names])

    def factor_variables(self, factor: int) -> NDArray[np.int32]:
        """Return the variables a factor looks at."""
        arrays = self.arrays
        return arrays.factor_variables[arrays.factor_offsets[factor] : arrays.factor_offsets[factor + 1]]

    def _scope(self, factor: int) -> list[str]:
        return [self.names[variable] for variable in self.factor_variables(factor)]

    def _values(self, factor: int, world: World) -> list[str]:
        return [str(self.domains[variable][world[variable]]) for variable in self.factor_variables(factor)]

    def _touched(self, world: World, change: Change) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
        variables, values = np.array(change.variables, dtype=np.int32), np.array(change.new, dtype=np.int32)
        return changed_cells(self.arrays, world, variables, values)

    def _add_features_inplace(self, total: NDArray[np.float64], cells: NDArray[np.int64], sign: float) -> None:
        features = self.feature_arrays
        add_features_inplace(total, cells, sign, features.offsets, features.names, features.values)

    def _weight_vector(self, weights: NDArray[np.float64] | Mapping[str, float]) -> NDArray[np.float64]:
        if isinstance(weights, Mapping):
            unknown = [name for name in weights if name not in self.weight_names]
            if unknown:
                raise DataError(f"unknown weight {unknown[0]!r}", hint="Weights: " + ", ".join(self.weight_names[:10]))
            vector = self.weights.copy()
            for name, weight in weights.items():
                vector[self.weight_names.index(name)] = weight
        else:
            vector = np.array(weights, dtype=np.float64)
            if vector.shape != self.weights.shape:
                raise DataError(f"{vector.shape} weights; this graph has {self.weights.shape}")
        if not np.isfinite(vector).all():
            raise DataError("a weight is NaN or infinite")
        return vector


def assemble(
    names: tuple[str, ...],
    domains: tuple[tuple[Hashable, ...], ...],
    observed: Mapping[int, int],
    blocks: "Sequence[FactorBlock]",
    weights: Mapping[str, float],
) -> CompiledGraph:
    """Lay variables and blocks of factors out as flat arrays."""
    n_values = np.array([len(domain) for domain in domains], dtype=np.int32)
    sizes = np.array([block.tables.size for block in blocks], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    cells = _joined([block.tables.ravel() for block in blocks], np.float64)
    arity = _joined([np.full(len(block.variables), len(block.shape)) for block in blocks], np.int64)
    factor_offsets = np.concatenate([[0], np.cumsum(arity)]).astype(np.int64)
    cell_offsets = _joined([_starts(block) + start for block, start in zip(blocks, starts, strict=False)], np.int64)
    factor_variables = _joined([block.variables.ravel() for block in blocks], np.int32)
    factor_strides = _joined([np.tile(_strides(block.shape), len(block.variables)) for block in blocks], np.int32)
    hard = _joined([_is_hard(block) for block in blocks], np.bool_)
    free = np.array([v for v in range(len(names)) if n_values[v] > 1 and v not in observed], dtype=np.int32)
    arrays = GraphArrays(
        n_values, free, cells, cell_offsets, factor_offsets, factor_variables, factor_strides,
        *_edges(len(names), cell_offsets, factor_offsets, factor_variables, factor_strides, hard),
    )  # fmt: skip
    return CompiledGraph(
        names,
        domains,
        arrays,
        dict(observed),
        np.array(list(weights.values()), dtype=np.float64),
        tuple(weights),
        _features(blocks, len(cells)),
        tuple((block.name, len(block.variables)) for block in blocks),
    )


def _joined(parts: Sequence[NDArray[Any]], dtype: type) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype=dtype), *parts]).astype(dtype)


def _strides(shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the row-major strides of a table."""
    return np.cumprod((1, *shape[:0:-1]))[::-1]


def _starts(block: "FactorBlock") -> NDArray[np.int64]:
    """Return where in the block's cells each of its factors' tables begins."""
    n = len(block.variables)
    return np.arange(n) * block.tables.shape[1] if len(block.tables) == n else np.zeros(n, dtype=np.int64)


def _is_hard(block: "FactorBlock") -> NDArray[np.bool_]:
    return np.broadcast_to(np.isneginf(block.tables).any(axis=1), len(block.variables))


def _edges(
    n_variables: int,
    cell_offsets: NDArray[np.int64],
    factor_offsets: NDArray[np.int64],
    factor_variables: NDArray[np.int32],
    factor_strides: NDArray[np.int32],
    hard: NDArray[np.bool_],
) -> tuple[NDArray[Any], ...]:
    """Return the edges by variable, hard ones first, and the other variables of each."""
    factor = np.repeat(np.arange(len(cell_offsets)), np.diff(factor_offsets))
    order = np.lexsort((factor, ~hard[factor], factor_variables))
    edge_factors = factor[order].astype(np.int32)
    edge_variables = factor_variables[order]
    counts = np.bincount(factor_variables, minlength=n_variables)
    edge_offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    n_others = int(np.sum(np.diff(factor_offsets)[edge_factors] - 1)) if len(order) else 0
    others = np.zeros(len(order) + 1, np.int64), np.empty(n_others, np.int32), np.empty(n_others, np.int32)
    fill_others_inplace(edge_factors, edge_variables, factor_offsets, factor_variables, factor_strides, others)
    n_hard = np.bincount(factor_variables[hard[factor]], minlength=n_variables).astype(np.int64)
    return edge_offsets, edge_factors, cell_offsets[edge_factors], factor_strides[order], *others, n_hard


def _features(blocks: "Sequence[FactorBlock]", n_cells: int) -> FeatureArrays:
    """Return the non-zero features of all cells, cell after cell."""
    counts = np.zeros(n_cells, dtype=np.int64)
    names, values = [np.empty(0, np.int32)], [np.empty(0)]
    first = 0
    for block in blocks:
        if block.features is not None:
            flat = block.features.reshape(block.tables.size, -1)
            cell, name = np.nonzero(flat)
            counts[first : first + block.tables.size] = np.bincount(cell, minlength=block.tables.size)
            names.append((name + block.first_weight).astype(np.int32))
            values.append(flat[cell, name])
        first += block.tables.size
    return FeatureArrays(np.concatenate([[0], np.cumsum(counts)]), np.concatenate(names), np.concatenate(values))
