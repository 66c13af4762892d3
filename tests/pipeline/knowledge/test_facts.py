from dataclasses import replace

import numpy as np
import pytest

from onoma.errors import DataError, SettingsError
from onoma.knowledge.rescal_als import Plan
from onoma.pipeline.knowledge.facts import LOADERS, MODELS, about, ask, is_known, learn, load, misfit, score
from onoma.pipeline.knowledge.job import read_facts_job
from onoma.pipeline.knowledge.question import Query, parse_query
from reference.random_facts import MISSING, said, write_world


def plan(facts):
    return Plan(rank=6, regularisation=0.5, max_iterations=50, precision="float64")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_world(tmp_path_factory.mktemp("facts"))


@pytest.fixture(scope="module")
def job(files):
    return read_facts_job(files / "facts.tsv", types=str(files / "types.tsv"), plan=plan)


@pytest.fixture(scope="module")
def model(job):
    return learn(job).model


@pytest.mark.parametrize("name", sorted(MODELS))
def test_every_kind_of_model_answers(job, name):
    if name not in ("trescal", "rescal"):
        pytest.skip("has tests of its own")
    learnt = learn(job, name).model
    answers = ask(learnt, job.facts, parse_query("citizen of(person112, ?)"), 3)
    assert answers["entity"][0].as_py() == "italy"
    assert answers["known"][0].as_py() is False
    people = ask(learnt, job.facts, parse_query("lives in(?, city10)"), 4)
    assert sorted(people["entity"].to_pylist()) == [f"person10{j}" for j in range(4)]
    assert people["known"].to_pylist() == [True] * 4


def test_types_choose_the_model_and_are_checked_in_answers(job, model):
    assert model.explain(job.facts, *MISSING)["object"][0].as_py() is not None
    answers = ask(model, job.facts, parse_query("citizen of(person112, ?)"), 100)
    assert sorted(answers["entity"].to_pylist()) == ["france", "italy", "spain"]
    assert score(model, Query("citizen of", "city00", "italy")) == -np.inf


def test_signatures_given_are_those_used(files, job):
    given = read_facts_job(
        files / "facts.tsv", types=str(files / "types.tsv"), signatures=files / "signatures.tsv", plan=plan
    )
    np.testing.assert_allclose(
        learn(given).model.score(*job.facts.triples.columns), learn(job).model.score(*job.facts.triples.columns)
    )


@pytest.mark.parametrize("name", ["trescal", "rescal"])
def test_a_saved_model_is_loaded_for_the_same_facts_only(job, name, tmp_path):
    learnt = learn(job, name).model
    learnt.save(tmp_path)
    again = load(tmp_path, job).model
    triples = job.facts.triples
    np.testing.assert_array_equal(
        again.score_objects(triples.subjects, triples.relations),
        learnt.score_objects(triples.subjects, triples.relations),
    )
    with pytest.raises(DataError, match="other entities or relations"):
        load(tmp_path, replace(job, facts=type(job.facts).from_table(said(("a", "b", "c")))))
    assert "rescal" in LOADERS


def test_models_of_other_kinds_are_not_loaded(job, tmp_path):
    (tmp_path / "model.json").write_text('{"kind": "maxent", "version": 1}')
    with pytest.raises(DataError, match="kind 'maxent'"):
        load(tmp_path, job)


def test_a_question_that_leaves_nothing_open(job, model):
    with pytest.raises(SettingsError, match="leaves nothing open"):
        ask(model, job.facts, parse_query("in(city00, france)"))


def test_facts_in_another_order_are_put_into_the_codes_of_the_model(files, job, tmp_path):
    learnt = learn(job).model
    learnt.save(tmp_path / "model")
    lines = (files / "facts.tsv").read_text().splitlines()
    (tmp_path / "turned.tsv").write_text("\n".join(lines[:20:-1]) + "\n")
    turned = read_facts_job(tmp_path / "turned.tsv")
    again = load(tmp_path / "model", turned)
    assert list(turned.facts.entities) != list(job.facts.entities)
    assert list(again.facts.entities) == list(job.facts.entities)
    assert ask(again.model, again.facts, parse_query("citizen of(person112, ?)"), 1)["entity"][0].as_py() == "italy"
    assert set(map(str, again.facts.table().to_pylist())) == set(map(str, turned.facts.table().to_pylist()))


def test_a_relation_that_only_rules_conclude_can_be_asked_for(files, tmp_path):
    (tmp_path / "rules.txt").write_text("lives in(X, Z) & in(Z, Y) => resident of(X, Y)\n")
    job = read_facts_job(files / "facts.tsv", rules=tmp_path / "rules.txt", plan=plan)
    assert "resident of" in job.relations
    assert "resident of" not in job.facts.relations
    learnt = learn(job)
    learnt.model.save(tmp_path / "model")
    again = load(tmp_path / "model", read_facts_job(files / "facts.tsv"))
    found = ask(again.model, again.facts, parse_query("resident of(person112, ?)"), 1)
    assert found["entity"][0].as_py() == "italy"


def test_few_facts_are_not_regularised_away(files):
    given = read_facts_job(files / "facts.tsv")
    assert len(learn(given).model.best_missing(given.facts, 5)) == 0  # 5 is for many facts
    learnt = learn(replace(given, choose=True))
    assert len(learnt.model.best_missing(given.facts, 5)) == 5
    assert any("on 10 facts held out" in note for note in learnt.notes)


def test_settings_that_a_model_does_not_heed_are_said(files, job, tmp_path):
    (tmp_path / "rules.txt").write_text("lives in => in\n")
    ruled = read_facts_job(files / "facts.tsv", rules=tmp_path / "rules.txt")
    with pytest.raises(SettingsError, match="rescal does not learn from rules"):
        learn(ruled, "rescal")
    assert "rescal does not look at types; --model trescal does" in learn(job, "rescal").notes


def test_the_relation_between_two_and_new_answers_alone(job, model):
    found = ask(model, job.facts, parse_query("?(person112, italy)"), 3)
    assert found.column_names == ["relation", "score", "known"]
    assert found["relation"][0].as_py() == "citizen of"
    assert ask(model, job.facts, parse_query("?(person000, city00)"))["known"].to_pylist()[0] is True
    every = ask(model, job.facts, parse_query("lives in(?, city10)"), 30)
    new = ask(model, job.facts, parse_query("lives in(?, city10)"), 30, new=True)
    assert not any(new["known"].to_pylist())
    assert len(new) == len(every) - 4


def test_what_is_said_of_a_fact(job, model):
    fact = Query("citizen of", "person112", "italy")
    assert not is_known(model, job.facts, fact)
    assert is_known(model, job.facts, Query("in", "city00", "france"))
    assert misfit(model, fact) == ""
    assert misfit(model, Query("in", "france", None)) == "france (country) is of no type that in takes as subject"
    assert misfit(model, Query("in", "city00", "city01")) == "city01 (city) is of no type that in takes as object"
    assert about(model).startswith("trescal of rank 6, regularisation 0.5: ")


def test_models_that_cannot_be_learnt_are_said(files):
    job = read_facts_job(files / "facts.tsv", plan=plan)
    with pytest.raises(SettingsError, match="trescal needs the types"):
        learn(job, "trescal")
    with pytest.raises(SettingsError, match="no model 'magic'"):
        learn(job, "magic")
