"""Levels: the chain against enumeration, sums kept against sums made anew."""

import numpy as np
import pytest

from onoma.numerics.rng import kernel_state
from onoma.resolve.models.cross_document._levels_kernels import affinity, hold
from onoma.resolve.models.cross_document.levels import Features, Level, Moves
from reference.resolve_cross_document import (
    holders,
    log_score,
    nested_posterior,
    posterior,
    products,
    random_features,
    summed,
)
from reference.resolve_enumeration import first_seen, p_value

BIAS = 0.3


def draws(level, moves, n_draws, *, every=15, seed=1):
    state = kernel_state(seed, "test")
    found = []
    for _ in range(n_draws):
        level.run(state, moves, every)
        found.append(first_seen(level.group.tolist()))
    return found


@pytest.mark.parametrize(("new", "shared"), [(0.2, 0.0), (0.2, 0.6), (0.3, 0.7)])
def test_chain_samples_the_model(new, shared):
    features = random_features(4)
    level = Level(features, np.arange(4), informed=shared > 0)
    found = draws(level, Moves(BIAS, new=new, shared=shared), 8000)
    assert p_value(found, posterior(products(features) - BIAS)) > 0.001


def test_pairs_one_by_one_are_the_same_model():
    features = random_features(4)
    found = draws(Level(features, np.arange(4), by_pairs=True), Moves(BIAS, new=0.2), 8000)
    assert p_value(found, posterior(products(features) - BIAS)) > 0.001


def test_pairs_one_by_one_make_the_same_chain():
    features = random_features(30, n_features=80, seed=2, share=0.2)
    chains = [Level(features, np.arange(30), by_pairs=by_pairs) for by_pairs in (False, True)]
    for chain in chains:
        chain.run(kernel_state(1, "test"), Moves(0.3, temperature=3.0, new=0.2), 4000)
    assert first_seen(chains[0].group.tolist()) == first_seen(chains[1].group.tolist())
    assert chains[0].acceptance == chains[1].acceptance


def test_another_bias_is_another_distribution():
    features = random_features(4)
    found = draws(Level(features, np.arange(4)), Moves(BIAS, new=0.2), 8000)
    assert p_value(found, posterior(products(features) - BIAS - 0.1)) < 0.001


def test_temperature_flattens_the_distribution():
    features = random_features(4)
    found = draws(Level(features, np.arange(4)), Moves(BIAS, temperature=2.5, new=0.2), 8000)
    assert p_value(found, posterior((products(features) - BIAS) / 2.5)) > 0.001


def test_items_stay_in_their_pool():
    features, pool = random_features(5), np.array([0, 1, 0, 1, 0])
    found = draws(Level(features, pool, pool=pool), Moves(BIAS, new=0.2), 8000)
    assert p_value(found, posterior(products(features) - BIAS, pool)) > 0.001


def test_levels_in_turn_sample_both():
    features, psi = random_features(4, seed=3), products(random_features(4, seed=3))
    entity, sub, state = np.zeros(4, np.int64), np.arange(4), kernel_state(2, "test")
    found = []
    for _ in range(12000):
        inner = Level(features, sub, pool=entity)
        inner.run(state, Moves(0.5, new=0.3), 6)
        sub = np.unique(inner.group, return_inverse=True)[1]
        of_sub = np.empty(sub.max() + 1, np.int64)
        of_sub[sub] = entity
        outer = Level(features.summed(sub), of_sub, size=np.bincount(sub), informed=True)
        outer.run(state, Moves(BIAS, new=0.2, shared=0.4), 6)
        entity = np.unique(outer.group, return_inverse=True)[1][sub]
        found.append((first_seen(entity.tolist()), first_seen(sub.tolist())))
    assert p_value(found[::3], nested_posterior(psi - BIAS, psi - 0.5)) > 0.001


@pytest.mark.parametrize("informed", [False, True])
def test_score_kept_is_score_made_anew(informed):
    n = 60
    features = random_features(n, n_features=200, seed=5, share=0.1)
    level = Level(features, np.arange(n), informed=informed)
    moves, before, state = (
        Moves(0.35, temperature=30.0, new=0.1, shared=0.5 * informed),
        level.log_score(0.35),
        kernel_state(4, "test"),
    )
    # So many steps that groups which are gone fill the table of sums.
    level.run(state, moves, 200_000)
    assert level.acceptance[0] > 10_000
    assert before + level.gained == pytest.approx(level.log_score(0.35), abs=1e-3)
    psi = products(features) - 0.35
    alone = log_score(psi, range(n))
    assert level.log_score(0.35) == pytest.approx(log_score(psi, level.group.tolist()) - alone, abs=1e-3)
    assert level.n_groups == len(set(level.group.tolist()))


def test_summed_rows_and_cosines():
    features = random_features(6, seed=8)
    group = np.array([1, 0, 1, 2, 0, 1])
    belongs = (group == np.arange(3)[:, None]).astype(float)
    summed = features.summed(group)
    expected = belongs @ products(features) @ belongs.T
    np.testing.assert_allclose(products(summed), expected, atol=1e-5)
    assert summed.mean_product() == pytest.approx(expected[~np.eye(3, dtype=bool)].mean(), abs=1e-5)
    np.testing.assert_allclose(np.diag(products(summed.unit())), 1.0, atol=1e-5)


def test_what_one_other_item_has_is_proposed():
    # Each of two asks for the name of the other, which nobody else has: only shared features can bring them together.
    asked = np.array([1.0, 2.0, 2.0, 1.0], np.float32)
    had = np.array([1.0, 0.0, 0.0, 1.0], np.float32)
    features = Features(np.array([0, 2, 4]), np.array([0, 1, 0, 1], np.int32), asked, had)
    level = Level(features, np.arange(2), informed=True)
    level.run(kernel_state(1, "test"), Moves(BIAS, temperature=0.01, new=0.05, shared=0.95), 50)
    assert level.n_groups == 1


def test_holders_and_sums_are_those_of_their_twins():
    features = random_features(20, n_features=30, seed=4, share=0.3)
    offsets, found = hold(features.offsets, features.features, features.key, int(features.features.max()) + 1)
    assert [each.tolist() for each in np.split(found, offsets[1:-1])] == holders(features)
    group = np.random.default_rng(1).permutation(np.arange(20) % 6)
    sums = features.summed(group)
    for of, wanted in enumerate(summed(features, group)):
        row = slice(sums.offsets[of], sums.offsets[of + 1])
        columns = (each[row].tolist() for each in (sums.features, sums.query, sums.key))
        assert {f: [q, k] for f, q, k in zip(*columns, strict=True)} == wanted


def test_what_an_item_scores_where_it_is_is_forgotten_when_its_group_changes():
    features = random_features(40, n_features=60, seed=6, share=0.2)
    level, state, n_known = Level(features, np.arange(40), informed=True), kernel_state(1, "test"), 0
    for _ in range(50):
        level.run(state, Moves(0.3, temperature=2.0, new=0.1, shared=0.5), 20)
        items, reach, groups = level._items, level._reach, level._groups
        for item in range(40):
            if groups.asked[item] == groups.changed[groups.of[item]]:
                n_known += 1
                assert tuple(groups.stay[item]) == affinity(items, reach, groups, item, groups.of[item])
    assert n_known > 100
