"""The trees of a knowledge base that the hierarchical model has made."""

from onoma.kb.database import KnowledgeBase
from onoma.kb.world import find_entity
from onoma.resolve.report.entity_tree import EntityTree, read_tree

__all__ = ["entity_tree", "has_trees"]

_ROWS = """
WITH RECURSIVE above AS (
    SELECT n.* FROM nodes n JOIN memberships m ON n.record = m.record WHERE m.entity = ?
    UNION SELECT n.* FROM nodes n JOIN above ON n.node = above.parent)
SELECT a.node, a.parent, a.size, a.name, a.words,
    CASE WHEN a.record IS NULL THEN NULL WHEN m.source = '' THEN m.id ELSE m.source || ':' || m.id END
FROM above a LEFT JOIN memberships m ON a.record = m.record ORDER BY a.record, a.node
"""


def has_trees(base: KnowledgeBase) -> bool:
    """Return whether entities are trees."""
    return bool(base.value("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'nodes'"))


def entity_tree(base: KnowledgeBase, name: str) -> EntityTree:
    """Return the tree of an entity."""
    names = ("node", "parent", "size", "name", "words", "record")
    rows = [dict(zip(names, row, strict=True)) for row in base.rows(_ROWS, [find_entity(base, name)])]
    tops = [row for row in rows if row["parent"] is None]
    if len(tops) > 1:  # judgements have joined what the model grew apart
        size = sum(row["record"] is not None for row in rows)
        joined = {"node": -1, "parent": None, "size": size, "name": tops[0]["name"], "words": "", "record": None}
        rows = [joined, *(row | {"parent": -1} if row["parent"] is None else row for row in rows)]
    return read_tree(rows)
