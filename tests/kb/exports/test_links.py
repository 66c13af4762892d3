"""Links between records that other tools read."""

import csv
import io
import xml.etree.ElementTree as ET

from onoma.kb.database import read_knowledge_base
from onoma.kb.judge import Said, judge


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
