"""Weights that other tables have taught: for tables in which one field says nearly all there is to say.

With one telling field there is nothing to learn from: what copies share can only be told from what strangers share by
another field that agrees or does not. So nothing is. The telling field is compared by likeness, whose levels have log
odds learnt from other tables (`fields/kinds/likeness.py`); only how many of the candidates are the same is estimated,
with care. What other fields there are weigh as copies usually agree (`noise.py`) against how strangers agree here. Log
odds are those of candidates, so strangers are candidates, too: that two places lie in one country says little if most
places that are compared do.

The levels keep their meaning as shares: with u the shares among strangers, those of copies are m = u · odds / κ, where
κ = Σ u · odds is the prior weight of a pair.
"""

from dataclasses import replace

import numpy as np
from scipy.special import expit

from onoma.resolve.comparison.level_counts import LevelCounts
from onoma.resolve.comparison.weights import COPIED, FRESH, RELATED, Evidence, Weights, WeightSettings
from onoma.resolve.fields.kinds.likeness import likeness_model

__all__ = ["taught_weights"]


def taught_weights(evidence: Evidence, settings: WeightSettings) -> Weights:
    """Return the weights of a table with one telling field, without learning."""
    f, none, model = evidence.taught, np.zeros(len(evidence.a)), likeness_model()
    log_odds = model.level_log_odds()
    nearby = replace(evidence, background=evidence.background[:0], background_weight=evidence.background_weight[:0])
    counts = LevelCounts(nearby, replace(settings, relatives=False))
    level = evidence.levels[:, f]
    log_odds[1:] += model.shift(np.bincount(level[level > 0] - 1, minlength=len(log_odds) - 1), evidence.n)
    counts.add(1.0, none, none, np.where(level >= 0, expit(log_odds)[level], 0.0))
    learnt = counts.weights(0.0, 0.0)
    tables, keep, k = learnt.tables.copy(), learnt.keep.copy(), int(evidence.n_levels[f])
    fresh = tables[FRESH, f, -1, :k]
    # Two records of all those that share a value are no others who have it.
    n_filled = evidence.n * max(float((evidence.levels[:, f] >= 0).mean()) if len(evidence.a) else 1.0, 1e-9)
    log_odds[0] -= model.common * (fresh[0] - np.log(2.0 / max(n_filled, 2.0)))
    log_kappa = float(np.logaddexp.reduce(fresh + log_odds))
    tables[FRESH, f, :, :k] = tables[RELATED, f, :, :k] = fresh
    tables[COPIED, f, :, :k] = fresh + log_odds - log_kappa
    keep[:] = 0.0  # candidates are near each other: that few records have a value does not say how few of these do
    keep[f] = model.common
    return replace(learnt, tables=tables, keep=keep, kappa=float(np.exp(log_kappa)))
