"""Who is who as links between records: triples, owl:sameAs, SSSOM mappings, GraphML."""

import importlib.metadata
import io
import json
from collections.abc import Iterator
from urllib.parse import quote
from xml.sax.saxutils import XMLGenerator
from xml.sax.xmlreader import AttributesImpl

from onoma.kb.database import KnowledgeBase

__all__ = ["graphml", "same_as", "sssom", "triples"]

_SAME = "<http://www.w3.org/2002/07/owl#sameAs>"
_LINKS = """
WITH linked AS (
    SELECT e.a, e.b, e.probability::DOUBLE AS probability FROM edges e
    JOIN memberships one ON one.record = e.a JOIN memberships other ON other.record = e.b
    WHERE one.entity = other.entity
), firsts AS (
    SELECT m.record, m.probability, first_value(m.record) OVER w AS first, first_value(m.probability) OVER w AS p
    FROM memberships m WINDOW w AS (PARTITION BY m.entity ORDER BY m.record)
), every AS (
    FROM linked
    UNION ALL SELECT first, record, least(probability, p) FROM firsts f WHERE first <> record
        AND NOT EXISTS (FROM linked WHERE linked.a IN (f.record, f.first) AND linked.b IN (f.record, f.first))
)
SELECT one.source, one.id, other.source, other.id, every.probability, j.judgement IS NOT NULL
FROM every JOIN memberships one ON one.record = every.a JOIN memberships other ON other.record = every.b
LEFT JOIN judgement_current j ON j.kind = 'same' AND
    (j.a_source, j.a, j.b_source, j.b) IN
    ((one.source, one.id, other.source, other.id), (other.source, other.id, one.source, one.id))
ORDER BY every.a, every.b
"""
"""The pairs of one entity: those that were weighed, and each record with the first of its entity where it was not."""


def record_name(source: str, key: str) -> str:
    """Return a name of a record that is one of its kind anywhere."""
    return f"urn:onoma:record:{quote(source, safe='')}:{quote(key, safe='')}"


def _entity_name(entity: str) -> str:
    return f"urn:onoma:entity:{quote(entity, safe='')}"


def triples(base: KnowledgeBase) -> Iterator[str]:
    """Yield lines: each record's values, and which entity it is about; aliases are the same as what they became."""
    for row in base.query("SELECT * EXCLUDE (onoma_retracted) FROM record_current ORDER BY onoma_record").to_pylist():
        record = f"<{record_name(str(row['onoma_source']), str(row['id']))}>"
        yield f"{record} <urn:onoma:entity> <{_entity_name(row['entity'])}> .\n"
        skip = ("entity", "id", "onoma_record", "onoma_source", "onoma_content", "onoma_added")
        for name, value in row.items():
            if name not in skip and value is not None:
                yield f"{record} <urn:onoma:field:{quote(name, safe='')}> {_literal(value)} .\n"
    yield from _aliases(base)


def _aliases(base: KnowledgeBase) -> Iterator[str]:
    for alias, entity in base.rows("SELECT alias, entity FROM aliases ORDER BY run, alias"):
        yield f"<{_entity_name(alias)}> {_SAME} <{_entity_name(entity)}> .\n"


def _literal(value: object) -> str:
    """Write a value as N-Triples does."""
    text = value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'


def same_as(base: KnowledgeBase) -> Iterator[str]:
    """Yield that each record is the same as its entity, and so are former ids of it."""
    for source, key, entity in base.rows("SELECT source, id, entity FROM memberships ORDER BY record"):
        yield f"<{record_name(source, key)}> {_SAME} <{_entity_name(entity)}> .\n"
    yield from _aliases(base)


_SSSOM = (
    "subject_id",
    "predicate_id",
    "predicate_modifier",
    "object_id",
    "mapping_justification",
    "subject_source",
    "object_source",
    "confidence",
    "comment",
)


