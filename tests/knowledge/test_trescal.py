import numpy as np
import pytest

from onoma.evaluate.ranking import link_prediction
from onoma.knowledge.rescal import fit_rescal
from onoma.knowledge.rescal_als import Plan
from onoma.knowledge.trescal import fit_trescal
from onoma.knowledge.types import Signatures
from reference.random_facts import random_facts, random_types, world, world_types

PLAN = Plan(rank=4, max_iterations=30, precision="float64")


def test_types_that_exclude_nothing_give_rescal():
    facts = random_facts(0)
    types, signatures, _ = random_types(0, facts)
    free = Signatures(np.ones_like(signatures.subjects), np.ones_like(signatures.objects))
    typed, plain = fit_trescal(facts, types, PLAN, signatures=free), fit_rescal(facts, PLAN)
    np.testing.assert_allclose(typed.A, plain.A, atol=1e-9)
    np.testing.assert_allclose(typed.R, plain.R, atol=1e-9)


def test_signatures_are_induced_unless_given():
    facts = world()
    types = world_types(facts)
    induced = fit_trescal(facts, types, PLAN)
    given = fit_trescal(facts, types, PLAN, signatures=Signatures.induced(facts, types))
    np.testing.assert_array_equal(induced.A, given.A)
    assert induced.fit.allows(facts.triples).all()
    assert induced.kind == "trescal"


@pytest.mark.data
def test_types_help_on_a_real_knowledge_base(data):
    from onoma.pipeline.reproduce import Context
    from onoma.pipeline.studies._sets.knowledge_bases import read_knowledge_base

    base = read_knowledge_base(Context(data=data), "codex-s")
    plan = Plan(rank=50, regularisation=5.0, max_iterations=10)
    models = fit_rescal(base.train, plan), fit_trescal(base.train, base.types, plan).checked()
    plain, typed = (
        link_prediction(model, base.test.columns, base.everything.triples.columns, n_entities=base.n_entities).mrr
        for model in models
    )
    assert 0.25 < plain < typed
