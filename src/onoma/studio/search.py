"""Entities by what is typed, and by facets."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import pyarrow as pa

from onoma.errors import DataError
from onoma.kb.database import KnowledgeBase, quoted
from onoma.kb.lookup.words import WordIndex
from onoma.kb.world import find_entity
from onoma.studio.naming import OURS, about_columns, label_of

__all__ = ["Asked", "search"]

PAGE = 50
"""Entities of a page."""
_FOUND = 600
"""Records most alike to what was typed."""
_SIZES = {"1": (1, 1), "2": (2, 2), "3–5": (3, 5), "6–20": (6, 20), "21+": (21, None)}
_DOUBTS = {
    "certain": ("e.probability >= 0.99", "every record 99 % or more"),
    "likely": ("e.probability >= 0.9 AND e.probability < 0.99", "some record 90–99 %"),
    "in doubt": ("e.probability < 0.9", "some record below 90 %"),
}


@dataclass(frozen=True)
class Asked:
    """What somebody looks for."""

    q: str = ""
    source: str = ""
    size: str = ""
    doubt: str = ""
    kind: str = ""
    page: int = 1

    def link(self, **changed: object) -> str:
        """Return the address of the same question with something changed."""
        given = vars(replace(self, page=1)) | changed
        return "/search?" + urlencode(
            {name: value for name, value in given.items() if value and (name, value) != ("page", 1)}
        )


def search(base: KnowledgeBase, words: WordIndex, asked: Asked) -> dict[str, Any]:
    """Return a page of entities with their facets."""
    found = _found(base, words, asked.q) if asked.q.strip() else None
    tables = {} if found is None else {"found": found}
    source = "entities e" + ("" if found is None else " JOIN found USING (entity)")
    where = _where(base, asked)
    order = "found.score DESC, e.size DESC, e.entity" if found is not None else "e.size DESC, e.entity"
    if found is None and asked.doubt:
        order = "e.probability, e.entity"
    columns = _columns(base)
    shown = ", ".join(f"e.{quoted(stored)} AS {quoted(f'c{i}')}" for i, (_, stored) in enumerate(columns))
    sql = f"""SELECT e.entity, e.size, e.probability, {label_of(base)} AS label{"," if shown else ""} {shown}
        FROM {source} WHERE {where} ORDER BY {order} LIMIT {PAGE} OFFSET {PAGE * (asked.page - 1)}"""  # noqa: S608
    rows = base.query(sql, None, tables).to_pylist()
    total = base.query(f"SELECT count(*) AS n FROM {source} WHERE {where}", None, tables)["n"][0].as_py()  # noqa: S608
    return {
        "asked": asked,
        "columns": [name for name, _ in columns],
        "rows": [row | {"values": [row[f"c{i}"] for i in range(len(columns))]} for row in rows],
        "total": total,
        "pages": max(1, -(-total // PAGE)),
        "facets": _facets(base, source, tables, asked),
        "is_cut": found is not None and len(found) >= _FOUND,
    }


def _found(base: KnowledgeBase, words: WordIndex, text: str) -> pa.Table:
    """Return the entities of the records most alike to a text; one that has it for an id comes first."""
    hits = words.search(text, most=_FOUND)
    table = pa.table(
        {
            "record": pa.array([number for number, _ in hits], pa.int64()),
            "score": pa.array([s for _, s in hits], pa.float64()),
        }
    )
    found = base.query(
        "SELECT entity, max(score) AS score FROM memberships JOIN hits USING (record) GROUP BY entity",
        None,
        {"hits": table},
    )
    try:
        exact = find_entity(base, text.strip())
    except DataError:
        return found
    others = found.filter(pa.compute.not_equal(found["entity"], exact))
    return pa.concat_tables([pa.table({"entity": [exact], "score": [2.0]}), others.cast(found.schema)])


def _where(base: KnowledgeBase, asked: Asked, *, without: str = "") -> str:
    """Return the facets as SQL; everything that comes from outside is looked up among what is known, or quoted."""
    parts = ["true"]
    if asked.source and without != "source":
        parts.append(f"e.entity IN (SELECT entity FROM memberships WHERE source = {_text(asked.source)})")  # noqa: S608
    if asked.size and without != "size":
        low, _, high = asked.size.replace("–", "-").partition("-")
        if low.isdecimal():
            parts.append(f"e.size >= {int(low)}")
            is_single = "-" not in asked.size.replace("–", "-")
            parts += [f"e.size <= {int(high or low)}"] if high.isdecimal() or is_single else []
    if asked.doubt in _DOUBTS and without != "doubt":
        parts.append(_DOUBTS[asked.doubt][0])
    if asked.kind and without != "kind" and _has_kinds(base):
        parts.append(f"e.type = {_text(asked.kind)}")
    return " AND ".join(parts)


def _facets(base: KnowledgeBase, source: str, tables: dict[str, pa.Table], asked: Asked) -> list[dict[str, Any]]:
    """Return for each facet its values and how many entities each would leave."""

    def counted(expression: str, without: str) -> list[tuple[Any, ...]]:
        where = _where(base, asked, without=without)
        sql = f"SELECT {expression} FROM {source} WHERE {where}"  # noqa: S608
        return [tuple(row.values()) for row in base.query(sql, None, tables).to_pylist()]

    found = []
    cases = ", ".join(
        f"count(*) FILTER (e.size >= {low}{'' if high is None else f' AND e.size <= {high}'}) AS s{i}"
        for i, (low, high) in enumerate(_SIZES.values())
    )
    counts = counted(cases, "size")[0]
    values = [(f"{low}-{'' if high is None else high}", label) for label, (low, high) in _SIZES.items()]
    found.append(_facet("size", "Records", values, counts, asked))
    cases = ", ".join(f"count(*) FILTER ({sql}) AS d{i}" for i, (sql, _) in enumerate(_DOUBTS.values()))
    found.append(_facet("doubt", "How sure", [(name, name) for name in _DOUBTS], counted(cases, "doubt")[0], asked))
    sources = [str(name) for (name,) in base.rows("SELECT DISTINCT source FROM memberships ORDER BY 1 LIMIT 12")]
    if len(sources) > 1:
        rows = dict(_by_source(base, source, tables, _where(base, asked, without="source")))
        found.append(_facet("source", "Source", [(s, s) for s in sources], [rows.get(s, 0) for s in sources], asked))
    if _has_kinds(base):
        where = _where(base, asked, without="kind")
        sql = f"SELECT e.type, count(*) AS n FROM {source} WHERE {where} GROUP BY 1 ORDER BY 2 DESC LIMIT 12"  # noqa: S608
        rows_ = [(str(row["type"]), row["n"]) for row in base.query(sql, None, tables).to_pylist() if row["type"]]
        found.append(_facet("kind", "Kind", [(k, k) for k, _ in rows_], [n for _, n in rows_], asked))
    return found


def _by_source(base: KnowledgeBase, source: str, tables: dict[str, pa.Table], where: str) -> list[tuple[str, int]]:
    """Return how many entities have a record of each source."""
    sql = f"""SELECT m.source, count(DISTINCT m.entity) AS n FROM memberships m
        WHERE m.entity IN (SELECT e.entity FROM {source} WHERE {where}) GROUP BY 1"""  # noqa: S608
    return [(str(row["source"]), int(row["n"])) for row in base.query(sql, None, tables).to_pylist()]


def _facet(
    name: str, title: str, values: Sequence[tuple[str, str]], counts: Sequence[int], asked: Asked
) -> dict[str, Any]:
    chosen = getattr(asked, name)
    listed = [
        {
            "label": label,
            "n": n,
            "is_chosen": value == chosen,
            "link": asked.link(**{name: "" if value == chosen else value}),
        }
        for (value, label), n in zip(values, counts, strict=True)
        if n or value == chosen
    ]
    return {"name": name, "title": title, "values": listed}


def _columns(base: KnowledgeBase) -> list[tuple[str, str]]:
    """Return the columns that a table of entities shows: those that are compared, or all."""
    there = {str(name) for (name,) in base.rows("SELECT column_name FROM (DESCRIBE entities)")}
    columns = [each for each in about_columns(base) if each[1] in there and each[1] not in (*OURS, "id")]
    compared = [(name, stored) for name, stored, kind in columns if kind]
    return (compared or [(name, stored) for name, stored, _ in columns])[:8]


def _has_kinds(base: KnowledgeBase) -> bool:
    return base.meta("kind") == "text"


def _text(value: str) -> str:
    """Write a text as SQL does."""
    return "'" + value.replace("'", "''") + "'"
