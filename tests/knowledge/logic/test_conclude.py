import numpy as np
import pytest

from onoma.errors import SettingsError
from onoma.knowledge.facts import Facts
from onoma.knowledge.logic.conclude import Concluding, Conclusions
from onoma.knowledge.logic.rules import parse_rule
from onoma.knowledge.rescal import fit_rescal
from onoma.knowledge.rescal_als import Plan
from reference.random_facts import said


@pytest.fixture
def known():
    return Facts.from_table(said(("a", "near", "b"), ("b", "in", "c"), ("a", "by", "b"), ("d", "near", "b")))


RULES = ["0.5 :: near(X, Z) & in(Z, Y) => in(X, Y)", "0.9 :: by(X, Z) & in(Z, Y) => in(X, Y)", "near(X, Y) => by(Y, X)"]


def test_a_fact_has_the_weight_of_the_best_rule_that_concludes_it(known):
    found = Conclusions([parse_rule(rule) for rule in RULES], known)
    names = [("a", "in", "c"), ("d", "in", "c"), ("b", "by", "a"), ("a", "by", "b"), ("c", "in", "a")]
    triples, every = known.code(said(*names))
    assert every.all()
    assert found.score(*triples.columns).tolist() == [0.9, 0.5, 1.0, 0.0, 0.0]
    assert len(found) == 4  # and b by d


def test_rows_say_the_same_as_single_facts(known):
    found = Conclusions([parse_rule(rule) for rule in RULES], known)
    n, m = len(known.entities), len(known.relations)
    s, k = np.repeat(np.arange(n), m), np.tile(np.arange(m), n)
    objects, subjects = np.zeros((n * m, n)), np.zeros((n * m, n))
    found.add_objects_inplace(s, k, 2.0, objects)
    found.add_subjects_inplace(k, s, 2.0, subjects)
    for row in range(n * m):
        every = np.arange(n)
        alone = found.score(np.full(n, s[row]), np.full(n, k[row]), every)
        np.testing.assert_allclose(objects[row], 2.0 * alone)
        np.testing.assert_allclose(subjects[row], 2.0 * found.score(every, np.full(n, k[row]), np.full(n, s[row])))


def test_a_negated_head_concludes_nothing(known):
    assert len(Conclusions([parse_rule("near(X, Y) => not in(X, Y)")], known)) == 0
    assert Conclusions([], known).score(*known.triples.columns).tolist() == [0.0] * 4


def test_conclusions_are_added_to_scores(known):
    model = fit_rescal(known, Plan(rank=2, precision="float64"))
    conclusions = Conclusions([parse_rule(rule) for rule in RULES], known)
    both = Concluding(model, conclusions, 3.0)
    s, k, o = known.code(said(("a", "in", "c")))[0].columns
    assert both.score(s, k, o) == pytest.approx(model.score(s, k, o) + 2.7)
    assert both.score_objects(s, k)[0, o[0]] == pytest.approx(both.score(s, k, o)[0])
    assert both.score_subjects(k, o)[0, s[0]] == pytest.approx(both.score(s, k, o)[0])
    with pytest.raises(SettingsError, match="weight of conclusions"):
        Concluding(model, conclusions, -1.0)
