"""The overlaps of two clusterings, which is all that any measure of them needs.

A *cell* is a gold entity, a predicted entity, and the number of items they share. Only non-empty cells are kept (CSR:
each gold entity's cells in a row), so there are never more cells than items and everything is linear in the items.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from onoma.corpus.clustering import Clustering
from onoma.errors import DataError
from onoma.evaluate._contingency_kernels import count_labels, count_overlaps, find_cells

__all__ = ["Cells", "Contingency", "group_labels"]


class Cells(NamedTuple):
    """Every item by the cell it is in; what one item adds to a measure depends on these four numbers alone.

    Three kinds one after another: the shared cells, one cell a gold entity for its items that are absent from the
    prediction, one cell a predicted entity for its items that are absent from the gold.
    """

    n: NDArray[np.int64]
    """How many items."""
    gold: NDArray[np.int64]
    """The size of their gold entity; 0 where they are absent from the gold."""
    predicted: NDArray[np.int64]
    """The size of their predicted entity; 0 where they are absent from the prediction."""
    shared: NDArray[np.int64]
    """How many items the two entities share; 0 where the items are absent on one side."""


@dataclass(frozen=True, eq=False)
class Contingency:
    """The sparse contingency table of a gold and a predicted clustering of the same items.

    Build one with `Contingency.of`.

    Examples
    --------
    >>> table = Contingency.of(Clustering.from_labels([0, 0, 1, None]), Clustering.from_labels([0, 1, 1, 1]))
    >>> table.rows.tolist(), table.columns.tolist(), table.overlaps.tolist()
    ([0, 0, 1], [0, 1, 1], [1, 1, 1])
    """

    gold: Clustering
    predicted: Clustering
    gold_sizes: NDArray[np.int64]
    """How many items each gold entity has."""
    predicted_sizes: NDArray[np.int64]
    """How many items each predicted entity has."""
    offsets: NDArray[np.int64]
    """Where each gold entity's cells begin; one more entry than gold entities."""
    columns: NDArray[np.int64]
    """The predicted entity of each cell."""
    overlaps: NDArray[np.int64]
    """The number of shared items of each cell, never 0."""
    groups: NDArray[np.int64] | None = None
    """The group (document) of each item, where given."""

    @classmethod
    def of(
        cls, gold: Clustering, predicted: Clustering, *, groups: ArrayLike | NDArray[np.int64] | None = None
    ) -> Self:
        """Compare two clusterings of the same items; label -1 is an item absent on that side."""
        if len(gold) != len(predicted):
            raise DataError(
                f"the gold has {len(gold):,} items and the prediction {len(predicted):,}; both must hold the same ones",
                hint="An item that one side lacks has label -1 there; onoma.evaluate.align does this for two tables.",
            )
        # Counted here: `Clustering.sizes` comes with the items in order of their entities, which is not needed.
        gold_sizes, predicted_sizes = (count_labels(side.labels, side.n_entities) for side in (gold, predicted))
        cells = count_overlaps(gold.labels, gold_sizes, predicted.labels, predicted.n_entities)
        numbers = None if groups is None else group_labels(groups, len(gold))
        return cls(gold, predicted, gold_sizes, predicted_sizes, *cells, numbers)

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """The gold entity of each cell."""
        return np.repeat(np.arange(self.gold.n_entities), np.diff(self.offsets))

    @cached_property
    def n_gold(self) -> int:
        """How many items the gold holds."""
        return int(self.gold_sizes.sum())

    @cached_property
    def n_predicted(self) -> int:
        """How many items the prediction holds."""
        return int(self.predicted_sizes.sum())

    @cached_property
    def n_shared(self) -> int:
        """How many items both hold."""
        return int(self.overlaps.sum())

    @property
    def n_either(self) -> int:
        """How many items are held by one or both."""
        return self.n_gold + self.n_predicted - self.n_shared

    @cached_property
    def gold_shared(self) -> NDArray[np.int64]:
        """How many items of each gold entity the prediction holds."""
        running = np.concatenate([[0], np.cumsum(self.overlaps)])
        return running[self.offsets[1:]] - running[self.offsets[:-1]]

    @cached_property
    def predicted_shared(self) -> NDArray[np.int64]:
        """How many items of each predicted entity the gold holds."""
        shared = np.zeros(self.predicted.n_entities, dtype=np.int64)
        np.add.at(shared, self.columns, self.overlaps)
        return shared

    @cached_property
    def cells(self) -> Cells:
        """Every item by its cell."""
        gold, predicted = self.gold_sizes, self.predicted_sizes
        no_gold, no_predicted = np.zeros_like(gold), np.zeros_like(predicted)
        return Cells(
            np.concatenate([self.overlaps, gold - self.gold_shared, predicted - self.predicted_shared]),
            np.concatenate([gold[self.rows], gold, no_predicted]),
            np.concatenate([predicted[self.columns], no_gold, predicted]),
            np.concatenate([self.overlaps, no_gold, no_predicted]),
        )

    @cached_property
    def item_cells(self) -> NDArray[np.int64]:
        """The cell of each item (a position in `cells`); -1 for an item that neither side holds."""
        gold, predicted = self.gold, self.predicted
        cells: NDArray[np.int64] = find_cells(
            gold.labels,
            predicted.labels,
            gold.order,
            gold.offsets,
            self.offsets,
            self.columns,
            predicted.n_entities,
        )
        return cells


def group_labels(groups: ArrayLike, n: int) -> NDArray[np.int64]:
    """Return the group of each of n items as a number from 0 up, in order of first appearance."""
    labels = Clustering.from_labels(groups)
    if len(labels) != n:
        raise DataError(f"{len(labels):,} groups for {n:,} items; each item has one")
    if labels.n_absent:
        row = int(np.flatnonzero(labels.labels < 0)[0])
        raise DataError(f"item {row} has no group; each item has one")
    return labels.labels
