"""From prepared fields to samples of clusterings: canopies, comparison, weights, sampling, consensus."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError, SettingsError
from onoma.progress import NEVER, SILENT, Progress, Stop
from onoma.resolve.baselines import certain_draws, equal_rows
from onoma.resolve.canopies import Candidates, CanopySettings, find_candidates
from onoma.resolve.checkpoint import evidence_fingerprint
from onoma.resolve.choice import MODELS, ModelName, Supervision, choose_weights, equal_pairs, equal_weights
from onoma.resolve.consensus import Consensus, find_consensus
from onoma.resolve.copying import CopyingSampler, Draws
from onoma.resolve.exclusive import ExclusiveSampler, part_rivals
from onoma.resolve.fields.field import FieldData
from onoma.resolve.gathering import CONTRAST_LEVELS, gather_evidence
from onoma.resolve.given import field_names
from onoma.resolve.hierarchical_fields import GrownTrees, grow_records
from onoma.resolve.linking import LinkingSampler
from onoma.resolve.pairwise_run import PairwiseRun, PairwiseSettings, correlated_draws
from onoma.resolve.phylogeny.model import PhylogenySettings
from onoma.resolve.phylogeny.records import name_draws
from onoma.resolve.sampling import Chain, SamplerChain, Stopped, Tally, WatchedChain, run_chain
from onoma.resolve.supervision import PairModel
from onoma.resolve.weights import Evidence, Weights, WeightSettings, edge_weights

__all__ = ["Fit", "ModelSettings", "fit_records"]

_SMALL_BLOCK = 4_000_000
"""Blocks with no more pairs than this in all are compared in full."""


@dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """How records are resolved."""

    model: ModelName = "copying"
    """`correlation` and `exact-match` are points, the others have a posterior; `auto` chooses by the columns."""
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
    trees: GrownTrees | None = None
    """The trees of the hierarchical model."""


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
    if settings.model == "phylogeny":
        return _fit_names(fields, source, block, settings, clock, progress)
    if settings.model == "hierarchical":
        return _fit_trees(fields, source, block, supervision or Supervision(), settings, clock, progress, stop)
    apart = 1 if settings.link and source is not None else 0
    candidates = _with_extra(_candidates(fields, source, block, apart, settings, progress), extra, len(fields[0].codes))
    clock.lap("canopies")
    evidence = gather_evidence(
        fields, candidates, source, block, apart, seed=settings.seed, settings=settings.canopies, progress=progress
    )
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
    evidence = gather_evidence(fields, candidates, source, block, seed=settings.seed, settings=settings.canopies)
    weights = equal_weights(evidence, field_names(fields, CONTRAST_LEVELS, evidence))
    draws = certain_draws(clustering, evidence.a, evidence.b)
    clock.lap("comparison")
    consensus = Consensus(clustering, np.ones(len(clustering)))
    return Fit(evidence, weights, draws, consensus, candidates, clock.laps)


def _fit_trees(
    fields: Sequence[FieldData],
    source: NDArray[np.int32] | None,
    block: NDArray[np.int32] | None,
    supervision: Supervision,
    settings: ModelSettings,
    clock: "_Clock",
    progress: Progress,
    stop: Stop,
) -> Fit:
    """Grow trees; the pairs that are told are each record with the first of its entity."""
    if settings.link or supervision.given is not None:
        raise SettingsError(
            "the hierarchical model neither links nor takes weights of pairs", hint="Use the model copying or pairwise."
        )
    labels = supervision.labels
    trees = grow_records(fields, block, labels=labels, seed=settings.seed, progress=progress, stop=stop)
    clock.lap("sampling")
    candidates = equal_pairs(trees.clustering.labels)
    evidence = gather_evidence(
        fields, candidates, source, block, seed=settings.seed, settings=settings.canopies, progress=progress
    )
    weights = trees.weights(evidence, field_names(fields, CONTRAST_LEVELS, evidence), settings.weights)
    clock.lap("comparison")
    consensus = Consensus(trees.clustering, trees.probability)
    return Fit(evidence, weights, trees.draws(evidence), consensus, candidates, clock.laps, trees=trees)


def _fit_names(
    fields: Sequence[FieldData],
    source: NDArray[np.int32] | None,
    block: NDArray[np.int32] | None,
    settings: ModelSettings,
    clock: "_Clock",
    progress: Progress,
) -> Fit:
    """Let names descend from names; other fields are looked at only as context."""
    if settings.link:
        raise SettingsError("the phylogeny does not link", hint="Use the model copying or pairwise.")
    effort = PhylogenySettings(seed=settings.seed, n_samples=settings.n_samples)
    candidates, draws = name_draws(fields, block=block, settings=effort, progress=progress)
    clock.lap("sampling")
    evidence = gather_evidence(
        fields, candidates, source, block, seed=settings.seed, settings=settings.canopies, progress=progress
    )
    weights = equal_weights(evidence, field_names(fields, CONTRAST_LEVELS, evidence))
    clock.lap("comparison")
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
