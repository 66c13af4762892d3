import numpy as np
import pytest

from onoma.coref.decode import all_link, best_link, constrained_link, exact_constrained, pl3m_link, spanning_link
from onoma.errors import SettingsError
from reference.coref import all_pairs_score, best_clustering, clusterings, left_link_score
from reference.coref import constrained_link as slow_constrained_link


def random_scores(n, seed):
    rng = np.random.default_rng(seed)
    scores = np.where(np.tri(n, dtype=bool), rng.normal(size=(n, n)), -np.inf)
    np.fill_diagonal(scores, rng.normal(0.5, 1, n))
    return scores


@pytest.mark.parametrize("seed", range(20))
def test_best_link_is_the_best_of_all_clusterings(seed):
    scores = random_scores(7, seed)
    found = best_link(scores)
    assert left_link_score(scores, found) == pytest.approx(left_link_score(scores, best_clustering(scores)))


@pytest.mark.parametrize("seed", range(6))
def test_all_link_is_the_best_of_all_clusterings(seed):
    scores = random_scores(6, seed)
    best = max(all_pairs_score(scores, labels) for labels in clusterings(6))
    assert all_pairs_score(scores, all_link(scores)) == pytest.approx(best)


@pytest.mark.parametrize("seed", range(6))
def test_exact_constrained_is_the_best_of_all_and_greedy_is_never_better(seed):
    scores = random_scores(6, seed)
    rng = np.random.default_rng(seed + 100)
    constraints = rng.choice([-2.0, 0.0, 0.0, 2.0], (6, 6))
    constraints = np.tril(constraints, -1) + np.tril(constraints, -1).T
    best = left_link_score(scores, best_clustering(scores, constraints), constraints)
    exact = left_link_score(scores, exact_constrained(scores, constraints), constraints)
    greedy = left_link_score(scores, constrained_link(scores, constraints), constraints)
    assert exact == pytest.approx(best)
    assert greedy <= exact + 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_pl3m_becomes_best_link_as_gamma_falls_to_zero(seed):
    scores = random_scores(8, seed)
    np.testing.assert_array_equal(pl3m_link(scores, 1e-4), best_link(scores))
    np.testing.assert_array_equal(constrained_link(scores, np.zeros((8, 8))), best_link(scores))


@pytest.mark.parametrize("seed", range(8))
def test_the_kernel_decodes_as_its_slow_twin(seed):
    scores = random_scores(30, seed)
    rng = np.random.default_rng(seed)
    scores[rng.integers(0, 30, 60), rng.integers(0, 30, 60)] = -np.inf  # what may not be an antecedent
    np.fill_diagonal(scores, rng.normal(0.5, 1, 30))
    given = np.tril(rng.choice([-1.0, 0.0, 0.0, 0.5], (30, 30)), -1)
    for constraints in (None, given):
        for gamma in (0.0, 0.5, 1.0):
            expected = slow_constrained_link(scores, constraints, gamma)
            np.testing.assert_array_equal(constrained_link(scores, constraints, gamma), expected)


def test_a_sum_over_an_entity_may_beat_the_best_antecedent():
    scores = np.full((4, 4), -np.inf)
    scores[np.tril_indices(4, -1)] = [5.0, -5.0, -5.0, 1.0, 1.0, 1.4]
    np.fill_diagonal(scores, [0.0, 0.0, 0.0, -9.0])
    assert best_link(scores).tolist() == [0, 0, 2, 2]
    assert pl3m_link(scores, 1.0).tolist() == [0, 0, 2, 0]


def test_spanning_joins_what_best_link_joins_or_more():
    scores = random_scores(8, 3)
    best, spanning = best_link(scores), spanning_link(scores)
    joined = np.equal.outer(best, best)
    assert np.equal.outer(spanning, spanning)[joined].all()


def test_nothing_to_decode_and_bad_gamma():
    empty = np.empty((0, 0))
    for decode in (best_link, pl3m_link, spanning_link, all_link):
        assert decode(empty).tolist() == []
        assert decode(np.zeros((1, 1))).tolist() == [0]
    with pytest.raises(SettingsError, match="gamma is -1"):
        pl3m_link(np.zeros((2, 2)), -1)
