"""Weights from labels, for some of the records or all.

How often pairs of one label, and of different labels, are at each level: the weights are the log ratios of these shares
(Fellegi and Sunter 1969). The pairwise model goes on from there (`models/pairwise/rank.py`).

A pair that is no candidate has a weight, too: large entities hold such pairs, and one of them must not part an entity.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import ABSENT, Clustering
from onoma.errors import DataError
from onoma.resolve.comparison.level_counts import LevelCounts
from onoma.resolve.comparison.weights import Evidence, Weights, WeightSettings, log_bayes_factors
from onoma.resolve.posterior.copying import Draws

__all__ = ["PairModel", "learn_from_draws", "learn_from_labels"]

_CERTAIN = 60.0
"""Log odds beyond this are certain."""


@dataclass(frozen=True, eq=False)
class PairModel:
    """The weights of a pairwise model.

    The log odds of a candidate pair are log κ·BF(copied) − log(1 + σ·BF(related)): relatives explain agreement, too.
    """

    weights: Weights
    stranger: float
    """The log odds of a pair that is no candidate."""

    def scores(self, evidence: Evidence) -> NDArray[np.float64]:
        """Return the log odds of every candidate pair."""
        copied, related = log_bayes_factors(evidence, self.weights)
        found = copied + np.log(self.weights.kappa)
        if self.weights.sigma > 0.0:
            found -= np.logaddexp(0.0, related + np.log(self.weights.sigma))
        return np.clip(found, -_CERTAIN, _CERTAIN)


def learn_from_draws(evidence: Evidence, draws: Draws, settings: WeightSettings) -> PairModel:
    """Take what a sampler holds together for the truth: the weights of pairs when nothing is labelled.

    The copying model learns what origins and copies share. In an entity most pairs are neither, and share less.
    """
    sizes = np.stack([np.bincount(roots, minlength=evidence.n) for roots in draws.roots]).astype(np.float64)
    n_same = float((sizes * (sizes - 1) / 2).sum(axis=1).mean())
    n_far = max(n_same - float(draws.together.sum()), 0.0)
    # Relatives are different things: here they count among the strangers.
    return _model(evidence, draws.together, 1.0 - draws.together, n_same, n_far, settings)


def learn_from_labels(
    evidence: Evidence, labels: NDArray[np.int64], settings: WeightSettings, *, by_origin: bool = False
) -> PairModel:
    """Count the levels of pairs with one label, and of pairs with two.

    Parameters
    ----------
    evidence
        The candidate pairs.
    labels
        For each record its entity; -1: not known. Labelled entities should be whole.
    by_origin
        Count an entity of k records as k - 1 pairs (an origin and its copies), not as all its pairs: what the copying
        model's weights mean.
    """
    known = labels != ABSENT
    one, other = labels[evidence.a], labels[evidence.b]
    labelled = known[evidence.a] & known[evidence.b]
    same, apart = labelled & (one == other), labelled & (one != other)
    if not same.any():
        raise DataError("no candidate pair has two equal labels", hint="Label some entities of several records.")
    gold = Clustering.from_labels(labels)
    share = known.mean()
    # Of the pairs of unlike records only a part is labelled; the others are like them.
    weight = len(labelled) / max(int(np.count_nonzero(labelled)), 1)
    n_same = float((gold.sizes * (gold.sizes - 1) / 2).sum()) / share
    n_far = n_same - np.count_nonzero(same) / share
    together = same.astype(np.float64)
    if by_origin:
        together[same] = 2.0 / gold.sizes[gold.labels[evidence.a[same]]]
        n_same = float((gold.sizes - 1).sum()) / share
    # What is usual guards learning against households that look like copies; labels tell the two apart themselves.
    return _model(replace(evidence, noise=None), together, weight * apart, n_same, n_far, settings)


def _model(
    evidence: Evidence,
    same: NDArray[np.float64],
    apart: NDArray[np.float64],
    n_same: float,
    n_far: float,
    settings: WeightSettings,
) -> PairModel:
    """Return the weights that weighted pairs give; n_same pairs are the same in all, n_far of them no candidates."""
    counts = LevelCounts(evidence, replace(settings, relatives=False))
    if settings.dependence and len(evidence.background):
        counts.grow_tree()
    counts.add(1.0, same, np.zeros(len(same)), 1.0 - apart)
    weights = counts.weights(n_same, 0.0)
    outside = max(evidence.n_pairs - len(evidence.a), 0.0)
    return PairModel(weights, float(np.log((n_far + 0.5) / (outside + 1.0))))
