import numpy as np
import pytest

from onoma.errors import DataError, SettingsError
from onoma.knowledge.rescal import fit_rescal
from onoma.knowledge.rescal_als import Plan
from onoma.knowledge.trescal import fit_trescal
from reference.random_facts import said, world, world_types

PLAN = Plan(rank=6, regularisation=0.5, max_iterations=200, tolerance=1e-9, precision="float64")


@pytest.fixture(scope="module")
def facts():
    return world()


@pytest.mark.parametrize("typed", [False, True])
def test_a_newcomer_is_understood_without_learning_again(facts, typed):
    model = fit_trescal(facts, world_types(facts), PLAN) if typed else fit_rescal(facts, PLAN)
    types = {"ada": ["person"]} if typed else None
    grown, together = model.fold_in(facts, said(("ada", "lives in", "city20")), types=types)
    assert len(together) == len(facts) + 1
    assert len(grown.entities) == len(model.entities) + 1
    scores = grown.checked().score_objects(
        np.array([grown.entities.index("ada")]), np.array([grown.relations.index("citizen of")])
    )[0]
    assert grown.entities[int(scores.argmax())] == "spain"
    known = [i for i, name in enumerate(model.entities) if name != "city20"]
    np.testing.assert_array_equal(grown.A[known], model.A[known])
    np.testing.assert_array_equal(grown.R, model.R)


def test_newcomers_may_speak_of_each_other(facts):
    model = fit_trescal(facts, world_types(facts), PLAN)
    table = said(("newtown", "in", "italy"), ("ada", "lives in", "newtown"))
    grown, _ = model.fold_in(facts, table, types={"newtown": ["city"], "ada": ["person"]}, rounds=5)
    ada, citizen = grown.entities.index("ada"), grown.relations.index("citizen of")
    scores = grown.checked().score_objects(np.array([ada]), np.array([citizen]))[0]
    assert grown.entities[int(scores.argmax())] == "italy"


def test_old_facts_again_change_nothing_at_convergence(facts):
    plan = Plan(rank=5, regularisation=0.5, max_iterations=5000, tolerance=0.0, precision="float64")
    model = fit_rescal(facts, plan)
    again, together = model.fold_in(facts, facts.table().slice(0, 5))
    assert together.n_repeated == 5
    np.testing.assert_allclose(again.A, model.A, atol=1e-5)


def test_a_newcomer_of_a_type_that_nobody_has_alone_gets_a_block_of_its_own(facts):
    model = fit_trescal(facts, world_types(facts), PLAN)
    grown, _ = model.fold_in(facts, said(("vatican", "in", "italy")), types={"vatican": ["city", "country"]})
    block = grown.fit.block[-1]
    assert block == model.fit.subjects.shape[1]
    assert grown.fit.subjects[grown.relations.index("in"), block]
    assert grown.fit.objects[grown.relations.index("in"), block]
    assert not grown.fit.subjects[grown.relations.index("lives in"), block]


def test_what_cannot_be_taken_in(facts):
    typed, free = fit_trescal(facts, world_types(facts), PLAN), fit_rescal(facts, PLAN)
    with pytest.raises(DataError, match="no relation 'rules'"):
        free.fold_in(facts, said(("ada", "rules", "italy")))
    with pytest.raises(DataError, match="no type 'robot'"):
        typed.fold_in(facts, said(("ada", "lives in", "city20")), types={"ada": ["robot"]})
    with pytest.raises(SettingsError, match="without types"):
        free.fold_in(facts, said(("ada", "lives in", "city20")), types={"ada": ["person"]})
