"""From prepared fields to samples of clusterings: canopies, comparison, weights, sampling, consensus."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError, SettingsError
from onoma.progress import NEVER, SILENT, Progress, Stop
from onoma.resolve.baselines import certain_draws, equal_rows
from onoma.resolve.canopies import Candidates, find_candidates, pairs_within_blocks, with_pairs
from onoma.resolve.checkpoint import evidence_fingerprint
from onoma.resolve.choice import Supervision, choose_weights, equal_pairs, equal_weights
from onoma.resolve.consensus import Consensus, find_consensus
from onoma.resolve.copying import CopyingSampler, Draws
from onoma.resolve.cross_document_records import resolve_fields
from onoma.resolve.distributed_records import Carry, check_carried, sample_copies, sample_trees
from onoma.resolve.exclusive import ExclusiveSampler, part_rivals
from onoma.resolve.fields.field import FieldData
from onoma.resolve.gathering import CONTRAST_LEVELS, gather_evidence
from onoma.resolve.given import field_names
from onoma.resolve.hierarchical_fields import GrownTrees, TreeEntities, grow_records, tree_columns
from onoma.resolve.linking import LinkingSampler
from onoma.resolve.model_settings import ComparisonName, ModelSettings
from onoma.resolve.pairwise_run import PairwiseRun, correlated_draws
from onoma.resolve.phylogeny.model import PhylogenySettings
from onoma.resolve.phylogeny.records import name_draws
from onoma.resolve.recomparison import LearntComparison, compared_anew, learn_comparisons
from onoma.resolve.sampling import Chain, SamplerChain, Stopped, Tally, WatchedChain, run_chain
from onoma.resolve.supervision import PairModel
from onoma.resolve.weights import Evidence, Weights, edge_weights

__all__ = ["ComparisonName", "Fit", "ModelSettings", "fit_records"]

_SMALL_BLOCK = 4_000_000
"""Blocks with no more pairs than this in all are compared in full."""


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
    comparisons: tuple[LearntComparison, ...] = ()
    """Of fields that were not compared by the rules of their kind."""
    n_cut: int = 0
    """Plausible pairs left out so that records could be sampled in partitions."""
    notes: tuple[str, ...] = ()
    """What the model made of the fields, where that should be said."""


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
    carry: Carry | None = None,
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
    carry
        Who samples in partitions; None: nobody, all is sampled here.
    """
    settings = settings or ModelSettings()
    clock = _Clock()
    if carry is not None:
        known = supervision is not None and supervision.labels is not None
        check_carried(settings.model, link=settings.link, one_to_one=settings.one_to_one, labels=known)
    if settings.model == "exact-match":
        return _fit_equal(fields, source, block, settings, clock)
    if settings.model == "phylogeny":
        return _fit_names(fields, source, block, settings, clock, progress)
    if settings.model == "cross-document":
        return _fit_mentions(fields, source, block, settings, clock, progress, stop)
    if settings.model == "hierarchical":
        return _fit_trees(fields, source, block, supervision or Supervision(), settings, clock, progress, stop, carry)
    apart = 1 if settings.link and source is not None else 0
    candidates = with_pairs(_candidates(fields, source, block, apart, settings, progress), extra, len(fields[0].codes))
    clock.lap("canopies")
    look = _Look(candidates, source, block, apart, supervision or Supervision(), settings, progress)
    return _fit_pairs(fields, look, clock, stop, resume, carry)


def _fit_pairs(
    fields: Sequence[FieldData],
    look: "_Look",
    clock: "_Clock",
    stop: Stop,
    resume: tuple[Weights, Stopped] | None,
    carry: Carry | None,
) -> Fit:
    """Compare the candidates, weigh what they share, sample, and agree on entities."""
    settings, source = look.settings, look.source
    evidence = look.gather(fields)
    clock.lap("comparison")
    comparisons: list[LearntComparison] = []
    if settings.comparison == "mutation":
        comparisons, fields, evidence = look.again(fields, evidence)
        clock.lap("comparison by how values change")
    if resume is None:
        learnt, sampler = look.weigh(fields, evidence)
    else:
        # What strangers score is a part of a pairwise chain's state.
        learnt = PairModel(resume[0], 0.0)
        sampler = CopyingSampler(evidence.n, evidence.a, evidence.b, seed=settings.seed)
    clock.lap("weights")
    stopped, n_cut = None, 0
    if settings.model == "correlation" and not evidence.linking:
        draws = correlated_draws(evidence, learnt, settings=settings.pairwise, seed=settings.seed, block=look.block)
    elif carry is not None:
        effort = {"n_burn_in": settings.n_burn_in, "n_samples": settings.n_samples, "seed": settings.seed}
        draws, n_cut = sample_copies(evidence, learnt.weights, **effort, carry=carry)
    else:
        chain = _chain(evidence, learnt, sampler, source, look.block, settings)
        paused = None if resume is None else resume[1]
        draws, stopped = _sample(chain, evidence, settings, paused, stop, look.progress)
    clock.lap("sampling")
    consensus = find_consensus(
        evidence.n, evidence.a, evidence.b, draws.together, draws.roots, threshold=settings.threshold
    )
    if source is not None and (evidence.linking or settings.one_to_one):
        consensus = part_rivals(consensus, source, evidence.a, evidence.b, draws.together)
    clock.lap("consensus")
    fit = Fit(evidence, learnt.weights, draws, consensus, look.candidates, clock.laps, stopped, n_cut=n_cut)
    return replace(fit, comparisons=tuple(comparisons))


