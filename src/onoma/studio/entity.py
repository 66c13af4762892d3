"""An entity: its records side by side, its canonical values and why, what nearly belongs; and a pair of records."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from onoma.kb.database import KnowledgeBase, quoted
from onoma.kb.explain import PairExplanation
from onoma.kb.query import record_rows
from onoma.kb.texts import explain_text_entity, is_from_text
from onoma.kb.trees import entity_tree, has_trees
from onoma.kb.world import find_entity, find_record_keys, record_table
from onoma.resolve.models.phylogeny.lineage import known_tree
from onoma.studio.charts import waterfall
from onoma.studio.naming import about_columns, entity_labels, label_of, naming_columns, record_name

__all__ = ["entity_page", "judged_before", "lineage_of", "neighbours", "pair_page", "side_by_side"]

_MOST = 300
"""Records of an entity that are shown."""
_NEAR = 12
_NAMES = 60
"""Different names of an entity up to which it is said which descends from which."""


def entity_page(base: KnowledgeBase, name: str) -> dict[str, Any]:
    """Return what the page of an entity shows."""
    entity = find_entity(base, name)
    rows = base.rows(
        "SELECT record, source, id, probability FROM memberships WHERE entity = ? ORDER BY record LIMIT ?",
        [entity, _MOST],
    )
    size = int(base.value("SELECT count(*) FROM memberships WHERE entity = ?", [entity]))
    table = record_table(base, [int(row[0]) for row in rows]).to_pylist()
    canonical = base.query("SELECT * FROM entities WHERE entity = ?", [entity]).to_pylist()
    columns = [each for each in about_columns(base) if any(_is_there(row.get(each[0])) for row in table)]
    golden = _golden(columns, canonical[0] if canonical else {}, table)
    common = {each["column"]: each["value"] for each in golden}
    records = [
        {
            "name": record_name(source, key),
            "probability": float(p),
            "cells": [_cell(row.get(column), common.get(column), column == "id") for column, _, _ in columns],
        }
        for (_, source, key, p), row in zip(rows, table, strict=True)
    ]
    is_text = is_from_text(base)
    return {
        "entity": entity,
        "asked": name,
        "label": entity_labels(base, [entity]).get(entity, entity),
        "size": size,
        "least": min((float(p) for _, _, _, p in rows), default=None),
        "columns": [(column, kind) for column, _, kind in columns],
        "records": records,
        "is_cut": size > len(records),
        "golden": golden,
        "aliases": [str(alias) for (alias,) in base.rows("SELECT alias FROM aliases WHERE entity = ?", [entity])],
        "tree": entity_tree(base, entity) if has_trees(base) else None,
        "text": explain_text_entity(base, entity) if is_text else None,
    }


def _golden(
    columns: Sequence[tuple[str, str, str]], canonical: Mapping[str, Any], table: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the canonical value of each column, how many records have it, and what the others have."""
    found = []
    for column, stored, kind in columns:
        if column == "id" or stored not in canonical or not _is_there(canonical[stored]):
            continue
        value = str(canonical[stored])
        counts = Counter(str(row[column]) for row in table if _is_there(row.get(column)))
        support = counts.pop(value, 0)
        found.append(
            {
                "column": column,
                "kind": kind,
                "value": value,
                "support": support,
                "known": support + sum(counts.values()),
                "others": counts.most_common(4),
            }
        )
    return found


def _cell(value: object, common: str | None, is_id: bool) -> dict[str, object]:  # noqa: FBT001 (a small helper)
    text = str(value) if _is_there(value) else ""
    state = "id" if is_id else "missing" if not text else "other" if common is not None and text != common else "same"
    return {"value": text, "state": state}


def _is_there(value: object) -> bool:
    return value is not None and value != ""


def lineage_of(base: KnowledgeBase, name: str) -> dict[str, Any]:
    """Return which name of an entity descends from which, and what was done to it on the way."""
    entity = find_entity(base, name)
    naming = naming_columns(base)
    columns = [column for column, stored, _ in about_columns(base) if stored in naming]
    written = (" ".join(str(row[c]) for c in columns if _is_there(row.get(c))) for row in record_rows(base, entity))
    names = [name for name in written if name]
    n_names = len(set(names))
    if not 0 < n_names <= _NAMES:
        return {"root": None, "n_names": n_names}
    tree = known_tree(names)
    children: dict[int, list[int]] = {}
    for i, parent in enumerate(tree.parents):
        children.setdefault(parent, []).append(i)

    def told(i: int) -> dict[str, Any]:
        times = 1 if tree.counts is None else tree.counts[i]
        below = [told(child) for child in children.get(i, ())]
        return {"name": tree.names[i], "edit": tree.edit(i), "times": times, "below": below}

    return {"root": [told(i) for i in children.get(-1, ())], "n_names": n_names}


