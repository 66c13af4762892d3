"""Types of entities, signatures of relations, and what follows: which entities a relation can join.

A *signature* says which types the subjects of a relation may have and which its objects may have. It is given, or
induced as Chang et al. (2014) do: every type seen on a side of a relation in the known facts is allowed there. An
entity of several types fits if one of them does; one without a type fits everywhere: nothing is known against it.

What a model needs is coarser than types. Two entities that fit the same sides of the same relations are alike to it, so
`Fit` sorts the entities into *blocks* that are alike: at most as many as there are sets of types, and one alone where
nothing is excluded.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy.sparse as sp
from numpy.typing import NDArray

from onoma.corpus.schema import SIGNATURES, TYPES, check
from onoma.errors import DataError
from onoma.knowledge.facts import Codes, Facts, Names, Triples

__all__ = ["Fit", "Signatures", "Types"]

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Types:
    """The types of entities.

    Parameters
    ----------
    names
        The types.
    member
        Entities by types, 1 where the entity has the type.
    """

    names: Names
    member: sp.csr_array

    @classmethod
    def from_table(cls, table: pa.Table, entities: Names, *, above: Mapping[str, set[str]] | None = None) -> Self:
        """Take the types of some entities from a table of `TYPES`.

        Parameters
        ----------
        table
            Rows of entity and type; rows about other entities are passed over.
        entities
            The entities to be typed.
        above
            For each type all types above it, which its entities have too.
        """
        table = check(table, TYPES, name="table of types")
        rows = entities.codes(table["entity"])
        table, rows = table.filter(pa.array(rows >= 0)), rows[rows >= 0]
        kinds = table["type"].to_pylist()
        pairs = [(row, kind) for row, kind in zip(rows.tolist(), kinds, strict=True)]
        if above:
            pairs += [(row, upper) for row, kind in pairs for upper in sorted(above.get(kind, ()))]
        names = Names(pc.unique(pa.array([kind for _, kind in pairs], pa.string())), "type")
        codes = names.codes(pa.array([kind for _, kind in pairs], pa.string()))
        cells = (np.array([row for row, _ in pairs], np.int64), codes)
        member = sp.csr_array((np.ones(len(pairs)), cells), shape=(len(entities), len(names)))
        member.data[:] = 1.0
        return cls(names, member)

    def row_of(self, kinds: list[str]) -> sp.csr_array:
        """Return the row of one more entity; its types must be known ones."""
        codes = [self.names.index(kind) for kind in dict.fromkeys(kinds)]
        return sp.csr_array((np.ones(len(codes)), ([0] * len(codes), codes)), shape=(1, len(self.names)))


@dataclass(frozen=True, eq=False)
class Signatures:
    """For each relation the types allowed on each side: truth values, relations by types."""

    subjects: Flags
    objects: Flags

    @classmethod
    def induced(cls, facts: Facts, types: Types) -> Self:
        """Allow on each side of a relation every type seen there."""
        shape = (len(facts.relations), len(facts.entities))
        sides = []
        for codes in (facts.triples.subjects, facts.triples.objects):
            seen = sp.csr_array((np.ones(len(facts)), (facts.triples.relations, codes)), shape=shape)
            sides.append((seen @ types.member).toarray() > 0.0)
        return cls(*sides)

    @classmethod
    def from_table(cls, table: pa.Table, relations: Names, types: Types) -> Self:
        """Take the allowed types from a table of `SIGNATURES`; a relation that it does not name allows everything.

        A type of the table that no entity has allows nothing, and is no error.
        """
        table = check(table, SIGNATURES, name="table of signatures")
        rows = relations.codes(table["relation"])
        sides = []
        for column in ("domain", "range"):
            kinds = types.names.codes(table[column])
            allowed = np.zeros((len(relations), len(types.names)), np.bool_)
            allowed[rows[(rows >= 0) & (kinds >= 0)], kinds[(rows >= 0) & (kinds >= 0)]] = True
            unnamed = np.ones(len(relations), np.bool_)
            unnamed[rows[rows >= 0]] = False
            allowed[unnamed] = True
            sides.append(allowed)
        return cls(*sides)


@dataclass(frozen=True, eq=False)
class Fit:
    """Which entities fit which sides of which relations, by blocks of entities that are alike.

    Parameters
    ----------
    block
        The block of each entity.
    subjects, objects
        Relations by blocks: whether entities of the block can be subjects (objects) of the relation.
    """

    block: NDArray[np.int64]
    subjects: Flags
    objects: Flags

    @classmethod
    def everything(cls, n_entities: int, n_relations: int) -> Self:
        """Return the fit that excludes nothing."""
        flags = np.ones((n_relations, 1), np.bool_)
        return cls(np.zeros(n_entities, np.int64), flags, flags)

    @classmethod
    def of(cls, types: Types, signatures: Signatures) -> Self:
        """Sort the entities into blocks by what their types allow."""
        if signatures.subjects.shape[1] != len(types.names):
            raise DataError(f"the signatures are of {signatures.subjects.shape[1]} types, not {len(types.names)}")
        kinds, which = _distinct_rows(types.member)
        untyped = np.diff(kinds.indptr) == 0
        sides = [
            (kinds @ allowed.T.astype(np.float64) > 0.0) | untyped[:, None]
            for allowed in (signatures.subjects, signatures.objects)
        ]
        both = np.hstack(sides)
        distinct, block = np.unique(np.packbits(both, axis=1), axis=0, return_inverse=True)
        flags = np.unpackbits(distinct, axis=1, count=both.shape[1]).astype(np.bool_)
        n_relations = len(signatures.subjects)
        subjects, objects = (np.ascontiguousarray(part.T) for part in (flags[:, :n_relations], flags[:, n_relations:]))
        return cls(block.reshape(-1)[which].astype(np.int64), subjects, objects)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """How many entities each block has."""
        return np.bincount(self.block, minlength=self.subjects.shape[1])

    def allows(self, triples: Triples) -> Flags:
        """Say for each triple whether its types fit."""
        return (
            self.subjects[triples.relations, self.block[triples.subjects]]
            & self.objects[triples.relations, self.block[triples.objects]]
        )

    def bar_objects_inplace(self, subjects: Codes, relations: Codes, scores: NDArray[np.floating[Any]]) -> None:
        """Put -inf wherever an object does not fit; a subject that does not fit makes its whole row -inf."""
        scores[~self.objects[relations][:, self.block]] = -np.inf
        scores[~self.subjects[relations, self.block[subjects]]] = -np.inf

    def bar_subjects_inplace(self, relations: Codes, objects: Codes, scores: NDArray[np.floating[Any]]) -> None:
        """Put -inf wherever a subject does not fit; an object that does not fit makes its whole row -inf."""
        scores[~self.subjects[relations][:, self.block]] = -np.inf
        scores[~self.objects[relations, self.block[objects]]] = -np.inf

    def share_allowed(self) -> float:
        """Return the share of all cells (subject, relation, object) that fit."""
        rows = (self.subjects * self.sizes).sum(axis=1, dtype=np.float64)
        columns = (self.objects * self.sizes).sum(axis=1, dtype=np.float64)
        return float((rows * columns).sum() / (len(rows) * float(len(self.block)) ** 2))


def _distinct_rows(member: sp.csr_array) -> tuple[sp.csr_array, NDArray[np.int64]]:
    """Return the different rows of a sparse matrix, and which of them each row is."""
    member.sort_indices()
    first: dict[bytes, int] = {}
    rows: list[int] = []
    which = np.empty(member.shape[0], np.int64)
    indices = member.indices.astype(np.int64)
    for i, (start, end) in enumerate(zip(member.indptr[:-1].tolist(), member.indptr[1:].tolist(), strict=True)):
        key = indices[start:end].tobytes()
        if key not in first:
            first[key] = len(rows)
            rows.append(i)
        which[i] = first[key]
    return member[np.array(rows, np.int64)], which
