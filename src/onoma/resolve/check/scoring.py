"""Where planted rows end up: the model's sampler over the table's records and planted ones, by the weights learnt."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.check.planting import Planted
from onoma.resolve.comparison.weights import Weights, edge_weights
from onoma.resolve.posterior.copying import CopyingSampler, Draws
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
    """Sample the table with its planted rows."""
    draws = _draws(planted, weights, source, one_to_one=one_to_one, seed=seed)
    n, total = planted.n, planted.evidence.n
    joined, any_joined, with_base = np.zeros(total - n), np.zeros(total - n), np.zeros(total - n)
    base = np.maximum(planted.base, 0)
    for roots in draws.roots:
        size = np.bincount(roots[:n], minlength=total)[roots[n:]]
        joined += size
        any_joined += size > 0
        with_base += (planted.base >= 0) & (roots[base] == roots[n:])
    share = 1.0 / max(len(draws.roots), 1)
    return Seen(joined * share, any_joined * share, with_base * share, draws.together[planted.first :])


def _draws(
    planted: Planted, weights: Weights, source: NDArray[np.int32] | None, *, one_to_one: bool, seed: int
) -> Draws:
    evidence = planted.evidence
    n, a, b = evidence.n, evidence.a, evidence.b
    copy, relative = edge_weights(evidence, weights)
    if evidence.linking:
        links = LinkingSampler(n, a, b, seed=seed)
        links.run(copy, n_sweeps=BURN_IN)
        return links.run(copy, n_sweeps=SAMPLES, n_kept=SAMPLES)
    sampler: CopyingSampler | ExclusiveSampler
    if one_to_one and source is not None:
        sampler = ExclusiveSampler(source, a, b, seed=seed)
    else:
        sampler = CopyingSampler(n, a, b, seed=seed)
    sampler.run(copy, relative, n_sweeps=BURN_IN)
    return sampler.run(copy, relative, n_sweeps=SAMPLES, n_kept=SAMPLES)
