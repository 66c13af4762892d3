"""Where weights come from: learnt without labels, learnt from labels, or given."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from onoma.progress import SILENT, Progress
from onoma.resolve.blocking.canopies import Candidates
from onoma.resolve.comparison.given import GivenWeights, LevelShares, weights_from
from onoma.resolve.comparison.neighbourhoods import learn_from_part
from onoma.resolve.comparison.supervision import PairModel, learn_from_labels
from onoma.resolve.comparison.taught import taught_weights
from onoma.resolve.comparison.weights import COPIED, Evidence, Weights, WeightSettings
from onoma.resolve.posterior.copying import CopyingSampler

__all__ = ["choose_weights", "equal_pairs", "equal_weights", "far", "with_copies"]


def choose_weights(
    evidence: Evidence,
    *,
    labels: NDArray[np.int64] | None = None,
    given: GivenWeights | None = None,
    names: Sequence[tuple[str, Sequence[str]]] = (),
    seed: int,
    settings: WeightSettings,
    progress: Progress = SILENT,
) -> tuple[PairModel, CopyingSampler]:
    """Return the weights of origins and copies, and a sampler of the copying model, warm if it has learnt them.

    Parameters
    ----------
    evidence
        The candidate pairs.
    labels, given
        The true entities of some records, or weights; not both.
    names
        Name and levels of each field: what given weights are called by.
    """
    if given is not None:
        sampler = CopyingSampler(evidence.n, evidence.a, evidence.b, seed=seed)
        return PairModel(weights_from(given, names, evidence), far(evidence)), sampler
    if evidence.taught >= 0 and labels is None and not evidence.linking:
        sampler = CopyingSampler(evidence.n, evidence.a, evidence.b, seed=seed)
        return PairModel(taught_weights(evidence, settings), far(evidence)), sampler
    weights, sampler = learn_from_part(evidence, seed=seed, settings=settings, progress=progress)
    if labels is None:
        return PairModel(weights, far(evidence)), sampler
    model = learn_from_labels(evidence, labels, settings, by_origin=True)
    return PairModel(with_copies(weights, model.weights), model.stranger), sampler


def with_copies(learnt: Weights, labelled: Weights) -> Weights:
    """Return weights with another notion of copies; strangers and relatives stay as they were learnt.

    How many fields of a copy differ was counted for the old notion.
    """
    if not np.array_equal(learnt.parent, labelled.parent):
        return labelled
    tables = learnt.tables.copy()
    tables[COPIED] = labelled.tables[COPIED]
    return replace(learnt, tables=tables, kappa=labelled.kappa, slips=labelled.slips)


def far(evidence: Evidence) -> float:
    """Return the log odds of a pair that is no candidate, if next to none of those are the same."""
    return float(np.log(0.5 / (max(evidence.n_pairs - len(evidence.a), 0.0) + 1.0)))


def equal_pairs(labels: NDArray[np.int64]) -> Candidates:
    """Return each record with the first of its entity: the pairs that exact matching has looked at."""
    n = len(labels)
    first = np.full(n, n)
    np.minimum.at(first, labels, np.arange(n))
    follows = np.flatnonzero(first[labels] != np.arange(n))
    order = np.lexsort((follows, first[labels[follows]]))
    a, b = first[labels[follows[order]]].astype(np.int32), follows[order].astype(np.int32)
    return Candidates(a, b, 0, n - len(np.unique(np.concatenate([a, b]))))


def equal_weights(evidence: Evidence, names: Sequence[tuple[str, Sequence[str]]]) -> Weights:
    """Return weights that say so: what is equal is the same, anything else is not."""
    bits = {name: {level: LevelShares(20.0 * (1 - 2 * (k > 0))) for k, level in enumerate(at)} for name, at in names}
    return weights_from(GivenWeights(bits, 0.0), names, evidence)
