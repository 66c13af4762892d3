"""V-measure: how much one clustering tells of the other, in entropies (Rosenberg and Hirschberg, EMNLP 2007).

    homogeneity = 1 - H(gold | predicted) / H(gold),    completeness = 1 - H(predicted | gold) / H(predicted),

and V is their harmonic mean. An entropy of 0 (a single entity) leaves nothing to tell: the value is 1. Items present on
one side only are singletons on the other.
"""

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.evaluate.contingency import Contingency
from onoma.evaluate.metric import Metric, columns
from onoma.evaluate.score import VMeasure, harmonic_mean

__all__ = ["V_MEASURE", "v_measure"]


def v_measure(gold: Clustering, predicted: Clustering) -> VMeasure:
    """Score what each side tells of the other.

    Examples
    --------
    >>> measured = v_measure(Clustering.from_labels([0, 0, 1, 1]), Clustering.from_labels([0, 0, 1, 2]))
    >>> measured.homogeneity, round(measured.completeness, 4), round(measured.v, 4)
    (1.0, 0.6667, 0.8)
    """
    return VMeasure(*_told(_sums(Contingency.of(gold, predicted))).tolist())


def _sums(table: Contingency) -> NDArray[np.float64]:
    # All but the shared cells hold items that are a singleton on one side: their sums are of the entity's size alone.
    return np.asarray(table.cells.n @ _contributions(table))


def _contributions(table: Contingency) -> NDArray[np.float64]:
    cells = table.cells
    gold, predicted, shared = (np.log(np.maximum(size, 1)) for size in (cells.gold, cells.predicted, cells.shared))
    return columns(predicted - shared, gold - shared, gold, predicted, np.ones(len(cells.n)))


def _told(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return homogeneity and completeness.

    N H(gold | predicted) = Σ log(|p(i)| / |g(i) ∩ p(i)|) and N H(gold) = N log N - Σ log |g(i)|, over the items i.
    """
    n = sums[..., 4]
    full = n * np.log(np.maximum(n, 1))
    entropies = full[..., None] - sums[..., 2:4]
    known = entropies > 1e-12 * np.maximum(full, 1)[..., None]
    unknown = np.divide(sums[..., 0:2], entropies, out=np.zeros_like(entropies), where=known)
    return np.clip(1 - unknown, 0.0, 1.0)


def _v(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    told = _told(sums)
    return harmonic_mean(told[..., 0], told[..., 1])[..., None]


V_MEASURE = Metric("v", _sums, _contributions, _v, lambda *sums: VMeasure(*_told(np.array(sums)).tolist()), ("",))
