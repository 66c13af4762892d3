"""From prepared fields to samples of clusterings: canopies, comparison, weights, sampling, consensus."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError, SettingsError
from onoma.progress import NEVER, SILENT, Progress, Stop
from onoma.resolve._weights_kernels import margins
from onoma.resolve.baselines import certain_draws, equal_rows
from onoma.resolve.canopies import Candidates, CanopySettings, find_candidates, pair_similarity
from onoma.resolve.checkpoint import evidence_fingerprint
from onoma.resolve.choice import MODELS, ModelName, Supervision, choose_weights, equal_pairs, equal_weights
from onoma.resolve.comparison import compare_records, log_shares, random_pairs
from onoma.resolve.consensus import Consensus, find_consensus
from onoma.resolve.copying import CopyingSampler, Draws
from onoma.resolve.exclusive import ExclusiveSampler, part_rivals
from onoma.resolve.fields.field import FieldData
from onoma.resolve.given import field_names
from onoma.resolve.linking import LinkingSampler
from onoma.resolve.pairwise_run import PairwiseRun, PairwiseSettings, correlated_draws
from onoma.resolve.sampling import Chain, SamplerChain, Stopped, Tally, WatchedChain, run_chain
from onoma.resolve.supervision import PairModel
from onoma.resolve.swaps import mark_swaps
from onoma.resolve.weights import Evidence, Weights, WeightSettings, edge_weights

__all__ = ["Fit", "ModelSettings", "count_pairs", "fit_records"]

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

    model: ModelName = "copying"
    """`copying` and `pairwise` have a posterior; `correlation` and `exact-match` are points."""
    seed: int = 0
    link: bool = False
    """Join records of different sources only."""
    one_to_one: bool = False
    """When linking, let an entity have at most one record of each source."""
    threshold: float = 0.5
    """The price of a pair wrongly together; 1 - threshold is that of a pair wrongly apart."""
    n_burn_in: int = 30
    n_samples: int = 100
    canopies: CanopySettings = field(default_factory=CanopySettings)
    weights: WeightSettings = field(default_factory=WeightSettings)
    pairwise: PairwiseSettings = field(default_factory=PairwiseSettings)

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise SettingsError(f"there is no model {self.model!r}", hint=f"The models are {', '.join(MODELS)}.")

    @property
    def in_company(self) -> bool:
        """Whether an entity is scored by all its pairs, not by origins and copies."""
        return self.model in ("pairwise", "correlation")


@dataclass(frozen=True, eq=False)
class Fit:
    """Everything the model found out."""

    evidence: Evidence
    weights: Weights
    draws: Draws
    consensus: Consensus
    candidates: Candidates
    seconds: dict[str, float]
    stopped: Stopped | None = None
    """Where the chain stood, if it was stopped before its end."""


def fit_records(
    fields: Sequence[FieldData],
    *,
    source: NDArray[np.int32] | None = None,
    block: NDArray[np.int32] | None = None,
    extra: NDArray[np.int64] | None = None,
    supervision: Supervision | None = None,
    settings: ModelSettings | None = None,
    progress: Progress = SILENT,
    stop: Stop = NEVER,
    resume: tuple[Weights, Stopped] | None = None,
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
    extra
        Keys a·n + b (a < b) of pairs to compare besides those found.
    supervision
        Labels of some records, or given weights.
    stop
        Asks the chain to end early: the answer is then that of the draws so far.
    resume
        The weights and the place of a chain that was stopped, on the same fields with the same settings.
    """
    settings = settings or ModelSettings()
    clock = _Clock()
    if settings.model == "exact-match":
        return _fit_equal(fields, source, block, settings, clock)
    apart = 1 if settings.link and source is not None else 0
    candidates = _with_extra(_candidates(fields, source, block, apart, settings, progress), extra, len(fields[0].codes))
    clock.lap("canopies")
    evidence = _gather(fields, candidates, source, block, apart, settings, progress)
    clock.lap("comparison")
    if resume is None:
        learnt, sampler = choose_weights(
            evidence,
            supervision or Supervision(),
            field_names(fields, CONTRAST_LEVELS, evidence),
            in_company=settings.in_company and not evidence.linking,
            seed=settings.seed,
            settings=settings.weights,
            pairwise=settings.pairwise,
            progress=progress,
        )
    else:
        # What strangers score is a part of a pairwise chain's state.
        learnt = PairModel(resume[0], 0.0)
        sampler = CopyingSampler(evidence.n, evidence.a, evidence.b, seed=settings.seed)
    clock.lap("weights")
    paused = None if resume is None else resume[1]
    if settings.model == "correlation" and not evidence.linking:
        draws = correlated_draws(evidence, learnt, settings=settings.pairwise, seed=settings.seed, block=block)
        stopped = None
    else:
        chain = _chain(evidence, learnt, sampler, source, block, settings)
        draws, stopped = _sample(chain, evidence, settings, paused, stop, progress)
    clock.lap("sampling")
    consensus = find_consensus(
        evidence.n, evidence.a, evidence.b, draws.together, draws.roots, threshold=settings.threshold
    )
    if source is not None and (evidence.linking or settings.one_to_one):
        consensus = part_rivals(consensus, source, evidence.a, evidence.b, draws.together)
    clock.lap("consensus")
    return Fit(evidence, learnt.weights, draws, consensus, candidates, clock.laps, stopped)


