"""BLANC: coreferent and non-coreferent pairs count alike (Recasens and Hovy, 2011; Luo et al., ACL 2014).

A clustering joins some pairs of its items and keeps the others apart. Each kind is scored by pairwise precision and
recall, a pair counting as right if both sides hold both items and say the same; BLANC is the mean of the two:

    recall = (R_joined + R_apart) / 2,    precision = (P_joined + P_apart) / 2,    F1 = (F1_joined + F1_apart) / 2.

Where the gold has no pair of one kind the other alone counts; with no pair at all the score is 0.

Pairs are taken within a document. Give the document of each item as `groups` when there are several; without it all
items are one document. Entities that cross groups are cut at their borders first.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from onoma.corpus.clustering import Clustering
from onoma.evaluate.contingency import Contingency
from onoma.evaluate.metric import Metric, columns
from onoma.evaluate.pairwise import n_pairs, pairs_an_item
from onoma.evaluate.score import LinkScore, Score, harmonic_mean, ratio

__all__ = ["BLANC", "blanc"]


def blanc(gold: Clustering, predicted: Clustering, *, groups: ArrayLike | None = None) -> LinkScore:
    """Score pairs, joined and apart.

    Examples
    --------
    >>> score = blanc(Clustering.from_labels([0, 0, 1, 1]), Clustering.from_labels([0, 0, 1, 2]))
    >>> score.separate
    Score(recall_num=4.0, recall_den=4.0, precision_num=4.0, precision_den=5.0)
    >>> round(score.f1, 4)
    0.7778
    """
    return _result(*_sums(Contingency.of(gold, predicted, groups=groups)).tolist())


def _result(*sums: float) -> LinkScore:
    return LinkScore(Score(*sums[:4]), Score(*sums[4:]))


def _sums(table: Contingency) -> NDArray[np.float64]:
    table = _within_groups(table)
    right, gold, predicted = (n_pairs(sizes) for sizes in (table.overlaps, table.gold_sizes, table.predicted_sizes))
    gold_all, predicted_all, shared_all = (n_pairs(_sizes(table, present)) for present in _presence(table))
    right_apart = shared_all - n_pairs(table.gold_shared) - n_pairs(table.predicted_shared) + right
    joined = [right, gold, right, predicted]
    apart = [right_apart, gold_all - gold, right_apart, predicted_all - predicted]
    return np.array(joined + apart, dtype=np.float64)


def _contributions(table: Contingency) -> NDArray[np.float64]:
    """Share each pair between its two items; what an item adds now depends on its group too, so by cell of `table`."""
    inner = _within_groups(table)
    by_cell = _contributions_within(inner)
    if inner is table:
        return by_cell
    # A cell of the table may hold items of several groups: each gets the mean of them.
    there = table.item_cells >= 0
    n = np.maximum(table.cells.n, 1)
    added = by_cell[inner.item_cells[there]]
    cells = table.item_cells[there]
    return columns(*(np.bincount(cells, column, minlength=len(n)) / n for column in added.T))


def _contributions_within(table: Contingency) -> NDArray[np.float64]:
    cells = table.cells
    right, gold, predicted = (pairs_an_item(size) for size in (cells.shared, cells.gold, cells.predicted))
    gold_all, predicted_all, shared_all = (_sizes_by_cell(table, present) for present in _presence(table))
    n_shared = len(table.overlaps)
    right_apart = np.zeros(len(cells.n))
    known = shared_all[:n_shared] - table.gold_shared[table.rows] - table.predicted_shared[table.columns]
    right_apart[:n_shared] = (known + table.overlaps) / 2
    gold_apart = np.where(cells.gold > 0, gold_all - cells.gold, 0) / 2
    predicted_apart = np.where(cells.predicted > 0, predicted_all - cells.predicted, 0) / 2
    return columns(right, gold, right, predicted, right_apart, gold_apart, right_apart, predicted_apart)


def _values(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    kinds = sums.reshape(*sums.shape[:-1], 2, 4)
    recall, precision = ratio(kinds[..., 0], kinds[..., 1]), ratio(kinds[..., 2], kinds[..., 3])
    scores = np.stack([precision, recall, harmonic_mean(precision, recall)], axis=-1)
    counts = (kinds[..., 1] > 0)[..., None]
    return ratio((scores * counts).sum(axis=-2), counts.sum(axis=-2))


def _within_groups(table: Contingency) -> Contingency:
    """Cut both sides at the borders of the groups, if they cross any."""
    groups = table.groups
    if groups is None or not (_crosses(table.gold, groups) or _crosses(table.predicted, groups)):
        return table
    cut = Clustering.from_labels(groups)
    return Contingency.of(table.gold.intersect(cut), table.predicted.intersect(cut), groups=groups)


def _crosses(side: Clustering, groups: NDArray[np.int64]) -> bool:
    first = groups[side.order[side.offsets[:-1]]]
    return bool((first[side.labels[side.order]] != groups[side.order]).any())


def _presence(table: Contingency) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    gold, predicted = table.gold.labels >= 0, table.predicted.labels >= 0
    return gold, predicted, gold & predicted


def _sizes(table: Contingency, present: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many of the present items each group has."""
    if table.groups is None:
        return np.array([np.count_nonzero(present)])
    return np.bincount(table.groups[present], minlength=int(table.groups.max(initial=-1)) + 1)


def _sizes_by_cell(table: Contingency, present: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The same, at each cell of a table whose entities stay within groups."""
    sizes = _sizes(table, present)
    if table.groups is None:
        return np.full(len(table.cells.n), sizes[0])
    group = np.zeros(len(table.cells.n), dtype=np.int64)
    there = table.item_cells >= 0
    group[table.item_cells[there]] = table.groups[there]
    return sizes[group]


BLANC = Metric("blanc", _sums, _contributions, _values, _result)
