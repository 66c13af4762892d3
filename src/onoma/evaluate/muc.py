"""MUC: how many links must be added to, or taken from, the prediction (Vilain et al., MUC-6, 1995).

An entity of k items needs k - 1 links. If the prediction breaks it into p parts (an absent item is a part of its own),
p - 1 of them are missing:

    recall = Σ_gold (k - p) / Σ_gold (k - 1),

and precision is the same with the sides swapped. Both numerators are Σ (overlap - 1) over the cells. Singletons have no
links and do not count; if there is no link at all, the score is 0.
"""

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.evaluate.contingency import Contingency
from onoma.evaluate.metric import Metric, columns
from onoma.evaluate.score import Score, ratio

__all__ = ["MUC", "muc"]


def muc(gold: Clustering, predicted: Clustering) -> Score:
    """Score links.

    Examples
    --------
    >>> muc(Clustering.from_labels([0, 0, 0, 0]), Clustering.from_labels([0, 0, 1, 1]))
    Score(recall_num=2.0, recall_den=3.0, precision_num=2.0, precision_den=2.0)
    """
    return Score(*_sums(Contingency.of(gold, predicted)).tolist())


def _sums(table: Contingency) -> NDArray[np.float64]:
    right = table.n_shared - len(table.overlaps)
    gold = table.n_gold - table.gold.n_entities
    predicted = table.n_predicted - table.predicted.n_entities
    return np.array([right, gold, right, predicted], dtype=np.float64)


def _contributions(table: Contingency) -> NDArray[np.float64]:
    # A set of k items has k - 1 links: (k - 1) / k an item.
    cells = table.cells
    right, gold, predicted = (ratio(size - 1, size) for size in (cells.shared, cells.gold, cells.predicted))
    return columns(right, gold, right, predicted)


MUC = Metric("muc", _sums, _contributions)
