"""The pairwise model on a table's candidate pairs: an annealed chain that can be stopped and taken up again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onoma.errors import SettingsError
from onoma.mcmc.schedules import Geometric
from onoma.mcmc.subsampling import Exact, Strategy
from onoma.progress import SILENT, Progress
from onoma.resolve.comparison.choice import choose_weights, far, with_copies
from onoma.resolve.comparison.given import GivenWeights, weights_from
from onoma.resolve.comparison.supervision import PairModel, learn_from_draws, learn_from_labels
from onoma.resolve.comparison.weights import Evidence, WeightSettings, edge_weights
from onoma.resolve.models.pairwise.chain import MoveKind, PairwiseChain, draw_partitions, pair_factors
from onoma.resolve.models.pairwise.rank import RankLearning, rank_weights
from onoma.resolve.posterior.copying import Draws

__all__ = ["PairwiseRun", "PairwiseSettings", "weights_in_company"]

_N_GLANCES = 20
"""Sweeps of the copying model from which the pairwise model learns what pairs share."""


@dataclass(frozen=True, kw_only=True)
class PairwiseSettings:
    """How the pairwise model is sampled and learnt."""

    moves: MoveKind = "gibbs"
    scoring: Strategy = Exact()
    """With `moves` other than `gibbs`, how many pairs of a move are looked at."""
    stray: float = 0.02
    heat: float = 8.0
    """The first temperature of the burn-in, which cools to 1."""
    stranger: float | None = None
    """Log odds of a pair that is no candidate; None: learnt."""
    rank: RankLearning = field(default_factory=RankLearning)

    def __post_init__(self) -> None:
        if not self.heat >= 1.0:
            raise SettingsError(f"heat is {self.heat}; a chain cools to 1 from a temperature of at least 1")


class PairwiseRun:
    """A pairwise chain over the records of a table: cools in the burn-in, then samples."""

    def __init__(
        self,
        evidence: Evidence,
        model: PairModel,
        *,
        settings: PairwiseSettings,
        n_burn_in: int,
        seed: int,
        block: NDArray[np.int32] | None = None,
    ) -> None:
        self._a, self._b = evidence.a, evidence.b
        self._schedule = Geometric(settings.heat, 1.0, max(n_burn_in, 1))
        stranger = model.stranger if settings.stranger is None else settings.stranger
        self.chain = PairwiseChain(
            pair_factors(evidence.n, evidence.a, evidence.b, model.scores(evidence), stranger=stranger),
            evidence.n,
            seed=seed,
            block=block,
            moves=settings.moves,
            stray=settings.stray,
            scoring=settings.scoring,
        )

    def run(self, n_sweeps: int, n_kept: int) -> Draws:
        """Run some sweeps; say what they saw if any are kept, which are then the last ones."""
        temperatures = self._schedule.temperatures(self.chain.n_sweeps, n_sweeps)
        if n_kept:
            draws = draw_partitions(self.chain, self._a, self._b, temperatures)
            return replace(draws, roots=draws.roots[n_sweeps - n_kept :])
        self.chain.run(temperatures)
        none = np.zeros(len(self._a))
        n_entities = np.full(n_sweeps, self.chain.n_entities)
        return Draws(n_sweeps, none, none, none, none, n_entities, np.zeros((0, 0), dtype=np.int32))

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return all that the next sweep needs."""
        return self.chain.state()

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go back to a state."""
        self.chain.restore_inplace(state)


def weights_in_company(
    evidence: Evidence,
    *,
    labels: NDArray[np.int64] | None = None,
    given: GivenWeights | None = None,
    names: Sequence[tuple[str, Sequence[str]]] = (),
    seed: int,
    settings: WeightSettings,
    rank: RankLearning,
    progress: Progress = SILENT,
) -> PairModel:
    """Return weights for all pairs of an entity, not for origins and copies alone.

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
        return PairModel(weights_from(given, names, evidence), far(evidence))
    if labels is not None:
        model = learn_from_labels(evidence, labels, settings)
        return rank_weights(evidence, labels, model, seed=seed, settings=rank, progress=progress)
    learnt, sampler = choose_weights(evidence, seed=seed, settings=settings, progress=progress)
    draws = sampler.run(*edge_weights(evidence, learnt.weights), n_sweeps=_N_GLANCES, n_kept=_N_GLANCES)
    model = learn_from_draws(evidence, draws, settings)
    return PairModel(with_copies(learnt.weights, model.weights), model.stranger)
