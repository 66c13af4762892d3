"""Weights from labels, for some of the records or all.

Two ways. *Shares*: how often pairs of one label, and of different labels, are at each level; the weights are the log
ratios of these shares (Fellegi and Sunter 1969). *SampleRank*: a pairwise chain over the labelled records starts from
those weights and corrects them wherever the model would rather make a move that the labels call wrong, or not make one
they call right (Wick et al. 2011). The first needs few labels; the second learns what pairs are worth in company.

A pair that is no candidate has a weight, too: large entities hold such pairs, and one of them must not part an entity.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import ABSENT, Clustering
from onoma.errors import DataError, SettingsError
from onoma.numerics.rng import kernel_state, stream
from onoma.numerics.sampling import new_deck
from onoma.progress import SILENT, Progress
from onoma.resolve.comparison._samplerank_kernels import Learner, PairFeatures, RankSettings, new_learner, rank_moves
from onoma.resolve.comparison.level_counts import LevelCounts
from onoma.resolve.comparison.weights import COPIED, FRESH, Evidence, Weights, WeightSettings, log_bayes_factors
from onoma.resolve.models.pairwise._partition_kernels import Partition, new_partition
from onoma.resolve.models.pairwise.chain import Factors, MentionBags, neighbour_rows, pair_factors
from onoma.resolve.posterior.copying import Draws

__all__ = ["PairModel", "RankLearning", "learn_from_draws", "learn_from_labels", "rank_bags", "rank_weights"]

_SCALE = 10.0
"""The log Bayes factor of a pair is of this order; as a feature it is divided by it."""
_CERTAIN = 60.0
"""Log odds beyond this are certain."""
_CHUNK = 100_000


@dataclass(frozen=True, eq=False)
class PairModel:
    """The weights of a pairwise model.

    The log odds of a candidate pair are log κ·BF(copied) − log(1 + σ·BF(related)): relatives explain agreement, too.
    """

    weights: Weights
    stranger: float
    """The log odds of a pair that is no candidate."""

    def scores(self, evidence: Evidence) -> NDArray[np.float64]:
        """Return the log odds of every candidate pair."""
        copied, related = log_bayes_factors(evidence, self.weights)
        found = copied + np.log(self.weights.kappa)
        if self.weights.sigma > 0.0:
            found -= np.logaddexp(0.0, related + np.log(self.weights.sigma))
        return np.clip(found, -_CERTAIN, _CERTAIN)


@dataclass(frozen=True, kw_only=True)
class RankLearning:
    """How SampleRank learns."""

    n_steps: int = 200_000
    rate: float = 0.01
    margin: float = 10.0
    """By how much the model must agree with the labels."""
    per_pair: bool = True
    """The margin is for each pair that a move makes right or wrong, not for the move."""
    temperature: float = 1.0
    stray: float = 0.1
    """How often a record is offered any entity, not a neighbour's."""
    proportion: float = 0.02
    """Of the pairs of a move, how many it is judged by (at least one with each entity): each must do its part."""


def learn_from_draws(evidence: Evidence, draws: Draws, settings: WeightSettings) -> PairModel:
    """Take what a sampler holds together for the truth: the weights of pairs when nothing is labelled.

    The copying model learns what origins and copies share. In an entity most pairs are neither, and share less.
    """
    sizes = np.stack([np.bincount(roots, minlength=evidence.n) for roots in draws.roots]).astype(np.float64)
    n_same = float((sizes * (sizes - 1) / 2).sum(axis=1).mean())
    n_far = max(n_same - float(draws.together.sum()), 0.0)
    # Relatives are different things: here they count among the strangers.
    return _model(evidence, draws.together, 1.0 - draws.together, n_same, n_far, settings)


def learn_from_labels(
    evidence: Evidence, labels: NDArray[np.int64], settings: WeightSettings, *, by_origin: bool = False
) -> PairModel:
    """Count the levels of pairs with one label, and of pairs with two.

    Parameters
    ----------
    evidence
        The candidate pairs.
    labels
        For each record its entity; -1: not known. Labelled entities should be whole.
    by_origin
        Count an entity of k records as k - 1 pairs (an origin and its copies), not as all its pairs: what the copying
        model's weights mean.
    """
    known = labels != ABSENT
    one, other = labels[evidence.a], labels[evidence.b]
    labelled = known[evidence.a] & known[evidence.b]
    same, apart = labelled & (one == other), labelled & (one != other)
    if not same.any():
        raise DataError("no candidate pair has two equal labels", hint="Label some entities of several records.")
    gold = Clustering.from_labels(labels)
    share = known.mean()
    # Of the pairs of unlike records only a part is labelled; the others are like them.
    weight = len(labelled) / max(int(np.count_nonzero(labelled)), 1)
    n_same = float((gold.sizes * (gold.sizes - 1) / 2).sum()) / share
    n_far = n_same - np.count_nonzero(same) / share
    together = same.astype(np.float64)
    if by_origin:
        together[same] = 2.0 / gold.sizes[gold.labels[evidence.a[same]]]
        n_same = float((gold.sizes - 1).sum()) / share
    return _model(evidence, together, weight * apart, n_same, n_far, settings)


