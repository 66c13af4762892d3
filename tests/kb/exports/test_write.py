"""Exports that other tools read."""

import csv
import io
import json
import xml.etree.ElementTree as ET

import pytest

from onoma.kb.database import read_knowledge_base
from onoma.kb.exports.write import EXPORTS, export
from onoma.kb.judge import Said, judge


@pytest.fixture
def written(kb, tmp_path):
    """Write a knowledge base in a format; return the text, and who is who."""

    def write(kind):
        with read_knowledge_base(kb) as base:
            (path,) = export(base, tmp_path / "out", kind)
            who = dict(base.rows("SELECT id, entity FROM memberships"))
        return path.read_text("utf-8"), who

    return write


def test_mappings_say_who_is_who_and_how_probably(kb, written):
    with read_knowledge_base(kb) as base:
        a, b = base.rows("SELECT a, b FROM pairs WHERE probability > 0.9 LIMIT 1")[0]
        c = base.value("SELECT id FROM memberships WHERE entity <> (SELECT entity FROM memberships WHERE id = ?)", [a])
    judge(kb, [Said("same", a, b), Said("different", a, c)])
    text, who = written("sssom")
    lines = text.splitlines()
    header = [line for line in lines if line.startswith("#")]
    assert "#curie_map:" in header and any(line.startswith("#mapping_set_id") for line in header)
    rows = list(csv.DictReader(io.StringIO("\n".join(lines[len(header) :])), delimiter="\t"))
    is_ = [row for row in rows if not row["predicate_modifier"]]
    ends = [[row[side].rpartition(":")[2] for side in ("subject_id", "object_id")] for row in is_]
    assert all(who[one] == who[other] for one, other in ends)
    assert {key for pair in ends for key in pair} == {k for k in who if list(who.values()).count(who[k]) > 1}
    assert all(0 <= float(row["confidence"]) <= 1 for row in rows)
    curated = [e for e, row in zip(ends, is_, strict=True) if row["mapping_justification"].endswith("Curation")]
    assert [sorted(each) for each in curated] == [sorted((a, b))]
    not_ = [row for row in rows if row["predicate_modifier"] == "Not"]
    assert [(row["subject_id"], row["object_id"]) for row in not_] == [(f"onoma::{a}", f"onoma::{c}")]


def test_same_as(written):
    text, who = written("sameas")
    lines = text.splitlines()
    assert len(lines) == len(who)
    key, entity = next(iter(who.items()))
    same = "<http://www.w3.org/2002/07/owl#sameAs>"
    assert f"<urn:onoma:record::{key}> {same} <urn:onoma:entity:{entity}> ." in lines


def test_a_graph_has_a_node_for_each_record(written):
    text, who = written("graphml")
    space = "{http://graphml.graphdrawing.org/xmlns}"
    graph = ET.fromstring(text).find(f"{space}graph")
    nodes = {node.get("id") for node in graph.iter(f"{space}node")}
    assert len(nodes) == len(who)
    edges = list(graph.iter(f"{space}edge"))
    assert edges and all({edge.get("source"), edge.get("target")} <= nodes for edge in edges)


def test_entities_for_investigators(written):
    text, who = written("ftm")
    found = [json.loads(line) for line in text.splitlines()]
    assert {each["id"] for each in found} == {*who.values()}
    assert {key: each["id"] for each in found for key in each["referents"]} == who
    assert all(each["schema"] == "Person" for each in found)
    named = [each["properties"]["name"][0] for each in found if "name" in each["properties"]]
    assert len(named) > 0.9 * len(found)


def test_records_for_openrefine_are_as_they_came(crowd, written):
    text, who = written("openrefine")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [*rows[0]][-2:] == ["entity", "probability"]
    assert {row["id"]: row["entity"] for row in rows} == who
    assert rows[0]["surname"] == (crowd["surname"][0].as_py() or "")


def test_every_format_writes_something(kb, tmp_path):
    with read_knowledge_base(kb) as base:
        for kind in EXPORTS:
            assert all(path.stat().st_size for path in export(base, tmp_path / kind, kind))
