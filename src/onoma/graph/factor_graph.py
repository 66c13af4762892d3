"""Writing down a factor graph: discrete variables, and factors that score a few of them together.

A world y gives every variable one value of its domain, and p(y) ∝ exp ψ(y) with ψ(y) = Σ_f f(y_f), the `log_score`. A
factor f is a table of log scores, or features times the weights of a *template*; all factors of a template share
its weights (parameter tying). Minus infinity in a table forbids a combination. `compile()` turns the description
into flat arrays, which score, explain, solve and sample.
"""

import difflib
import itertools
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from onoma.errors import DataError
from onoma.graph.compiled import CompiledGraph, assemble

__all__ = ["FactorBlock", "FactorGraph", "Features", "Template"]

Features = ArrayLike | Callable[..., Mapping[str, float]]
"""Features of every cell: an array of shape (*domains, n_features), or a function from values to {feature: number}."""


@dataclass(frozen=True)
class FactorBlock:
    """Factors over equally many values: n rows of variables, with one table for all of them or one each."""

    name: str
    variables: NDArray[np.int32]  # [n, arity]
    shape: tuple[int, ...]
    tables: NDArray[np.float64]  # [1 or n, cells]
    features: NDArray[np.float64] | None = None  # [1 or n, cells, n_features]
    first_weight: int = 0


@dataclass(frozen=True)
class Template:
    """Weights shared by any number of factors; made by `FactorGraph.template`."""

    graph: "FactorGraph"
    name: str
    names: tuple[str, ...]
    weights: NDArray[np.float64]
    first_weight: int

    def factor(self, variables: Sequence[str], features: Features, *, name: str | None = None) -> None:
        """Add one factor that scores features × weights."""
        self.factors([variables], features, name=name)

    def factors(self, variables: Iterable[Sequence[str]], features: Features, *, name: str | None = None) -> None:
        """Add a factor for each row of variables, all with the same features (their domains have one shape).

        The rows share one table, so a million factors cost no more cells than one. Features that differ from row to
        row come as an array of shape (n_rows, *domains, n_features).
        """
        graph = self.graph
        block_name = graph._block_name(name if name is not None else None, self.name)
        rows, shape = graph._rows(variables, block_name)
        values = self._values(features, rows, shape, block_name)
        graph._blocks.append(FactorBlock(block_name, rows, shape, values @ self.weights, values, self.first_weight))

    def _values(
        self, features: Features, rows: NDArray[np.int32], shape: tuple[int, ...], block: str
    ) -> NDArray[np.float64]:
        if callable(features):
            values = self._called(features, rows, shape, block)
        else:
            values = np.asarray(features, dtype=np.float64)
        one, each = (*shape, len(self.names)), (len(rows), *shape, len(self.names))
        if values.shape not in (one, each):
            raise DataError(
                f"factor {block!r}: features of shape {values.shape}; allowed is {one} for all, or {each} one each",
                hint="One axis for each variable, in the order named, and the features last.",
            )
        if not np.isfinite(values).all():
            raise DataError(f"factor {block!r}: a feature is NaN or infinite; only finite features can be weighed")
        return values.reshape(-1, int(np.prod(shape)), len(self.names))

    def _called(
        self, features: Callable[..., Mapping[str, float]], rows: NDArray[np.int32], shape: tuple[int, ...], block: str
    ) -> NDArray[np.float64]:
        domains = [self.graph._domains[variable] for variable in rows[0]]
        for row in rows:
            if [self.graph._domains[variable] for variable in row] != domains:
                raise DataError(
                    f"factor {block!r}: a feature function for variables of different domains",
                    hint="Add one group of factors for each combination of domains.",
                )
        position = {name: i for i, name in enumerate(self.names)}
        values = np.zeros((*shape, len(self.names)))
        for cell in itertools.product(*(range(n) for n in shape)):
            for name, value in features(*(domain[i] for domain, i in zip(domains, cell, strict=True))).items():
                if name not in position:
                    raise DataError(f"factor {block!r}: unknown feature {name!r}", hint=_known(name, self.names))
                values[(*cell, position[name])] = value
        return values


