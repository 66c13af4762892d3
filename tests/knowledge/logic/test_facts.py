import numpy as np
import pyarrow as pa
import pytest

from onoma.errors import SettingsError
from onoma.knowledge.facts import Facts
from onoma.knowledge.facts_model import SUPPORT
from onoma.knowledge.logic.facts import LogicFacts, fit_logic
from onoma.knowledge.logic.rules import parse_rule
from reference.random_facts import said

ROWS = [("a", "near", "b"), ("b", "in", "west"), ("c", "near", "d"), ("d", "in", "east"), ("east", "part", "west")]


@pytest.fixture(scope="module")
def known():
    columns = zip(*ROWS, strict=True)
    return Facts.from_table(pa.table(dict(zip(("subject", "relation", "object"), map(list, columns), strict=True))))


@pytest.fixture(scope="module")
def model(known):
    return fit_logic(known, [parse_rule("in(C, R) :- near(C, D), in(D, R)")], rank=7)


def test_the_best_missing_facts_are_unknown_and_in_order(known, model):
    found = model.best_missing(known, 5)
    rows = [tuple(row[name] for name in ("subject", "relation", "object")) for row in found.to_pylist()]
    assert not set(rows) & set(ROWS)
    assert {("a", "in", "west"), ("c", "in", "east")} <= set(rows)
    scores = np.asarray(found["score"])
    assert np.all(np.diff(scores) <= 0)
    every = model.best_missing(known, 1000)
    assert np.asarray(every["score"][:5]).tolist() == scores.tolist()


def test_only_what_stands_on_a_side_of_a_relation_is_offered_there(known, model):
    every = [tuple(row.values())[:3] for row in model.best_missing(known, 1000).to_pylist()]
    # near: a, c and b, d; in: a and c as well, by the rule; part: nothing but what is known.
    expected = {("a", "near", "d"), ("c", "near", "b")}
    expected |= {(s, "in", o) for s in "abcd" for o in ("west", "east")} - set(ROWS)
    assert set(every) == expected
    assert len(every) == len(expected)


def test_scores_agree_whichever_way_they_are_asked(known, model):
    n = len(known.entities)
    s, k = np.array([0]), np.array([0])
    row = model.score(np.full(n, 0), np.full(n, 0), np.arange(n))
    np.testing.assert_allclose(row, model.score_objects(s, k)[0], rtol=1e-6, atol=1e-8)


def test_a_rule_is_heard_where_few_facts_speak_of_it():
    rows = [(f"p{i}", name, f"f{i}") for i in range(12) for name in ("leads", "works for")] + [("cy", "leads", "gm")]
    facts = Facts.from_table(said(*rows))
    model = fit_logic(facts, [parse_rule("0.7 :: leads(X, Y) => works for(X, Y)")], rank=12)
    best = model.best_missing(facts, 1).to_pylist()[0]
    assert (best["subject"], best["relation"], best["object"]) == ("cy", "works for", "gm")


def test_a_prediction_is_explained_by_known_facts(known, model):
    support = model.explain(known, "a", "in", "west")
    assert support.schema.equals(SUPPORT)
    assert support["object"].to_pylist() == ["b", "west"]
    assert len(model.explain(known, "a", "in", "east")) == 0
    assert model.notes == ["1 rule, which applies in 2 places"]


def test_save_and_load(known, model, tmp_path):
    model.save(tmp_path / "m")
    assert LogicFacts.load(tmp_path / "m").best_missing(known, 3).equals(model.best_missing(known, 3))


def test_ranks_are_made_even_and_none_is_refused(known):
    assert fit_logic(known, [], rank=1).logic.plan.rank == 2
    with pytest.raises(SettingsError, match="1 or more"):
        fit_logic(known, [], rank=0)


def test_many_instances_are_learnt_from_in_turns(monkeypatch):
    rows = [(f"p{i}", name, f"f{i}") for i in range(12) for name in ("leads", "works for")] + [("cy", "leads", "gm")]
    facts = Facts.from_table(said(*rows))
    rules = [parse_rule("leads(X, Y) => works for(X, Y)"), parse_rule("works for(X, Y) => leads(X, Y)")]
    monkeypatch.setattr("onoma.knowledge.logic.facts._AT_ONCE", 5)
    few = fit_logic(facts, rules, rank=12)
    assert few.logic.plan.at_once == len(facts)
    assert few.logic.truth("cy", "works for", "gm") > 0.5
