import json
from pathlib import Path

import pytest

from onoma.cli.facts import Model
from onoma.corpus.formats import FORMATS
from onoma.pipeline.facts import MODELS
from reference.random_facts import world, world_types


@pytest.fixture
def files(onoma):
    """Facts and types in the folder that the command runs in."""
    facts = world()
    rows = [list(row.values())[:3] for row in facts.table().to_pylist()]
    Path("kb.tsv").write_text("".join("\t".join(row) + "\n" for row in rows))
    types = world_types(facts)
    kinds = [types.names[t] for t in types.member.indices]
    Path("types.tsv").write_text("".join(f"{n}\t{k}\n" for n, k in zip(facts.entities, kinds, strict=True)))
    return onoma


HOW = "--types types.tsv --rank 6 --regularisation 0.5 --iterations 50"


def test_complete_writes_a_table_and_keeps_the_model(files):
    ran = files(f"facts complete kb.tsv {HOW} --top 30 -o missing.csv --save model")
    assert ran.code == 0, ran.err
    assert "25 missing facts" in ran.out  # the others would score 0
    table = FORMATS["csv"].read_table("missing.csv").table
    assert table.column_names == ["subject", "relation", "object", "probability", "source", "score"]
    assert "person112" in table["subject"].to_pylist()
    assert json.loads(Path("model/model.json").read_text())["kind"] == "rescal"
    answer = files("facts ask kb.tsv 'citizen of(person112, ?)' --load model --json").json
    assert answer["answers"][0]["entity"] == "italy"


def test_ask_and_explain_in_words(files):
    ran = files(f"facts ask kb.tsv 'lives in(?, city10)' {HOW}")
    assert ran.code == 0, ran.err
    assert "person100" in ran.out
    assert "known" in ran.out
    ran = files(f"facts explain kb.tsv 'citizen of(person112, italy)' {HOW}")
    assert "citizen of(person112, italy): score" in ran.out
    assert "lives in" in ran.out
    found = files(f"facts explain kb.tsv 'citizen of(person112, italy)' {HOW} --json").json
    assert {row["through"] for row in found["support"]} == {"subject", "object"}


def test_complete_as_json_and_without_output(files):
    found = files(f"facts complete kb.tsv {HOW} --top 3 --json").json
    assert found["facts"] == 53
    assert len(found["found"]) == 3
    assert "nothing was written" in files(f"facts complete kb.tsv {HOW} --top 3").err


def test_rejected_lines_are_kept(files):
    with Path("kb.tsv").open("a") as file:
        file.write("half a fact\n")
    assert "row 54" in files("facts complete kb.tsv").err
    ran = files("facts complete kb.tsv --on-error reject -o out.csv")
    assert ran.code == 0
    assert "half a fact" in Path("out.rejects.csv").read_text()


def test_rules_are_found_written_and_learnt_from(files):
    ran = files("facts rules kb.tsv --confidence 0.6 -o rules.txt")
    assert ran.code == 0, ran.err
    assert "lives in(X, Z) & in(Z, Y) => citizen of(X, Y)" in ran.out
    found = files("facts rules kb.tsv --confidence 0.6 --json").json
    assert Path("rules.txt").read_text().splitlines() == found["rules"]
    assert "nothing was written" in files("facts rules kb.tsv").err
    answer = files("facts ask kb.tsv 'citizen of(person112, ?)' --rules rules.txt --rank 8 --json").json
    assert answer["answers"][0]["entity"] == "italy"


def test_the_models_on_offer_are_those_there_are():
    assert {model.value for model in Model} == set(MODELS)


def test_without_backing_the_model_is_the_published_one(files):
    plain = files(f"facts ask kb.tsv 'lives in(?, city10)' {HOW} --prior 0 --pairs 0 --json").json
    backed = files(f"facts ask kb.tsv 'lives in(?, city10)' {HOW} --prior 0.5 --json").json
    assert plain["answers"][0]["score"] < backed["answers"][0]["score"]


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("facts ask kb.tsv 'citizen of(person119, ?)'", 1, "Did you mean person"),
        ("facts ask kb.tsv 'citizen(person112, ?)'", 1, "no relation 'citizen'"),
        ("facts ask kb.tsv 'what?'", 2, "no question about facts"),
        ("facts explain kb.tsv 'in(city00, ?)'", 2, "leaves a side open"),
        ("facts complete kb.tsv --rank 34", 2, "only 33 entities"),
        ("facts complete kb.tsv --model trescal", 2, "needs the types"),
        ("facts complete nothing.tsv", 1, "no such file"),
        ("facts complete kb.tsv --load nowhere", 1, "no model here"),
        ("facts complete kb.tsv -o out.bib", 1, "is not written"),
        ("facts complete kb.tsv --rules contrary.txt", 1, "two rules contradict each other"),
        ("facts complete kb.tsv --rules unknown.txt", 1, "no fact has the relation 'owns'"),
        ("facts rules nothing.tsv", 1, "no such file"),
    ],
)
def test_errors(files, line, code, said):
    Path("contrary.txt").write_text("in => lives in\nin => not lives in\n")
    Path("unknown.txt").write_text("owns => in\n")
    ran = files(line)
    assert (ran.code, said in ran.err) == (code, True), ran.err
