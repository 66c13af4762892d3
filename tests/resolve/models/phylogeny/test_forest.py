import numpy as np
import pytest

from onoma.resolve.models.phylogeny.forest import ForestSampler
from reference.phylogeny import entities, enumerate_forests, marginal
from reference.resolve_enumeration import p_value

PAIRS = [(0, 1), (0, 2), (1, 2), (2, 3), (1, 3)]
WEIGHTS = [3.0, 0.4, 0.7, 2.5, 0.3, 1.2, 5.0, 0.2, 0.05, 0.9]


def table(n, weights):
    found = [[0.0] * n for _ in range(n)]
    for (a, b), there, back in zip(PAIRS, weights[::2], weights[1::2], strict=True):
        found[a][b], found[b][a] = there, back
    return found


def sampled(weights, *, seed, n=20_000, thin=4):
    a, b = (np.array(side, np.int32) for side in zip(*PAIRS, strict=True))
    sampler = ForestSampler(4, a, b, seed=seed)
    sampler.run(np.array(weights), n_sweeps=200)
    return sampler, sampler.run(np.array(weights), n_sweeps=n * thin, n_kept=n * thin)


def test_entities_and_parents_are_those_of_all_orders_and_parents():
    joint = enumerate_forests(4, table(4, WEIGHTS))
    _, draws = sampled(WEIGHTS, seed=1)
    parents = [tuple(row) for row in draws.parents[::4].tolist()]
    assert p_value(parents, marginal(joint, lambda _, parents: parents)) > 1e-3
    partition = [entities(row) for row in parents]
    assert p_value(partition, marginal(joint, lambda _, parents: entities(parents))) > 1e-3


def test_a_wrong_direction_is_noticed():
    turned = [w for pair in zip(WEIGHTS[1::2], WEIGHTS[::2], strict=True) for w in pair]
    joint = enumerate_forests(4, table(4, turned))
    _, draws = sampled(WEIGHTS, seed=1, n=5_000)
    parents = [tuple(row) for row in draws.parents[::4].tolist()]
    assert p_value(parents, marginal(joint, lambda _, parents: parents)) < 1e-6


def test_shares_are_the_frequencies_of_the_samples():
    sampler, draws = sampled(WEIGHTS, seed=2, n=500)
    n = len(draws.parents)
    for e, (p, x) in enumerate(zip(sampler.parents, sampler.children, strict=True)):
        assert draws.descended[e] == pytest.approx((draws.parents[:, x] == p).sum() / n)
    np.testing.assert_allclose(draws.rooted, (draws.parents < 0).mean(0))
    np.testing.assert_array_equal(draws.n_entities, (draws.parents < 0).sum(1))
    same = (draws.roots[:, sampler.a] == draws.roots[:, sampler.b]).mean(0)
    np.testing.assert_allclose(draws.together, same)


def test_the_same_seed_gives_the_same_samples():
    one, other = (sampled(WEIGHTS, seed=5, n=50)[1].parents for _ in range(2))
    np.testing.assert_array_equal(one, other)
