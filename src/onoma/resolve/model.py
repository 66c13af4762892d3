"""From prepared fields to samples of clusterings: canopies, comparison, weights, sampling, consensus."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from onoma.progress import SILENT, Progress
from onoma.resolve._weights_kernels import margins
from onoma.resolve.canopies import Candidates, CanopySettings, find_candidates, pair_similarity
from onoma.resolve.comparison import compare_records, log_shares, random_pairs
from onoma.resolve.consensus import Consensus, find_consensus
from onoma.resolve.copying import CopyingSampler, Draws
from onoma.resolve.fields.field import FieldData
from onoma.resolve.linking import LinkingSampler
from onoma.resolve.weights import Evidence, Weights, WeightSettings, edge_weights, learn_weights

__all__ = ["Fit", "ModelSettings", "fit_records"]

CONTRAST_CUTS = (0.25, 0.12, 0.05, 0.0)
CONTRAST_LEVELS = (
    "far ahead of all rivals",
    "well ahead of all rivals",
    "ahead of all rivals",
    "just ahead of all rivals",
    "ahead on one side",
    "behind a rival",
)
"""How a pair between two sources compares with the rivals of its records, by similarity."""
_STRANGERS = 300_000
_SMALL_BLOCK = 4_000_000
"""Blocks with no more pairs than this in all are compared in full."""


@dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """How records are resolved."""

    seed: int = 0
    link: bool = False
    """Join records of different sources only."""
    threshold: float = 0.5
    """The price of a pair wrongly together; 1 - threshold is that of a pair wrongly apart."""
    n_burn_in: int = 30
    n_samples: int = 100
    canopies: CanopySettings = field(default_factory=CanopySettings)
    weights: WeightSettings = field(default_factory=WeightSettings)


@dataclass(frozen=True, eq=False)
class Fit:
    """Everything the model found out."""

    evidence: Evidence
    weights: Weights
    draws: Draws
    consensus: Consensus
    candidates: Candidates
    seconds: dict[str, float]


def fit_records(
    fields: Sequence[FieldData],
    *,
    source: NDArray[np.int32] | None = None,
    block: NDArray[np.int32] | None = None,
    settings: ModelSettings | None = None,
    progress: Progress = SILENT,
) -> Fit:
    """Resolve records given as prepared fields.

    Parameters
    ----------
    fields
        At least one field.
    source
        The source of each record, for linking.
    block
        Only records of one block can be the same.
    """
    settings = settings or ModelSettings()
    clock = _Clock()
    apart = 1 if settings.link and source is not None else 0
    candidates = _candidates(fields, source, block, apart, settings, progress)
    clock.lap("canopies")
    evidence = _gather(fields, candidates, source, block, apart, settings, progress)
    clock.lap("comparison")
    weights, sampler = learn_weights(evidence, seed=settings.seed, settings=settings.weights, progress=progress)
    clock.lap("weights")
    draws = _sample(evidence, weights, sampler, settings, progress)
    clock.lap("sampling")
    consensus = find_consensus(
        evidence.n, evidence.a, evidence.b, draws.together, draws.roots, threshold=settings.threshold
    )
    clock.lap("consensus")
    return Fit(evidence, weights, draws, consensus, candidates, clock.laps)


def _candidates(
    fields: Sequence[FieldData],
    source: NDArray[np.int32] | None,
    block: NDArray[np.int32] | None,
    apart: int,
    settings: ModelSettings,
    progress: Progress,
) -> Candidates:
    if block is not None and apart == 0:
        sizes = np.bincount(block).astype(np.float64)
        if float((sizes * (sizes - 1) / 2).sum()) <= _SMALL_BLOCK:
            return _all_within(block)
    return find_candidates(
        fields, source=source, block=block, apart=apart, settings=settings.canopies, progress=progress
    )


def _all_within(block: NDArray[np.int32]) -> Candidates:
    """Return every pair of records of one block."""
    n = len(block)
    order = np.argsort(block, kind="stable")
    sizes = np.bincount(block)
    starts = np.cumsum(sizes) - sizes
    keys = []
    for start, size in zip(starts, sizes, strict=True):
        members = np.sort(order[start : start + size])
        one, other = np.triu_indices(size, 1)
        keys.append(members[one].astype(np.int64) * n + members[other])
    every = np.sort(np.concatenate(keys))
    alone = int(np.count_nonzero(sizes == 1))
    return Candidates((every // n).astype(np.int32), (every % n).astype(np.int32), 0, alone)


def _gather(
    fields: Sequence[FieldData],
    candidates: Candidates,
    source: NDArray[np.int32] | None,
    block: NDArray[np.int32] | None,
    apart: int,
    settings: ModelSettings,
    progress: Progress,
) -> Evidence:
    """Compare the candidates, and pairs that stand for the others."""
    n, a, b = len(fields[0].codes), candidates.a, candidates.b
    levels = compare_records(fields, a, b, progress=progress)
    n_pairs = _count_pairs(n, source, block, apart)
    keys = a.astype(np.int64) * n + b
    if n_pairs > len(a):
        one, other = random_pairs(
            n, _STRANGERS, seed=settings.seed, source=source, block=block, apart=apart, avoid=keys
        )
    else:
        one = other = np.zeros(0, dtype=np.int32)
    background = compare_records(fields, one, other)
    weight = np.full(len(background), max(n_pairs - len(a), 0.0) / max(len(background), 1))
    evidence = Evidence(
        n=n,
        a=a,
        b=b,
        levels=levels,
        log_share=log_shares(fields, a, levels),
        n_levels=np.array([len(each.levels) for each in fields]),
        background=background,
        background_weight=weight,
        n_pairs=max(n_pairs, 1.0),
        identity=_identity(fields),
    )
    if apart == 1 and source is not None and source.max(initial=0) == 1:
        return _between(fields, evidence, source, settings, progress)
    return evidence


def _between(
    fields: Sequence[FieldData],
    evidence: Evidence,
    source: NDArray[np.int32],
    settings: ModelSettings,
    progress: Progress,
) -> Evidence:
    """Add what two sources give: near strangers within each source, and the contrast of a pair with its rivals."""
    near = find_candidates(fields, source=source, apart=-1, settings=settings.canopies, progress=progress)
    levels = compare_records(fields, near.a, near.b, progress=progress)
    inside = float(sum(size * (size - 1) / 2 for size in np.bincount(source)))
    weight = np.full(len(levels), evidence.n_pairs / max(inside, 1.0))
    similarity = pair_similarity(fields, evidence.a, evidence.b)
    ahead = margins(evidence.n, evidence.a, evidence.b, similarity)
    contrast = (ahead.min(axis=1)[:, None] < np.array(CONTRAST_CUTS)).sum(axis=1)
    behind = (contrast == len(CONTRAST_CUTS)) & (ahead.max(axis=1) < 0)
    contrast = np.where(behind, len(CONTRAST_CUTS) + 1, contrast).astype(np.int8)
    background = np.concatenate([evidence.background, levels])
    unknown = np.full((len(background), 1), -1, dtype=np.int8)
    return Evidence(
        n=evidence.n,
        a=evidence.a,
        b=evidence.b,
        levels=np.concatenate([evidence.levels, contrast[:, None]], axis=1),
        log_share=np.concatenate([evidence.log_share, np.zeros((len(contrast), 1), dtype=np.float32)], axis=1),
        n_levels=np.append(evidence.n_levels, len(CONTRAST_LEVELS)),
        background=np.concatenate([background, unknown], axis=1),
        background_weight=np.concatenate([evidence.background_weight, weight]),
        n_pairs=evidence.n_pairs,
        identity=np.append(evidence.identity, False),
        linking=True,
        contrast=len(evidence.n_levels),
    )


def _count_pairs(n: int, source: NDArray[np.int32] | None, block: NDArray[np.int32] | None, apart: int) -> float:
    """Return how many pairs there are that could be the same."""

    def pairs(sizes: NDArray[np.int64]) -> float:
        wide = sizes.astype(np.float64)
        return float((wide * (wide - 1) / 2).sum())

    blocks = np.zeros(n, dtype=np.int64) if block is None else block.astype(np.int64)
    total = pairs(np.bincount(blocks))
    if apart == 1 and source is not None:
        both = blocks * (int(source.max(initial=0)) + 1) + source
        total -= pairs(np.bincount(np.unique(both, return_inverse=True)[1]))
    return total


def _identity(fields: Sequence[FieldData]) -> NDArray[np.bool_]:
    """Return the fields that name the thing."""
    return np.array([each.kind in ("person", "organisation") for each in fields])


def _sample(
    evidence: Evidence, weights: Weights, sampler: CopyingSampler, settings: ModelSettings, progress: Progress
) -> Draws:
    copy, relative = edge_weights(evidence, weights)
    total = settings.n_burn_in + settings.n_samples
    with progress.task("sampling", total=total, unit="sweeps") as task:
        if evidence.linking:
            links = LinkingSampler(evidence.n, evidence.a, evidence.b, seed=settings.seed)
            links.run(copy, n_sweeps=settings.n_burn_in)
            task.advance(settings.n_burn_in)
            return links.run(copy, n_sweeps=settings.n_samples, n_kept=settings.n_samples)
        sampler.run(copy, relative, n_sweeps=settings.n_burn_in)
        task.advance(settings.n_burn_in)
        return sampler.run(copy, relative, n_sweeps=settings.n_samples, n_kept=settings.n_samples)


class _Clock:
    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = now - self._last
        self._last = now
