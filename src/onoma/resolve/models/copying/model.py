"""The copying model: every record is fresh or comes from another one, as its copy or as its relative's.

Pairs are found by canopies and compared level by level; what a level weighs is learnt without labels, from labels, or
given; components of few records are solved (`posterior/exact.py`), the origins of others sampled
(`posterior/copying.py`). Two sources are linked by a sampler over matchings
(`posterior/linking.py`); with one record of each source in an entity, by one that bars rivals
(`posterior/exclusive.py`).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.memory import LARGE, give_back
from onoma.resolve.comparison.choice import choose_weights
from onoma.resolve.comparison.supervision import PairModel
from onoma.resolve.comparison.things import BEGIN, GO_ON, MOST_RECORDS, ROUNDS, count_fresh, count_things, moved
from onoma.resolve.comparison.weights import Weights, edge_weights
from onoma.resolve.contract import Capability, Posterior, Problem, RunContext
from onoma.resolve.posterior.copying import CopyingSampler
from onoma.resolve.posterior.exact import FAINT, solve_small
from onoma.resolve.posterior.exclusive import ExclusiveSampler
from onoma.resolve.posterior.judgements import ApartSampler, weights_heeding
from onoma.resolve.posterior.pairs import (
    Compared,
    SampledPairSettings,
    compare,
    linking_chain,
    posterior_of,
    sample,
)
from onoma.resolve.posterior.sampling import Chain, SamplerChain, WatchedChain

__all__ = ["COPYING", "Copying", "CopyingSettings"]


@dataclass(frozen=True, kw_only=True)
class CopyingSettings(SampledPairSettings):
    """How the copying model compares, learns and samples."""


_NOT_CONSTRAINED = ("partitions", "one_to_one")
"""Options whose samplers hold nothing together or apart by rules."""


class Copying:
    """Records that descend from records."""

    name: ClassVar = "copying"
    summary: ClassVar = "records that repeat each other, with errors"
    settings: ClassVar = CopyingSettings
    capabilities: ClassVar = frozenset(Capability)
    conflicts: ClassVar = (
        frozenset({"partitions", "link"}),
        frozenset({"partitions", "resume"}),
        frozenset({"comparison=mutation", "weights"}),
        *(frozenset({rule, other}) for rule in ("must_link_on", "cannot_link_on") for other in _NOT_CONSTRAINED),
        frozenset({"must_link_on", "link"}),
    )

    def fit(self, problem: Problem, settings: CopyingSettings, run: RunContext) -> Posterior:
        """Compare, weigh, sample, agree."""

        def weigh(compared: Compared) -> tuple[PairModel, CopyingSampler]:
            return choose_weights(
                compared.evidence,
                labels=problem.labels,
                given=problem.weights,
                names=compared.names,
                seed=run.seed,
                settings=settings.weights,
                progress=run.progress,
            )

        compared = compare(problem, settings, run, lambda found: weigh(found)[0].weights)
        if run.resume is None or run.resume.weights is None:
            compared, weights, sampler = _learnt(compared, weigh)
            evidence = compared.evidence
        else:
            weights = run.resume.weights
            compared = compared.counted(run.resume.things) if run.resume.things else compared
            evidence = compared.evidence
            sampler = CopyingSampler(evidence.n, evidence.a, evidence.b, seed=run.seed)
        run.clock.lap("weights")
        stopped, n_cut, alike, solved = None, 0, None, None
        if run.carry is not None:
            from onoma.resolve.models.copying.partitions import sample_copies  # much to load, for this alone

            effort = {"n_burn_in": settings.burn_in, "n_samples": settings.samples, "seed": run.seed}
            draws, n_cut = sample_copies(evidence, weights, **effort, carry=run.carry)
        else:
            if evidence.linking:
                chain = linking_chain(compared, weights, run.seed)
            else:
                copy, relative = edge_weights(evidence, weights)
                if len(problem.judged.pairs()):
                    copy, relative = weights_heeding(problem.judged, evidence, copy, relative)
                if _is_plain(compared.problem):
                    solved = solve_small(evidence.n, evidence.a, evidence.b, copy, relative, seed=run.seed)
                    chain = _origins(sampler.among(solved.records, solved.rest), *solved.left)
                    if evidence.n > LARGE:
                        # Most pairs are strangers: what is no longer needed makes room. The checks, which count all
                        # pairs that were compared, are for smaller tables.
                        kept = solved.pairs_above(copy + relative, FAINT)
                        solved, compared = solved.among(kept), compared.some(kept)
                        copy, relative, evidence = copy[kept], relative[kept], compared.evidence
                        del sampler
                        give_back(evidence.n)
                else:
                    chain = _constrained(compared, copy, relative, run.seed)
                if evidence.taught < 0 and problem.block is None:  # namesakes share little from pair to pair
                    alike = copy / (1.0 + copy + relative)
            left = None if solved is None else (len(solved.records), len(solved.rest))
            draws, stopped = sample(chain, evidence, settings, run, left=left)
            if solved is not None:
                del copy, relative, chain
                parts = solved.parts(draws.roots)
                draws = replace(draws, roots=np.asarray(draws.roots)[:, :0].copy())  # they are many; parts say the same
                give_back(evidence.n)
                draws = solved.joined(draws, len(evidence.a), parts)
                del solved, parts
                give_back(evidence.n)
        run.clock.lap("sampling")
        return posterior_of(compared, weights, draws, run, settings=settings, stopped=stopped, n_cut=n_cut, alike=alike)


COPYING = Copying()


def _learnt(
    compared: Compared, weigh: Callable[[Compared], tuple[PairModel, CopyingSampler]]
) -> tuple[Compared, Weights, CopyingSampler]:
    """Learn weights, and count the things that have each value, in turn; return what was compared, counted so."""
    learnt, sampler = weigh(compared)
    for done in range(ROUNDS if _may_count_things(compared) else 0):
        fresh = count_fresh(compared.evidence, learnt.weights)
        counted = compared.counted(count_things(compared.problem.fields, fresh))
        if moved(fresh, count_fresh(counted.evidence, learnt.weights)) <= (GO_ON if done else BEGIN):
            break
        compared = counted
        learnt, sampler = weigh(compared)
    return compared, learnt.weights, sampler


def _may_count_things(compared: Compared) -> bool:
    """Say whether weights are learnt here, and a thing may have many records."""
    problem, evidence = compared.problem, compared.evidence
    told = problem.labels is not None or problem.weights is not None or evidence.taught >= 0
    return not (told or evidence.linking or problem.one_to_one or evidence.n > MOST_RECORDS)


def _is_plain(problem: Problem) -> bool:
    """Say whether components can be solved: neither rivals nor judgements hold records apart."""
    return not (problem.one_to_one and problem.source is not None) and not len(problem.judged.pairs())


def _constrained(compared: Compared, copy: NDArray[np.float64], relative: NDArray[np.float64], seed: int) -> Chain:
    """Return the chain that heeds judgements; with one record of each source in an entity, that which bars rivals."""
    problem, evidence = compared.problem, compared.evidence
    if problem.one_to_one and problem.source is not None:
        each = ExclusiveSampler(problem.source, evidence.a, evidence.b, seed=seed)
        return SamplerChain(each, lambda n, kept: each.run(copy, relative, n_sweeps=n, n_kept=kept))
    outside = np.zeros(evidence.n, dtype=np.bool_)
    held = ApartSampler(problem.judged, outside, evidence.a, evidence.b, seed=seed)
    return SamplerChain(held, lambda n, kept: held.run(copy, relative, n_sweeps=n, n_kept=kept))


def _origins(sampler: CopyingSampler, copy: NDArray[np.float64], relative: NDArray[np.float64]) -> Chain:
    """Return the chain over origins."""
    return WatchedChain(
        sampler,
        lambda n, kept: sampler.run(copy, relative, n_sweeps=n, n_kept=kept),
        lambda n, kept, watch: sampler.run(copy, relative, n_sweeps=n, n_kept=kept, watch=watch),
    )
