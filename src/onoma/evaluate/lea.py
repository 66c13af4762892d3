"""LEA: how well each entity is resolved, weighted by its size (Moosavi and Strube, ACL 2016).

    recall = Σ_gold |k| · (Σ_predicted link(k ∩ r) / link(k)) / Σ_gold |k|,    link(n) = n (n - 1) / 2,

and precision is the same with the sides swapped. A singleton has one link, to itself, which is found if the other side
has the same singleton.
"""

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.evaluate.contingency import Contingency
from onoma.evaluate.metric import Metric, columns
from onoma.evaluate.score import Score, ratio

__all__ = ["LEA", "lea"]


def lea(gold: Clustering, predicted: Clustering) -> Score:
    """Score entities by their links.

    Examples
    --------
    >>> round(lea(Clustering.from_labels([0, 0, 0, 0]), Clustering.from_labels([0, 0, 1, 1])).recall, 4)
    0.3333
    """
    return Score(*_sums(Contingency.of(gold, predicted)).tolist())


def _sums(table: Contingency) -> NDArray[np.float64]:
    gold, predicted = table.gold_sizes[table.rows], table.predicted_sizes[table.columns]
    # |k| link(n) / link(k) = n (n - 1) / (k - 1), and both singletons: 1.
    links = table.overlaps * (table.overlaps - 1)
    same = int(np.count_nonzero((gold == 1) & (predicted == 1)))
    recall = same + float(ratio(links, gold - 1).sum())
    precision = same + float(ratio(links, predicted - 1).sum())
    return np.array([recall, table.n_gold, precision, table.n_predicted])


def _contributions(table: Contingency) -> NDArray[np.float64]:
    cells = table.cells
    same = (cells.gold == 1) & (cells.predicted == 1)
    others = np.maximum(cells.shared - 1, 0)
    recall = np.where(same, 1.0, ratio(others, cells.gold - 1))
    precision = np.where(same, 1.0, ratio(others, cells.predicted - 1))
    return columns(recall, cells.gold > 0, precision, cells.predicted > 0)


LEA = Metric("lea", _sums, _contributions)