@dataclass(frozen=True, eq=False)
class _Look:
    """What looking at candidate pairs takes, whatever the comparison of their fields."""

    candidates: Candidates
    source: NDArray[np.int32] | None
    block: NDArray[np.int32] | None
    apart: int
    supervision: Supervision
    settings: ModelSettings
    progress: Progress

    def gather(self, fields: Sequence[FieldData]) -> Evidence:
        """Compare the candidates."""
        return gather_evidence(
            fields,
            self.candidates,
            self.source,
            self.block,
            self.apart,
            seed=self.settings.seed,
            settings=self.settings.canopies,
            progress=self.progress,
        )

    def weigh(self, fields: Sequence[FieldData], evidence: Evidence) -> tuple[PairModel, CopyingSampler]:
        """Learn what the levels weigh, or take the weights given."""
        settings = self.settings
        return choose_weights(
            evidence,
            self.supervision,
            field_names(fields, CONTRAST_LEVELS, evidence),
            in_company=settings.in_company and not evidence.linking,
            seed=settings.seed,
            settings=settings.weights,
            pairwise=settings.pairwise,
            progress=self.progress,
        )

    def again(
        self, fields: Sequence[FieldData], evidence: Evidence
    ) -> tuple[list[LearntComparison], Sequence[FieldData], Evidence]:
        """Learn how values change, and compare anew the fields that are better compared so."""
        if self.supervision.given is not None:
            raise SettingsError(
                "weights that are given are for the levels of kinds", hint='Leave out the comparison "mutation".'
            )
        first, _ = self.weigh(fields, evidence)
        found = learn_comparisons(fields, evidence, first.weights, seed=self.settings.seed, progress=self.progress)
        if not found:
            return found, fields, evidence
        anew = compared_anew(fields, found)
        return found, anew, self.gather(anew)


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
    carry: Carry | None,
) -> Fit:
    """Grow trees; the pairs that are told are each record with the first of its entity."""
    if settings.link or supervision.given is not None:
        raise SettingsError(
            "the hierarchical model neither links nor takes weights of pairs", hint="Use the model copying or pairwise."
        )
    labels, grown = supervision.labels, None
    trees: TreeEntities
    if carry is None:
        trees = grown = grow_records(fields, block, labels=labels, seed=settings.seed, progress=progress, stop=stop)
    else:
        trees = sample_trees(tree_columns(fields, block), seed=settings.seed, carry=carry)
    clock.lap("sampling")
    candidates = equal_pairs(trees.clustering.labels)
    evidence = gather_evidence(
        fields, candidates, source, block, seed=settings.seed, settings=settings.canopies, progress=progress
    )
    weights = trees.weights(evidence, field_names(fields, CONTRAST_LEVELS, evidence), settings.weights)
    clock.lap("comparison")
    consensus = Consensus(trees.clustering, trees.probability)
    return Fit(evidence, weights, trees.draws(evidence), consensus, candidates, clock.laps, trees=grown)


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


def _fit_mentions(
    fields: Sequence[FieldData],
    source: NDArray[np.int32] | None,
    block: NDArray[np.int32] | None,
    settings: ModelSettings,
    clock: "_Clock",
    progress: Progress,
    stop: Stop,
) -> Fit:
    """Group mentions by names and contexts; the pairs that are told are each mention with the first of its entity."""
    if settings.link:
        raise SettingsError("the cross-document model does not link", hint="Use the model copying or pairwise.")
    consensus, notes = resolve_fields(
        fields, source, n_entities=settings.n_entities, seed=settings.seed, progress=progress, stop=stop
    )
    clock.lap("sampling")
    candidates = equal_pairs(consensus.clustering.labels)
    evidence = gather_evidence(fields, candidates, source, block, seed=settings.seed, settings=settings.canopies)
    weights = equal_weights(evidence, field_names(fields, CONTRAST_LEVELS, evidence))
    draws = certain_draws(consensus.clustering, evidence.a, evidence.b)
    sure = consensus.probability
    draws = replace(draws, together=np.minimum(sure[evidence.a], sure[evidence.b]))
    clock.lap("comparison")
    return Fit(evidence, weights, draws, consensus, candidates, clock.laps, notes=notes)


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
            return pairs_within_blocks(block)
    return find_candidates(
        fields, source=source, block=block, apart=apart, settings=settings.canopies, progress=progress
    )


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
