"""Pairwise precision and recall: the pairs of items that stand in one entity.

With P(C) the pairs that clustering C joins,

    recall = |P(gold) ∩ P(predicted)| / |P(gold)|,    precision = |P(gold) ∩ P(predicted)| / |P(predicted)|.

A pair with an item absent on one side is not joined there. Without any pair to find, or any found, the score is 0.
"""

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.evaluate.contingency import Contingency
from onoma.evaluate.metric import Metric, columns
from onoma.evaluate.score import Score

__all__ = ["PAIRWISE", "n_pairs", "pairs_an_item", "pairwise"]


def pairwise(gold: Clustering, predicted: Clustering) -> Score:
    """Score pairs.

    Examples
    --------
    >>> pairwise(Clustering.from_labels([0, 0, 0, 0]), Clustering.from_labels([0, 0, 1, 1]))
    Score(recall_num=2.0, recall_den=6.0, precision_num=2.0, precision_den=2.0)
    """
    return Score(*_sums(Contingency.of(gold, predicted)).tolist())


def n_pairs(sizes: NDArray[np.int64] | int) -> int:
    """Return how many pairs there are within sets of these sizes."""
    return int(np.sum(np.multiply(sizes, np.subtract(sizes, 1))) // 2)


def pairs_an_item(sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the share of one item in the pairs within its set: half of those it is in, and 0 in no set."""
    return np.maximum(sizes - 1, 0) / 2


def _sums(table: Contingency) -> NDArray[np.float64]:
    right = n_pairs(table.overlaps)
    return np.array([right, n_pairs(table.gold_sizes), right, n_pairs(table.predicted_sizes)], dtype=np.float64)


def _contributions(table: Contingency) -> NDArray[np.float64]:
    cells = table.cells
    right = pairs_an_item(cells.shared)
    return columns(right, pairs_an_item(cells.gold), right, pairs_an_item(cells.predicted))


PAIRWISE = Metric("pairwise", _sums, _contributions)
