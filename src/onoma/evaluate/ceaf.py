"""CEAF: entities are paired one to one, as well as they can be (Luo, HLT/EMNLP 2005).

With φ(k, r) the likeness of two entities and m the one-to-one map that makes Φ = Σ φ(k, m(k)) greatest,

    recall = Φ / Σ_gold φ(k, k),    precision = Φ / Σ_predicted φ(r, r).

CEAF-m counts items, φ = |k ∩ r|; CEAF-e counts entities, φ = 2 |k ∩ r| / (|k| + |r|). Only entities that overlap can be
paired with profit, so the best map is a matching of greatest weight in the sparse graph of the cells. It is exact.
"""

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.evaluate._ceaf_kernels import greatest_matching
from onoma.evaluate.contingency import Contingency
from onoma.evaluate.metric import Metric, columns
from onoma.evaluate.score import Score, ratio

__all__ = ["CEAF_E", "CEAF_M", "ceaf_e", "ceaf_m", "pair_entities"]

# Edges looked at, per cell, before the searches are given better prices to start from. Clusterings that have anything
# to do with each other need about 2, and the auction that finds the prices 50 to 200. Among whole numbers ties abound,
# which make searches short and auctions long.
_SEARCH_E = 50
_SEARCH_M = 1 << 30


def ceaf_m(gold: Clustering, predicted: Clustering) -> Score:
    """Score the items of paired entities.

    Examples
    --------
    >>> ceaf_m(Clustering.from_labels([0, 0, 0, 1]), Clustering.from_labels([0, 0, 1, 1]))
    Score(recall_num=3.0, recall_den=4.0, precision_num=3.0, precision_den=4.0)
    """
    return Score(*_sums_m(Contingency.of(gold, predicted)).tolist())


def ceaf_e(gold: Clustering, predicted: Clustering) -> Score:
    """Score paired entities by their likeness.

    Examples
    --------
    >>> round(ceaf_e(Clustering.from_labels([0, 0, 0, 1]), Clustering.from_labels([0, 0, 1, 1])).f1, 4)
    0.7333
    """
    return Score(*_sums_e(Contingency.of(gold, predicted)).tolist())


def pair_entities(table: Contingency, likeness: NDArray[np.float64], *, search: int = _SEARCH_E) -> NDArray[np.bool_]:
    """Say which cells pair their entities in the best one-to-one map."""
    budget = search * len(likeness)
    chosen, _, _ = greatest_matching(table.offsets, table.columns, likeness, table.predicted.n_entities, budget)
    return np.asarray(chosen[table.rows] == table.columns)


def _likeness_m(table: Contingency) -> NDArray[np.float64]:
    return table.overlaps.astype(np.float64)


def _likeness_e(table: Contingency) -> NDArray[np.float64]:
    return 2 * table.overlaps / (table.gold_sizes[table.rows] + table.predicted_sizes[table.columns])


def _sums_m(table: Contingency) -> NDArray[np.float64]:
    likeness = _likeness_m(table)
    total = likeness[pair_entities(table, likeness, search=_SEARCH_M)].sum()
    return np.array([total, table.n_gold, total, table.n_predicted])


def _sums_e(table: Contingency) -> NDArray[np.float64]:
    likeness = _likeness_e(table)
    total = likeness[pair_entities(table, likeness)].sum()
    return np.array([total, table.gold.n_entities, total, table.predicted.n_entities])


def _contributions_m(table: Contingency) -> NDArray[np.float64]:
    """An item counts if its two entities are paired with each other."""
    cells = table.cells
    right = np.zeros(len(cells.n))
    right[: len(table.overlaps)] = pair_entities(table, _likeness_m(table), search=_SEARCH_M)
    return columns(right, cells.gold > 0, right, cells.predicted > 0)


def _contributions_e(table: Contingency) -> NDArray[np.float64]:
    """An entity's likeness is shared among the items in common, the entity itself among all its items."""
    cells = table.cells
    likeness = _likeness_e(table)
    right = np.zeros(len(cells.n))
    right[: len(table.overlaps)] = pair_entities(table, likeness) * likeness / table.overlaps
    return columns(right, ratio(cells.gold > 0, cells.gold), right, ratio(cells.predicted > 0, cells.predicted))


CEAF_M = Metric("ceafm", _sums_m, _contributions_m)
CEAF_E = Metric("ceafe", _sums_e, _contributions_e)
