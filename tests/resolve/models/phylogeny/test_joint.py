import numpy as np
import pytest

from onoma.resolve.models.phylogeny.joint import JointSampler, TopicWeights
from reference.phylogeny import entities, enumerate_joint, marginal
from reference.resolve_enumeration import p_value

N, ROOT = 4, 0.4
PAIRS = [(0, 1), (0, 2), (1, 2), (2, 3), (1, 3)]
RATIOS = [4.0, 1.5, 0.7, 2.5, 0.3, 1.2, 5.0, 0.8, 0.6, 0.9]
UNARY = np.log([[0.8, 0.2], [0.3, 0.7], [0.5, 0.5], [0.1, 0.9]])
SCORES = np.array([[1.2, -0.8], [-0.3, 0.9]])


def truth():
    ratios = [[0.0] * N for _ in range(N)]
    for (a, b), there, back in zip(PAIRS, RATIOS[::2], RATIOS[1::2], strict=True):
        ratios[a][b], ratios[b][a] = there, back
    return enumerate_joint(N, ratios, UNARY.tolist(), SCORES.tolist(), ROOT)


def draws(*, corrected=True, n=20_000, thin=6, seed=3, n_groups=1):
    a, b = (np.array(side, np.int32) for side in zip(*PAIRS, strict=True))
    sampler = JointSampler(a, b, UNARY, seed=seed, n_groups=n_groups)
    logs = np.log(np.array(RATIOS))
    sampler.run(logs, SCORES, ROOT, n_sweeps=500)
    return sampler.run(logs, SCORES, ROOT, n_sweeps=n * thin, n_kept=n * thin, corrected=corrected)


def states(found, thin):
    topics, parents = found.topics[::thin].tolist(), found.descent.parents[::thin].tolist()
    return [(tuple(z), tuple(p)) for z, p in zip(topics, parents, strict=True)]


@pytest.fixture(scope="module")
def joint():
    return truth()


@pytest.mark.parametrize("n_groups", [1, 2])
def test_topics_and_parents_are_those_of_all_orders_topics_and_parents(joint, n_groups):
    seen = states(draws(n_groups=n_groups), 6)
    assert p_value(seen, marginal(joint, lambda _, topics, parents: (topics, parents))) > 1e-3
    partition = [entities(parents) for _, parents in seen]
    assert p_value(partition, marginal(joint, lambda _, __, parents: entities(parents))) > 1e-3


def test_without_the_corrections_the_samples_are_wrong(joint):
    seen = states(draws(corrected=False), 6)
    assert p_value(seen, marginal(joint, lambda _, topics, parents: (topics, parents))) < 1e-6


def test_rates_of_acceptance_are_reported():
    order, topics = draws(n=500).acceptance
    assert 0.3 < order < 1.0
    assert 0.1 < topics < 1.0


def test_the_gradient_of_the_topic_weights_vanishes_where_seen_is_expected(joint):
    found = draws(n=4_000)
    weights = TopicWeights(2)
    same, parent, pair = weights.gradient(found.observed, found.expected)
    assert same == pytest.approx(np.trace(found.observed - found.expected))
    np.testing.assert_allclose(parent, pair.sum(1))
    # Under the posterior with all name ratios 1 the choice of parents is the prior's, and both counts agree.
    a, b = (np.array(side, np.int32) for side in zip(*[(i, j) for i in range(4) for j in range(i)], strict=True))
    sampler = JointSampler(a, b, UNARY, seed=9)
    even = sampler.run(np.zeros(12), SCORES, ROOT, n_sweeps=60_000)
    np.testing.assert_allclose(even.observed, even.expected, atol=0.02)


def test_learning_finds_that_parents_are_of_the_same_topic():
    weights = TopicWeights(3)
    for _ in range(20):
        weights.learn(np.eye(3) * 10.0, np.full((3, 3), 10.0 / 3.0))
    assert weights.scores.diagonal().min() > weights.scores[~np.eye(3, dtype=bool)].max()