@dataclass
class FactorGraph:
    """A factor graph being written.

    Examples
    --------
    >>> graph = FactorGraph()
    >>> graph.variable("weather", ["dry", "wet"])
    >>> graph.variable("coat", ["none", "light", "heavy"])
    >>> graph.factor(["weather"], [0.5, 0.0])
    >>> same = graph.template("habit", {"suits": 1.5, "heavy": -0.5})
    >>> same.factor(
    ...     ["weather", "coat"],
    ...     lambda weather, coat: {"suits": (weather == "wet") == (coat != "none"), "heavy": coat == "heavy"},
    ... )
    >>> compiled = graph.compile()
    >>> compiled
    CompiledGraph(2 variables, 2 factors, 8 cells, 2 weights)
    >>> compiled.log_score(compiled.world({"weather": "wet", "coat": "heavy"}))
    1.0
    """

    _domains: list[tuple[Hashable, ...]] = field(default_factory=list, repr=False)
    _positions: dict[str, int] = field(default_factory=dict, repr=False)
    _observed: dict[int, int] = field(default_factory=dict, repr=False)
    _blocks: list[FactorBlock] = field(default_factory=list, repr=False)
    _templates: dict[str, Template] = field(default_factory=dict, repr=False)
    _block_names: set[str] = field(default_factory=set, repr=False)

    def variable(self, name: str, domain: Iterable[Hashable]) -> None:
        """Add a variable with the values it may take."""
        self.variables([name], domain)

    def variables(self, names: Iterable[str], domain: Iterable[Hashable]) -> None:
        """Add several variables with one domain."""
        values = tuple(domain)
        for name in names:
            if name in self._positions:
                raise DataError(f"variable {name!r} is there already", hint="Names of variables are unique.")
            if not values:
                raise DataError(f"variable {name!r}: empty domain", hint="Give at least one value.")
            if len(set(values)) != len(values):
                twice = next(value for i, value in enumerate(values) if value in values[:i])
                raise DataError(f"variable {name!r}: value {twice!r} stands twice in the domain")
            self._positions[name] = len(self._domains)
            self._domains.append(values)

    def observe(self, name: str, value: Hashable) -> None:
        """Fix a variable to a value: everything else is conditioned on it."""
        position = self._position(name, "observation")
        domain = self._domains[position]
        if value not in domain:
            raise DataError(f"variable {name!r}: unknown value {value!r}", hint=_known(value, domain))
        self._observed[position] = domain.index(value)

    def factor(self, variables: Sequence[str], table: ArrayLike, *, name: str | None = None) -> None:
        """Add a factor: log scores with one axis for each variable, in the order named."""
        self.factors([variables], table, name=name)

    def factors(self, variables: Iterable[Sequence[str]], tables: ArrayLike, *, name: str | None = None) -> None:
        """Add a factor for each row of variables: one table for all, or an array of tables, one a row."""
        block_name = self._block_name(name, "factor")
        rows, shape = self._rows(variables, block_name)
        array = np.asarray(tables, dtype=np.float64)
        if array.shape not in (shape, (len(rows), *shape)):
            raise DataError(
                f"factor {block_name!r}: table of shape {array.shape}; "
                f"the domains of {self._names(rows[0])} have shape {shape}",
                hint="One axis for each variable, in the order named; several tables lie along a first axis.",
            )
        if np.isnan(array).any() or (array == np.inf).any():
            bad = tuple(int(i) for i in np.argwhere(np.isnan(array) | (array == np.inf))[0])
            raise DataError(
                f"factor {block_name!r}: cell {bad} is {array[bad]}; a log score is a number, or -inf for forbidden"
            )
        self._blocks.append(FactorBlock(block_name, rows, shape, array.reshape(-1, int(np.prod(shape)))))

    def template(self, name: str, weights: Mapping[str, float]) -> Template:
        """Add named weights, to be shared by the factors made with the template that is returned."""
        if name in self._templates:
            raise DataError(f"template {name!r} is there already", hint="Names of templates are unique.")
        values = np.array([float(weight) for weight in weights.values()])
        if not len(values):
            raise DataError(f"template {name!r}: no weights", hint="Give at least one feature with its weight.")
        if not np.isfinite(values).all():
            raise DataError(f"template {name!r}: a weight is NaN or infinite")
        first = sum(len(template.names) for template in self._templates.values())
        self._templates[name] = Template(self, name, tuple(weights), values, first)
        return self._templates[name]

    def compile(self) -> CompiledGraph:
        """Return the graph as flat arrays."""
        if not self._domains:
            raise DataError("a graph without variables", hint="Add some with `variable`.")
        weights = {
            f"{template.name}.{feature}": float(weight)
            for template in self._templates.values()
            for feature, weight in zip(template.names, template.weights, strict=True)
        }
        return assemble(tuple(self._positions), tuple(self._domains), self._observed, self._blocks, weights)

    def _rows(self, variables: Iterable[Sequence[str]], block: str) -> tuple[NDArray[np.int32], tuple[int, ...]]:
        names = list(variables)
        for row in names:
            if isinstance(row, str):
                raise DataError(f"factor {block!r}: variables are {row!r}; a list of names is wanted: [{row!r}]")
            if len(row) != len(names[0]) or not len(row):
                raise DataError(
                    f"factor {block!r}: every factor needs one variable or more, and equally many in a group"
                )
            if len(set(row)) != len(row):
                raise DataError(f"factor {block!r}: a variable stands twice in {tuple(row)}")
        if not names:
            raise DataError(f"factor {block!r}: no variables")
        rows = np.array([[self._position(name, f"factor {block!r}") for name in row] for row in names], dtype=np.int32)
        sizes = np.array([[len(self._domains[variable]) for variable in row] for row in rows.tolist()])
        if (sizes != sizes[0]).any():
            other = int(np.argwhere((sizes != sizes[0]).any(axis=1))[0, 0])
            raise DataError(
                f"factor {block!r}: the domains of {self._names(rows[0])} have shape {tuple(sizes[0].tolist())}, "
                f"those of {self._names(rows[other])} {tuple(sizes[other].tolist())}; a group has one shape"
            )
        return rows, tuple(int(n) for n in sizes[0])

    def _position(self, name: str, where: str) -> int:
        if name not in self._positions:
            raise DataError(f"{where}: unknown variable {name!r}", hint=_known(name, self._positions))
        return self._positions[name]

    def _names(self, row: NDArray[np.int32]) -> str:
        names = list(self._positions)
        return "(" + ", ".join(names[variable] for variable in row) + ")"

    def _block_name(self, name: str | None, stem: str) -> str:
        if name is None:
            name = f"{stem} {len(self._blocks)}"
        elif name in self._block_names:
            raise DataError(
                f"factor {name!r} is there already", hint="Names of factors are unique; leave it out if unsure."
            )
        self._block_names.add(name)
        return name


def _known(wrong: object, known: Iterable[object]) -> str:
    """Return what to try: the names that look alike, or the first few."""
    words = [str(word) for word in known]
    near = difflib.get_close_matches(str(wrong), words, n=3)
    if near:
        return "Did you mean " + " or ".join(near) + "?"
    return "Known: " + (", ".join(words[:10]) + (", …" if len(words) > 10 else "") or "none yet")
