"""Values are people's data: whatever stands in them is printed as it is, and no terminal obeys it."""

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pyarrow as pa
import pytest

from onoma.corpus.formats import write_table
from onoma.corpus.readers.table import read_table
from onoma.corpus.simulate import simulate_people
from onoma.kb.database import read_knowledge_base
from onoma.pipeline.output import write_outcome
from onoma.pipeline.resolution import read_job, run_job

CLIPBOARD = "\x1b]52;c;eA==\x07"
"""Puts an x into the clipboard of a terminal that obeys it."""
LONG = "n" * 300
IDS = ["[/r0]", "urn:id:1", ":smile:", f"r{CLIPBOARD}", LONG, "a\x0bb"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A knowledge base whose first records, by hostile ids, are all one person."""
    folder = tmp_path_factory.mktemp("hostile")
    rows = simulate_people(60, seed=4).drop_columns(["cluster_id"]).to_pylist()
    person = next(row for row in rows if all(row.values()))
    rows = [person | {"id": each, "given_name": person["given_name"]} for each in IDS] + rows
    rows[0]["street"] = f"[red]{LONG}{CLIPBOARD}"
    lines = [json.dumps(row | {f"note{CLIPBOARD}[/]": "x"}) for row in rows]
    (folder / "people.jsonl").write_text("\n".join(lines) + "\n")
    outcome = run_job(read_job([folder / "people.jsonl"]))
    write_outcome(outcome, folder / "people.duckdb")
    return folder


@pytest.fixture
def kb(made, onoma):
    Path("people.duckdb").write_bytes((made / "people.duckdb").read_bytes())
    Path("people.jsonl").write_bytes((made / "people.jsonl").read_bytes())
    return "people.duckdb"


@pytest.fixture(scope="module")
def entity(made):
    """The entity of the first record."""
    with read_knowledge_base(made / "people.duckdb") as base:
        return base.value("SELECT entity FROM memberships WHERE id = ?", [IDS[0]])


@pytest.mark.parametrize(
    "line",
    [
        "explain {kb} {entity}",
        "explain {kb} '{first}' '{second}'",
        "explain {kb} '{first}' '{second}' --json",
        "history {kb} {entity}",
        "history {kb} {entity} --json",
        "judge {kb} same '{first}' '{second}' --by '{first}'",
        "judge {kb} same '{first}' '{second}' --json",
        "show {kb} {entity} --most 3",
        "show {kb} {entity} --json",
    ],
)
@pytest.mark.parametrize(("first", "second"), [(IDS[0], IDS[1]), (IDS[3], IDS[4]), (IDS[2], IDS[5])])
def test_ids_come_out_as_they_are(onoma, kb, entity, line, first, second):
    ran = onoma(line.format(kb=kb, entity=entity, first=first, second=second))
    assert ran.code == 0, ran.err
    assert not {*ran.out, *ran.err} & {"\x1b", "\x07", "\x0b"}
    assert "🆔" not in ran.out and "😄" not in ran.out
    if "--json" in line:
        shown = json.dumps(ran.json)
        if "show" in line:
            assert {*IDS} <= {row["id"] for each in ran.json["entities"] for row in each["records"]}, shown


def test_a_record_is_found_by_a_hostile_id(onoma, kb, entity):
    found = onoma(f"show {kb} '{IDS[0]}' --json").json["entities"]
    assert entity in [each["entity"] for each in found if IDS[0] in [row["id"] for row in each["records"]]]


def test_columns_and_files_are_no_markup_either(onoma, kb):
    Path(f"x{CLIPBOARD}[bold].jsonl").write_bytes(Path("people.jsonl").read_bytes())
    ran = onoma(f"resolve 'x{CLIPBOARD}[bold].jsonl' -o '{CLIPBOARD}[bold].csv'")
    assert ran.code == 0, ran.err
    assert not {*ran.out, *ran.err} & {"\x1b", "\x07"}
    assert "\\x1b]52;c;eA==\\x07[bold].csv" in ran.out
    ran = onoma(f"evaluate 'no{CLIPBOARD}[bold].csv' y.csv")
    assert ran.code == 1 and "\\x1b]52" in ran.err and "\x1b" not in ran.err


@pytest.mark.parametrize("names", ["{entity}", f"'{IDS[3]}' '{IDS[4]}'", f"'{IDS[0]}' '{IDS[5]}'"])
def test_pictures_are_xml_of_a_sound_size(onoma, kb, entity, names):
    ran = onoma(f"explain {kb} {names.format(entity=entity)} --picture why.svg")
    assert ran.code == 0, ran.err
    root = ElementTree.fromstring(Path("why.svg").read_text("utf-8"))
    assert float(root.get("width").removesuffix("px")) < 2500
    assert not any(len(text) > 200 for text in root.itertext())


def test_json_is_the_same_value_for_any_terminal(capsys):
    from onoma.cli.console import Speaker

    value = {"a": "urn:id:1 \x9b31m \ud800 \u202e", "b": IDS}
    Speaker(json=True).answer(value)
    out = capsys.readouterr().out
    assert out.isprintable() or out.rstrip("\n").isprintable()
    assert json.loads(out) == value


def test_formulas_are_said_and_quoted_where_asked(onoma, tmp_path):
    armed = '=HYPERLINK("http://x")'
    write_table(pa.table({"id": ["1", "2", "3"], "name": [armed, armed, "Ada Bell"]}), tmp_path / "x.csv")
    assert onoma("resolve x.csv --model exact-match -o kb.duckdb").code == 0
    lines = {
        "resolve x.csv --model exact-match -o out.csv": "out.csv",
        "export kb.duckdb -f csv -o out": "out/records.csv",
    }
    for line, name in lines.items():
        for option, expected in (("", armed), (" --quote-formulas", f"'{armed}")):
            ran = onoma(line + option)
            assert ran.code == 0, ran.err
            assert expected in read_table(tmp_path / name, types="text").table["name"].to_pylist()
            assert "values begin as formulas of a spreadsheet do" in ran.err