def _model(
    evidence: Evidence,
    same: NDArray[np.float64],
    apart: NDArray[np.float64],
    n_same: float,
    n_far: float,
    settings: WeightSettings,
) -> PairModel:
    """Return the weights that weighted pairs give; n_same pairs are the same in all, n_far of them no candidates."""
    counts = LevelCounts(evidence, replace(settings, relatives=False))
    if settings.dependence and len(evidence.background):
        counts.grow_tree()
    counts.add(1.0, same, np.zeros(len(same)), 1.0 - apart)
    weights = counts.weights(n_same, 0.0)
    outside = max(evidence.n_pairs - len(evidence.a), 0.0)
    return PairModel(weights, float(np.log((n_far + 0.5) / (outside + 1.0))))


def rank_weights(
    evidence: Evidence,
    labels: NDArray[np.int64],
    start: PairModel,
    *,
    seed: int,
    settings: RankLearning | None = None,
    progress: Progress = SILENT,
) -> PairModel:
    """Correct weights by SampleRank on the labelled records."""
    settings = settings or RankLearning()
    if settings.n_steps < 1 or not settings.rate > 0.0:
        raise SettingsError(f"n_steps is {settings.n_steps}, rate {settings.rate}; both are above 0")
    part = _labelled_part(evidence, labels)
    scores = start.scores(evidence)
    first = np.cumsum(evidence.n_levels) - evidence.n_levels
    n_codes = int(evidence.n_levels.sum())
    codes = np.where(evidence.levels >= 0, evidence.levels + first, -1).astype(np.int32)[part.pairs]
    factors = pair_factors(len(part.labels), part.a, part.b, np.zeros(len(part.a)), stranger=0.0)
    values = (scores[part.pairs] / _SCALE)[:, None]
    rows = neighbour_rows(part.a, part.b)
    features = PairFeatures(rows, np.ascontiguousarray(codes), np.ascontiguousarray(values), n_codes)
    weights = np.zeros(n_codes + 3)
    weights[n_codes], weights[n_codes + 2] = _SCALE, start.stranger
    rates = np.ones(len(weights))
    rates[n_codes] = 0.0  # what the shares say stays; the corrections are learnt
    learner = new_learner(weights, rates)
    partition = new_partition(np.arange(len(part.labels)))
    mean = _learn(factors, features, partition, part.labels, learner, settings, seed, progress)
    return _corrected(evidence, start, mean)


def _learn(
    factors: Factors,
    features: PairFeatures,
    partition: Partition,
    labels: NDArray[np.int64],
    learner: Learner,
    settings: RankLearning,
    seed: int,
    progress: Progress,
) -> NDArray[np.float64]:
    """Run SampleRank; return the mean of the weights over all its steps."""
    rank = RankSettings(
        settings.rate, settings.margin, settings.temperature, settings.stray, settings.per_pair, settings.proportion
    )
    rng_state, deck = kernel_state(seed, "samplerank"), new_deck(len(labels))
    with progress.task("learning from labels", total=settings.n_steps, unit="moves") as task:
        for done in range(0, settings.n_steps, _CHUNK):
            n = min(_CHUNK, settings.n_steps - done)
            rank_moves(rng_state, factors, features, partition, labels, rank, learner, deck, done, n)
            task.advance(n, updates=float(learner.tally[0]))
    return learner.weights - learner.drift / settings.n_steps


@dataclass(frozen=True, eq=False)
class _Part:
    """The labelled records, numbered anew, and the candidate pairs between them."""

    labels: NDArray[np.int64]
    a: NDArray[np.int32]
    b: NDArray[np.int32]
    pairs: NDArray[np.int64]


def _labelled_part(evidence: Evidence, labels: NDArray[np.int64]) -> _Part:
    known = labels != ABSENT
    number = (np.cumsum(known) - 1).astype(np.int32)
    pairs = np.flatnonzero(known[evidence.a] & known[evidence.b])
    return _Part(labels[known], number[evidence.a[pairs]], number[evidence.b[pairs]], pairs)


