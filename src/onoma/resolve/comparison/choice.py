"""Which model answers, and where its weights come from: learnt without labels, learnt from labels, or given."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from onoma.errors import SettingsError
from onoma.progress import SILENT, Progress
from onoma.resolve.blocking.canopies import Candidates
from onoma.resolve.comparison.given import GivenWeights, LevelShares, weights_from
from onoma.resolve.comparison.neighbourhoods import learn_from_part
from onoma.resolve.comparison.supervision import PairModel, learn_from_draws, learn_from_labels, rank_weights
from onoma.resolve.comparison.weights import COPIED, Evidence, Weights, WeightSettings, edge_weights
from onoma.resolve.models.pairwise.run import PairwiseSettings
from onoma.resolve.posterior.copying import CopyingSampler

__all__ = ["MODELS", "ModelName", "Supervision", "choose_weights", "equal_pairs", "equal_weights"]

ModelName = Literal[
    "copying", "pairwise", "hierarchical", "phylogeny", "cross-document", "correlation", "exact-match", "auto"
]
MODELS: tuple[ModelName, ...] = get_args(ModelName)
_N_GLANCES = 20
"""Sweeps of the copying model from which the pairwise model learns what pairs share."""


@dataclass(frozen=True, eq=False)
class Supervision:
    """What is known beforehand: labels of some records, or weights."""

    labels: NDArray[np.int64] | None = None
    """For each record its entity; -1: not known."""
    given: GivenWeights | None = None

    def __post_init__(self) -> None:
        if self.labels is not None and self.given is not None:
            raise SettingsError("weights are learnt from labels or given, not both", hint="Leave one of them out.")

    def take(self, rows: NDArray[np.int64] | slice) -> "Supervision":
        """Return what is known of some records."""
        return Supervision(None if self.labels is None else self.labels[rows], self.given)


def choose_weights(
    evidence: Evidence,
    supervision: Supervision,
    names: Sequence[tuple[str, Sequence[str]]],
    *,
    in_company: bool,
    seed: int,
    settings: WeightSettings,
    pairwise: PairwiseSettings,
    progress: Progress = SILENT,
) -> tuple[PairModel, CopyingSampler]:
    """Return the weights to use, and a sampler of the copying model, warm if it has learnt them.

    Parameters
    ----------
    evidence
        The candidate pairs.
    supervision
        Labels, weights or neither.
    names
        Name and levels of each field.
    in_company
        The weights are for all pairs of an entity (the pairwise model), not for origins and copies.
    """
    sampler = CopyingSampler(evidence.n, evidence.a, evidence.b, seed=seed)
    if supervision.given is not None:
        return PairModel(weights_from(supervision.given, names, evidence), _far(evidence)), sampler
    if supervision.labels is not None and in_company:
        model = learn_from_labels(evidence, supervision.labels, settings)
        rank = pairwise.rank
        return rank_weights(evidence, supervision.labels, model, seed=seed, settings=rank, progress=progress), sampler
    weights, sampler = learn_from_part(evidence, seed=seed, settings=settings, progress=progress)
    if supervision.labels is not None:
        model = learn_from_labels(evidence, supervision.labels, settings, by_origin=True)
        return PairModel(_with_copies(weights, model.weights), model.stranger), sampler
    if not in_company:
        return PairModel(weights, _far(evidence)), sampler
    draws = sampler.run(*edge_weights(evidence, weights), n_sweeps=_N_GLANCES, n_kept=_N_GLANCES)
    model = learn_from_draws(evidence, draws, settings)
    return PairModel(_with_copies(weights, model.weights), model.stranger), sampler


def _with_copies(learnt: Weights, labelled: Weights) -> Weights:
    """Return weights with another notion of copies; strangers and relatives stay as they were learnt.

    How many fields of a copy differ was counted for the old notion.
    """
    if not np.array_equal(learnt.parent, labelled.parent):
        return labelled
    tables = learnt.tables.copy()
    tables[COPIED] = labelled.tables[COPIED]
    return replace(learnt, tables=tables, kappa=labelled.kappa, slips=labelled.slips)


def _far(evidence: Evidence) -> float:
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
