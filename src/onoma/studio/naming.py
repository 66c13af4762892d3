"""What people know an entity or a record by: names, not numbers."""

from collections.abc import Sequence

from onoma.kb.database import KnowledgeBase, quoted

__all__ = ["about_columns", "entity_labels", "label_of", "naming_columns", "record_name"]

OURS = ("entity", "size", "probability", "record")
"""Columns of `entities` that are not of the data."""
_NAMING = ("person", "organisation", "name", "text", "place")
"""Kinds of fields that name things, the best first."""
_MOST = 3
"""Values that stand for an entity."""


def about_columns(base: KnowledgeBase) -> list[tuple[str, str, str]]:
    """Return the columns of the data in order: the name, what it is stored as, and the kind of its field or nothing."""
    kinds = dict(base.rows('SELECT "column", kind FROM fields WHERE kind <> ?', ["ignored"]))
    rows = base.rows("SELECT name, stored FROM columns")
    return [(str(name), str(stored), str(kinds.get(name) or "")) for name, stored in rows]


def naming_columns(base: KnowledgeBase) -> list[str]:
    """Return the stored columns by which entities are called."""
    there = {str(name) for (name,) in base.rows("SELECT column_name FROM (DESCRIBE entities)")}
    columns = [(name, stored, kind) for name, stored, kind in about_columns(base) if stored in there]
    for wanted in _NAMING:
        found = [stored for _, stored, kind in columns if kind == wanted]
        if found:
            return found[:_MOST]
    return [stored for _, stored, _ in columns if stored not in OURS][:_MOST] or ["entity"]


def label_of(base: KnowledgeBase, prefix: str = "e") -> str:
    """Return SQL for the name of an entity."""
    parts = ", ".join(f"nullif({prefix}.{quoted(name)}::VARCHAR, '')" for name in naming_columns(base))
    return f"coalesce(nullif(concat_ws(' ', {parts}), ''), {prefix}.entity)"


def entity_labels(base: KnowledgeBase, entities: Sequence[str]) -> dict[str, str]:
    """Return the names of some entities."""
    rows = base.rows(
        f"SELECT e.entity, {label_of(base)} FROM entities e WHERE list_contains(?, e.entity)",  # noqa: S608
        [list(entities)],
    )
    return {str(entity): str(label) for entity, label in rows}


def record_name(source: object, key: object) -> str:
    """Return how a record is named: by its id, with its source if there are several."""
    return f"{source}:{key}" if source else str(key)
