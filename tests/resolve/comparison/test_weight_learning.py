"""Weights learnt without labels find the shares that were drawn."""

import numpy as np
import pytest

from onoma.resolve.comparison.weight_learning import learn_weights
from onoma.resolve.comparison.weights import COPIED, FRESH, WeightSettings, edge_weights
from reference.levels_drawn import COPIES, STRANGERS, drawn_evidence


@pytest.fixture(scope="module")
def learnt():
    evidence, labels = drawn_evidence(n=600, n_links=200, seed=1)
    return evidence, labels, learn_weights(evidence, seed=1, settings=WeightSettings(relatives=False))


def test_copies_and_strangers_are_told_apart_without_labels(learnt):
    evidence, labels, (weights, _) = learnt
    shares = np.exp(weights.tables[:, :, -1])
    assert shares[COPIED].mean(axis=0) == pytest.approx(COPIES, abs=0.08)
    assert shares[FRESH].mean(axis=0) == pytest.approx(STRANGERS, abs=0.02)
    copy, _ = edge_weights(evidence, weights)
    same = labels[evidence.a] == labels[evidence.b]
    assert np.median(copy[same]) > 10 > 0.1 > np.median(copy[~same])


def test_the_number_of_copies_is_near_the_truth(learnt):
    evidence, _, (weights, _) = learnt
    assert weights.kappa * evidence.n_pairs == pytest.approx(200, rel=0.15)


def test_the_same_seed_is_the_same_weights(learnt):
    evidence, _, (weights, _) = learnt
    again, _ = learn_weights(evidence, seed=1, settings=WeightSettings(relatives=False))
    assert np.array_equal(again.tables, weights.tables)


def test_records_outside_choose_no_origin():
    evidence, _ = drawn_evidence(n=200, n_links=50, seed=2, outside=np.arange(200) >= 100)
    weights, sampler = learn_weights(evidence, seed=1, settings=WeightSettings(n_closed=5, n_stochastic=4))
    assert np.isfinite(weights.kappa) and sampler is not None
