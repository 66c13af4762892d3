"""A clustering: which items are the same thing.

One `int64` label for each item, entities numbered 0, 1, 2… in order of first appearance, so two clusterings are equal
exactly when their labels are. An item may be *absent* (label -1): a mention the system did not find, a row without a
gold label. Everything is array work, linear in the number of items.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.corpus._clustering_kernels import number_by_appearance, number_pairs, sort_by_label
from onoma.errors import DataError
from onoma.numerics.union_find import components

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["ABSENT", "Clustering"]

ABSENT = -1
"""The label of an item that is in no entity."""


@dataclass(frozen=True, eq=False)
class Clustering:
    """A partition of n items, or of those of them that are present.

    Build one with `from_labels`, `from_pairs`, `from_chains` or `singletons`.

    Examples
    --------
    >>> Clustering.from_labels(["b", "a", "b", None])
    Clustering(3 items in 2 entities, 1 absent)
    >>> Clustering.from_pairs(4, [(3, 1)]).labels.tolist()
    [0, 1, 2, 1]
    """

    labels: NDArray[np.int64]
    n_entities: int

    @classmethod
    def from_labels(cls, labels: "ArrayLike | pa.Array | pa.ChunkedArray") -> Self:
        """Cluster by equal labels. None, NaN, null, and -1 among whole numbers mean absent; "" is a label."""
        if isinstance(labels, np.ndarray) and labels.dtype.kind in "iu":
            codes = labels.astype(np.int64, copy=False)
            present = codes[codes != ABSENT]
            if not len(present) or (present.min() >= 0 and present.max() < 4 * len(codes) + 1024):
                return cls._numbered(np.ascontiguousarray(codes))
        column = labels if isinstance(labels, pa.Array | pa.ChunkedArray) else _to_arrow(labels)
        if isinstance(column, pa.ChunkedArray):
            column = column.combine_chunks()
        if pa.types.is_integer(column.type):
            column = pc.replace_with_mask(column, pc.equal(column, ABSENT), pa.scalar(None, column.type))
        encoded = column if pa.types.is_dictionary(column.type) else pc.dictionary_encode(column)
        if isinstance(encoded, pa.ChunkedArray):
            encoded = encoded.combine_chunks()
        codes = pc.fill_null(encoded.indices.cast(pa.int64()), ABSENT).to_numpy(zero_copy_only=False)
        return cls._numbered(codes.copy())  # Arrow's memory is read-only, which Numba would compile for anew

    @classmethod
    def from_pairs(cls, n: int, pairs: NDArray[np.integer] | Iterable[tuple[int, int]]) -> Self:
        """Cluster n items by the transitive closure of pairs of positions."""
        array = np.asarray(pairs if isinstance(pairs, np.ndarray) else list(pairs), dtype=np.int64).reshape(-1, 2)
        if len(array) and (array.min() < 0 or array.max() >= n):
            row = int(np.flatnonzero((array < 0).any(1) | (array >= n).any(1))[0])
            raise DataError(f"pair {row} is {tuple(array[row].tolist())}; positions go from 0 to {n - 1}")
        a, b = np.ascontiguousarray(array[:, 0]), np.ascontiguousarray(array[:, 1])
        return cls._numbered(components(n, a, b))

    @classmethod
    def from_chains(cls, n: int, chains: Iterable[Sequence[int]]) -> Self:
        """Cluster n items by lists of positions; items in no list are absent."""
        labels = np.full(n, ABSENT)
        for number, chain in enumerate(chains):
            members = np.asarray(chain, dtype=np.int64)
            if len(members) and (members.min() < 0 or members.max() >= n):
                raise DataError(f"chain {number} names a position outside 0 to {n - 1}")
            if (labels[members] != ABSENT).any() or len(np.unique(members)) != len(members):
                item = int(next(m for i, m in enumerate(members) if labels[m] != ABSENT or m in members[:i]))
                raise DataError(f"item {item} stands twice in the chains; a clustering holds each item once")
            labels[members] = number
        return cls._numbered(labels)

    @classmethod
    def singletons(cls, n: int) -> Self:
        """Return n items, each alone."""
        return cls(np.arange(n), n)

    @classmethod
    def _numbered(cls, codes: NDArray[np.int64]) -> Self:
        labels, n_entities = number_by_appearance(codes)
        return cls(labels, n_entities)

    def __len__(self) -> int:
        return len(self.labels)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Clustering) and np.array_equal(self.labels, other.labels)

    def __hash__(self) -> int:
        return hash(self.labels.tobytes())

    def __repr__(self) -> str:
        absent = f", {self.n_absent:,} absent" if self.n_absent else ""
        return f"Clustering({len(self) - self.n_absent:,} items in {self.n_entities:,} entities{absent})"

    @cached_property
    def n_absent(self) -> int:
        """How many items are in no entity."""
        return int(np.count_nonzero(self.labels == ABSENT))

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of items of each entity."""
        return self.offsets[1:] - self.offsets[:-1]

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each entity's items begin in `order`; one more entry than entities."""
        return self._by_entity[1]

    @property
    def order(self) -> NDArray[np.int64]:
        """The present items, entity after entity, each entity's in their own order."""
        return self._by_entity[0]

    @cached_property
    def _by_entity(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        order, offsets = sort_by_label(self.labels, self.n_entities)
        return order, offsets

    def members(self, entity: int) -> NDArray[np.int64]:
        """Return the items of one entity."""
        return self.order[self.offsets[entity] : self.offsets[entity + 1]]

    def chains(self) -> list[list[int]]:
        """Return every entity as a list of items: for people and small clusterings."""
        return [self.members(entity).tolist() for entity in range(self.n_entities)]

    def intersect(self, other: "Clustering") -> "Clustering":
        """Return the coarsest clustering finer than both: together if together in both, absent if absent in either.

        Examples
        --------
        >>> Clustering.from_labels([0, 0, 1, 1]).intersect(Clustering.from_labels([0, 1, 1, 1])).labels.tolist()
        [0, 1, 2, 2]
        """
        if len(self) != len(other):
            raise DataError(f"clusterings of {len(self):,} and {len(other):,} items cannot be intersected")
        codes = number_pairs(self.order, self.offsets, other.labels, other.n_entities)
        return Clustering._numbered(codes)

    def join(self, other: "Clustering") -> "Clustering":
        """Return the finest clustering coarser than both: the transitive closure; present if present in either."""
        if len(self) != len(other):
            raise DataError(f"clusterings of {len(self):,} and {len(other):,} items cannot be joined")
        a = np.concatenate([self._links()[0], other._links()[0]])
        b = np.concatenate([self._links()[1], other._links()[1]])
        joined = components(len(self), a, b)
        joined[(self.labels == ABSENT) & (other.labels == ABSENT)] = ABSENT
        return Clustering._numbered(joined)

    def _links(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return n - entities pairs whose closure is this clustering: each item with the entity's first."""
        first = self.order[self.offsets[:-1]]
        present = self.order
        return first[self.labels[present]], present

    def take(self, items: NDArray[np.integer] | NDArray[np.bool_]) -> "Clustering":
        """Return the clustering of some of the items, in the order given (positions, or a mask)."""
        return Clustering._numbered(np.ascontiguousarray(self.labels[items]))

    def relabel(self, names: Sequence[str] | None = None) -> pa.Array:
        """Return a name for each item's entity (null where absent): the names given, or `e0`, `e1`…"""
        if names is not None and len(names) != self.n_entities:
            raise DataError(f"{len(names):,} names for {self.n_entities:,} entities")
        entities = pa.array([f"e{i}" for i in range(self.n_entities)] if names is None else names)
        return entities.take(pa.array(self.labels, mask=self.labels == ABSENT))


def _to_arrow(labels: "ArrayLike") -> pa.Array:
    try:
        return pa.array(labels, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise DataError(f"labels must all be of one kind (whole numbers, or strings): {error}") from error
