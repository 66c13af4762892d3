import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.errors import DataError
from onoma.evaluate.ranking import (
    average_precision,
    entity_retrieval,
    link_prediction,
    relation_retrieval,
    weighted_mean_average_precision,
)
from reference import evaluate_ranking as reference

SMALL = st.lists(st.tuples(st.sampled_from([0.0, 1.0, 2.0, -np.inf]), st.booleans()), min_size=1, max_size=6)


class Table:
    """A scorer that looks scores up: subjects × relations × objects."""

    def __init__(self, scores):
        self.scores = scores

    def score(self, subjects, relations, objects):
        return self.scores[subjects, relations, objects]

    def score_objects(self, subjects, relations):
        return self.scores[subjects, relations]

    def score_subjects(self, relations, objects):
        return self.scores[:, relations, objects].T


def random_problem(seed, n=9, m=3, n_facts=40, values=4):
    rng = np.random.default_rng(seed)
    cells = np.unique(
        np.stack([rng.integers(0, n, n_facts), rng.integers(0, m, n_facts), rng.integers(0, n, n_facts)]), axis=1
    )
    cells = cells[:, rng.permutation(cells.shape[1])]
    cut = cells.shape[1] // 2
    scores = rng.integers(0, values, (n, m, n)).astype(float)
    return Table(scores), tuple(cells[:, :cut]), tuple(cells[:, cut:]), n


@settings(max_examples=200)
@given(SMALL.filter(lambda items: any(right for _, right in items)))
def test_average_precision_is_the_mean_over_all_orders_of_ties(items):
    scores, relevant = [score for score, _ in items], [right for _, right in items]
    assert average_precision(scores, relevant) == pytest.approx(
        reference.expected_average_precision(scores, relevant), abs=1e-12
    )


def test_average_precision_of_known_rankings():
    assert average_precision([3.0, 2.0, 1.0], [True, True, False]) == 1.0
    assert average_precision([3.0, 2.0, 1.0], [False, False, True]) == pytest.approx(1 / 3)
    with pytest.raises(DataError, match="0 right answers"):
        average_precision([1.0], [False])
    with pytest.raises(DataError, match="not a number"):
        average_precision([1.0, np.nan], [True, False])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("batch_cells", [1, 50, 10**6])
def test_filtered_ranks_are_counted_one_by_one(seed, batch_cells):
    scorer, test, known, n = random_problem(seed)
    found = link_prediction(scorer, test, known, n_entities=n, batch_cells=batch_cells)
    true = set(zip(*known, strict=True)) | set(zip(*test, strict=True))
    for i, (s, k, o) in enumerate(zip(*test, strict=True)):
        objects = {j for j in range(n) if (s, k, j) in true}
        subjects = {j for j in range(n) if (j, k, o) in true}
        assert found.object_ranks[i] == reference.filtered_rank(scorer.scores[s, k], o, objects)
        assert found.subject_ranks[i] == reference.filtered_rank(scorer.scores[:, k, o], s, subjects)
    assert found.mrr == pytest.approx(np.mean(1 / found.ranks))
    assert found.hits(1) <= found.hits(3) <= found.hits(n) == 1.0


def test_a_scorer_that_knows_the_truth_is_perfect_and_one_that_knows_nothing_guesses():
    _, test, known, n = random_problem(1)
    truth = np.zeros((n, 3, n))
    for part in (test, known):
        truth[part] = 1.0
    assert link_prediction(Table(truth), test, known, n_entities=n).mrr == 1.0
    assert entity_retrieval(Table(truth), test, known, n_entities=n).map == 1.0
    assert relation_retrieval(Table(truth), test, known, n_entities=n).map == 1.0
    alike = link_prediction(Table(np.zeros_like(truth)), test, known, n_entities=n)
    candidates = [
        n - sum((s, k, j) in set(zip(*known, strict=True)) | set(zip(*test, strict=True)) for j in range(n))
        for s, k, _ in zip(*test, strict=True)
    ]
    np.testing.assert_allclose(alike.object_ranks, 1 + np.array(candidates) / 2)


def test_entity_retrieval_ranks_each_pair_among_drawn_entities_that_are_wrong():
    seen = []

    class Watching(Table):
        def score(self, subjects, relations, objects):
            seen.extend(zip(subjects.tolist(), relations.tolist(), objects.tolist(), strict=True))
            return super().score(subjects, relations, objects)

    scorer, test, known, n = random_problem(2)
    found = entity_retrieval(Watching(scorer.scores), test, known, n_entities=n, n_negatives=20, seed=3)
    pairs = set(zip(test[0].tolist(), test[1].tolist(), strict=True))
    assert {tuple(query) for query in found.queries.tolist()} == pairs
    assert found.n_facts.sum() == len(test[0])
    assert len(seen) == len(test[0]) + 20 * len(pairs)
    true = {tuple(int(x) for x in fact) for part in (known, test) for fact in zip(*part, strict=True)}
    assert sum(fact in true for fact in seen) == len(test[0])
    again = entity_retrieval(scorer, test, known, n_entities=n, n_negatives=20, seed=3)
    np.testing.assert_array_equal(found.precision, again.precision)


def test_wrong_answers_that_cannot_be_drawn_are_said():
    everyone = np.arange(4)
    test = (np.zeros(4, np.int64), np.zeros(4, np.int64), everyone)
    with pytest.raises(DataError, match="nearly every entity is a right answer"):
        entity_retrieval(Table(np.zeros((4, 1, 4))), test, test, n_entities=4)


def test_no_test_facts_are_no_measure():
    scorer, _, known, n = random_problem(0)
    nothing = tuple(np.empty(0, np.int64) for _ in range(3))
    for measure in (entity_retrieval, relation_retrieval, link_prediction):
        with pytest.raises(DataError, match="no test facts"):
            measure(scorer, nothing, known, n_entities=n)


def test_relation_retrieval_has_one_query_a_relation():
    scorer, test, known, n = random_problem(3)
    found = relation_retrieval(scorer, test, known, n_entities=n, seed=1)
    np.testing.assert_array_equal(found.queries, np.unique(test[1]))
    np.testing.assert_array_equal(found.n_facts, np.bincount(test[1])[found.queries])
    assert 0.0 < found.map <= 1.0


def test_weights_are_the_numbers_of_facts():
    assert weighted_mean_average_precision(np.array([1.0, 0.0]), np.array([3, 1])) == 0.75
