import pytest

from onoma.knowledge.backed import Backed
from onoma.knowledge.facts import Facts
from onoma.knowledge.rescal import fit_rescal
from onoma.knowledge.rescal_als import Plan
from onoma.pipeline.knowledge.choose import CHOICES, PLENTY, choose_regularisation
from reference.random_facts import random_facts, said, world


def rescal(facts, strength):
    return Backed(fit_rescal(facts, Plan(rank=6, regularisation=strength)), facts, prior=0.01, pairs=0.1)


def test_the_strength_that_serves_facts_put_aside_best():
    tried = []

    def learn(facts, strength):
        tried.append((len(facts), strength))
        return rescal(facts, strength)

    facts = world()
    strength, note = choose_regularisation(facts, learn, 0)
    assert strength in (0.1, 0.3, 1.0)  # more leaves nothing of 53 facts
    assert f"regularisation {strength:g}: the best of 0.1" in note
    assert [each for _, each in tried] == list(CHOICES)
    assert {n for n, _ in tried} == {len(facts) - 10}
    assert choose_regularisation(facts, rescal, 0)[0] == strength


def test_too_few_and_plenty(monkeypatch):
    one = Facts.from_table(said(("a", "in", "b")))
    assert choose_regularisation(one, rescal, 0) == (
        0.1,
        "regularisation 0.1: there are too few facts to choose it by",
    )
    monkeypatch.setattr("onoma.pipeline.knowledge.choose.FEW", 30)

    def never(facts, strength):
        pytest.fail("nothing is to be tried")

    assert choose_regularisation(random_facts(0, n_facts=40), never, 0) == (PLENTY, "")
