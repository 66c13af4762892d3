"""Mention detection: which items were found at all, whatever was said of them.

Recall = |G ∩ P| / |G| and precision = |G ∩ P| / |P|, with G the items of the gold and P those of the prediction.
"""

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.evaluate.contingency import Contingency
from onoma.evaluate.metric import Metric, columns
from onoma.evaluate.score import Score

__all__ = ["MENTIONS", "mention_detection"]


def mention_detection(gold: Clustering, predicted: Clustering) -> Score:
    """Score which items are present.

    Examples
    --------
    >>> mention_detection(Clustering.from_labels([0, 0, None]), Clustering.from_labels([0, None, 0])).f1
    0.5
    """
    return Score(*_sums(Contingency.of(gold, predicted)))


def _sums(table: Contingency) -> NDArray[np.float64]:
    return np.array([table.n_shared, table.n_gold, table.n_shared, table.n_predicted], dtype=np.float64)


def _contributions(table: Contingency) -> NDArray[np.float64]:
    cells = table.cells
    both = cells.shared > 0
    return columns(both, cells.gold > 0, both, cells.predicted > 0)


MENTIONS = Metric("mentions", _sums, _contributions)
