import numpy as np
import pytest

from onoma.knowledge.backing import Pairs, Prior
from onoma.knowledge.facts import Facts, Triples
from reference import backing as slow
from reference.random_facts import everything, random_facts, random_types, said


@pytest.fixture(params=range(3))
def known(request):
    facts = random_facts(request.param, n_entities=7, n_relations=3, n_facts=25)
    return facts, random_types(request.param, facts)[2]


@pytest.fixture
def cells():
    return [codes.astype(np.int64) for codes in slow.every((7, 3, 7))]


def test_the_prior_equals_its_formula(known, cells):
    facts, fit = known
    s, k, o = cells
    prior = Prior(facts, fit)
    wanted = [slow.prior_object(facts, fit, *fact) for fact in zip(*cells, strict=True)]
    np.testing.assert_allclose(prior.score(s, k, o), wanted, rtol=1e-12)
    every = prior.objects(np.repeat(np.arange(7), 3), np.tile(np.arange(3), 7))
    np.testing.assert_allclose(every.ravel(), wanted, rtol=1e-12)


def test_the_prior_of_subjects_is_that_of_objects_with_sides_exchanged(known):
    facts, fit = known
    s, k, o = facts.triples.columns
    turned = Facts.from_codes(Triples(o, k, s), facts.probability, facts.entities, facts.relations)
    relations, objects = np.tile(np.arange(3), 7), np.repeat(np.arange(7), 3)
    np.testing.assert_allclose(
        Prior(facts, fit).subjects(relations, objects), Prior(turned, fit).objects(objects, relations), rtol=1e-12
    )


def test_objects_of_the_prior_are_a_distribution():
    facts = random_facts(1)
    found = Prior(facts, everything(facts)).objects(np.arange(12), np.zeros(12, np.int64))
    # Every fact of relation 0 has an object in the one block there is.
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_pairs_equal_their_formula(known, cells):
    facts, _ = known
    s, k, o = cells
    pairs = Pairs(facts)
    wanted = np.array([slow.pair(facts, *fact) for fact in zip(*cells, strict=True)])
    np.testing.assert_allclose(pairs.score(s, k, o), wanted, atol=1e-10)
    assert (wanted > 0).sum() > 10
    subjects, relations = np.repeat(np.arange(7), 3), np.tile(np.arange(3), 7)
    found = np.zeros((21, 7))
    pairs.add_objects_inplace(subjects, relations, 2.0, found)
    np.testing.assert_allclose(found.ravel(), 2.0 * wanted, atol=1e-10)
    found = np.zeros((21, 7))
    pairs.add_subjects_inplace(relations, subjects, 2.0, found)
    by_object = wanted.reshape(7, 3, 7).transpose(2, 1, 0)
    np.testing.assert_allclose(found, 2.0 * by_object.reshape(21, 7), atol=1e-10)


def all_suggested(pairs, least=-np.inf):
    parts = pairs.suggested(lambda: least)
    return {fact for part in parts for fact in zip(*(codes.tolist() for codes in part), strict=True)}


def test_what_is_suggested_comes_in_parts_and_the_unlikely_may_be_left_out(monkeypatch):
    facts = random_facts(3)
    pairs = Pairs(facts)
    whole = all_suggested(pairs)
    monkeypatch.setattr("onoma.knowledge.backing._PART", 3)
    assert all_suggested(pairs) == whole
    likely = all_suggested(pairs, 0.4)
    assert likely < whole
    for s, k, o in whole - likely:
        assert s != o
        assert pairs.score(np.array([s]), np.array([k]), np.array([o]))[0] < 0.4


def test_what_pairs_suggest_is_all_they_speak_for(known, cells):
    facts, _ = known
    pairs = Pairs(facts)
    suggested = all_suggested(pairs)
    spoken = {fact for fact in zip(*(codes.tolist() for codes in cells), strict=True) if slow.pair(facts, *fact) > 0}
    assert suggested == spoken


def test_a_gain_is_what_is_lost_without_the_fact():
    rows = [("a", "leads", "x"), ("x", "hired", "a"), ("a", "works for", "x"), ("b", "leads", "y")]
    rows += [("b", "works for", "y"), ("y", "hired", "b"), ("c", "leads", "z"), ("z", "hired", "c")]
    facts = Facts.from_table(said(*rows))
    c, works, z = (facts.entities.index("c"), facts.relations.index("works for"), facts.entities.index("z"))
    pairs = Pairs(facts)
    gains = {(facts.relations[k], turned): gain for k, turned, gain in pairs.without(c, works, z)}
    assert set(gains) == {("leads", False), ("hired", True)}
    whole = pairs.score(np.array([c]), np.array([works]), np.array([z]))[0]
    rates = dict.fromkeys(("leads", "hired"), 2 / (3 + slow.KAPPA_PAIRS))
    assert whole == pytest.approx(1 - (1 - rates["leads"]) * (1 - rates["hired"]))
    assert gains["leads", False] == pytest.approx(whole - rates["hired"])
    assert list(pairs.without(c, works, c)) == []


def test_a_relation_to_oneself_is_no_evidence_for_itself():
    facts = Facts.from_table(said(("a", "likes", "a"), ("b", "likes", "b"), ("b", "knows", "b")))
    likes = np.array([facts.relations.index("likes")])
    nobody = Pairs(Facts.from_table(said(("a", "likes", "b"), ("c", "knows", "d"))))
    assert nobody.score(np.array([0]), np.array([0]), np.array([1]))[0] == 0.0
    assert 0.0 < Pairs(facts).score(np.array([1]), likes, np.array([1]))[0] <= 1.0
