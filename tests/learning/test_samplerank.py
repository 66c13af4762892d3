import numpy as np
import pytest

from onoma.errors import DataError, SettingsError
from onoma.graph.changes import Change
from onoma.learning.samplerank import Move, SampleRank, joined

TRUTH = np.array([1.0, -2.0, 0.5, 0.0])


def test_recovers_a_separable_ranking():
    rng = np.random.default_rng(0)
    differences = rng.normal(size=(300, 4))
    d_objective = differences @ TRUTH
    differences = differences[np.abs(d_objective) > 0.2]
    d_objective = d_objective[np.abs(d_objective) > 0.2]
    model = SampleRank(n_features=4, n_epochs=60).fit_pairs(differences, d_objective)
    assert (np.sign(differences @ model.last_weights_) == np.sign(d_objective)).all()
    cosine = model.weights_ @ TRUTH / np.linalg.norm(model.weights_) / np.linalg.norm(TRUTH)
    assert cosine > 0.98


def test_one_update_by_hand():
    model = SampleRank(n_features=2, rate=0.5).fit_pairs([[1.0, -1.0]], [-3.0])
    np.testing.assert_array_equal(model.last_weights_, [-0.5, 0.5])
    assert (model.n_updates_, model.n_ranked_) == (1, 1)


def test_equal_worlds_teach_nothing():
    model = SampleRank(n_features=2).fit_pairs([[1.0, -1.0]], [0.0])
    assert (model.n_updates_, model.n_ranked_) == (0, 0)
    np.testing.assert_array_equal(model.weights_, 0.0)


def test_margin_asks_for_more():
    start = np.array([1.0, 0.0])
    relaxed = SampleRank(n_features=2, margin=0.5).fit_pairs([[1.0, 0.0]], [1.0], start=start)
    strict = SampleRank(n_features=2, margin=1.0).fit_pairs([[1.0, 0.0]], [1.0], start=start)
    assert (relaxed.n_updates_, strict.n_updates_) == (0, 1)


def _clusters(rng, n_entities=4, size=6, n_features=3):
    """Mentions of entities: pairwise features that tell (noisily) whether two mentions corefer."""
    gold = np.repeat(np.arange(n_entities), size)
    same = gold[:, None] == gold[None, :]
    features = rng.normal(size=(len(gold), len(gold), n_features))
    features[:, :, 0] += np.where(same, 1.2, -1.2)
    features[:, :, 1] += np.where(same, -0.8, 0.8)
    features = (features + features.transpose(1, 0, 2)) / 2
    return gold.astype(np.int32), features


def _propose(features):
    def propose(rng, world):
        mention, target = int(rng.integers(len(world))), int(rng.integers(len(world)))
        change = Change.of(world, {mention: target})
        others = np.arange(len(world)) != mention
        joins, leaves = others & (world == target), others & (world == world[mention])
        values = features[mention][joins].sum(axis=0) - features[mention][leaves].sum(axis=0)
        return Move(change, np.arange(features.shape[2]), values)

    return propose


def _pair_accuracy(gold):
    def truth(world, change):
        def right(world):
            return np.mean((world[:, None] == world[None, :]) == (gold[:, None] == gold[None, :]))

        before = right(world)
        change.apply_inplace(world)
        after = right(world)
        change.undo_inplace(world)
        return after - before

    return truth


def _best_found(weights, features, gold, seed):
    """Sample with fixed weights and return the share of pairs the last world has right."""
    from onoma.mcmc.metropolis import build_kernel, init
    from onoma.mcmc.proposals import Proposal

    propose = _propose(features)

    def scored(rng, world):
        move = propose(rng, world)
        return Proposal(move.change, float(weights @ move.values))

    step, state, rng = (
        build_kernel(scored),
        init(np.arange(len(gold), dtype=np.int32), 0.0),
        np.random.default_rng(seed),
    )
    for _ in range(3000):
        state, _ = step(rng, state, 0.1)
    world = state.world
    return np.mean((world[:, None] == world[None, :]) == (gold[:, None] == gold[None, :]))


def test_a_learnt_pairwise_model_beats_the_initial_one():
    rng = np.random.default_rng(1)
    gold, features = _clusters(rng)
    model = SampleRank(n_features=3, n_steps=3000, temperature=1.0, seed=2)
    start = np.array([0.0, 0.0, 0.1])
    model.fit([np.arange(len(gold), dtype=np.int32)], _propose(features), _pair_accuracy(gold), start=start)
    assert model.n_updates_ > 0
    other_gold, other = _clusters(np.random.default_rng(7))
    initial = _best_found(start, other, other_gold, 3)
    learnt = _best_found(model.weights_ / np.abs(model.weights_).max(), other, other_gold, 3)
    assert learnt > 0.95
    assert learnt > initial + 0.1


def test_same_seed_same_weights():
    gold, features = _clusters(np.random.default_rng(1))

    def run():
        model = SampleRank(n_features=3, n_steps=200, seed=5)
        return model.fit([np.arange(len(gold), dtype=np.int32)], _propose(features), _pair_accuracy(gold)).weights_

    np.testing.assert_array_equal(run(), run())


def test_truth_functions_add_up():
    truth = joined((1.0, lambda world, change: 1.0), (-2.0, lambda world, change: 3.0))
    assert truth(None, None) == -5.0


def test_bad_input_is_refused():
    with pytest.raises(DataError, match="NaN"):
        SampleRank(n_features=1).fit_pairs([[1.0]], [np.nan])
    with pytest.raises(DataError, match=r"wanted \(1, 2\)"):
        SampleRank(n_features=2).fit_pairs([[1.0]], [1.0])
    for settings in ({"rate": 0.0}, {"margin": -1.0}, {"temperature": 0.0}, {"n_steps": 0}, {"n_features": 0}):
        with pytest.raises(SettingsError):
            SampleRank(**({"n_features": 1} | settings))
