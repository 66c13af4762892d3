"""Weights from labels: the kernel of SampleRank against its rule, shares against counts, and that both learn."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from onoma.corpus.clustering import Clustering
from onoma.corpus.simulate import simulate_people
from onoma.errors import DataError, SettingsError
from onoma.numerics.rng import kernel_state, stream
from onoma.numerics.sampling import new_deck
from onoma.resolve.api import resolve
from onoma.resolve.comparison.supervision import PairModel, learn_from_draws, learn_from_labels
from onoma.resolve.comparison.weights import COPIED, WeightSettings
from onoma.resolve.models.pairwise._chain_kernels import below, draw_any, draw_near, uniform
from onoma.resolve.models.pairwise._partition_kernels import new_partition
from onoma.resolve.models.pairwise._rank_kernels import (
    PairFeatures,
    RankSettings,
    move_features,
    new_learner,
    rank_moves,
)
from onoma.resolve.models.pairwise.chain import MentionBags, PairwiseChain, neighbour_rows, pair_factors
from onoma.resolve.models.pairwise.rank import BagTables, RankLearning, _corrected, rank_bags, rank_weights
from reference import resolve_pairwise as slow

N, N_CODES = 9, 5


@pytest.fixture(scope="module")
def people():
    table = simulate_people(300, seed=2)
    fit = resolve(table).weighed
    return fit, Clustering.from_labels(table["cluster_id"]).labels


def small_problem(seed):
    """Pairs of nine mentions with two codes and one value each."""
    rng = stream(seed, "features")
    pairs = [pair for pair in itertools.combinations(range(N), 2) if rng.random() < 0.6]
    a, b = (np.ascontiguousarray(side) for side in np.array(pairs, dtype=np.int32).T)
    codes = rng.integers(-1, N_CODES, (len(pairs), 2)).astype(np.int32)
    values = rng.normal(size=(len(pairs), 1))
    factors = pair_factors(N, a, b, np.zeros(len(pairs)), stranger=0.0)
    return pairs, codes, values, factors, PairFeatures(neighbour_rows(a, b), codes, values, N_CODES)


def slow_change(entity, i, target, pairs, codes, values):
    """What a move does to the features, pair by pair."""
    change = np.zeros(N_CODES + 3)
    for j in range(N):
        sign = (j != i) * (int(entity[j] == target) - int(entity[j] == entity[i]))
        pair = (min(i, j), max(i, j))
        if sign and pair in pairs:
            row = pairs.index(pair)
            for code in codes[row]:
                change[code] += sign * (code >= 0)
            change[N_CODES] += sign * values[row, 0]
            change[N_CODES + 1] += sign
        elif sign:
            change[N_CODES + 2] += sign
    return change


@pytest.mark.parametrize("per_pair", [True, False])
@pytest.mark.parametrize("stray", [1.0, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_a_step_of_the_kernel_is_samplerank(seed, stray, per_pair):
    pairs, codes, values, factors, features = small_problem(seed)
    labels = stream(seed, "labels").integers(0, 3, N)
    settings = RankSettings(0.5, 1.0, 1.0, stray, per_pair, 1.0)
    partition, rng_state, deck = new_partition(np.arange(N)), kernel_state(seed), new_deck(N)
    rates = np.ones(N_CODES + 3)
    rates[0] = 0.0
    learner = new_learner(np.zeros(N_CODES + 3), rates)
    past, n_moved = [], 0
    for step in range(300):
        before, entity, ahead = learner.weights.copy(), partition.entity.copy(), rng_state.copy()
        i = int(below(ahead, N))
        is_stray = uniform(ahead) < stray
        target = draw_any(ahead, partition, i) if is_stray else draw_near(ahead, factors, partition, i)[0]
        expected = before
        if target >= 0:
            change = slow_change(entity, i, target, pairs, codes, values)
            truth = sum(
                (j != i)
                * (int(entity[j] == target) - int(entity[j] == entity[i]))
                * (1 if labels[j] == labels[i] else -1)
                for j in range(N)
            )
            margin = abs(truth) if per_pair else 1.0
            expected = before + rates * (slow.rank_step(before, change, truth, rate=0.5, margin=margin) - before)
        rank_moves(rng_state, factors, features, partition, labels, settings, learner, deck, step, 1)
        assert learner.weights == pytest.approx(expected)
        past.append(before)
        n_moved += partition.entity.tolist() != entity.tolist()
    # The mean is over the weights that each step began with.
    assert learner.weights - learner.drift / 300 == pytest.approx(
        np.mean([*past[1:], learner.weights], axis=0), abs=0.1
    )
    assert 0 < n_moved < 300
    assert not learner.change.any()


def test_sampled_features_have_the_mean_of_all():
    pairs, codes, values, factors, features = small_problem(1)
    partition = new_partition(np.array([0, 0, 0, 0, 0, 1, 1, 1, 1]))
    expected = slow_change(partition.entity, 2, 5, pairs, codes, values)
    total, deck, rng_state = np.zeros(N_CODES + 3), new_deck(N), kernel_state(4)
    n = 4000
    for _ in range(n):
        learner = new_learner(np.zeros(N_CODES + 3), np.ones(N_CODES + 3))
        move_features(rng_state, factors, features, partition, 2, 5, 0.3, deck, learner)
        total += learner.change
    assert total / n == pytest.approx(expected, abs=0.25)


def test_shares_are_counted_over_labelled_pairs(people):
    fit, labels = people
    evidence = fit.evidence
    model = learn_from_labels(evidence, labels, WeightSettings(dependence=False))
    same = labels[evidence.a] == labels[evidence.b]
    for f in range(len(evidence.n_levels)):
        levels = evidence.levels[same, f]
        counts = np.bincount(levels[levels >= 0], minlength=evidence.n_levels[f])
        # Six pairs of prior opinion.
        assert model.weights.marginals(COPIED, f) == pytest.approx(counts / counts.sum(), abs=6 / counts.sum())
    sizes = np.bincount(labels)
    assert model.weights.kappa == pytest.approx((sizes * (sizes - 1) / 2).sum() / evidence.n_pairs)
    assert model.stranger < -5


def test_labels_of_a_part_give_nearly_the_same(people):
    fit, labels = people
    part = np.where(labels % 2 == 0, labels, -1)
    whole = learn_from_labels(fit.evidence, labels, WeightSettings()).scores(fit.evidence)
    half = learn_from_labels(fit.evidence, part, WeightSettings()).scores(fit.evidence)
    assert np.corrcoef(whole, half)[0, 1] > 0.97
    assert np.median(whole - half) == pytest.approx(0.0, abs=2.0)


def test_draws_stand_in_for_labels(people):
    fit, labels = people
    scores = learn_from_draws(fit.evidence, fit.draws, WeightSettings()).scores(fit.evidence)
    same = labels[fit.evidence.a] == labels[fit.evidence.b]
    assert (scores[same] > 0).mean() > 0.9
    assert (scores[~same] < 0).mean() > 0.9


def test_corrected_weights_score_as_the_learnt_vector_says(people):
    evidence = people[0].evidence
    start = learn_from_labels(evidence, people[1], WeightSettings())
    n = int(evidence.n_levels.sum())
    learnt = np.append(stream(1, "learnt").normal(size=n), [8.0, -1.5, -4.0])
    model = _corrected(evidence, start, learnt)
    first = np.cumsum(evidence.n_levels) - evidence.n_levels
    corrections = np.where(evidence.levels >= 0, learnt[np.maximum(evidence.levels, 0) + first], 0.0).sum(axis=1)
    raw = replace(start.weights)
    scores = np.clip(0.8 * PairModel(raw, 0.0).scores(evidence) + corrections - 1.5, -60.0, 60.0)
    certain = np.abs(start.scores(evidence)) >= 60.0
    assert model.scores(evidence)[~certain] == pytest.approx(scores[~certain], abs=1e-4)
    assert model.stranger == -4.0


def test_samplerank_mends_wrong_weights(people):
    """From weights that say nothing, to a model whose best clustering is nearly the labelled one."""
    fit, labels = people
    evidence = fit.evidence
    blank = learn_from_labels(evidence, labels, WeightSettings(dependence=False))
    tables = blank.weights.tables.copy()
    tables[COPIED] = tables[2]
    blank = PairModel(replace(blank.weights, tables=tables, keep=0.0 * blank.weights.keep, kappa=1.0), -1.0)
    model = rank_weights(evidence, labels, blank, seed=1, settings=RankLearning(n_steps=100_000, rate=0.1, margin=1.0))
    same = labels[evidence.a] == labels[evidence.b]
    right = (model.scores(evidence) > 0) == same
    assert right.mean() > 0.97
    assert right[same].mean() > 0.9
    again = rank_weights(evidence, labels, blank, seed=1, settings=RankLearning(n_steps=100_000, rate=0.1, margin=1.0))
    assert np.array_equal(model.weights.tables, again.weights.tables)


def test_bags_are_ranked_from_nothing():
    rng = stream(3, "bags")
    labels = np.arange(60) // 6
    words = [[f"w{label}", f"v{label}", f"x{rng.integers(20)}"] for label in labels]
    noise = [[f"y{rng.integers(4)}"] for _ in labels]
    bags = MentionBags.build([words, noise])
    factors = rank_bags(
        bags,
        labels,
        seed=1,
        shape=BagTables(n_intervals=5, scale=3.0),
        settings=RankLearning(n_steps=60_000, rate=1.0, margin=1.0, stray=1.0),
    )
    chain = PairwiseChain(factors, 60, seed=1, moves="uniform")
    chain.run(np.geomspace(1.0, 0.1, 200))
    assert Clustering.from_labels(chain.labels) == Clustering.from_labels(labels)


def test_bags_in_blocks_learn_from_some_blocks_only():
    labels = np.arange(40) // 4
    block = (labels // 2).astype(np.int32)
    bags = MentionBags.build([[[f"w{label}"] for label in labels]])
    settings = RankLearning(n_steps=5_000, rate=1.0, margin=1.0, stray=1.0)
    factors = rank_bags(bags, labels, block=block, seed=1, shape=BagTables(n_pairs=60), settings=settings)
    chain = PairwiseChain(factors, 40, seed=1, moves="uniform", block=block)
    chain.run(np.full(60, 0.1))
    assert Clustering.from_labels(chain.labels) == Clustering.from_labels(labels)


def test_what_is_refused(people):
    fit, labels = people
    with pytest.raises(DataError, match="no candidate pair has two equal labels"):
        learn_from_labels(fit.evidence, np.arange(len(labels)), WeightSettings())
    model = learn_from_labels(fit.evidence, labels, WeightSettings())
    with pytest.raises(SettingsError, match="n_steps is 0"):
        rank_weights(fit.evidence, labels, model, seed=1, settings=RankLearning(n_steps=0))
