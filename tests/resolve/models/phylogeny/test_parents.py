import numpy as np
import pytest

from onoma.resolve.models.phylogeny.parents import ParentModel, concentration_of, in_documents, of_a_kind, of_a_time

ONE, OTHER = np.array([0, 0, 1], np.int32), np.array([1, 2, 2], np.int32)
PAIRS = np.stack([ONE, OTHER], 1).ravel(), np.stack([OTHER, ONE], 1).ravel()
PLACE, ALIKE = np.arange(3, dtype=np.int32), np.array([0, 0, 1], np.int32)


def learnt(*circumstances, descended=(9.0, 9.0, 0.1, 0.0, 0.0, 0.0)):
    model = ParentModel(PAIRS[0], np.ones(3), circumstances=circumstances)
    for _ in range(2):
        model.learn(np.array(descended), 2.0)
    return model


@pytest.mark.parametrize(
    "circumstance",
    [
        in_documents(PAIRS, np.ones(3), PLACE, ALIKE),
        of_a_kind("language", PAIRS, np.ones(3), ALIKE),
        of_a_time(PAIRS, np.ones(3), np.array([1900.0, 1900.5, 1950.0])),
    ],
    ids=lambda each: each.name,
)
def test_parents_of_like_circumstances_weigh_more_once_learnt(circumstance):
    weights = learnt(circumstance).log_weights()
    assert weights[0] > weights[2]
    other = learnt(circumstance, descended=(0.0, 0.0, 90.0, 90.0, 0.0, 0.0)).log_weights()
    assert other[2] - other[0] > weights[2] - weights[0]


def test_a_circumstance_is_weighed_against_how_common_it_is():
    """Half of the descents in one language say nothing where half of all mentions are in it."""
    n = 101
    parents, children = np.zeros(n - 1, np.int32), np.arange(1, n, dtype=np.int32)
    languages = (np.arange(n) % 2).astype(np.int32)
    circumstance = of_a_kind("language", (parents, children), np.ones(n), languages, (0.5, 0.5))
    model = ParentModel(parents, np.ones(n), circumstances=[circumstance])
    weights = model.log_weights() + np.log(model.concentration)
    np.testing.assert_allclose(weights, 0.0, atol=0.03)


def test_what_is_not_known_says_nothing():
    languages, years = np.array([0, -1, 0], np.int32), np.array([1900.0, np.nan, 1990.0])
    some = (of_a_kind("language", PAIRS, np.ones(3), languages), of_a_time(PAIRS, np.ones(3), years))
    model, plain = ParentModel(PAIRS[0], np.ones(3), circumstances=some), ParentModel(PAIRS[0], np.ones(3))
    known = np.array([False, False, True, True, False, False])
    differ = ~np.isclose(model.log_weights(), plain.log_weights())
    np.testing.assert_array_equal(differ, known)


def test_within_a_document_nothing_else_counts():
    documents, language = in_documents(PAIRS, np.ones(3), PLACE, ALIKE), of_a_kind("language", PAIRS, np.ones(3), ALIKE)
    both, first = (
        ParentModel(PAIRS[0], np.ones(3), circumstances=some) for some in ((documents, language), (documents,))
    )
    differ = ~np.isclose(both.log_weights(), first.log_weights())
    np.testing.assert_array_equal(differ, [False, False, True, True, True, True])


def test_names_of_several_documents_meet_in_any():
    place, documents = np.array([0, 0, 1, 2], np.int32), np.array([0, 1, 1, 2], np.int32)
    found = in_documents(PAIRS, np.array([2.0, 1.0, 1.0]), place, documents)
    assert found.category.tolist() == [0, 0, 1, 1, 1, 1]
    # Seen from the second, the two mentions of the first stand in its document or beside one that does.
    assert np.exp(found.log_u[0]) == pytest.approx(1.5 / 4.0)


def test_without_context_all_earlier_mentions_weigh_alike():
    model = ParentModel(np.array([0, 1], np.int32), np.array([3.0, 1.0]))
    three, one = np.exp(model.log_weights())
    assert three == pytest.approx(3.0 * one)


@pytest.mark.parametrize(("n", "n_entities"), [(10, 3.0), (1_000, 700.0), (50, 49.0)])
def test_the_concentration_gives_so_many_entities(n, n_entities):
    alpha = concentration_of(n, n_entities)
    assert np.sum(alpha / (alpha + np.arange(n))) == pytest.approx(n_entities, rel=1e-6)
