import numpy as np
import pytest

from onoma.errors import SettingsError
from onoma.knowledge.backed import Backed
from onoma.knowledge.backing import Prior
from onoma.knowledge.facts import Facts, Triples
from onoma.knowledge.rescal import Factorisation, fit_factorisation, fit_rescal
from onoma.knowledge.rescal_als import Plan
from reference import backing as slow
from reference.random_facts import random_facts, random_types, said

PLAN = Plan(rank=3, regularisation=0.5, precision="float64")
SUBJECTS, RELATIONS = np.repeat(np.arange(7), 3), np.tile(np.arange(3), 7)


@pytest.fixture(params=range(2))
def learnt(request):
    facts = random_facts(request.param, n_entities=7, n_relations=3, n_facts=25)
    types, signatures, fit = random_types(request.param, facts)
    return facts, fit_factorisation(facts, fit, PLAN, types=types, signatures=signatures)


@pytest.fixture
def firms():
    """Who leads a firm works for it; of cy that is not said."""
    rows = [("ann", "leads", "acme"), ("bob", "leads", "ibm"), ("cy", "leads", "gm")]
    rows += [("ann", "works for", "acme"), ("bob", "works for", "ibm")]
    return Facts.from_table(said(*rows))


@pytest.mark.parametrize(("prior", "pairs"), [(0.0, 0.0), (0.5, 0.0), (0.0, 2.0), (0.5, 2.0)])
def test_a_score_is_the_sum_of_its_parts(learnt, prior, pairs):
    facts, model = learnt
    backed = Backed(model, facts, prior=prior, pairs=pairs)
    s, k, o = (codes.astype(np.int64) for codes in slow.every((7, 3, 7)))
    parts = [np.maximum(model.score(s, k, o), 0.0)]
    parts.append([prior * slow.prior_object(facts, model.fit, *fact) for fact in zip(s, k, o, strict=True)])
    parts.append([pairs * slow.pair(facts, *fact) for fact in zip(s, k, o, strict=True)])
    wanted = np.where(np.isinf(model.checked().score(s, k, o)), -np.inf, np.sum(parts, axis=0))
    np.testing.assert_allclose(backed.score(s, k, o), wanted, atol=1e-10)
    np.testing.assert_allclose(backed.score_objects(SUBJECTS, RELATIONS).ravel(), wanted, atol=1e-10)


def test_subjects_are_scored_by_their_own_prior(learnt):
    facts, model = learnt
    weighty, plain = Backed(model, facts, prior=0.5, pairs=2.0), Backed(model, facts, pairs=2.0)
    fits = np.isfinite(model.checked().score_subjects(RELATIONS, SUBJECTS))
    more, less = (each.score_subjects(RELATIONS, SUBJECTS) for each in (weighty, plain))
    usual = Prior(facts, model.fit).subjects(RELATIONS, SUBJECTS)
    np.testing.assert_allclose(more[fits], less[fits] + 0.5 * usual[fits], atol=1e-10)
    assert (more[~fits] == -np.inf).all()


def test_another_relation_of_the_pair_brings_a_fact_to_the_top(firms):
    backed = Backed(fit_rescal(firms, Plan(rank=1)), firms, pairs=1.0)
    found = backed.best_missing(firms, 3)
    assert found.select(["subject", "relation", "object"]).to_pylist()[0] == {
        "subject": "cy",
        "relation": "works for",
        "object": "gm",
    }
    known = {tuple(row.values()) for row in firms.table().select(["subject", "relation", "object"]).to_pylist()}
    offered = {tuple(row.values()) for row in found.select(["subject", "relation", "object"]).to_pylist()}
    assert not known & offered
    assert found["score"].to_pylist() == sorted(found["score"].to_pylist(), reverse=True)


def test_what_nothing_speaks_for_is_not_offered():
    facts = Facts.from_table(said(("a", "in", "b"), ("c", "by", "d")))
    model = fit_rescal(facts, Plan(rank=2, regularisation=50.0))
    assert len(Backed(model, facts, prior=1.0, pairs=1.0).best_missing(facts, 5)) == 0


def test_of_a_stranger_the_usual_is_expected():
    rows = [(f"p{i}", "lives in", "paris" if i < 5 else "lyon") for i in range(7)] + [("stranger", "knows", "p0")]
    facts = Facts.from_table(said(*rows))
    backed = Backed(fit_rescal(facts, Plan(rank=1, regularisation=50.0)), facts, prior=1.0)
    asked = np.array([facts.entities.index("stranger")]), np.array([facts.relations.index("lives in")])
    assert facts.entities[int(backed.score_objects(*asked)[0].argmax())] == "paris"


def test_explain_names_the_relations_of_the_pair(firms):
    backed = Backed(fit_rescal(firms, Plan(rank=1)), firms, pairs=3.0)
    support = backed.explain(firms, "cy", "works for", "gm").to_pylist()
    assert support[0]["through"] == "pair"
    assert (support[0]["subject"], support[0]["relation"], support[0]["object"]) == ("cy", "leads", "gm")
    assert support[0]["contribution"] == pytest.approx(3.0 * 2 / (3 + slow.KAPPA_PAIRS))


def test_it_is_saved_as_the_factorisation_it_holds(firms, tmp_path):
    backed = Backed(fit_rescal(firms, Plan(rank=2)), firms, prior=0.1)
    backed.save(tmp_path)
    again = Backed(Factorisation.load(tmp_path), firms, prior=0.1)
    s, k = np.array([0, 1]), np.array([0, 1])
    np.testing.assert_array_equal(again.score_objects(s, k), backed.score_objects(s, k))
    assert list(again.entities) == list(firms.entities)
    assert list(again.relations) == list(firms.relations)
    assert again.notes == backed.notes


@pytest.mark.parametrize("weights", [{"prior": -1.0}, {"pairs": float("nan")}])
def test_weights_are_numbers_from_0_up(firms, weights):
    with pytest.raises(SettingsError, match="from 0 up"):
        Backed(fit_rescal(firms, Plan(rank=1)), firms, **weights)


@pytest.mark.parametrize("seed", range(4))
def test_the_best_missing_are_those_of_all_that_is_spoken_for(seed, monkeypatch):
    facts = random_facts(seed, n_entities=9, n_relations=4, n_facts=60)
    backed = Backed(fit_rescal(facts, Plan(rank=4, regularisation=0.5)), facts, prior=0.01, pairs=0.1)
    monkeypatch.setattr("onoma.knowledge.backing._PART", 7)
    n = 5
    offers = facts.code(backed.model.best_missing(facts, 4 * n).drop_columns("score"))[0]
    for part in backed._pairs.suggested(lambda: -np.inf):
        offers = offers.joined(Triples(*part))
    known = set(zip(*(column.tolist() for column in facts.triples.columns), strict=True))
    every = sorted(set(zip(*(column.tolist() for column in offers.columns), strict=True)) - known)
    scores = np.sort(backed.score(*np.array(every).T))[::-1]
    np.testing.assert_allclose(np.asarray(backed.best_missing(facts, n)["score"]), scores[:n])
