import numpy as np
import pyarrow as pa
import pytest

from onoma.errors import DataError, SettingsError
from onoma.knowledge.facts import Facts, Names
from onoma.knowledge.rescal import Factorisation, fit_rescal
from onoma.knowledge.rescal_als import Plan
from onoma.knowledge.trescal import fit_trescal
from onoma.knowledge.types import Types
from reference import rescal as reference
from reference.random_facts import MISSING, random_facts, random_types, said, typed, world, world_types

PLAN = Plan(rank=6, regularisation=0.5, max_iterations=50, precision="float64")


def codes(facts, fact):
    return facts.entities.index(fact[0]), facts.relations.index(fact[1]), facts.entities.index(fact[2])


@pytest.fixture(scope="module")
def facts():
    return world()


@pytest.fixture(scope="module")
def model(facts):
    return fit_trescal(facts, world_types(facts), PLAN)


def test_scores_are_the_products(facts, model):
    whole = np.einsum("ir,krs,js->kij", model.A, model.R, model.A)
    t = facts.triples
    np.testing.assert_allclose(model.score(*t.columns), whole[t.relations, t.subjects, t.objects])
    np.testing.assert_allclose(model.score_objects(t.subjects, t.relations), whole[t.relations, t.subjects], atol=1e-12)
    np.testing.assert_allclose(
        model.score_subjects(t.relations, t.objects), whole[t.relations, :, t.objects], atol=1e-12
    )


def test_checked_scores_are_impossible_exactly_where_types_do_not_fit(facts, model):
    t, W = facts.triples, reference.mask(model.fit)
    checked = model.checked()
    np.testing.assert_array_equal(checked.score_objects(t.subjects, t.relations) > -np.inf, W[t.relations, t.subjects])
    np.testing.assert_array_equal(
        checked.score_subjects(t.relations, t.objects) > -np.inf, W[t.relations, :, t.objects]
    )
    assert (checked.score(t.objects, t.relations, t.subjects) == -np.inf).all()
    assert checked.entities is model.entities
    assert checked.relations is model.relations
    assert checked.notes is model.notes


@pytest.mark.parametrize("how", ["rescal", "trescal"])
def test_what_was_left_out_is_found_first(facts, how):
    learnt = fit_rescal(facts, PLAN) if how == "rescal" else fit_trescal(facts, world_types(facts), PLAN).checked()
    s, k, o = codes(facts, MISSING)
    scores = learnt.score_objects(np.array([s]), np.array([k]))[0]
    assert scores.argmax() == o
    found = learnt.best_missing(facts, 1000).to_pylist()
    sensible = [row for row in found if row["subject"][0] == "p" and row["object"] in ("france", "italy", "spain")]
    people = [row for row in sensible if row["relation"] == MISSING[1]]
    assert (people[0]["subject"], people[0]["object"]) == (MISSING[0], MISSING[2])
    assert people[0]["source"] == how


@pytest.mark.parametrize("n", [1, 7, 60, 100_000])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_best_missing_facts_are_the_best_of_all(seed, n):
    known = random_facts(seed, n_entities=15, n_relations=4, n_facts=60)
    types, signatures, fit = random_types(seed, known)
    model = fit_trescal(known, types, PLAN, signatures=signatures)
    whole = np.einsum("ir,krs,js->kij", model.A, model.R, model.A)
    whole[~reference.mask(fit)] = -np.inf
    t = known.triples
    for k in range(4):
        if not model.R[k].any():
            whole[k] = -np.inf
        elif not (t.subjects == t.objects)[t.relations == k].any():
            np.fill_diagonal(whole[k], -np.inf)
    whole[t.relations, t.subjects, t.objects] = -np.inf
    wanted = np.sort(whole[whole > -np.inf])[::-1][:n]
    found = model.best_missing(known, n)
    np.testing.assert_allclose(found["score"].to_numpy(), wanted, atol=1e-12)
    coded = Facts.from_table(found.drop_columns("score"), entities=known.entities, relations=known.relations)
    assert coded.n_repeated == 0


def test_smoothing_adds_the_mean_of_what_is_alike(facts, model):
    smooth = model.smoothed(0.5)
    for b in range(len(model.fit.sizes)):
        rows = model.fit.block == b
        np.testing.assert_allclose(smooth.A[rows], model.A[rows] + 0.5 * model.A[rows].mean(axis=0), atol=1e-12)
    np.testing.assert_array_equal(smooth.R, model.R)
    assert smooth.A.dtype == model.A.dtype


