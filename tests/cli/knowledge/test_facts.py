import json
import shlex
from pathlib import Path

import pytest

from onoma.cli.knowledge.facts_settings import Model
from onoma.corpus.formats import FORMATS
from onoma.learning.storage import save_model
from onoma.pipeline.knowledge.facts import MODELS
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
    assert "why? onoma facts explain kb.tsv" in ran.err
    assert "--load model" in ran.err
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
    assert "written: out.rejects.csv" in ran.out
    assert "1 line could not be read, the first in row 54: has 1 of the 3 parts" in ran.err


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
        ("facts ask kb.tsv 'in(city00, france)'", 2, "leaves nothing open"),
        ("facts ask kb.tsv 'in(?, ?)'", 2, "more than one part open"),
        ("facts complete kb.tsv -o kb.tsv", 1, "is read by this very command"),
        ("facts complete kb.tsv --types types.tsv -o types.tsv", 1, "is read by this very command"),
        ("facts rules kb.tsv -o kb.tsv", 1, "is read by this very command"),
        ("facts complete kb.tsv -o nowhere/out.csv", 1, "mkdir -p nowhere"),
        ("facts complete kb.tsv -o out", 1, "a table can be written as .csv"),
        ("facts complete kb.tsv --save kb.tsv", 1, "is read by this very command"),
        ("facts complete .", 1, "is a folder, not a file"),
        ("facts complete -", 1, "/dev/stdin"),
        ("facts complete kb.tsv --load damaged", 1, "is damaged: 'entities' is missing"),
        ("facts complete kb.tsv --rules contrary.txt --model rescal", 1, "contradict each other"),
        ("facts complete kb.tsv --rules fine.txt --model rescal", 2, "rescal does not learn from rules"),
        ("facts rules kb.tsv --confidence -1", 2, "--confidence"),
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
    Path("fine.txt").write_text("in => lives in\n")
    save_model("damaged", "rescal", {}, {})
    before = Path("kb.tsv").read_bytes()
    ran = files(line)
    assert Path("kb.tsv").read_bytes() == before
    assert "unforeseen" not in ran.err
    assert (ran.code, said in ran.err) == (code, True), ran.err


def test_few_facts_with_no_settings_at_all(files):
    ran = files("facts complete kb.tsv --top 5")
    assert ran.code == 0
    assert "the 5 best of 5 missing facts" in ran.out
    assert "facts held out" in ran.err
    assert "rescal of rank 16" in ran.err
    Path("one.tsv").write_text("a\tis\ta\n")
    none = files("facts complete one.tsv")
    assert (none.code, none.out) == (0, "")
    assert "nothing speaks for a missing fact" in none.err
    assert "1 fact, 1 entity, 1 relation" in none.err


def test_names_that_look_like_markup_or_questions(files):
    Path("odd.tsv").write_text('[/]\ta => b\tx, y\n[bold]b[/bold]\tr(1)\t?\n"q"@en\tr(1)\t[/]\n')
    for question, shown in (
        ("a => b([/], ?)", "a => b([/], ?)"),
        ("r(1)([bold]b[/bold], ?)", '"r(1)"([bold]b[/bold], ?)'),
        ('r(1)(?, "?")', '"r(1)"(?, "?")'),
        ("a => b(?, x, y)", 'a => b(?, "x, y")'),
        ('r(1)("q"@en, ?)', '"r(1)"("\\"q\\"@en", ?)'),
    ):
        ran = files(f"facts ask odd.tsv {shlex.quote(question)}")
        assert ran.code == 0, ran.err
        assert shown in ran.out
        assert "known" in ran.out
    explained = files("facts explain odd.tsv 'a => b([/], x, y)'")
    assert 'a => b([/], "x, y"): score' in explained.out
    assert "a known fact" in explained.out


def test_what_types_forbid_is_said(files):
    ran = files(f"facts explain kb.tsv 'in(france, city00)' {HOW}")
    assert "cannot be: france (country) is of no type that in takes as subject" in ran.out
    assert files(f"facts explain kb.tsv 'in(france, city00)' {HOW} --json").json["score"] is None
    ran = files(f"facts ask kb.tsv 'in(france, ?)' {HOW}")
    assert "no answer; france (country)" in ran.out


def test_new_answers_and_the_relation_of_two(files):
    assert "known" not in files(f"facts ask kb.tsv 'lives in(?, city10)' {HOW} --new").out
    found = files(f"facts ask kb.tsv '?(person112, italy)' {HOW} --json").json
    assert found["answers"][0]["relation"] == "citizen of"


def test_settings_that_a_loaded_model_does_not_heed_are_said(files):
    files(f"facts complete kb.tsv {HOW} --top 3 --save model")
    assert "are not heeded" in files("facts complete kb.tsv --load model --rank 3").err
    assert "model: trescal of rank 6" in files("facts complete kb.tsv --load model").err


def test_no_rules_write_no_file(files):
    ran = files("facts rules kb.tsv --support 1000 -o none.txt")
    assert ran.code == 0
    assert "a smaller --support or --confidence may find some" in ran.err
    assert not Path("none.txt").exists()


def test_a_fact_that_no_rule_concludes(files):
    Path("rules.txt").write_text("lives in(X, Z) & in(Z, Y) => citizen of(X, Y)\n")
    ran = files("facts explain kb.tsv 'citizen of(person112, spain)' --rules rules.txt --rank 6")
    assert "no known fact carries it" in ran.out
    assert "what scores above 0 is more likely true than not" in ran.err


def test_an_explanation_is_drawn(files):
    ran = files(f"facts explain kb.tsv 'citizen of(person112, italy)' {HOW} --picture why.svg")
    assert ran.code == 0, ran.err
    assert "written: why.svg" in ran.out
    assert "citizen of(person112, italy)" in Path("why.svg").read_text()
    assert "an .svg file" in files("facts explain kb.tsv 'in(city00, france)' --picture why.png").err


def test_rules_keep_what_could_not_be_read(onoma):
    lines = "".join(f"p{i}\tleads\tf{i}\np{i}\tworks_for\tf{i}\n" for i in range(20))
    Path("kb.tsv").write_text(lines + "only two\tparts\n")
    found = onoma("facts rules kb.tsv -o rules.txt --on-error reject --json").json
    assert "only two" in Path(str(found["rejects"])).read_text()
