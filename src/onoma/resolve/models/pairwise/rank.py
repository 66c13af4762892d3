"""Weights of the pairwise model from labels, by SampleRank.

A pairwise chain over the labelled records starts from the shares of levels (`comparison/supervision.py`) and corrects
them wherever the model would rather make a move that the labels call wrong, or not make one they call right (Wick et
al. 2011): so it learns what pairs are worth in company. SampleRank is a step of perceptron learning on each move of a
sampler; what a move changes, and so the kernel, is that of the sampler at hand. `onoma.learning.samplerank` is the same
rule for any sampler over variables of a factor graph, `models/hierarchical/rank.py` for moves of subtrees.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import ABSENT
from onoma.errors import SettingsError
from onoma.numerics.rng import kernel_state, stream
from onoma.numerics.sampling import new_deck
from onoma.progress import SILENT, Progress
from onoma.resolve.comparison.supervision import PairModel
from onoma.resolve.comparison.weights import COPIED, FRESH, Evidence
from onoma.resolve.models.pairwise._partition_kernels import Partition, new_partition
from onoma.resolve.models.pairwise._rank_kernels import Learner, PairFeatures, RankSettings, new_learner, rank_moves
from onoma.resolve.models.pairwise.chain import Factors, MentionBags, neighbour_rows, pair_factors

__all__ = ["BagTables", "RankLearning", "rank_bags", "rank_weights"]

_SCALE = 10.0
"""The log Bayes factor of a pair is of this order; as a feature it is divided by it."""
_CHUNK = 100_000


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


@dataclass(frozen=True, kw_only=True)
class BagTables:
    """The tables of scores of pairs of bags, and what they are learnt from."""

    n_intervals: int = 8
    """Into which cosines are cut."""
    n_pairs: int = 1_000_000
    """About how many pairs to learn from: blocks are taken in random order until there are as many."""
    scale: float = 1.0
    """What true pairs are to score on average; SampleRank leaves it open."""


def rank_bags(
    bags: MentionBags,
    labels: NDArray[np.int64],
    *,
    block: NDArray[np.int32] | None = None,
    seed: int,
    shape: BagTables | None = None,
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
    shape
        Of the tables, and what they are learnt from.
    """
    settings, shape = settings or RankLearning(), shape or BagTables()
    n_intervals = shape.n_intervals
    use = _some_blocks(labels, block, shape.n_pairs, seed)
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
    weights *= shape.scale / max(float(scores[gold[a] == gold[b]].mean()), 1e-9)
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
