import numpy as np
import pytest

from onoma.knowledge.facts_model import SUPPORT
from onoma.knowledge.rescal_als import Plan
from onoma.knowledge.rescal_explain import contributions
from onoma.knowledge.rescal_fold import _solved
from onoma.knowledge.trescal import fit_trescal
from reference.random_facts import MISSING, random_facts, random_types, world, world_types

CONVERGED = Plan(rank=4, regularisation=0.5, max_iterations=4000, tolerance=0.0, precision="float64")


def test_contributions_add_up_to_the_score_on_either_side():
    facts = random_facts(2)
    types, signatures, _ = random_types(2, facts)
    model = fit_trescal(facts, types, CONVERGED, signatures=signatures)
    for s, k, o in ((0, 0, 1), (3, 1, 3), (7, 2, 5)):
        score = model.score(*(np.array([code]) for code in (s, k, o)))[0]
        support = model.explain(facts, f"e{s}", f"r{k}", f"e{o}")
        assert support.schema == SUPPORT
        for side in ("subject", "object"):
            parts = [row["contribution"] for row in support.to_pylist() if row["through"] == side]
            assert sum(parts) == pytest.approx(score, abs=1e-5)


def test_forgetting_a_fact_loses_exactly_its_contribution():
    facts = world()
    model = fit_trescal(facts, world_types(facts), Plan(rank=6, precision="float64"))
    s, k, o = facts.entities.index(MISSING[0]), facts.relations.index(MISSING[1]), facts.entities.index(MISSING[2])
    query = model.R[k] @ model.A[o]
    rows, values = contributions(model, facts, s, query)
    before = _solved(model, facts, np.array([s]), 1).A[s] @ query
    for row, value in zip(rows, values, strict=True):
        which = np.ones(len(facts), np.bool_)
        which[row] = False
        after = _solved(model, facts.keep(which), np.array([s]), 1).A[s] @ query
        assert before - after == pytest.approx(value, abs=1e-10)


def test_the_reason_is_the_one_that_makes_sense():
    facts = world()
    model = fit_trescal(facts, world_types(facts), Plan(rank=6, regularisation=0.5, max_iterations=50))
    support = [row for row in model.explain(facts, *MISSING).to_pylist() if row["through"] == "subject"]
    assert [(row["subject"], row["relation"], row["object"]) for row in support] == [
        ("person112", "lives in", "city11")
    ]