def test_a_person_of_whom_nothing_is_known_is_ranked_as_people_are(facts):
    strangers = Facts.from_table(
        facts.table(), entities=Names([*facts.entities, "stranger"], "entity"), relations=facts.relations
    )
    rows = [(name, {"c": "city", "p": "person", "s": "person"}.get(name[0], "country")) for name in strangers.entities]
    rows = [(name, kind if name[-1].isdigit() or name == "stranger" else "country") for name, kind in rows]
    model = fit_trescal(strangers, Types.from_table(typed(rows), strangers.entities), PLAN)
    who, lives = np.array([strangers.entities.index("stranger")]), np.array([strangers.relations.index("lives in")])
    assert not model.score_objects(who, lives).any()
    smooth = model.smoothed()
    everybody = model.A[model.fit.block == model.fit.block[who[0]]].mean(axis=0)
    np.testing.assert_allclose(smooth.score_objects(who, lives)[0], everybody @ model.R[lives[0]] @ smooth.A.T)
    assert smooth.score_objects(who, lives).any()


def test_a_saved_model_is_the_same_model(facts, model, tmp_path):
    model.checked().save(tmp_path)
    again = Factorisation.load(tmp_path)
    assert again.A.tobytes() == model.A.tobytes()
    assert again.plan == model.plan
    assert again.trace == model.trace
    t = facts.triples
    np.testing.assert_array_equal(
        again.checked().score_objects(t.subjects, t.relations), model.checked().score_objects(t.subjects, t.relations)
    )
    table = said(("person999", "lives in", "city10"))
    ours, theirs = (each.fold_in(facts, table, types={"person999": ["person"]})[0] for each in (model, again))
    np.testing.assert_array_equal(ours.A, theirs.A)
    fit_rescal(facts, PLAN).save(tmp_path)
    assert Factorisation.load(tmp_path).types is None


def test_the_same_seed_gives_the_same_bytes(facts):
    assert fit_rescal(facts, PLAN).A.tobytes() == fit_rescal(facts, PLAN).A.tobytes()


def test_rank_above_the_number_of_entities_is_refused(facts):
    with pytest.raises(SettingsError, match="only 33 entities"):
        fit_rescal(facts, Plan(rank=34))
    assert fit_rescal(facts, Plan(rank=33, precision="float64")).A.shape == (33, 33)


def test_no_facts_are_refused():
    with pytest.raises(SettingsError, match="no facts"):
        fit_rescal(Facts.from_table(said()), PLAN)


def test_a_relation_without_facts_scores_nothing_and_is_said():
    relations = Names(["in", "likes"], "relation")
    known = Facts.from_table(said(("a", "in", "b"), ("c", "in", "b")), relations=relations)
    model = fit_rescal(known, Plan(rank=2))
    assert not model.R[1].any()
    assert "1 relations have no facts and score everything 0: likes" in model.notes
    assert set(model.best_missing(known, 5)["relation"].to_pylist()) <= {"in"}


def test_a_type_without_entities_and_facts_against_the_signatures(facts):
    signatures = pa.table(
        {
            "relation": ["in", "lives in", "lives in", "citizen of"],
            "domain": ["city", "person", "ghost", "city"],
            "range": ["country", "city", "ghost", "country"],
        }
    )
    model = fit_trescal(facts, world_types(facts), PLAN, signatures=signatures)
    assert any("23 of 53 facts do not fit" in note for note in model.notes)
    assert any("citizen of" in note for note in model.notes)


def test_an_entity_without_a_type_may_stand_anywhere():
    known = Facts.from_table(said(("a", "in", "b"), ("c", "in", "b"), ("c", "near", "a")))
    types = Types.from_table(typed([("a", "x"), ("b", "y")]), known.entities)
    model = fit_trescal(known, types, Plan(rank=2))
    c = known.entities.index("c")
    assert model.fit.subjects[:, model.fit.block[c]].all()
    assert model.fit.objects[:, model.fit.block[c]].all()


def test_unknown_names_are_named_with_what_is_near(facts, model):
    with pytest.raises(DataError, match="no entity 'persn112'.*\n.*person112"):
        model.explain(facts, "persn112", "citizen of", "italy")
    with pytest.raises(DataError, match="no relation 'citizen'"):
        model.explain(facts, "person112", "citizen", "italy")
