"""Correlation clustering: an answer without a posterior, from the weights of the pairwise model.

Correlation clustering (Bansal, Blum and Chawla 2004): the partition with the greatest sum of the log odds of the pairs
it holds together. Found from two starts, an annealed chain of the pairwise model and random pivots (Ailon, Charikar and
Newman 2008), by moving records and joining entities as long as the sum grows; the better one counts.
"""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.numerics.rng import stream
from onoma.resolve.contract import Capability, Posterior, Problem, RunContext
from onoma.resolve.models.pairwise.chain import PairwiseChain, pair_factors
from onoma.resolve.models.pairwise.model import weigh_in_company
from onoma.resolve.models.pairwise.rank import RankLearning
from onoma.resolve.models.pairwise.run import PairwiseSettings
from onoma.resolve.posterior.copying import Draws
from onoma.resolve.posterior.pairs import PairSettings, compare, posterior_of

__all__ = ["CORRELATION", "Correlation", "CorrelationSettings", "certain_draws", "correlate"]

_COLD = 1e-3
"""The temperature at which a chain only improves."""


@dataclass(frozen=True, kw_only=True)
class CorrelationSettings(PairSettings):
    """How the model compares and searches."""

    heat: float = 8.0
    """The first temperature of the annealed start."""
    stranger: float | None = None
    """Log odds of a pair that is no candidate; None: learnt."""
    rank: RankLearning = field(default_factory=RankLearning)


class Correlation:
    """The clustering with the greatest sum of log odds, and nothing else."""

    name: ClassVar = "correlation"
    summary: ClassVar = "the one clustering with the greatest sum of log odds"
    settings: ClassVar = CorrelationSettings
    capabilities: ClassVar = frozenset(
        {
            Capability.BLOCK,
            Capability.EXTRA_PAIRS,
            Capability.BLOCKING_RULES,
            Capability.LABELS,
            Capability.WEIGHTS,
            Capability.FOLD,
            Capability.EXPLAIN,
        }
    )
    conflicts: ClassVar = (frozenset({"comparison=mutation", "weights"}),)

    def fit(self, problem: Problem, settings: CorrelationSettings, run: RunContext) -> Posterior:
        """Compare, weigh, search."""
        learning = PairwiseSettings(rank=settings.rank)
        compared = compare(problem, settings, run, lambda it: weigh_in_company(it, settings, learning, run).weights)
        evidence = compared.evidence
        learnt = weigh_in_company(compared, settings, learning, run)
        run.clock.lap("weights")
        stranger = learnt.stranger if settings.stranger is None else settings.stranger
        pairs = (evidence.n, evidence.a, evidence.b, learnt.scores(evidence))
        found = correlate(*pairs, stranger=stranger, seed=run.seed, block=problem.block, heat=settings.heat)
        run.clock.lap("sampling")
        return posterior_of(compared, learnt.weights, certain_draws(found, evidence.a, evidence.b), run)


CORRELATION = Correlation()


def certain_draws(clustering: Clustering, a: NDArray[np.int32], b: NDArray[np.int32]) -> Draws:
    """Return a clustering told as the one draw of a sampler that never doubts."""
    together = (clustering.labels[a] == clustering.labels[b]).astype(np.float64)
    first = np.full(clustering.n_entities, len(clustering))
    np.minimum.at(first, clustering.labels, np.arange(len(clustering)))
    roots = first[clustering.labels].astype(np.int32)[None, :]
    return Draws(1, together, np.zeros(len(a)), together, together, np.array([clustering.n_entities]), roots)


_SWEEPS = 40
"""Of the annealed start."""


def correlate(
    n: int,
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    scores: NDArray[np.float64],
    *,
    stranger: float,
    seed: int,
    block: NDArray[np.int32] | None = None,
    heat: float = 8.0,
) -> Clustering:
    """Find a clustering with a great sum of scores of the pairs held together.

    Parameters
    ----------
    n
        Records.
    a, b, scores
        The candidate pairs, in order, and their log odds.
    stranger
        The log odds of any other pair.
    heat
        The first temperature of the annealed start.

    Examples
    --------
    >>> a, b = np.array([0, 1, 2], np.int32), np.array([1, 2, 3], np.int32)
    >>> correlate(4, a, b, np.array([3.0, -1.0, 2.0]), stranger=-2.0, seed=0).labels.tolist()
    [0, 0, 1, 1]
    """
    factors = pair_factors(n, a, b, scores, stranger=stranger)
    annealed = PairwiseChain(factors, n, seed=seed, block=block, stray=0.0)
    annealed.run(np.geomspace(heat, 0.1, _SWEEPS))
    best, found = -np.inf, annealed.labels
    for start in (annealed.labels, _pivots(n, a, b, scores, seed)):
        labels, log_score = start, -np.inf
        while True:
            chain = PairwiseChain(factors, n, seed=seed, start=labels, block=block, stray=0.0)
            _polish(chain)
            if chain.log_score <= log_score + 1e-9:
                break
            log_score = chain.log_score
            labels = _joined(chain.labels, a, b, scores, stranger)
        if log_score > best:
            best, found = log_score, chain.labels
    return Clustering.from_labels(found)


def _polish(chain: PairwiseChain) -> None:
    """Move records as long as that helps."""
    for _ in range(100):
        before = chain.log_score
        chain.run(np.full(3, _COLD))
        if chain.log_score <= before + 1e-9:
            return


def _pivots(
    n: int, a: NDArray[np.int32], b: NDArray[np.int32], scores: NDArray[np.float64], seed: int
) -> NDArray[np.int64]:
    """Let records in random order gather those still free that their pairs speak for."""
    good = scores > 0
    ends, others = np.concatenate([a[good], b[good]]), np.concatenate([b[good], a[good]])
    order = np.argsort(ends, kind="stable")
    others, offsets = others[order], np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=n))])
    labels = np.full(n, -1)
    for pivot in stream(seed, "pivots").permutation(n).tolist():
        if labels[pivot] < 0:
            near = others[offsets[pivot] : offsets[pivot + 1]]
            labels[near[labels[near] < 0]] = pivot
            labels[pivot] = pivot
    return labels


def _joined(
    labels: NDArray[np.int64], a: NDArray[np.int32], b: NDArray[np.int32], scores: NDArray[np.float64], stranger: float
) -> NDArray[np.int64]:
    """Join pairs of entities that gain together, the greatest gain first, each entity once."""
    labels = Clustering.from_labels(labels).labels
    sizes = np.bincount(labels).astype(np.float64)
    one, other = np.minimum(labels[a], labels[b]), np.maximum(labels[a], labels[b])
    between = one != other
    keys, place = np.unique(one[between] * len(sizes) + other[between], return_inverse=True)
    one, other = keys // len(sizes), keys % len(sizes)
    n_listed = np.bincount(place, minlength=len(keys))
    gain = np.bincount(place, scores[between], len(keys)) + stranger * (sizes[one] * sizes[other] - n_listed)
    target, free = np.arange(len(sizes)), np.ones(len(sizes), dtype=np.bool_)
    for k in np.argsort(-gain, kind="stable")[: np.count_nonzero(gain > 1e-9)].tolist():
        if free[one[k]] and free[other[k]]:
            target[other[k]] = one[k]
            free[one[k]] = free[other[k]] = False
    return target[labels]
