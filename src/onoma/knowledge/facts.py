"""Facts as numbers: who stands in which relation to whom, coded by position in a list of names.

`Facts` is what every model of this room learns from: three arrays of codes and a probability for each fact, the names
of entities and relations, and nothing else. It comes from a table of `FACTS` (`onoma.corpus.schema`) and goes back to
one. A fact said twice is one fact with the larger probability.
"""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy.sparse as sp
from numpy.typing import NDArray

from onoma.corpus.schema import FACTS, check
from onoma.errors import DataError
from onoma.numerics.rng import stream

__all__ = ["Facts", "Names", "Triples"]

Codes = NDArray[np.int64]


class Names:
    """A list of different names, and the position of each.

    Parameters
    ----------
    values
        The names, each once.
    what
        What they name, for messages: `"entity"`, `"relation"`, `"type"`.

    Examples
    --------
    >>> names = Names(["lyon", "paris"], "entity")
    >>> names.index("paris"), len(names), "rome" in names
    (1, 2, False)
    """

    def __init__(self, values: Sequence[str] | pa.Array, what: str) -> None:
        self.array = values if isinstance(values, pa.Array) else pa.array(list(values), pa.string())
        self.what = what

    @cached_property
    def _positions(self) -> dict[str, int]:
        positions = {name: i for i, name in enumerate(self.array.to_pylist())}
        if len(positions) < len(self.array):
            raise DataError(f"a name of {self.what} stands there twice; each may stand once")
        return positions

    def __len__(self) -> int:
        return len(self.array)

    def __iter__(self) -> Iterator[str]:
        return iter(self._positions)

    def __contains__(self, name: object) -> bool:
        return name in self._positions

    def __getitem__(self, position: int) -> str:
        return str(self.array[int(position)].as_py())

    def index(self, name: str) -> int:
        """Return the position of a name, or say that it is unknown and which are similar."""
        position = self._positions.get(name)
        if position is None:
            raise DataError(f"there is no {self.what} {name!r} among the {len(self):,} known", hint=self.similar(name))
        return position

    def codes(self, values: pa.Array | pa.ChunkedArray) -> Codes:
        """Return the position of each value, -1 where it is unknown."""
        found = pc.index_in(values, value_set=self.array)
        return np.asarray(pc.fill_null(found, -1), np.int64)

    def take(self, codes: NDArray[np.integer]) -> pa.Array:
        """Return the names at some positions."""
        return self.array.take(pa.array(codes))

    def similar(self, name: str) -> str:
        """Return a hint: which names are similar to one that is not there."""
        near = difflib.get_close_matches(name, list(self._positions)[:200_000], n=3, cutoff=0.6)
        if not near:
            holding = (each for each in self._positions if name.lower() in each.lower())
            near = [each for each, _ in zip(holding, range(3), strict=False)]
        return f"Did you mean {' or '.join(near)}?" if near else "None has a similar name."


@dataclass(frozen=True, eq=False)
class Triples:
    """Coded facts: one position in each array is one fact."""

    subjects: Codes
    relations: Codes
    objects: Codes

    def __len__(self) -> int:
        return len(self.subjects)

    @property
    def columns(self) -> tuple[Codes, Codes, Codes]:
        """The three arrays."""
        return self.subjects, self.relations, self.objects

    def take(self, which: NDArray[np.bool_] | NDArray[np.integer]) -> "Triples":
        """Return some of the facts."""
        return Triples(self.subjects[which], self.relations[which], self.objects[which])

    def joined(self, other: "Triples") -> "Triples":
        """Return both, one after the other."""
        return Triples(*(np.concatenate(pair) for pair in zip(self.columns, other.columns, strict=True)))


