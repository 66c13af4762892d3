"""The Rand index (Rand, 1971) and its adjustment for chance (Hubert and Arabie, 1985).

Over all T = N (N - 1) / 2 pairs of the N items, with S pairs joined by both sides, A by the gold, B by the prediction:

    Rand     = (T + 2 S - A - B) / T,
    adjusted = (S - A B / T) / ((A + B) / 2 - A B / T).

Items present on one side only are singletons on the other. Where there is nothing to disagree on (fewer than two items,
or both sides all singletons, or both a single entity) the value is 1.
"""

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.evaluate.contingency import Contingency
from onoma.evaluate.metric import Metric, columns
from onoma.evaluate.pairwise import n_pairs, pairs_an_item

__all__ = ["ADJUSTED_RAND", "RAND", "adjusted_rand", "rand"]


def rand(gold: Clustering, predicted: Clustering) -> float:
    """Return the share of pairs on which the two agree: together or apart.

    Examples
    --------
    >>> round(rand(Clustering.from_labels([0, 0, 1, 1]), Clustering.from_labels([0, 0, 1, 2])), 4)
    0.8333
    """
    return float(_rand(_sums(Contingency.of(gold, predicted)))[0])


def adjusted_rand(gold: Clustering, predicted: Clustering) -> float:
    """Return the Rand index moved and scaled so that chance gives 0 and equality 1.

    Examples
    --------
    >>> round(adjusted_rand(Clustering.from_labels([0, 0, 1, 1]), Clustering.from_labels([0, 0, 1, 2])), 4)
    0.5714
    """
    return float(_adjusted(_sums(Contingency.of(gold, predicted)))[0])


def _sums(table: Contingency) -> NDArray[np.float64]:
    joined = (n_pairs(sizes) for sizes in (table.overlaps, table.gold_sizes, table.predicted_sizes))
    return np.array([*joined, table.n_either], dtype=np.float64)


def _contributions(table: Contingency) -> NDArray[np.float64]:
    cells = table.cells
    joined = (pairs_an_item(sizes) for sizes in (cells.shared, cells.gold, cells.predicted))
    return columns(*joined, np.ones(len(cells.n)))


def _rand(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    both, gold, predicted, total = _split(sums)
    agreed = np.divide(total + 2 * both - gold - predicted, total, out=np.ones_like(total), where=total > 0)
    return agreed[..., None]


def _adjusted(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    both, gold, predicted, total = _split(sums)
    chance = np.divide(gold * predicted, total, out=np.zeros_like(total), where=total > 0)
    room = (gold + predicted) / 2 - chance
    value = np.divide(both - chance, room, out=np.ones_like(total), where=np.abs(room) > 1e-12 * total)
    return value[..., None]


def _split(sums: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    n = sums[..., 3]
    return sums[..., 0], sums[..., 1], sums[..., 2], n * (n - 1) / 2


RAND = Metric("rand", _sums, _contributions, _rand, lambda *sums: float(_rand(np.array(sums))[0]), ("",))
ADJUSTED_RAND = Metric(
    "ari", _sums, _contributions, _adjusted, lambda *sums: float(_adjusted(np.array(sums))[0]), ("",)
)
