from dataclasses import replace

import numpy as np
import pytest

from onoma.errors import DataError, SettingsError
from onoma.knowledge.rescal_als import Plan
from onoma.pipeline.facts import (
    LOADERS,
    MODELS,
    Query,
    ask,
    default_rank,
    learn,
    load,
    parse_query,
    read_facts_job,
    score,
)
from reference.random_facts import MISSING, said, world, world_types


def plan(facts):
    return Plan(rank=6, regularisation=0.5, max_iterations=50, precision="float64")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("facts")
    facts = world()
    rows = [list(row.values())[:3] for row in facts.table().to_pylist()]
    (folder / "facts.tsv").write_text("".join("\t".join(row) + "\n" for row in rows))
    types = world_types(facts)
    kinds = [types.names[t] for t in types.member.indices]
    lines = [f"{name}\t{kind}\n" for name, kind in zip(facts.entities, kinds, strict=True)]
    (folder / "types.tsv").write_text("entity\ttype\n" + "".join(lines))
    (folder / "signatures.tsv").write_text("in\tcity\tcountry\nlives in\tperson\tcity\ncitizen of\tperson\tcountry\n")
    return folder


@pytest.fixture(scope="module")
def job(files):
    return read_facts_job(files / "facts.tsv", types=str(files / "types.tsv"), plan=plan)


@pytest.fixture(scope="module")
def model(job):
    return learn(job)


@pytest.mark.parametrize("name", sorted(MODELS))
def test_every_kind_of_model_answers(job, name):
    if name not in ("trescal", "rescal"):
        pytest.skip("has tests of its own")
    learnt = learn(job, name)
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
        learn(given).score(*job.facts.triples.columns), learn(job).score(*job.facts.triples.columns)
    )


@pytest.mark.parametrize("name", ["trescal", "rescal"])
def test_a_saved_model_is_loaded_for_the_same_facts_only(job, name, tmp_path):
    learnt = learn(job, name)
    learnt.save(tmp_path)
    again = load(tmp_path, job)
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


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("in(lyon, ?)", Query("in", "lyon", None)),
        (" lives in ( ?, new york ) ", Query("lives in", None, "new york")),
        ('in("a, b", "c)")', Query("in", "a, b", "c)")),
        (r'in("say \"x\"", ?)', Query("in", 'say "x"', None)),
        ('in("?", x)', Query("in", "?", "x")),
        ("/people/person(/m/01, ?)", Query("/people/person", "/m/01", None)),
        ("size(lyon (rhone), ?)", Query("size", "lyon (rhone)", None)),
    ],
)
def test_questions_are_read(text, query):
    assert parse_query(text) == query


@pytest.mark.parametrize("text", ["in", "in()", "in(lyon)", "in(a, b, c)", "(a, b)", "in(?, ?)", "in(, b)"])
def test_what_is_no_question_is_said(text):
    with pytest.raises(SettingsError, match="no question|both sides open"):
        parse_query(text)


def test_a_question_that_leaves_nothing_open(job, model):
    with pytest.raises(SettingsError, match="leaves nothing open"):
        ask(model, job.facts, parse_query("in(city00, france)"))


def test_a_relation_may_say_the_types(files, job, tmp_path):
    path = tmp_path / "facts.tsv"
    lines = (files / "types.tsv").read_text().splitlines()[1:]
    path.write_text(
        (files / "facts.tsv").read_text() + "".join(line.replace("\t", "\tis a\t") + "\n" for line in lines)
    )
    other = read_facts_job(path, types="relation:is a", plan=plan)
    assert other.facts.table().equals(job.facts.table())
    assert (other.types.member.toarray() == job.types.member.toarray()).all()
    with pytest.raises(DataError, match="no fact has the relation 'isa'"):
        read_facts_job(path, types="relation:isa")


def test_bad_input_is_said(files, tmp_path):
    facts = files / "facts.tsv"
    with pytest.raises(SettingsError, match="trescal needs the types"):
        learn(read_facts_job(facts, plan=plan), "trescal")
    with pytest.raises(SettingsError, match="no model 'magic'"):
        learn(read_facts_job(facts, plan=plan), "magic")
    with pytest.raises(SettingsError, match="signatures need types"):
        read_facts_job(facts, signatures=files / "signatures.tsv")
    with pytest.raises(DataError, match="no name of an entity says its type"):
        read_facts_job(facts, types="names")
    (tmp_path / "types.tsv").write_text("nobody\tperson\n")
    with pytest.raises(DataError, match="none of the entities"):
        read_facts_job(facts, types=str(tmp_path / "types.tsv"))
    with pytest.raises(DataError, match="has 2 of the 3 columns"):
        read_facts_job(facts, types=str(files / "types.tsv"), signatures=files / "types.tsv")
    (tmp_path / "bad.tsv").write_text("a\tb\n")
    with pytest.raises(DataError, match="no facts to learn from"):
        read_facts_job(tmp_path / "bad.tsv", on_error="reject")


def test_what_was_not_used_is_noted(files, tmp_path):
    path = tmp_path / "facts.tsv"
    path.write_text((files / "facts.tsv").read_text() + "in\nspain\tin\teurope\nspain\tin\teurope\n")
    job = read_facts_job(path, types=str(files / "types.tsv"), on_error="reject")
    assert len(job.rejects) == 1
    assert any("1 lines could not be read" in note for note in job.notes)
    assert any("1 facts are said more than once" in note for note in job.notes)
    assert any("1 of 34 entities have no type" in note for note in job.notes)
    assert job.plan.rank == default_rank(job.facts) == 17
