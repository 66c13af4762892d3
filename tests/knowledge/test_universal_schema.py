import numpy as np
import pytest

from onoma.errors import DataError, SettingsError
from onoma.knowledge.universal_schema import combined, fit_pairs, joint_facts, standardised
from reference.random_facts import random_facts, said


def test_rare_patterns_are_left_out_and_relations_never():
    patterns = said(("a", "head of", "b"), ("c", "head of", "d"), ("a", "visits", "b"))
    facts = joint_facts(said(("a", "company", "b")), patterns, min_count=2)
    assert sorted(facts.relations) == ["company", "head of"]
    assert sorted(facts.entities) == ["a", "b", "c", "d"]


def test_what_a_pattern_says_is_read_from_pairs_that_have_both():
    known, patterns = [], []
    for i in range(8):
        patterns += [(f"p{i}", "head of", f"c{i}"), (f"p{i}", "visits", f"t{i}")]
        if i < 5:
            known += [(f"p{i}", "company", f"c{i}"), (f"p{i}", "lives in", f"t{i}")]
    facts = joint_facts(said(*known), said(*patterns), min_count=2)
    model = fit_pairs(facts, rank=2)
    company = facts.relations.index("company")
    person, firm, town = (facts.entities.index(name) for name in ("p7", "c7", "t7"))
    scores = model.score(np.array([person] * 3), np.array([company] * 3), np.array([firm, town, person]))
    assert scores[0] > 0.3
    assert abs(scores[1]) < 1e-9
    assert scores[2] == 0.0  # never seen together


def test_full_rank_gives_the_facts_back_and_regularisation_shrinks_them():
    facts = random_facts(3, n_entities=10, n_relations=6, n_facts=60)
    model = fit_pairs(facts, rank=5)
    errors = model.score(*facts.triples.columns) - facts.probability
    assert np.sqrt(np.mean(errors**2)) < 0.5
    smaller = fit_pairs(facts, rank=5, regularisation=0.3)
    assert np.linalg.norm(smaller.P) < np.linalg.norm(model.P)
    assert fit_pairs(facts, rank=5).P.tobytes() == model.P.tobytes()
    with pytest.raises(SettingsError, match="from 1 to 5"):
        fit_pairs(facts, rank=6)


def test_scores_of_different_scales_count_alike():
    small, large = np.array([1.0, 2.0, 3.0]), np.array([300.0, 100.0, 200.0])
    np.testing.assert_allclose(combined(small, 10 * large + 5), combined(small, large), atol=1e-12)
    found = combined(small, large)
    assert found.argmax() == 2


def test_missing_scores_are_the_lowest_and_equal_ones_say_nothing():
    assert standardised(np.array([np.nan, 0.0, 4.0])).tolist() == [-1.0, -1.0, 1.0]
    assert standardised(np.array([7.0, 7.0])).tolist() == [0.0, 0.0]
    with pytest.raises(DataError, match="scored nothing"):
        standardised(np.array([np.nan]))
    with pytest.raises(DataError, match=r"\[1, 2\]"):
        combined(np.zeros(1), np.zeros(2))
