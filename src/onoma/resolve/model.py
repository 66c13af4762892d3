"""From prepared fields to samples of clusterings: canopies, comparison, weights, sampling, consensus."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError, SettingsError
from onoma.progress import NEVER, SILENT, Progress, Stop
from onoma.resolve.blocking.canopies import Candidates, find_candidates, pairs_within_blocks, with_pairs
from onoma.resolve.comparison.choice import Supervision, choose_weights
from onoma.resolve.comparison.recomparison import LearntComparison, compared_anew, learn_comparisons
from onoma.resolve.comparison.supervision import PairModel
from onoma.resolve.comparison.weights import Evidence, Weights, edge_weights
from onoma.resolve.fields.field import FieldData
from onoma.resolve.fit import Fit, Material
from onoma.resolve.model_settings import ComparisonName, ModelSettings
from onoma.resolve.models.pairwise.run import PairwiseRun, correlated_draws
from onoma.resolve.other_models import fit_equal, fit_mentions, fit_names, fit_trees
from onoma.resolve.partitions.records import Carry, check_carried, sample_copies
from onoma.resolve.posterior.checkpoint import evidence_fingerprint
from onoma.resolve.posterior.consensus import find_consensus
from onoma.resolve.posterior.copying import CopyingSampler, Draws
from onoma.resolve.posterior.exclusive import ExclusiveSampler, part_rivals
from onoma.resolve.posterior.linking import LinkingSampler
from onoma.resolve.posterior.sampling import Chain, SamplerChain, Stopped, Tally, WatchedChain, run_chain

__all__ = ["ComparisonName", "Fit", "ModelSettings", "fit_records"]

_SMALL_BLOCK = 4_000_000
"""Blocks with no more pairs than this in all are compared in full."""


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
    settings, supervision = settings or ModelSettings(), supervision or Supervision()
    if carry is not None:
        known = supervision.labels is not None
        check_carried(settings.model, link=settings.link, one_to_one=settings.one_to_one, labels=known)
    material = Material(fields, source, block, supervision, settings, progress, stop)
    if settings.model == "exact-match":
        return fit_equal(material)
    if settings.model == "phylogeny":
        return fit_names(material)
    if settings.model == "cross-document":
        return fit_mentions(material, None if resume is None else resume[1])
    if settings.model == "hierarchical":
        return fit_trees(material, carry)
    candidates = with_pairs(_candidates(material), extra, len(fields[0].codes))
    material.clock.lap("canopies")
    return _fit_pairs(material, candidates, resume, carry)


def _fit_pairs(
    material: Material, candidates: Candidates, resume: tuple[Weights, Stopped] | None, carry: Carry | None
) -> Fit:
    """Compare the candidates, weigh what they share, sample, and agree on entities."""
    settings, source, clock = material.settings, material.source, material.clock
    evidence = material.gather(candidates)
    clock.lap("comparison")
    comparisons: list[LearntComparison] = []
    if settings.comparison == "mutation":
        comparisons, material, evidence = _compare_anew(material, candidates, evidence)
        clock.lap("comparison by how values change")
    if resume is None:
        learnt, sampler = _weigh(material, evidence)
    else:
        # What strangers score is a part of a pairwise chain's state.
        learnt = PairModel(resume[0], 0.0)
        sampler = CopyingSampler(evidence.n, evidence.a, evidence.b, seed=settings.seed)
    clock.lap("weights")
    stopped, n_cut = None, 0
    if settings.model == "correlation" and not evidence.linking:
        draws = correlated_draws(evidence, learnt, settings=settings.pairwise, seed=settings.seed, block=material.block)
    elif carry is not None:
        effort = {"n_burn_in": settings.n_burn_in, "n_samples": settings.n_samples, "seed": settings.seed}
        draws, n_cut = sample_copies(evidence, learnt.weights, **effort, carry=carry)
    else:
        chain = _chain(material, evidence, learnt, sampler)
        draws, stopped = _sample(chain, material, evidence, None if resume is None else resume[1])
    clock.lap("sampling")
    consensus = find_consensus(
        evidence.n, evidence.a, evidence.b, draws.together, draws.roots, threshold=settings.threshold
    )
    if source is not None and (evidence.linking or settings.one_to_one):
        consensus = part_rivals(consensus, source, evidence.a, evidence.b, draws.together)
    clock.lap("consensus")
    fit = Fit(evidence, learnt.weights, draws, consensus, candidates, clock.laps, stopped, n_cut=n_cut)
    return replace(fit, comparisons=tuple(comparisons))


def _weigh(material: Material, evidence: Evidence) -> tuple[PairModel, CopyingSampler]:
    """Learn what the levels weigh, or take the weights given."""
    settings = material.settings
    return choose_weights(
        evidence,
        material.supervision,
        material.names(evidence),
        in_company=settings.in_company and not evidence.linking,
        seed=settings.seed,
        settings=settings.weights,
        pairwise=settings.pairwise,
        progress=material.progress,
    )


def _compare_anew(
    material: Material, candidates: Candidates, evidence: Evidence
) -> tuple[list[LearntComparison], Material, Evidence]:
    """Learn how values change, and compare anew the fields that are better compared so."""
    if material.supervision.given is not None:
        raise SettingsError(
            "weights that are given are for the levels of kinds", hint='Leave out the comparison "mutation".'
        )
    first, _ = _weigh(material, evidence)
    seed, progress = material.settings.seed, material.progress
    found = learn_comparisons(material.fields, evidence, first.weights, seed=seed, progress=progress)
    if not found:
        return found, material, evidence
    anew = replace(material, fields=compared_anew(material.fields, found))
    return found, anew, anew.gather(candidates)


def _candidates(material: Material) -> Candidates:
    block, apart = material.block, material.apart
    if block is not None and apart == 0:
        sizes = np.bincount(block).astype(np.float64)
        if float((sizes * (sizes - 1) / 2).sum()) <= _SMALL_BLOCK:
            return pairs_within_blocks(block)
    return find_candidates(
        material.fields,
        source=material.source,
        block=block,
        apart=apart,
        settings=material.settings.canopies,
        progress=material.progress,
    )


def _chain(material: Material, evidence: Evidence, learnt: PairModel, sampler: CopyingSampler) -> Chain:
    settings = material.settings
    if settings.model == "pairwise" and not evidence.linking:
        if settings.one_to_one:
            raise SettingsError("the pairwise model links one to one between two sources only")
        effort = {"n_burn_in": settings.n_burn_in, "seed": settings.seed}
        return PairwiseRun(evidence, learnt, settings=settings.pairwise, block=material.block, **effort)
    copy, relative = edge_weights(evidence, learnt.weights)
    if evidence.linking:
        links = LinkingSampler(evidence.n, evidence.a, evidence.b, seed=settings.seed)
        return SamplerChain(links, lambda n, kept: links.run(copy, n_sweeps=n, n_kept=kept))
    if settings.one_to_one and material.source is not None:
        each = ExclusiveSampler(material.source, evidence.a, evidence.b, seed=settings.seed)
        return SamplerChain(each, lambda n, kept: each.run(copy, relative, n_sweeps=n, n_kept=kept))
    return WatchedChain(
        sampler,
        lambda n, kept: sampler.run(copy, relative, n_sweeps=n, n_kept=kept),
        lambda n, kept, watch: sampler.run(copy, relative, n_sweeps=n, n_kept=kept, watch=watch),
    )


def _sample(
    chain: Chain, material: Material, evidence: Evidence, paused: Stopped | None
) -> tuple[Draws, Stopped | None]:
    settings = material.settings
    tally = Tally.empty(evidence.n, len(evidence.a), settings.n_samples)
    if paused is not None:
        if paused.of != evidence_fingerprint(evidence) or paused.tally.roots.shape != tally.roots.shape:
            raise DataError("the stopped run compared other pairs", hint="Start anew, without resuming.")
        chain.restore(paused.state)
        tally = paused.tally
    total = settings.n_burn_in + settings.n_samples
    with material.progress.task("sampling", total=total, unit="sweeps") as task:
        task.advance(tally.n_done)
        effort = {"n_burn_in": settings.n_burn_in, "n_samples": settings.n_samples}
        draws, stopped = run_chain(chain, tally, **effort, stop=material.stop, task=task)
    return draws, None if stopped is None else replace(stopped, of=evidence_fingerprint(evidence))
