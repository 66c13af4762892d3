"""B³: for each item, how much of its entity is right (Bagga and Baldwin, LREC workshop, 1998).

With g(i) and p(i) the gold and the predicted entity of item i (empty where it is absent),

    recall    = mean over gold items of      |g(i) ∩ p(i)| / |g(i)|,
    precision = mean over predicted items of |g(i) ∩ p(i)| / |p(i)|.

An item absent on the other side adds 0 to the numerator and 1 to the denominator. Summed by cells: Σ overlap² / size.
"""

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.evaluate.contingency import Contingency
from onoma.evaluate.metric import Metric, columns
from onoma.evaluate.score import Score, ratio

__all__ = ["B_CUBED", "b_cubed"]


def b_cubed(gold: Clustering, predicted: Clustering) -> Score:
    """Score items by the company they keep.

    Examples
    --------
    >>> b_cubed(Clustering.from_labels([0, 0, 0, 0]), Clustering.from_labels([0, 0, 1, 1]))
    Score(recall_num=2.0, recall_den=4.0, precision_num=4.0, precision_den=4.0)
    """
    return Score(*_sums(Contingency.of(gold, predicted)).tolist())


def _sums(table: Contingency) -> NDArray[np.float64]:
    squares = table.overlaps.astype(np.float64) ** 2
    recall = float((squares / table.gold_sizes[table.rows]).sum())
    precision = float((squares / table.predicted_sizes[table.columns]).sum())
    return np.array([recall, table.n_gold, precision, table.n_predicted])


def _contributions(table: Contingency) -> NDArray[np.float64]:
    cells = table.cells
    recall, precision = ratio(cells.shared, cells.gold), ratio(cells.shared, cells.predicted)
    return columns(recall, cells.gold > 0, precision, cells.predicted > 0)


B_CUBED = Metric("b3", _sums, _contributions)
