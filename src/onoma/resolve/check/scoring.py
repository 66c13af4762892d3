"""Where planted rows end up: the model's sampler over the table's records and planted ones, by the weights learnt."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.distinct import distinct
from onoma.resolve.check.planting import Planted
from onoma.resolve.comparison.weights import Evidence, Weights, edge_weights
from onoma.resolve.posterior.copying import CopyingSampler, Draws
from onoma.resolve.posterior.exact import solve_small
from onoma.resolve.posterior.exclusive import ExclusiveSampler
from onoma.resolve.posterior.linking import LinkingSampler

__all__ = ["Seen", "look"]

BURN_IN, SAMPLES = 20, 50


@dataclass(frozen=True, eq=False)
class Seen:
    """Where planted rows ended up."""

    joined: NDArray[np.float64]
    """For each planted row, how many of the table's records were with it, in the mean over samples."""
    any_joined: NDArray[np.float64]
    """The share of samples in which any was."""
    with_base: NDArray[np.float64]
    """The share of samples in which that was with it of which it was made."""
    together: NDArray[np.float64]
    """For each pair with a planted row, the share of samples that held it together."""


def look(planted: Planted, weights: Weights, source: NDArray[np.int32] | None, *, one_to_one: bool, seed: int) -> Seen:
    """Sample the planted rows, with those of the table's records that have anything to do with them."""
    evidence, first = planted.evidence, planted.n
    records = distinct(np.concatenate([evidence.a, evidence.b, np.arange(first, evidence.n)]))
    n, total = int(np.searchsorted(records, first)), len(records)
    a, b = (np.searchsorted(records, side).astype(np.int32) for side in (evidence.a, evidence.b))
    here = replace(evidence, n=total, a=a, b=b)
    draws = _draws(here, weights, None if source is None else source[records], one_to_one=one_to_one, seed=seed)
    joined, any_joined, with_base = np.zeros(total - n), np.zeros(total - n), np.zeros(total - n)
    base = np.minimum(np.searchsorted(records, planted.base), total - 1)
    has_base = (planted.base >= 0) & (records[base] == planted.base)
    for roots in draws.roots:
        size = np.bincount(roots[:n], minlength=total)[roots[n:]]
        joined += size
        any_joined += size > 0
        with_base += has_base & (roots[base] == roots[n:])
    share = 1.0 / max(len(draws.roots), 1)
    return Seen(joined * share, any_joined * share, with_base * share, draws.together[planted.first :])


def _draws(
    evidence: Evidence, weights: Weights, source: NDArray[np.int32] | None, *, one_to_one: bool, seed: int
) -> Draws:
    n, a, b = evidence.n, evidence.a, evidence.b
    copy, relative = edge_weights(evidence, weights)
    if evidence.linking:
        links = LinkingSampler(n, a, b, seed=seed)
        links.run(copy, n_sweeps=BURN_IN)
        return links.run(copy, n_sweeps=SAMPLES, n_kept=SAMPLES)
    if one_to_one and source is not None:
        exclusive = ExclusiveSampler(source, a, b, seed=seed)
        exclusive.run(copy, relative, n_sweeps=BURN_IN)
        return exclusive.run(copy, relative, n_sweeps=SAMPLES, n_kept=SAMPLES)
    solved = solve_small(n, a, b, copy, relative, seed=seed)
    sampler = CopyingSampler(n, a, b, seed=seed).among(solved.records, solved.rest)
    sampler.run(*solved.left, n_sweeps=BURN_IN)
    return solved.joined(sampler.run(*solved.left, n_sweeps=SAMPLES, n_kept=SAMPLES), len(a))
