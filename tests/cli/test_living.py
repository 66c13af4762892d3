"""Living with a knowledge base, as a person would type it."""

import io
import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from onoma.corpus.formats import write_table
from onoma.corpus.simulate import simulate_people
from onoma.kb.database import read_knowledge_base


@pytest.fixture(scope="module")
def people():
    return simulate_people(260, seed=5)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Where the first test leaves its knowledge base for the others."""
    return tmp_path_factory.mktemp("made") / "people.duckdb"


@pytest.fixture
def kb(onoma, people, made):
    """A knowledge base of the first 240 people, a copy for each test; the last 20 are in more.csv."""
    write_table(people.slice(0, 240), "people.csv")
    write_table(people.slice(240), "more.csv")
    if not made.exists():
        ran = onoma("resolve people.csv --truth cluster_id -o people.duckdb --quiet")
        assert ran.code == 0
        shutil.copyfile("people.duckdb", made)
    shutil.copyfile(made, "people.duckdb")
    return "people.duckdb"


def answer(monkeypatch, keys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(keys) + "\n"))


def test_next_weeks_file(onoma, kb):
    ran = onoma(f"resolve more.csv --into {kb}")
    assert ran.code == 0
    assert "20 added, 0 there already" in ran.out
    assert "260 records" in ran.out
    again = onoma(f"resolve more.csv --into {kb} --json")
    assert again.json["unchanged"] == 20
    Path("ids.csv").write_text("id\n" + Path("more.csv").read_text("utf-8").splitlines()[1].split(",")[0] + "\n")
    gone = onoma(f"resolve --into {kb} --retract ids.csv")
    assert "1 retracted" in gone.out
    assert "259 records" in gone.out
    runs = onoma(f"history {kb} --json").json["runs"]
    assert [each["kind"] for each in runs] == ["resolve", "update", "update"]
    assert runs[1]["command"] == f"onoma resolve more.csv --into {kb}"


def test_several_sources(onoma, people):
    """Ids need only be unique within a source; a new file is a source of its own."""
    half = people.slice(0, 120)
    other = people.slice(120, 120).set_column(0, "id", half["id"])
    write_table(half, "shop.csv")
    write_table(other, "web.csv")
    assert onoma("resolve shop.csv web.csv -o both.duckdb --quiet").code == 0
    fair = people.slice(240).set_column(0, "id", half["id"].slice(0, 20))
    write_table(fair, "fair.csv")
    assert onoma("resolve fair.csv --into both.duckdb --json").json["added"] == 20
    assert onoma("resolve shop.csv --into both.duckdb --json").json["unchanged"] == 120
    key = half["id"][0].as_py()
    unclear = onoma(f"judge both.duckdb same {key} {half['id'][1].as_py()}")
    assert unclear.code == 1
    assert f"Name it with its source: shop:{key}, web:{key}, fair:{key}" in unclear.err
    said = onoma(f"judge both.duckdb same shop:{key} web:{key} --json").json["judgements"][0]
    assert (said["a"], said["b"]) == (f"shop:{key}", f"web:{key}")
    Path("ids.csv").write_text(f"id,source\n{key},fair\n", "utf-8")
    assert onoma("resolve --into both.duckdb --retract ids.csv --json").json["retracted"] == 1


def test_judging(onoma, kb, people):
    a, b = people["id"][0].as_py(), people["id"][1].as_py()
    said = onoma(f"judge {kb} same {a} {b} --by ada")
    assert f"judgement 1: {a} and {b} are the same" in said.out
    listed = onoma(f"judge {kb} list --json").json["judgements"]
    assert listed[0] == {
        "judgement": 1,
        "kind": "same",
        "a": a,
        "b": b,
        "weight": "hard",
        "by": "ada",
        "retracted": False,
    }
    refused = onoma(f"judge {kb} different {a} {b}")
    assert refused.code == 1
    assert "contradicts the judgements 1" in refused.err
    assert onoma(f"judge {kb} retract 1").code == 0
    assert onoma(f"judge {kb} different {a} {b} --weight 5 --json").json["judgements"][0]["weight"] == 5.0


def test_reviewing_from_a_pipe(onoma, kb, monkeypatch):
    answer(monkeypatch, ["y", "u", "n", "s", "x", "q"])
    ran = onoma(f"review {kb} --by ada")
    assert ran.code == 0
    assert "an answer settles" in ran.out
    assert "judgement 1 is undone" in ran.out
    assert "1 answers kept" in ran.out
    listed = onoma(f"judge {kb} list --json").json["judgements"]
    assert [(each["kind"], each["retracted"]) for each in listed] == [("same", True), ("different", False)]


def test_reviewing_to_the_end_and_learning(onoma, kb, monkeypatch):
    answer(monkeypatch, ["y"] * 3)
    ran = onoma(f"review {kb} --most 2 --learn --json")
    assert ran.code == 0
    found = ran.json
    assert len(found["answers"]) == 2
    assert found["learnt"]["resolved_anew"]


def test_asking(onoma, kb, people):
    key = people["id"][0].as_py()
    shown = onoma(f"show {kb} {key} --json").json["entities"][0]
    assert key in [row["id"] for row in shown["records"]]
    entity = shown["entity"]
    assert f"{entity} was created" in onoma(f"history {kb} {entity}").out
    assert "entities (95%:" in onoma(f"count {kb}").out
    women = onoma(f"""count {kb} --where "gender = 'f'" --json""").json
    assert women["interval"][0] <= women["entities"] <= women["interval"][1]
    assert onoma(f"show {kb} qqqqq zzzzz").out.strip() == "nothing is alike"


def test_explaining(onoma, kb):
    with read_knowledge_base(kb) as base:
        entity = base.value("SELECT entity FROM entities WHERE size > 1 ORDER BY entity LIMIT 1")
    ran = onoma(f"explain {kb} {entity} --picture e.svg")
    assert "what it hangs on" in ran.out
    assert Path("e.svg").read_text("utf-8").startswith("<svg")
    found = onoma(f"explain {kb} {entity} --json").json
    a, b = found["records"][:2]
    pair = onoma(f"explain {kb} {a} {b} --picture p.svg")
    assert "by themselves:" in pair.out
    assert Path("p.svg").exists()
    assert onoma(f"explain {kb} {a} {b} --json").json["steps"][0]["field"] == "prior"


def test_exporting_and_reporting(onoma, kb):
    assert "written: out/records.csv" in onoma(f"export {kb} --format csv -o out").out
    assert onoma(f"export {kb} --format ntriples -o people.nt --json").json["output"] == ["people.nt"]
    onoma(f"resolve more.csv --into {kb}")
    assert "written: changes.html" in onoma(f"history {kb} --report changes.html").out
    assert "joined" in Path("changes.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("resolve more.csv --into people.duckdb --seed 3", 2, "leave out --seed"),
        ("resolve more.csv --into people.duckdb -o x.csv", 2, "leave out --output"),
        ("resolve --into people.duckdb", 2, "nothing to add or retract"),
        ("resolve --retract more.csv", 2, "Add --into KB"),
        ("resolve more.csv --into nothing.duckdb", 1, "there is no such file"),
        ("judge people.duckdb same a", 2, "is not understood"),
        ("judge people.duckdb same a b --weight heavy", 2, "it is hard, or a number of bits"),
        ("judge people.duckdb retract x", 2, "is not understood"),
        ("explain people.duckdb a b c", 2, "it is one entity, or two records"),
        ("history people.duckdb nobody", 1, "there is no entity"),
        ("export people.duckdb --format xml -o x", 2, "there is no format 'xml'"),
        ("count people.csv", 1, "is no knowledge base"),
    ],
)
def test_errors(onoma, kb, line, code, said):
    ran = onoma(line)
    assert (ran.code, said in ran.err) == (code, True), ran.err
    assert "Traceback" not in ran.err


def test_a_new_column_is_said(onoma, kb, people):
    more = people.slice(240).append_column("shoe_size", [["42"] * 20])
    write_table(more, "wider.csv")
    ran = onoma(f"resolve wider.csv --into {kb}")
    assert ran.code == 0
    assert "the column 'shoe_size' is new" in ran.err


def test_dates_stand_on_one_line(onoma, kb, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    out = onoma(f"history {kb}").out
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", out), out
    assert "resolve " in out and "240 added" in out


def test_which_entity_is_this_record(onoma, kb, people):
    row = people.slice(5, 1).to_pylist()[0]
    given = {name: row[name] for name in ("given_name", "surname", "birth_date", "email") if row[name]}
    asked = json.dumps(given).replace("'", "")
    ran = onoma(f"find {kb} --record '{asked}' --json")
    assert ran.code == 0
    with read_knowledge_base(kb) as base:
        entity = base.value("SELECT entity FROM memberships WHERE id = ?", [row["id"]])
    assert ran.json["candidates"][0]["entity"] == entity
    assert 0 <= ran.json["nil"] < 0.5
    told = onoma(f"find {kb} --record '{asked}'")
    assert "NIL" in told.out and entity in told.out
    many = onoma(f"find {kb} --table more.csv --json")
    assert len(many.json["records"]) == 20


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("", "give one record"),
        ("--record '{' ", "no JSON"),
        ("--record '[1]'", "not an object"),
        ('--record \'{"colour": "red"}\'', "columns that are compared"),
    ],
)
def test_a_record_that_cannot_be_asked_about(onoma, kb, line, told):
    ran = onoma(f"find {kb} {line}")
    assert ran.code == 2
    assert told in ran.err.replace("\n", " ")


def test_scores_of_pairs_become_clusters(onoma):
    Path("pairs.csv").write_text("a,b,probability\n1,2,0.98\n2,3,0.9\n4,5,0.3\n")
    Path("apart.csv").write_text("a,b\n1,3\n")
    ran = onoma("cluster pairs.csv -o who.csv --json")
    assert ran.code == 0
    assert ran.json["calibrated"] is False
    assert Path("who.csv").read_text().splitlines()[0] == "id,entity,probability"
    ran = onoma("cluster pairs.csv --cannot apart.csv -o who.duckdb")
    assert ran.code == 0 and "not calibrated" in ran.out + ran.err
    assert onoma("judge who.duckdb same 4 5").code == 0
    assert onoma("judge who.duckdb retract 2").code == 0
    bad = onoma("cluster pairs.csv --score nothing")
    assert bad.code == 2 and "none is 'nothing'" in bad.err.replace("\n", " ")
