"""Learning from a part of a large table.

Weights are a few hundred numbers; some hundred thousand pairs tell them well enough. So of a large table some records
are looked at, with all their candidates: those *inside* choose their origins, the candidates *outside* are only there
to be chosen, and half of what is known about a pair across the border is counted. Each pair of the table is then
counted with the same expectation, and the number of all pairs is scaled by the share of records inside.

Records that are probably one entity must be inside together or not at all, since one's choice depends on the other's.
Which these are is not known before there are weights: a first part of single records, for which the expected origins
of each record alone are enough, gives those. Then records are joined into groups by the most probable pairs first, up
to a size: first weights know nothing of dependent fields, and would join half of the table.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.distinct import descending
from onoma.numerics.rng import stream
from onoma.progress import SILENT, Progress
from onoma.resolve.comparison.compare import MANY_PAIRS
from onoma.resolve.comparison.weight_learning import learn_weights
from onoma.resolve.comparison.weights import Evidence, Weights, WeightSettings, edge_weights
from onoma.resolve.posterior._copying_kernels import groups_upto
from onoma.resolve.posterior.copying import CopyingSampler

__all__ = ["learn_from_part", "part_of"]

_FIRST_PAIRS, _PAIRS = 100_000, 150_000
"""Pairs of the two parts. Of 50,000 simulated people pairwise F1 is .9930 learnt from 400,000 pairs, .9929 from
200,000 and .9931 from 120,000: what more pairs add is less than what another draw of them changes."""
_PROBABLE, _LARGEST = 0.3, 100
"""Weight of a pair that keeps two records together, and the most records kept together."""


def learn_from_part(
    evidence: Evidence, *, seed: int, settings: WeightSettings | None = None, progress: Progress = SILENT
) -> tuple[Weights, CopyingSampler]:
    """Learn weights as `learn_weights` does, from a part of the candidates where there are very many."""
    settings = settings or WeightSettings()
    if len(evidence.a) <= MANY_PAIRS or evidence.linking:
        return learn_weights(evidence, seed=seed, settings=settings, progress=progress)
    single = np.arange(evidence.n)
    first = part_of(evidence, _some(evidence, single, _FIRST_PAIRS, seed=seed))
    weights, _ = learn_weights(first, seed=seed, settings=replace(settings, n_stochastic=0))
    part = part_of(evidence, _some(evidence, _groups(evidence, weights), _PAIRS, seed=seed))
    weights, _ = learn_weights(part, seed=seed, settings=settings, progress=progress)
    return weights, CopyingSampler(evidence.n, evidence.a, evidence.b, seed=seed)


def part_of(evidence: Evidence, inside: NDArray[np.bool_]) -> Evidence:
    """Return the evidence about some records."""
    use = np.flatnonzero(inside[evidence.a] | inside[evidence.b])
    a, b = evidence.a[use], evidence.b[use]
    here = inside.copy()
    here[a] = here[b] = True
    records = np.flatnonzero(here)
    place = np.zeros(evidence.n, dtype=np.int32)
    place[records] = np.arange(len(records), dtype=np.int32)
    share = np.count_nonzero(inside) / evidence.n
    return replace(
        evidence,
        n=len(records),
        a=place[a],
        b=place[b],
        levels=evidence.levels[use],
        log_share=evidence.log_share[use],
        background_weight=evidence.background_weight * share,
        background_pairs=None,
        n_pairs=evidence.n_pairs * share,
        outside=~inside[records],
    )


def _groups(evidence: Evidence, weights: Weights) -> NDArray[np.int64]:
    """Return for each record the first one of those it is kept together with."""
    weight = np.add(*edge_weights(evidence, weights))
    probable = np.flatnonzero(weight > _PROBABLE)
    order = probable[descending(weight[probable])]
    return groups_upto(evidence.n, evidence.a[order], evidence.b[order], _LARGEST)


def _some(evidence: Evidence, group: NDArray[np.int64], n_pairs: int, *, seed: int) -> NDArray[np.bool_]:
    """Choose whole groups at random until their records have about so many candidate pairs; say who is chosen."""
    degree = np.bincount(evidence.a, minlength=evidence.n) + np.bincount(evidence.b, minlength=evidence.n)
    of_group = np.bincount(group, degree, minlength=evidence.n)
    order = stream(seed, "part").permutation(evidence.n)
    last = int(np.searchsorted(np.cumsum(of_group[order]), n_pairs)) + 1
    chosen = np.zeros(evidence.n, dtype=np.bool_)
    chosen[order[:last]] = True
    return chosen[group]