@dataclass(frozen=True, eq=False)
class Facts:
    """Everything known, coded.

    Parameters
    ----------
    entities, relations
        Their names.
    triples
        The facts, each once, ordered by relation, subject and object.
    probability
        Of each fact.
    n_repeated
        How many rows said a fact that another row had said.
    """

    entities: Names
    relations: Names
    triples: Triples
    probability: NDArray[np.float64]
    n_repeated: int = field(default=0)

    @classmethod
    def from_table(cls, table: pa.Table, *, entities: Names | None = None, relations: Names | None = None) -> Self:
        """Code a table of facts; names are taken in the order they appear, unless given.

        Examples
        --------
        >>> table = pa.table({"subject": ["lyon", "paris"], "relation": ["in", "in"], "object": ["france", "france"]})
        >>> facts = Facts.from_table(table)
        >>> len(facts), list(facts.entities)
        (2, ['lyon', 'paris', 'france'])
        """
        table = _with_probability(table)
        if entities is None:
            both = pa.chunked_array([*table["subject"].chunks, *table["object"].chunks], pa.string())
            entities = Names(pc.unique(both), "entity")
        if relations is None:
            relations = Names(pc.unique(table["relation"]), "relation")
        triples, unknown = _coded(table, entities, relations)
        if unknown.any():
            row = int(np.argmax(unknown))
            for column, names in (("subject", entities), ("relation", relations), ("object", entities)):
                names.index(table[column][row].as_py())  # one of them says what is unknown
        return cls.from_codes(triples, np.asarray(table["probability"], np.float64), entities, relations)

    @classmethod
    def from_codes(cls, triples: Triples, probability: NDArray[np.float64], entities: Names, relations: Names) -> Self:
        """Put coded facts in order; of a fact said twice the larger probability is kept."""
        wrong = ~((probability >= 0.0) & (probability <= 1.0))
        if wrong.any():
            row = int(np.argmax(wrong))
            raise DataError(f"the probability is {probability[row]:g}; it is from 0 to 1", row=row + 1)
        # The most probable of equal facts comes first.
        order = np.lexsort((-probability, triples.objects, triples.subjects, triples.relations))
        triples, probability = triples.take(order), probability[order]
        fresh = np.ones(len(order), np.bool_)
        fresh[1:] = np.any([codes[1:] != codes[:-1] for codes in triples.columns], axis=0)
        n_repeated = int(len(fresh) - fresh.sum())
        return cls(entities, relations, triples.take(fresh), probability[fresh], n_repeated)

    def __len__(self) -> int:
        return len(self.triples)

    def code(self, table: pa.Table) -> tuple[Triples, NDArray[np.bool_]]:
        """Code other facts by the same names; return those whose names are all known, and which rows they are."""
        triples, unknown = _coded(check(_with_probability(table), FACTS), self.entities, self.relations)
        return triples.take(~unknown), ~unknown

    def table(self) -> pa.Table:
        """Return the facts as a table of `FACTS`."""
        columns = [*self.named(self.triples), pa.array(self.probability), pa.nulls(len(self), pa.string())]
        return pa.Table.from_arrays(columns, schema=FACTS)

    def named(self, triples: Triples) -> tuple[pa.Array, pa.Array, pa.Array]:
        """Return the names of subjects, relations and objects."""
        subjects, relations, objects = triples.columns
        return self.entities.take(subjects), self.relations.take(relations), self.entities.take(objects)

    def keep(self, which: NDArray[np.bool_]) -> "Facts":
        """Return the facts chosen, with all names."""
        return Facts(self.entities, self.relations, self.triples.take(which), self.probability[which])

    def split(self, share: float, seed: int) -> tuple["Facts", "Facts"]:
        """Return two parts: a random share of the held-out facts, and the rest first.

        A fact is held out only if both its entities and its relation keep another one.
        """
        aside = np.zeros(len(self), np.bool_)
        degree = np.bincount(
            np.concatenate([self.triples.subjects, self.triples.objects]), minlength=len(self.entities)
        )
        often = np.bincount(self.triples.relations, minlength=len(self.relations))
        wanted = round(share * len(self))
        for i in stream(seed, "split").permutation(len(self)):
            if wanted == 0:
                break
            s, k, o = (codes[i] for codes in self.triples.columns)
            if min(degree[s], degree[o]) > 1 + (s == o) and often[k] > 1:
                aside[i] = True
                degree[s] -= 1
                degree[o] -= 1
                often[k] -= 1
                wanted -= 1
        return self.keep(~aside), self.keep(aside)

    def slices(self) -> Iterator[tuple[int, sp.coo_array]]:
        """Yield each relation that has facts and its matrix of probabilities, subjects by objects."""
        n = len(self.entities)
        ends = np.searchsorted(self.triples.relations, np.arange(len(self.relations) + 1))
        for k in range(len(self.relations)):
            part = slice(ends[k], ends[k + 1])
            if ends[k] < ends[k + 1]:
                cells = (self.triples.subjects[part], self.triples.objects[part])
                yield k, sp.coo_array((self.probability[part], cells), shape=(n, n))


def _with_probability(table: pa.Table) -> pa.Table:
    if "probability" not in table.column_names:
        table = table.append_column("probability", pa.array(np.ones(len(table))))
    if "source" not in table.column_names:
        table = table.append_column("source", pa.nulls(len(table), pa.string()))
    return check(table, FACTS, name="table of facts")


def _coded(table: pa.Table, entities: Names, relations: Names) -> tuple[Triples, NDArray[np.bool_]]:
    triples = Triples(
        entities.codes(table["subject"]), relations.codes(table["relation"]), entities.codes(table["object"])
    )
    return triples, np.any([codes < 0 for codes in triples.columns], axis=0)