def neighbours(base: KnowledgeBase, entity: str, *, most: int = _NEAR) -> list[dict[str, Any]]:
    """Return the entities that nearly belong: those with a record most probably together with one of its records."""
    return base.query(
        f"""WITH mine AS (SELECT record, source, id FROM memberships WHERE entity = $1),
        near AS (
            SELECT e.a AS inside, e.b AS outside, e.probability FROM edges e JOIN mine ON mine.record = e.a
            UNION ALL SELECT e.b, e.a, e.probability FROM edges e JOIN mine ON mine.record = e.b)
        SELECT m.entity, max(n.probability)::DOUBLE AS probability, any_value(x.size) AS size,
            any_value({label_of(base, "x")}) AS label,
            arg_max(i.source, n.probability) AS a_source, arg_max(i.id, n.probability) AS a,
            arg_max(m.source, n.probability) AS b_source, arg_max(m.id, n.probability) AS b
        FROM near n JOIN memberships m ON m.record = n.outside JOIN memberships i ON i.record = n.inside
        JOIN entities x ON x.entity = m.entity
        WHERE m.entity <> $1 GROUP BY m.entity HAVING max(n.probability) >= 0.0005
        ORDER BY probability DESC, m.entity LIMIT $2""",  # noqa: S608 (names that are quoted)
        [entity, most],
    ).to_pylist()


def side_by_side(base: KnowledgeBase, pairs: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return pairs of records with their values beside each other, and the entities they are in."""
    keys = find_record_keys(base, [name for pair in pairs for name in pair])
    numbers = sorted({number for number, _, _ in keys.values()})
    values = dict(zip(numbers, record_table(base, numbers).to_pylist(), strict=True))
    here, tables = base.among("record", np.array(numbers, dtype=np.int64))
    rows = base.query(f"SELECT record, entity FROM memberships WHERE {here}", None, tables).to_pylist()  # noqa: S608
    entity = {row["record"]: row["entity"] for row in rows}
    columns = about_columns(base)
    found = []
    for a, b in pairs:
        one, other = (values[keys[name][0]] for name in (a, b))
        about = {"a": a, "b": b, "a_entity": entity[keys[a][0]], "b_entity": entity[keys[b][0]]}
        found.append(about | {"fields": _fields(columns, one, other)})
    return found


def _fields(
    columns: Sequence[tuple[str, str, str]], one: Mapping[str, Any], other: Mapping[str, Any]
) -> list[dict[str, str]]:
    """Return the values of two records in the columns that are compared, or in all."""
    is_compared = any(kind for _, _, kind in columns)
    found = []
    for column, _, kind in columns:
        a, b = _text(one[column]), _text(other[column])
        if column != "id" and (kind or not is_compared) and (a or b):
            found.append({"column": column, "kind": kind, "a": a, "b": b, "state": _state(a, b)})
    return found


def _text(value: object) -> str:
    return str(value) if _is_there(value) else ""


def _state(one: str, other: str) -> str:
    if not one or not other:
        return "missing"
    return "same" if one.casefold() == other.casefold() else "other"


def judged_before(base: KnowledgeBase, pairs: Sequence[tuple[str, str]]) -> dict[frozenset[str], str]:
    """Return what was said of pairs before, those judgements that were taken back included."""
    rows = base.rows(
        """SELECT judgement, kind, a_source, a, b_source, b, "by", retracted IS NOT NULL FROM judgements
        ORDER BY judgement"""
    )
    wanted = {frozenset(pair) for pair in pairs}
    found = {}
    for number, kind, a_source, a, b_source, b, by, is_retracted in rows:
        key = frozenset((record_name(a_source, a), record_name(b_source, b)))
        if key in wanted:
            who = f" by {by}" if by else ""
            found[key] = f"judgement {number}: {kind}{who}{', taken back' if is_retracted else ''}"
    return found


def pair_page(base: KnowledgeBase, why: PairExplanation) -> dict[str, Any]:
    """Return what the page of a pair shows."""
    steps = [step._asdict() for step in why.pair.steps]
    weights = {
        (row["field"], row["level"]): row
        for row in base.query("SELECT field, level, copied, strangers, bits FROM weights").to_pylist()
    }
    stored = {name: column for name, column, _ in about_columns(base)}
    for step in steps:
        step["weight"] = weights.get((step["field"], step["level"]))
        step["shared_by"] = _shared_by(base, stored, step)
    drops, nought = waterfall(steps)
    pair = side_by_side(base, [(why.a, why.b)])[0]
    said = judged_before(base, [(why.a, why.b)])
    return pair | {
        "drops": drops,
        "nought": nought,
        "bits": why.pair.bits,
        "alone": why.pair.probability,
        "posterior": why.posterior,
        "path": why.path,
        "judgements": why.judgements,
        "before": said.get(frozenset((why.a, why.b)), ""),
    }


def _shared_by(base: KnowledgeBase, stored: Mapping[str, str], step: Mapping[str, Any]) -> int | None:
    """Return how many records have the value that two records share."""
    column = stored.get(step["field"])
    if column is None or not step["a"] or step["a"] != step["b"]:
        return None
    sql = f"SELECT count(*) FROM records WHERE onoma_retracted IS NULL AND lower({quoted(column)}::VARCHAR) = lower(?)"  # noqa: S608
    return int(base.value(sql, [step["a"]]))
