"""What models of pairs do alike: find the pairs, compare them, run a chain over them, agree on entities.

The copying, pairwise and correlation models differ in what pairs weigh and in how clusterings are drawn. Each hands its
own way to weigh to `compare`, draws as it likes, and ends with `posterior_of`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError
from onoma.numerics.memory import give_back
from onoma.resolve.blocking.canopies import (
    Candidates,
    CanopySettings,
    find_candidates,
    pairs_within_blocks,
    with_pairs,
)
from onoma.resolve.comparison.gathering import CONTRAST_LEVELS, gather_evidence
from onoma.resolve.comparison.given import field_names
from onoma.resolve.comparison.recomparison import LearntComparison, compared_anew, learn_comparisons
from onoma.resolve.comparison.things import Things, counted_anew, with_things
from onoma.resolve.comparison.weights import Evidence, Weights, WeightSettings, edge_weights
from onoma.resolve.config import ComparisonName
from onoma.resolve.contract import PairEvidence, Pairs, Posterior, Problem, RunContext
from onoma.resolve.posterior.checkpoint import Checkpoint, evidence_fingerprint
from onoma.resolve.posterior.consensus import find_consensus
from onoma.resolve.posterior.copying import Draws
from onoma.resolve.posterior.exclusive import part_rivals
from onoma.resolve.posterior.judgements import hold_apart, weights_heeding
from onoma.resolve.posterior.linking import LinkingSampler
from onoma.resolve.posterior.parting import part_contradicted
from onoma.resolve.posterior.sampling import Chain, SamplerChain, Stopped, Tally, run_chain

__all__ = [
    "Compared",
    "PairSettings",
    "SampledPairSettings",
    "compare",
    "gather",
    "linking_chain",
    "posterior_of",
    "sample",
]

_SMALL_BLOCK = 4_000_000
"""Blocks with no more pairs than this in all are compared in full."""


@dataclass(frozen=True, kw_only=True)
class PairSettings:
    """How pairs are found, compared and weighed."""

    comparison: ComparisonName = "kinds"
    """How values are compared: by the rules of their `kinds`, or by the model of `mutation` where it tells more."""
    neighbours: int | None = None
    """Rows that each is compared with; None: as `canopies` has it."""
    canopies: CanopySettings = field(default_factory=CanopySettings)
    weights: WeightSettings = field(default_factory=WeightSettings)

    @property
    def blocking(self) -> CanopySettings:
        """How far to look for pairs."""
        return self.canopies if self.neighbours is None else replace(self.canopies, neighbours=self.neighbours)


@dataclass(frozen=True, kw_only=True)
class SampledPairSettings(PairSettings):
    """The same for a model that is sampled."""

    merge_cost: float = 0.5
    """Cost of a pair wrongly together; 1 - merge_cost is that of a pair wrongly apart."""
    samples: int = 100
    burn_in: int = 30
    """Sweeps before the first sample."""


@dataclass(frozen=True, eq=False)
class Compared:
    """Pairs and what they share."""

    problem: Problem
    """With the fields as they were compared."""
    candidates: Candidates
    evidence: Evidence
    comparisons: tuple[LearntComparison, ...] = ()
    things: Things = ()
    """By field, how many things have each value; none: rarity is that of records."""

    def counted(self, things: Things) -> "Compared":
        """Return it with values as rare as the things that have them."""
        if [len(each) for each in things] != [len(each.counts) for each in self.problem.fields]:
            raise DataError("the stopped run compared other values", hint="Start anew, without resuming.")
        fields = with_things(self.problem.fields, things)
        evidence = counted_anew(self.evidence, fields)
        return replace(self, problem=replace(self.problem, fields=fields), evidence=evidence, things=things)

    def some(self, pairs: NDArray[np.int64]) -> "Compared":
        """Return it with some of its pairs; the others were compared, and are no more told of."""
        evidence = self.evidence.some(pairs)
        return replace(self, candidates=self.candidates.only(evidence.a, evidence.b), evidence=evidence)

    @property
    def names(self) -> list[tuple[str, Sequence[str]]]:
        """What the fields and their levels are called."""
        return field_names(self.problem.fields, CONTRAST_LEVELS, self.evidence)


def compare(
    problem: Problem, settings: PairSettings, run: RunContext, weigh: Callable[[Compared], Weights]
) -> Compared:
    """Find the pairs that are worth it and compare them, anew where `settings.comparison` says so.

    Parameters
    ----------
    weigh
        What the levels weigh: needed to learn how values change.
    """
    candidates = with_pairs(_candidates(problem, settings, run), problem.extra, problem.n)
    give_back(problem.n)
    run.clock.lap("canopies")
    found = Compared(problem, candidates, gather(problem, candidates, run))
    run.clock.lap("comparison")
    if settings.comparison == "mutation":
        found = _anew(found, run, weigh(found))
        run.clock.lap("comparison by how values change")
    return found


def gather(problem: Problem, candidates: Candidates, run: RunContext) -> Evidence:
    """Compare candidates, and pairs that stand for all others."""
    return gather_evidence(
        problem.fields,
        candidates,
        problem.source,
        problem.block,
        problem.apart,
        seed=run.seed,
        progress=run.progress,
    )


def _anew(found: Compared, run: RunContext, weights: Weights) -> Compared:
    """Learn how values change, and compare anew the fields that are better compared so."""
    problem = found.problem
    learnt = learn_comparisons(problem.fields, found.evidence, weights, seed=run.seed, progress=run.progress)
    if not learnt:
        return found
    anew = replace(problem, fields=compared_anew(problem.fields, learnt))
    return Compared(anew, found.candidates, gather(anew, found.candidates, run), tuple(learnt))


def _candidates(problem: Problem, settings: PairSettings, run: RunContext) -> Candidates:
    block, apart = problem.block, problem.apart
    if block is not None and apart == 0:
        sizes = np.bincount(block).astype(np.float64)
        if float((sizes * (sizes - 1) / 2).sum()) <= _SMALL_BLOCK:
            return pairs_within_blocks(block)
    return find_candidates(
        problem.fields,
        source=problem.source,
        block=block,
        apart=apart,
        settings=settings.blocking,
        progress=run.progress,
    )


def linking_chain(compared: Compared, weights: Weights, seed: int) -> Chain:
    """Return the chain over matchings of two sources."""
    evidence = compared.evidence
    copy, _ = weights_heeding(compared.problem.judged, evidence, *edge_weights(evidence, weights))
    links = LinkingSampler(evidence.n, evidence.a, evidence.b, seed=seed)
    return SamplerChain(links, lambda n, kept: links.run(copy, n_sweeps=n, n_kept=kept))


def sample(
    chain: Chain,
    evidence: Evidence,
    settings: SampledPairSettings,
    run: RunContext,
    *,
    left: tuple[int, int] | None = None,
) -> tuple[Draws, Stopped | None]:
    """Run a chain to its end, or until it is stopped, from its beginning or from where it was.

    Parameters
    ----------
    left
        How many records and pairs the chain is about; None: all of the evidence.
    """
    tally = Tally.empty(*(left or (evidence.n, len(evidence.a))), settings.samples)
    if run.resume is not None:
        paused = run.resume.stopped
        if paused.of != evidence_fingerprint(evidence) or paused.tally.shape != tally.shape:
            raise DataError("the stopped run compared other pairs", hint="Start anew, without resuming.")
        chain.restore(paused.state)
        tally = paused.tally
    effort = {"n_burn_in": settings.burn_in, "n_samples": settings.samples}
    with run.progress.task("sampling", total=sum(effort.values()), unit="sweeps") as task:
        task.advance(tally.n_done)
        draws, stopped = run_chain(chain, tally, **effort, stop=run.stop, task=task)
    return draws, None if stopped is None else replace(stopped, of=evidence_fingerprint(evidence))


def posterior_of(
    compared: Compared,
    weights: Weights,
    draws: Draws,
    run: RunContext,
    *,
    settings: SampledPairSettings | None = None,
    stopped: Stopped | None = None,
    n_cut: int = 0,
    alike: NDArray[np.float64] | None = None,
) -> Posterior:
    """Agree on entities, and tell what was found.

    Parameters
    ----------
    settings
        Of a model that is sampled.
    stopped
        Where the chain stood, if it was stopped before it had drawn all samples.
    n_cut
        Plausible pairs that were left out.
    alike
        The probability of each pair by itself, where entities that their own pairs contradict are to be parted.
    """
    evidence, problem = compared.evidence, compared.problem
    merge_cost, n_samples = (0.5, 0) if settings is None else (settings.merge_cost, settings.samples)
    consensus = find_consensus(evidence.n, evidence.a, evidence.b, draws.together, draws.roots, threshold=merge_cost)
    if alike is not None:
        consensus = part_contradicted(consensus, evidence.a, evidence.b, alike, threshold=merge_cost)
    if len(problem.judged.pairs()):
        consensus = hold_apart(consensus, draws.roots, problem.judged, threshold=merge_cost)
    if problem.source is not None and (evidence.linking or problem.one_to_one):
        consensus = part_rivals(consensus, problem.source, evidence.a, evidence.b, draws.together)
    run.clock.lap("consensus")
    details = PairEvidence(
        evidence, weights, draws, compared.candidates, compared.comparisons, n_cut, things=compared.things
    )
    notes = (f"{n_cut:,} faint pairs were left out to sample in partitions",) if n_cut else ()
    return Posterior(
        clustering=consensus.clustering,
        probability=consensus.probability,
        pairs=Pairs(evidence.a, evidence.b, draws.together),
        samples=draws.roots,
        n_entities=draws.n_entities,
        details=details,
        state=None if stopped is None else Checkpoint(weights, stopped, compared.things),
        so_far=f"the answer of {draws.n_sweeps} samples of {n_samples}",
        notes=notes,
        seconds=run.clock.laps,
    )
