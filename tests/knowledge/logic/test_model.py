import numpy as np
import pyarrow as pa
import pytest

from onoma.errors import DataError, SettingsError
from onoma.knowledge.facts import Facts
from onoma.knowledge.logic.fit import Plan
from onoma.knowledge.logic.model import Logic
from onoma.knowledge.logic.rules import parse_rule

PLAN = Plan(rank=8, epochs=150, rate=0.1, l2=0.02)
CHAIN = "in(C, R) :- near(C, D), in(D, R)"


def facts(*rows):
    columns = zip(*(row.split() for row in rows), strict=True)
    return Facts.from_table(pa.table(dict(zip(("subject", "relation", "object"), map(list, columns), strict=True))))


@pytest.fixture(scope="module")
def places():
    return facts("a near b", "b in west", "c near d", "d in east", "e near a", "west part earth", "east part earth")


@pytest.fixture(scope="module")
def model(places):
    return Logic.fit(places, [parse_rule(CHAIN)], PLAN)


def test_rules_make_true_what_follows_and_nothing_else(places, model):
    without = Logic.fit(places, [], PLAN)
    for subject, region in (("a", "west"), ("c", "east"), ("e", "west")):
        assert model.truth(subject, "in", region) > 0.7
        assert model.truth(subject, "in", region) > without.truth(subject, "in", region) + 0.2
    assert model.truth("a", "in", "east") < 0.3


def test_scores_of_all_entities_are_the_scores_of_each(model):
    n = len(model.facts.entities)
    s, r, every = np.array([0, 3]), np.array([1, 0]), np.arange(n)
    objects, subjects = model.score_objects(s, r), model.score_subjects(r, s)
    for row in range(2):
        same = np.full(n, s[row]), np.full(n, r[row])
        order = np.argsort(model.score(same[0], same[1], every))
        np.testing.assert_array_equal(np.argsort(objects[row]), order)
        np.testing.assert_array_equal(np.argsort(subjects[row]), np.argsort(model.score(every, same[1], same[0])))


def test_provenance_names_rule_and_facts(model):
    (support,) = model.why("a", "in", "west")
    assert support.body == (("a", "near", "b"), ("b", "in", "west"))
    assert support.known == (True, True)
    assert 0.5 < support.strength <= 1
    # e lies near a, whose place was itself concluded: the chain ends in facts.
    assert model.why("e", "in", "west")[0].known == (True, False)
    assert set(model.grounds("e", "in", "west")) == {("e", "near", "a"), ("a", "near", "b"), ("b", "in", "west")}
    assert model.why("a", "in", "east") == []


def test_without_what_is_named_the_fact_falls(places, model):
    named = set(model.grounds("a", "in", "west"))
    rows = zip(*(column.to_pylist() for column in places.named(places.triples)), strict=True)
    kept = places.keep(np.array([row not in named for row in rows]))
    again = Logic.fit(kept, [parse_rule(CHAIN)], PLAN)
    assert again.truth("a", "in", "west") < model.truth("a", "in", "west") - 0.3


@pytest.mark.parametrize("constants", ["entities", "pairs"])
def test_facts_and_rules_are_added_without_starting_over(constants):
    plan = Plan(rank=8, epochs=150, rate=0.1, l2=0.02, constants=constants)
    old = Logic.fit(facts("ada profAt ucl", "bob profAt uw", "eve livesIn rome"), [], plan)
    before = old.truth("ada", "profAt", "ucl")
    grown = old.add(facts("jim profAt mit"), [parse_rule("profAt => worksFor")], epochs=100)
    assert grown.truth("jim", "worksFor", "mit") > 0.6
    assert grown.truth("ada", "worksFor", "ucl") > 0.6
    assert grown.truth("ada", "profAt", "ucl") == pytest.approx(before, abs=0.2)
    assert grown.truth("eve", "livesIn", "rome") > 0.6
    assert "jim" not in old.facts.entities


def test_negation_and_conjunction():
    known = facts("a prof x", "b prof x", "c prof x", "b retired x", "d retired x")
    rules = [parse_rule("prof(X, Y) & not retired(X, Y) => works(X, Y)"), parse_rule("retired => not works")]
    plan = Plan(rank=8, epochs=300, rate=0.1, l2=0.01, constants="pairs", n_negatives=0)
    columns = (["a", "c"], ["retired", "retired"], ["x", "x"])
    table = pa.table(dict(zip(("subject", "relation", "object"), columns, strict=True)))
    false = known.code(table)[0]
    model = Logic.fit(known, rules, plan, false=false)
    assert model.truth("a", "works", "x") > 0.7
    assert model.truth("b", "works", "x") < 0.3
    assert model.truth("d", "works", "x") < 0.3


def test_weights_decide_between_soft_rules_that_disagree():
    known = facts("a p x", "b p x", "c q x")
    strong = [parse_rule("0.9 :: p => r"), parse_rule("0.1 :: p => not r")]
    plan = Plan(rank=6, epochs=200, rate=0.1, l2=0.01, constants="pairs", n_negatives=0)
    assert Logic.fit(known, strong, plan).truth("a", "r", "x") > 0.7
    weak = [parse_rule("0.1 :: p => r"), parse_rule("0.9 :: p => not r")]
    assert Logic.fit(known, weak, plan).truth("a", "r", "x") < 0.3


def test_the_same_seed_gives_the_same_bytes(places, model):
    again = Logic.fit(places, [parse_rule(CHAIN)], PLAN)
    assert again.parameters.constants.tobytes() == model.parameters.constants.tobytes()


def test_what_is_saved_is_what_is_loaded(model, tmp_path):
    model.save(tmp_path / "m")
    again = Logic.load(tmp_path / "m")
    assert again.truth("a", "in", "west") == model.truth("a", "in", "west")
    assert again.why("a", "in", "west") == model.why("a", "in", "west")
    assert {path.suffix for path in (tmp_path / "m").iterdir()} == {".json", ".npz"}


def test_bad_input_says_what_is_wrong(places, model):
    with pytest.raises(DataError, match="contradict"):
        Logic.fit(places, [parse_rule("near => in"), parse_rule("near => not in")], PLAN)
    with pytest.raises(DataError, match="the relation 'nera' of the rule"):
        Logic.fit(places, [parse_rule("nera => in")], PLAN)
    with pytest.raises(DataError, match="no entity 'nowhere'"):
        model.truth("nowhere", "in", "west")
    with pytest.raises(DataError, match="no facts"):
        Logic.fit(places.keep(np.zeros(len(places), bool)), [], PLAN)
    pairs = Logic.fit(places, [], Plan(rank=3, epochs=2, constants="pairs"))
    assert pairs.truth("a", "in", "east") == 0.5  # no vector for this pair
    with pytest.raises(SettingsError, match="no entities to choose among"):
        pairs.score_objects(np.array([0]), np.array([0]))
    with pytest.raises(DataError, match="more than one pair"):
        Logic.fit(places, [parse_rule(CHAIN)], Plan(rank=3, epochs=2, constants="pairs"))
