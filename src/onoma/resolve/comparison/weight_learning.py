"""Weights learnt without labels: expectation-maximisation in which origins compete.

A record has one origin, so the candidates of a record share one probability. First with expectations in closed form,
then with draws of the sampler (stochastic approximation: Delyon, Lavielle and Moulines, 1999). Relatives may share
surroundings, not identity: their levels in the fields that belong to one thing alone are those of strangers, and what
they share otherwise is bounded to a part of what copies share. Nor may copies have unrelated names or dates more often
than in any table known (`noise.py`): else what families share would be taken for copies.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from onoma.progress import SILENT, Progress
from onoma.resolve.comparison.level_counts import LevelCounts
from onoma.resolve.comparison.patterns import PatternWeights
from onoma.resolve.comparison.slips import SlipCounts
from onoma.resolve.comparison.weights import Evidence, Weights, WeightSettings
from onoma.resolve.posterior.copying import CopyingSampler, Draws

__all__ = ["chance_to_choose", "learn_weights"]

Advance = Callable[..., None]
_LARGE, _FEW_SWEEPS = 30_000, 2
"""So many records show in a few sweeps what fewer show in more."""
_FEWEST_FIELDS = 3
"""Of two fields, strangers that depend on each other in one could explain all that copies share (given names that go
with family names), and no copies would be left."""


def learn_weights(
    evidence: Evidence,
    *,
    seed: int,
    settings: WeightSettings | None = None,
    progress: Progress = SILENT,
) -> tuple[Weights, CopyingSampler]:
    """Learn weights from the candidates alone; return them with the sampler, warm."""
    settings = settings or WeightSettings()
    counts = LevelCounts(evidence, settings)
    weights = counts.start()
    weigh = PatternWeights(evidence, counts.patterns)
    total = settings.n_closed + (settings.n_closed if evidence.linking else settings.n_stochastic)
    with progress.task("learning weights", total=total, unit="rounds") as task:
        weights = _closed_form(evidence, counts, weights, settings, weigh, task.advance)
        sampler = CopyingSampler(evidence.n, evidence.a, evidence.b, seed=seed, outside=evidence.outside)
        if evidence.linking:
            links = weights.kappa * evidence.n_pairs
            counts.heed_partners(min(2.0 * links / evidence.n, 1.0))
            weights = _closed_form(evidence, counts, weights, settings, weigh, task.advance)
        else:
            weights = _stochastic(evidence, counts, weights, settings, sampler, weigh, task.advance)
    return weights, sampler


def _closed_form(
    evidence: Evidence,
    counts: LevelCounts,
    weights: Weights,
    settings: WeightSettings,
    weigh: PatternWeights,
    advance: Advance,
) -> Weights:
    """Run EM with the expected origins of a record whose rivals come earlier with probability one half."""
    a, b, n = evidence.a, evidence.b, evidence.n
    for done in range(settings.n_closed):
        copy, relative = weigh(weights)
        z = copy + relative
        rivals = np.asarray(np.bincount(a, z, n) + np.bincount(b, z, n), dtype=np.float64)
        if evidence.linking:
            share = 1.0 / (1.0 + rivals[a] + rivals[b] - z)
        else:
            share = np.zeros(len(z))
            for end in (a, b):
                share += chance_to_choose(evidence, z, rivals, end)
        copied, related = copy * share, relative * share
        counts.add(1.0, copied, related, 1.0 - share if evidence.linking else z / (1.0 + z))
        before = weights.kappa
        counts.heed_noise()
        weights = counts.weights(copied.sum(), related.sum())
        advance(1, links=float(copied.sum()))
        if done > 8 and abs(np.log(weights.kappa / before)) < 1e-3:
            advance(settings.n_closed - done - 1)
            break
    return weights


def chance_to_choose(
    evidence: Evidence, z: NDArray[np.float64], rivals: NDArray[np.float64], end: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return for each pair the chance that this end comes later and its other origins leave it, by unit of weight.

    Parameters
    ----------
    z
        What each pair weighs, as copy or as relative.
    rivals
        The sum of it for each record.
    """
    chooses = 0.5 if evidence.outside is None else 0.5 * ~evidence.outside[end]
    return np.asarray(chooses / (1.0 + z + 0.5 * (rivals[end] - z)))


def _stochastic(
    evidence: Evidence,
    counts: LevelCounts,
    weights: Weights,
    settings: WeightSettings,
    sampler: CopyingSampler,
    weigh: PatternWeights,
    advance: Advance,
) -> Weights:
    """Go on with draws of the sampler: first to let the chain settle, then to learn, with ever smaller steps."""
    settle = settings.n_stochastic // 4
    half = settings.n_stochastic // 2
    links = related = 0.0
    slips = SlipCounts(counts.patterns.levels)
    n_sweeps = settings.sweeps if evidence.n <= _LARGE else min(settings.sweeps, _FEW_SWEEPS)
    weighed = weigh(weights)
    for done in range(settings.n_stochastic):
        if done < settle:
            advance(1, links=float(evidence.n - sampler.settle(*weighed, n_sweeps=n_sweeps).mean()))
            continue
        if done > settle:
            weighed = weigh(weights)
        draws = sampler.run(*weighed, n_sweeps=n_sweeps, n_kept=1)
        counts.heed_entities(draws.roots[-1])
        advance(1, links=float(evidence.n - draws.n_entities.mean()))
        if done == settle and settings.dependence and evidence.levels.shape[1] >= _FEWEST_FIELDS:
            counts.grow_tree()
        step = 1.0 if done < half else 1.0 / (done - half + 1)
        copied = _broad(draws, settings)
        counts.add(step, copied, draws.related, draws.akin)
        slips.add(step, counts.patterns.sums(copied))
        links += step * (draws.copied.sum() - links)
        related += step * (draws.related.sum() - related)
        counts.heed_noise()
        weights = counts.weights(links, related)
        weights = replace(weights, slips=slips.log_factors(weights))
    return weights


def _broad(draws: Draws, settings: WeightSettings) -> NDArray[np.float64]:
    return settings.breadth * draws.together + (1.0 - settings.breadth) * draws.copied