def _fit_equal(
    fields: Sequence[FieldData],
    source: NDArray[np.int32] | None,
    block: NDArray[np.int32] | None,
    settings: ModelSettings,
    clock: "_Clock",
) -> Fit:
    """Hold together what is equal, and nothing else."""
    if settings.link:
        raise SettingsError("exact matching does not link", hint="Use the model copying or pairwise.")
    clustering = equal_rows(fields, block)
    candidates = equal_pairs(clustering.labels)
    evidence = _gather(fields, candidates, source, block, 0, settings, SILENT)
    weights = equal_weights(evidence, field_names(fields, CONTRAST_LEVELS, evidence))
    draws = certain_draws(clustering, evidence.a, evidence.b)
    clock.lap("comparison")
    consensus = Consensus(clustering, np.ones(len(clustering)))
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


def _with_extra(candidates: Candidates, extra: NDArray[np.int64] | None, n: int) -> Candidates:
    if extra is None or len(extra) == 0:
        return candidates
    keys = np.union1d(candidates.a.astype(np.int64) * n + candidates.b, extra)
    return replace(candidates, a=(keys // n).astype(np.int32), b=(keys % n).astype(np.int32))


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
    mark_swaps(fields, a, b, levels)
    n_pairs = count_pairs(n, source, block, apart)
    keys = a.astype(np.int64) * n + b
    if n_pairs > len(a):
        one, other = random_pairs(
            n, _STRANGERS, seed=settings.seed, source=source, block=block, apart=apart, avoid=keys
        )
    else:
        one = other = np.zeros(0, dtype=np.int32)
    background = compare_records(fields, one, other)
    mark_swaps(fields, one, other, background)
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
        own=_own(fields),
        words=np.array([_mean_words(each) for each in fields]),
    )
    if apart == 1 and source is not None and source.max(initial=0) == 1:
        return _between(fields, evidence, source, block, settings, progress)
    return evidence


def _between(
    fields: Sequence[FieldData],
    evidence: Evidence,
    source: NDArray[np.int32],
    block: NDArray[np.int32] | None,
    settings: ModelSettings,
    progress: Progress,
) -> Evidence:
    """Add what two sources give: near strangers within each source, and the contrast of a pair with its rivals."""
    near = find_candidates(fields, source=source, block=block, apart=-1, settings=settings.canopies, progress=progress)
    levels = compare_records(fields, near.a, near.b, progress=progress)
    inside = count_pairs(evidence.n, None, block, 0) - count_pairs(evidence.n, source, block, 1)
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
        own=np.append(evidence.own, False),
        words=np.append(evidence.words, 1.0),
        linking=True,
        contrast=len(evidence.n_levels),
    )


def count_pairs(n: int, source: NDArray[np.int32] | None, block: NDArray[np.int32] | None, apart: int) -> float:
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


def _chain(
    evidence: Evidence,
    learnt: PairModel,
    sampler: CopyingSampler,
    source: NDArray[np.int32] | None,
    block: NDArray[np.int32] | None,
    settings: ModelSettings,
) -> Chain:
    if settings.model == "pairwise" and not evidence.linking:
        if settings.one_to_one:
            raise SettingsError("the pairwise model links one to one between two sources only")
        effort = {"n_burn_in": settings.n_burn_in, "seed": settings.seed}
        return PairwiseRun(evidence, learnt, settings=settings.pairwise, block=block, **effort)
    copy, relative = edge_weights(evidence, learnt.weights)
    if evidence.linking:
        links = LinkingSampler(evidence.n, evidence.a, evidence.b, seed=settings.seed)
        return SamplerChain(links, lambda n, kept: links.run(copy, n_sweeps=n, n_kept=kept))
    if settings.one_to_one and source is not None:
        each = ExclusiveSampler(source, evidence.a, evidence.b, seed=settings.seed)
        return SamplerChain(each, lambda n, kept: each.run(copy, relative, n_sweeps=n, n_kept=kept))
    return WatchedChain(
        sampler,
        lambda n, kept: sampler.run(copy, relative, n_sweeps=n, n_kept=kept),
        lambda n, kept, watch: sampler.run(copy, relative, n_sweeps=n, n_kept=kept, watch=watch),
    )


def _mean_words(field: FieldData) -> float:
    if len(field.values) == 0:
        return 1.0
    return float(np.average([value.count(" ") + 1 for value in field.values], weights=field.counts))


def _own(fields: Sequence[FieldData]) -> NDArray[np.bool_]:
    """Return the fields that no relative shares: full dates, where the things are people.

    Households share a surname and an address. Records that share a date of birth and an address under two names are
    one person under two names. A year is no such thing: colleagues publish in the same one.
    """
    people = any(each.kind == "person" for each in fields)
    return np.array([people and each.kind == "date" and _is_to_the_day(each) for each in fields])


def _is_to_the_day(dates: FieldData) -> bool:
    return float(np.average([not value.endswith("-00") for value in dates.values], weights=dates.counts)) > 0.5


def _sample(
    chain: Chain,
    evidence: Evidence,
    settings: ModelSettings,
    paused: Stopped | None,
    stop: Stop,
    progress: Progress,
) -> tuple[Draws, Stopped | None]:
    tally = Tally.empty(evidence.n, len(evidence.a), settings.n_samples)
    if paused is not None:
        if paused.of != evidence_fingerprint(evidence) or paused.tally.roots.shape != tally.roots.shape:
            raise DataError("the stopped run compared other pairs", hint="Start anew, without resuming.")
        chain.restore(paused.state)
        tally = paused.tally
    total = settings.n_burn_in + settings.n_samples
    with progress.task("sampling", total=total, unit="sweeps") as task:
        task.advance(tally.n_done)
        effort = {"n_burn_in": settings.n_burn_in, "n_samples": settings.n_samples}
        draws, stopped = run_chain(chain, tally, **effort, stop=stop, task=task)
    return draws, None if stopped is None else replace(stopped, of=evidence_fingerprint(evidence))


class _Clock:
    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = now - self._last
        self._last = now
