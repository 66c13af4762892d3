"""The pairwise model: a clustering is as good as the pairs it holds together, and those it holds apart.

Weights are for all pairs of an entity (`run.py`), the chain moves one record at a time (`chain.py`). Between two
sources, where an entity has at most one record of each, an entity is a pair and the models of pairs are one: linking is
by the sampler over matchings.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from onoma.resolve.comparison.choice import choose_weights
from onoma.resolve.comparison.supervision import PairModel
from onoma.resolve.contract import Capability, Posterior, Problem, RunContext
from onoma.resolve.models.pairwise.run import PairwiseRun, PairwiseSettings, weights_in_company
from onoma.resolve.posterior.pairs import (
    Compared,
    PairSettings,
    SampledPairSettings,
    compare,
    linking_chain,
    posterior_of,
    sample,
)
from onoma.resolve.posterior.sampling import Chain

__all__ = ["PAIRWISE", "Pairwise", "PairwiseModelSettings", "weigh_in_company"]


@dataclass(frozen=True, kw_only=True)
class PairwiseModelSettings(SampledPairSettings, PairwiseSettings):
    """How the pairwise model compares, learns and samples."""


class Pairwise:
    """All pairs of an entity are scored."""

    name: ClassVar = "pairwise"
    summary: ClassVar = "the same, every pair of an entity scored"
    settings: ClassVar = PairwiseModelSettings
    capabilities: ClassVar = frozenset(
        {
            Capability.LINK,
            Capability.ONE_TO_ONE,
            Capability.BLOCK,
            Capability.EXTRA_PAIRS,
            Capability.BLOCKING_RULES,
            Capability.LABELS,
            Capability.WEIGHTS,
            Capability.RESUME,
            Capability.FOLD,
            Capability.EXPLAIN,
        }
    )
    conflicts: ClassVar = (frozenset({"comparison=mutation", "weights"}),)

    def fit(self, problem: Problem, settings: PairwiseModelSettings, run: RunContext) -> Posterior:
        """Compare, weigh, sample, agree."""
        compared = compare(
            problem, settings, run, lambda found: weigh_in_company(found, settings, settings, run).weights
        )
        evidence = compared.evidence
        if run.resume is None or run.resume.weights is None:
            learnt = weigh_in_company(compared, settings, settings, run)
        else:
            learnt = PairModel(run.resume.weights, 0.0)  # what strangers score is a part of the chain's state
        run.clock.lap("weights")
        chain: Chain
        if evidence.linking:
            chain = linking_chain(compared, learnt.weights, run.seed)
        else:
            block, n_burn_in = problem.block, settings.burn_in
            chain = PairwiseRun(evidence, learnt, settings=settings, n_burn_in=n_burn_in, seed=run.seed, block=block)
        draws, stopped = sample(chain, evidence, settings, run)
        run.clock.lap("sampling")
        return posterior_of(compared, learnt.weights, draws, run, settings=settings, stopped=stopped)


PAIRWISE = Pairwise()


def weigh_in_company(
    compared: Compared, settings: PairSettings, pairwise: PairwiseSettings, run: RunContext
) -> PairModel:
    """Return what pairs weigh in company; between two sources, where there is none, what they weigh alone."""
    problem = compared.problem
    known: dict[str, Any] = {"labels": problem.labels, "given": problem.weights, "names": compared.names}
    known |= {"seed": run.seed, "settings": settings.weights, "progress": run.progress}
    if compared.evidence.linking:
        return choose_weights(compared.evidence, **known)[0]
    return weights_in_company(compared.evidence, **known, rank=pairwise.rank)