def sssom(base: KnowledgeBase) -> Iterator[str]:
    """Yield the lines of an SSSOM file: pairs of one entity, with the probability of each as confidence.

    What people judged the same is curated by hand; what they judged different is a mapping that is not.
    """
    version = importlib.metadata.version("onoma")
    yield from (
        "#curie_map:\n",
        '#  onoma: "urn:onoma:record:"\n',
        '#  skos: "http://www.w3.org/2004/02/skos/core#"\n',
        '#  semapv: "https://w3id.org/semapv/vocab/"\n',
        f'#mapping_set_id: "urn:onoma:mappings:{quote(base.path.name, safe="")}"\n',
        '#license: "https://w3id.org/sssom/license/unspecified"\n',
        "#mapping_tool: onoma\n",
        f'#mapping_tool_version: "{version}"\n',
        "\t".join(_SSSOM) + "\n",
    )
    for a_source, a, b_source, b, probability, judged in base.rows(_LINKS):
        why = "semapv:ManualMappingCuration" if judged else "semapv:CompositeMatching"
        yield _mapping((a_source, a), (b_source, b), "", why, f"{probability:.4f}")
    different = "SELECT a_source, a, b_source, b FROM judgement_current WHERE kind = 'different' ORDER BY judgement"
    for a_source, a, b_source, b in base.rows(different):
        yield _mapping((a_source, a), (b_source, b), "Not", "semapv:ManualMappingCuration", "1.0000")


def _mapping(one: tuple[str, str], other: tuple[str, str], modifier: str, why: str, confidence: str) -> str:
    names = [f"onoma:{record_name(*each).removeprefix('urn:onoma:record:')}" for each in (one, other)]
    sources = [quote(each[0], safe=" ") for each in (one, other)]
    return "\t".join([names[0], "skos:exactMatch", modifier, names[1], why, *sources, confidence, ""]) + "\n"


def graphml(base: KnowledgeBase) -> Iterator[str]:
    """Yield a graph: a node for each record, with its entity and values, an edge for each pair with its probability."""
    out = io.StringIO()
    xml = XMLGenerator(out, encoding="utf-8")
    xml.startDocument()
    xml.startElement("graphml", AttributesImpl({"xmlns": "http://graphml.graphdrawing.org/xmlns"}))
    columns = [(str(name), str(stored)) for name, stored in base.rows("SELECT name, stored FROM columns")]
    keys = [("entity", "node", "string"), ("certainty", "node", "double"), *((n, "node", "string") for n, _ in columns)]
    for at, (name, what, kind) in enumerate([*keys, ("probability", "edge", "double"), ("one", "edge", "boolean")]):
        about = {"id": f"d{at}", "for": what, "attr.name": name, "attr.type": kind}
        xml.startElement("key", AttributesImpl(about))
        xml.endElement("key")
    xml.startElement("graph", AttributesImpl({"edgedefault": "undirected"}))
    yield _taken(out)
    rows = base.query("SELECT * FROM record_current ORDER BY onoma_record")
    for row in rows.to_pylist():
        xml.startElement("node", AttributesImpl({"id": f"r{row['onoma_record']}"}))
        values = [row["entity"], row["probability"], *(row.get(stored) for _, stored in columns)]
        _data(xml, values, 0)
        xml.endElement("node")
        yield _taken(out)
    pairs = """SELECT e.a, e.b, e.probability, one.entity = other.entity FROM edges e
        JOIN memberships one ON one.record = e.a JOIN memberships other ON other.record = e.b
        WHERE e.probability >= 0.01 ORDER BY e.a, e.b"""
    for a, b, probability, is_one in base.rows(pairs):
        xml.startElement("edge", AttributesImpl({"source": f"r{a}", "target": f"r{b}"}))
        _data(xml, [f"{probability:.4f}", "true" if is_one else "false"], len(keys))
        xml.endElement("edge")
        yield _taken(out)
    xml.endElement("graph")
    xml.endElement("graphml")
    yield _taken(out) + "\n"


def _data(xml: XMLGenerator, values: list[object], first: int) -> None:
    for at, value in enumerate(values):
        if value is not None:
            xml.startElement("data", AttributesImpl({"key": f"d{first + at}"}))
            xml.characters("".join(each for each in str(value) if each >= " " or each in "\t\n"))
            xml.endElement("data")


def _taken(out: io.StringIO) -> str:
    text = out.getvalue()
    out.seek(0)
    out.truncate()
    return text
