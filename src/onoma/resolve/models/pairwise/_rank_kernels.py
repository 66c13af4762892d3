"""Kernels of `rank.py`: SampleRank on the moves of a pairwise chain."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from onoma.mcmc._subsampling_kernels import sample_size
from onoma.numerics.kernels import lean
from onoma.numerics.rng import below, uniform
from onoma.numerics.sampling import Deck, draw_next_inplace, put_back_inplace
from onoma.resolve.models.pairwise._chain_kernels import Factors, draw_any, draw_near, listed_place
from onoma.resolve.models.pairwise._partition_kernels import Partition, move_inplace

UPDATES, RANKED = 0, 1


class PairFeatures(NamedTuple):
    """What the weights of pairs are made of, row by row of the listed pairs.

    The weights are, in this order: one for each code, one for each value, the bias of listed pairs, and the weight of a
    pair that is not listed.
    """

    rows: NDArray[np.int64]
    """The row of each entry of the neighbour lists."""
    codes: NDArray[np.int32]
    """Rows × fields: the weight that counts once; -1: none does."""
    values: NDArray[np.float64]
    """Rows × values."""
    n_codes: int


class Learner(NamedTuple):
    """Weights while they are learnt."""

    weights: NDArray[np.float64]
    rates: NDArray[np.float64]
    """How readily each weight moves; 0: it stays."""
    drift: NDArray[np.float64]
    """Σ step · change: the mean of the weights over all steps is weights − drift/steps."""
    change: NDArray[np.float64]
    """Working space: the features of one move, 0 between moves."""
    touched: NDArray[np.int64]
    """Working space: which features these are, and last how many."""
    is_touched: NDArray[np.bool_]
    tally: NDArray[np.int64]


def new_learner(start: NDArray[np.float64], rates: NDArray[np.float64]) -> Learner:
    """Return a learner that starts from some weights, each of which moves at its rate."""
    n = len(start)
    space = np.zeros(n), np.zeros(n), np.zeros(n + 1, dtype=np.int64), np.zeros(n, dtype=np.bool_)
    return Learner(start.astype(np.float64), rates, *space, np.zeros(2, dtype=np.int64))


class RankSettings(NamedTuple):
    """How fast to learn, and what chain to learn from."""

    rate: float
    margin: float
    temperature: float
    stray: float
    per_pair: bool
    """The margin is for each pair that a move makes right or wrong, not for the move."""
    proportion: float
    """Of the pairs of a move, how many its features are taken from; at least one with each entity."""


@lean
def _add_feature(learner: Learner, feature: int, value: float) -> None:
    if not learner.is_touched[feature]:
        learner.is_touched[feature] = True
        learner.touched[learner.touched[-1]] = feature
        learner.touched[-1] += 1
    learner.change[feature] += value


@lean
def _add_pair(factors: Factors, features: PairFeatures, i: int, j: int, sign: float, learner: Learner) -> None:
    n_values = features.values.shape[1]
    at = listed_place(factors, i, j)
    if at < 0:
        _add_feature(learner, features.n_codes + n_values + 1, sign)
        return
    row = features.rows[at]
    for f in range(features.codes.shape[1]):
        if features.codes[row, f] >= 0:
            _add_feature(learner, features.codes[row, f], sign)
    for v in range(n_values):
        _add_feature(learner, features.n_codes + v, sign * features.values[row, v])
    _add_feature(learner, features.n_codes + n_values, sign)


@lean
def move_features(
    rng_state: NDArray[np.uint64],
    factors: Factors,
    features: PairFeatures,
    partition: Partition,
    i: int,
    target: int,
    proportion: float,
    deck: Deck,
    learner: Learner,
) -> None:
    """Gather what moving i to a slot does to the features, from all pairs or a sample of each side's."""
    for side in range(2):
        slot, sign = (target, 1.0) if side == 0 else (partition.entity[i], -1.0)
        own = slot == partition.entity[i]
        n = partition.size[slot] - own
        k = sample_size(n, proportion) if n > 0 else 0
        for drawn in range(k):
            item = drawn if k == n else draw_next_inplace(rng_state, deck, drawn, n)
            item += own and item >= partition.place[i]
            j = partition.pool[partition.start[slot] + item]
            _add_pair(factors, features, i, j, sign * n / k, learner)
        if k < n:
            put_back_inplace(deck, k)


@lean
def move_truth(partition: Partition, labels: NDArray[np.int64], i: int, target: int) -> float:
    """Return what moving i does to the truth: pairs held together count +1 with one label, -1 with two."""
    truth = 0.0
    for side in range(2):
        slot, sign = (target, 1.0) if side == 0 else (partition.entity[i], -1.0)
        for k in range(partition.size[slot]):
            j = partition.pool[partition.start[slot] + k]
            if j != i:
                truth += sign if labels[i] == labels[j] else -sign
    return truth


@lean
def rank_moves(
    rng_state: NDArray[np.uint64],
    factors: Factors,
    features: PairFeatures,
    partition: Partition,
    labels: NDArray[np.int64],
    settings: RankSettings,
    learner: Learner,
    deck: Deck,
    first: int,
    n_steps: int,
) -> None:
    """Propose moves under the weights as they are; learn from each; accept or reject it."""
    for step in range(first, first + n_steps):
        i, log_q_ratio = below(rng_state, len(labels)), 0.0
        if uniform(rng_state) < settings.stray:
            target = draw_any(rng_state, partition, i)
        else:
            target, log_q_ratio = draw_near(rng_state, factors, partition, i)
        if target < 0:
            continue
        move_features(rng_state, factors, features, partition, i, target, settings.proportion, deck, learner)
        d = 0.0
        for k in range(learner.touched[-1]):
            d += learner.weights[learner.touched[k]] * learner.change[learner.touched[k]]
        truth = move_truth(partition, labels, i, target)
        _learn_inplace(learner, settings, truth, d, step)
        if uniform(rng_state) < np.exp(min(0.0, d / settings.temperature + log_q_ratio)):
            move_inplace(partition, i, target)


@lean
def _learn_inplace(learner: Learner, settings: RankSettings, truth: float, d: float, step: int) -> None:
    """Move the weights if the truth has an opinion and the model does not share it by the margin; forget the move."""
    sign = 1.0 if truth > 0.0 else -1.0
    learner.tally[RANKED] += truth != 0.0
    margin = settings.margin * abs(truth) if settings.per_pair else settings.margin
    is_wrong = truth != 0.0 and sign * d <= margin
    learner.tally[UPDATES] += is_wrong
    for k in range(learner.touched[-1]):
        feature = learner.touched[k]
        if is_wrong:
            change = settings.rate * sign * learner.rates[feature] * learner.change[feature]
            learner.weights[feature] += change
            learner.drift[feature] += step * change
        learner.change[feature] = 0.0
        learner.is_touched[feature] = False
    learner.touched[-1] = 0
