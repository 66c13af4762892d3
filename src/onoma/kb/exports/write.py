"""A knowledge base as files for others: tables, triples, mappings, graphs."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa

from onoma.corpus.formats import write_table
from onoma.corpus.writers.delimited import flat, write_csv
from onoma.corpus.writers.files import open_output
from onoma.corpus.writers.folders import folder_for
from onoma.errors import SettingsError
from onoma.kb.database import KnowledgeBase, quoted
from onoma.kb.exports.entities import follow_the_money
from onoma.kb.exports.links import graphml, same_as, sssom, triples

__all__ = ["EXPORTS", "export", "exported_files", "flat"]

_LINES: dict[str, Callable[[KnowledgeBase], Iterator[str]]] = {
    "ntriples": triples,
    "sameas": same_as,
    "sssom": sssom,
    "graphml": graphml,
    "ftm": follow_the_money,
}
"""Formats of one text file, and the lines of each."""
_TABLES = ("parquet", "csv", "jsonl")
EXPORTS = (*_TABLES, *_LINES, "openrefine")


def export(base: KnowledgeBase, target: Path, kind: str) -> list[Path]:
    """Export current records with their entities, and the entities; return what was written.

    `parquet`, `csv` and `jsonl` write two tables into a folder, records and entities. The others write one file:
    `ntriples` all values as triples, `sameas` who is who as owl:sameAs, `sssom` pairs with their probabilities,
    `graphml` a graph of records and pairs, `ftm` the entities for FollowTheMoney, `openrefine` the records as they
    came, each with its entity, as CSV.
    """
    if kind not in EXPORTS:
        raise SettingsError(f"there is no format {kind!r}", hint=f"The formats are {', '.join(EXPORTS)}.")
    if kind == "openrefine":
        write_csv(_with_entities(base), target)
        return [target]
    if kind in _LINES:
        with open_output(target) as file:
            for line in _LINES[kind](base):
                file.write(line.encode("utf-8"))
        return [target]
    records = base.query("SELECT * EXCLUDE (onoma_retracted) FROM record_current ORDER BY onoma_record")
    tables = {"records": records, "entities": base.query("FROM entity_current ORDER BY entity")}
    with folder_for(target) as folder:
        for name, table in tables.items():
            write_table(flat(table) if kind == "csv" else table, folder / f"{name}.{kind}")
    return [target / f"{name}.{kind}" for name in tables]


def exported_files(target: Path, kind: str) -> list[Path]:
    """Return every file that an export may write."""
    return [target, *(target / f"{name}.{kind}" for name in ("records", "entities"))]


def _with_entities(base: KnowledgeBase) -> pa.Table:
    """Return the records as they came, then their entity and its probability: names that are taken get a number."""
    names = base.rows("SELECT name, stored FROM columns")
    columns = ", ".join(f"r.{quoted(str(stored))}" for _, stored in names)
    found = base.query(
        f"SELECT {columns}, m.entity, m.probability FROM records r JOIN memberships m ON m.record = r.onoma_record "  # noqa: S608
        "ORDER BY r.onoma_record"
    )
    taken = [str(name) for name, _ in names]
    for name in ("entity", "probability"):
        options = (name, f"onoma_{name}", *(f"onoma_{name}_{i}" for i in range(2, 1000)))
        taken.append(next(each for each in options if each not in taken))
    return flat(found.rename_columns(taken))
