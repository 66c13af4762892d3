"""Weights from labels, and from what a sampler holds together."""

import numpy as np
import pytest

from onoma.errors import DataError
from onoma.resolve.comparison.supervision import learn_from_draws, learn_from_labels
from onoma.resolve.comparison.weights import COPIED, FRESH, WeightSettings
from onoma.resolve.posterior.copying import Draws
from reference.levels_drawn import COPIES, STRANGERS, drawn_evidence


@pytest.fixture(scope="module")
def known():
    return drawn_evidence(n=600, n_links=200, seed=3)


def test_labels_give_the_shares_that_were_drawn(known):
    evidence, labels = known
    model = learn_from_labels(evidence, labels, WeightSettings())
    shares = np.exp(model.weights.tables[:, :, -1])
    assert shares[COPIED].mean(axis=0) == pytest.approx(COPIES, abs=0.05)
    assert shares[FRESH].mean(axis=0) == pytest.approx(STRANGERS, abs=0.02)
    scores, same = model.scores(evidence), labels[evidence.a] == labels[evidence.b]
    assert scores[same].mean() > 3 and scores[~same].mean() < -3
    assert model.stranger < -5


def test_some_labels_are_enough(known):
    evidence, labels = known
    some = np.where(np.arange(len(labels)) < 120, labels, -1)
    part, whole = (learn_from_labels(evidence, each, WeightSettings()) for each in (some, labels))
    assert part.weights.kappa == pytest.approx(whole.weights.kappa, rel=1.0)


def test_labels_without_a_pair_are_refused(known):
    evidence, labels = known
    with pytest.raises(DataError, match="no candidate pair has two equal labels"):
        learn_from_labels(evidence, np.arange(len(labels)), WeightSettings())


def test_by_origin_an_entity_of_three_counts_two_pairs(known):
    evidence, labels = known
    three = labels.copy()
    three[4:6] = three[0]  # entities of four
    pairs, origins = (learn_from_labels(evidence, three, WeightSettings(), by_origin=each) for each in (False, True))
    assert origins.weights.kappa < pairs.weights.kappa


def test_what_a_sampler_holds_together_is_taken_for_the_truth(known):
    evidence, labels = known
    same = (labels[evidence.a] == labels[evidence.b]).astype(float)
    first = {label: i for i, label in reversed(list(enumerate(labels.tolist())))}
    roots = np.array([[first[label] for label in labels.tolist()]], dtype=np.int32)
    none = np.zeros(len(same))
    draws = Draws(1, same, none, same, same, np.array([400]), roots)
    drawn, told = (
        learn_from_draws(evidence, draws, WeightSettings()),
        learn_from_labels(evidence, labels, WeightSettings()),
    )
    assert drawn.weights.tables == pytest.approx(told.weights.tables, abs=0.05)