def _corrected(evidence: Evidence, start: PairModel, learnt: NDArray[np.float64]) -> PairModel:
    """Return weights that score a pair as SampleRank's do: scale · (log κ + log BF) + Σ_f correction(level) + bias."""
    n_codes = int(evidence.n_levels.sum())
    scale, bias, stranger = float(learnt[n_codes]) / _SCALE, float(learnt[n_codes + 1]), float(learnt[n_codes + 2])
    old = start.weights
    tables = old.tables.copy()
    first = 0
    for f, k in enumerate(evidence.n_levels.tolist()):
        fresh = tables[FRESH, f, :, :k]
        tables[COPIED, f, :, :k] = fresh + scale * (tables[COPIED, f, :, :k] - fresh) + learnt[first : first + k]
        first += k
    kappa = float(np.exp(scale * np.log(old.kappa) + bias))
    return PairModel(replace(old, tables=tables, keep=scale * old.keep, kappa=kappa), stranger)


def rank_bags(
    bags: MentionBags,
    labels: NDArray[np.int64],
    *,
    block: NDArray[np.int32] | None = None,
    n_intervals: int = 8,
    n_pairs: int = 1_000_000,
    scale: float = 1.0,
    seed: int,
    settings: RankLearning | None = None,
    progress: Progress = SILENT,
) -> Factors:
    """Learn the scores of pairs of bags by SampleRank, from no weights at all.

    A table of scores for each group and for each two groups: cosines are cut into equal intervals. The chain starts at
    the labels, and learns twice.

    Parameters
    ----------
    bags
        The mentions.
    labels
        For each mention its entity; -1: not known.
    block
        Mentions of different blocks are never in one entity.
    n_pairs
        About how many pairs to learn from: blocks are taken in random order until there are as many.
    scale
        What true pairs are to score on average; SampleRank leaves it open.
    """
    settings = settings or RankLearning()
    use = _some_blocks(labels, block, n_pairs, seed)
    a, b = _pairs_within(None if block is None else block[use], len(use))
    groups = range(bags.n_groups)
    tables = np.array([(g, h) for g in groups for h in groups if g <= h])
    size = (n_intervals + 1) ** 2
    cells = bags.cells(bags.cosines(use[a], use[b]), tables, n_intervals)
    codes = np.ascontiguousarray(cells + size * np.arange(len(tables), dtype=np.int32))
    n_codes = size * len(tables)
    factors = pair_factors(len(use), a, b, np.zeros(len(a)), stranger=0.0)
    features = PairFeatures(neighbour_rows(a, b), codes, np.zeros((len(a), 0)), n_codes)
    gold, weights = labels[use], np.zeros(n_codes + 2)
    for again in range(2):  # the mean over all steps forgets the first ones, which know nothing, only slowly
        partition = new_partition(gold, None if block is None else block[use])
        learner = new_learner(weights, np.ones(len(weights)))
        weights = _learn(factors, features, partition, gold, learner, settings, seed + again, progress)
    scores = weights[codes].sum(axis=1) + weights[n_codes]
    weights *= scale / max(float(scores[gold[a] == gold[b]].mean()), 1e-9)
    return bags.factors(bias=float(weights[n_codes]), tables=tables, cells=weights[:n_codes].reshape(len(tables), size))


def _some_blocks(
    labels: NDArray[np.int64], block: NDArray[np.int32] | None, n_pairs: int, seed: int
) -> NDArray[np.int64]:
    """Return the labelled mentions of blocks in random order, until they make enough pairs; block by block."""
    known = np.flatnonzero(labels != ABSENT)
    if block is None:
        return known
    sizes = np.bincount(block[known]).astype(np.float64)
    order = stream(seed, "blocks").permutation(len(sizes))
    enough = np.cumsum((sizes * (sizes - 1) / 2)[order]) <= n_pairs
    chosen = np.zeros(len(sizes), dtype=np.bool_)
    chosen[order[enough]] = True
    return known[chosen[block[known]]]


def _pairs_within(block: NDArray[np.int32] | None, n: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return every pair of mentions of one block, in order."""
    if block is None:
        a, b = np.triu_indices(n, 1)
        return a.astype(np.int32), b.astype(np.int32)
    order = np.argsort(block, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], np.diff(block[order]) != 0, [True]]))
    found = [np.zeros((0, 2), dtype=np.int64)]
    for first, last in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        one, other = np.triu_indices(last - first, 1)
        found.append(np.stack([order[first:last][one], order[first:last][other]], axis=1))
    pairs = np.concatenate(found)
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    return pairs[:, 0].astype(np.int32), pairs[:, 1].astype(np.int32)
