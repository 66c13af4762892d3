import numpy as np
import pytest

from onoma.resolve.phylogeny.parents import ParentModel, concentration_of


def test_parents_from_the_same_document_weigh_more_once_learnt():
    one, other = np.array([0, 0, 1], np.int32), np.array([1, 2, 2], np.int32)
    parents, children = np.stack([one, other], 1).ravel(), np.stack([other, one], 1).ravel()
    model = ParentModel(parents, children, np.ones(3), documents=np.array([0, 0, 1], np.int32))
    model.learn(np.array([9.0, 9.0, 0.1, 0.0, 0.0, 0.0]), 2.0)
    weights = model.log_weights()
    assert weights[0] > weights[2]


def test_without_context_all_earlier_mentions_weigh_alike():
    model = ParentModel(np.array([0, 1], np.int32), np.array([1, 0], np.int32), np.array([3.0, 1.0]))
    three, one = np.exp(model.log_weights())
    assert three == pytest.approx(3.0 * one)


@pytest.mark.parametrize(("n", "n_entities"), [(10, 3.0), (1_000, 700.0), (50, 49.0)])
def test_the_concentration_gives_so_many_entities(n, n_entities):
    alpha = concentration_of(n, n_entities)
    assert np.sum(alpha / (alpha + np.arange(n))) == pytest.approx(n_entities, rel=1e-6)
