"""A knowledge base in Python: records come and go, people judge pairs, questions are answered."""

from pathlib import Path
from typing import Literal

import pyarrow as pa

from onoma.api.backing import Stored
from onoma.api.result import Result
from onoma.api.tables import Table, Tabular, as_columns, is_path, take, text_lines
from onoma.errors import DataError
from onoma.kb.commit import Update
from onoma.kb.database import is_knowledge_base, read_knowledge_base
from onoma.kb.explain import EntityExplanation, explain_entity
from onoma.kb.judge import Judgement, Said, judge
from onoma.kb.query import Count, count_entities, export, history, record_rows, show
from onoma.kb.report import run_lines
from onoma.kb.update import read_retractions, update_knowledge_base

__all__ = ["KnowledgeBase", "open_base"]


class KnowledgeBase:
    """A knowledge base: one file with records, entities whose ids stay, judgements and a history.

    Made by `onoma.open`. Each change is written whole or not at all, and several processes may read meanwhile.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.exists():
            raise DataError(
                "there is no such file", file=self.path, hint='Make one: onoma.resolve(table).save("people.duckdb").'
            )
        if not is_knowledge_base(self.path):
            raise DataError("is no knowledge base", file=self.path, hint='Make one: found.save("people.duckdb").')

    def add(self, table: Tabular, *, id: str | None = None) -> Update:
        """Add records; only what they touch is resolved again.

        Parameters
        ----------
        table
            New records, in any form that `onoma.resolve` takes. One whose id and content are there already is passed
            over; one whose id is there with other content takes its place.
        id
            The column of ids, if it is called otherwise than before.
        """
        if is_path(table):
            return update_knowledge_base(self.path, [Path(table)], id=id, command="onoma.open(…).add")
        taken = take(table).with_ids
        return update_knowledge_base(self.path, tables=[taken], id=id, command="onoma.open(…).add")

    def retract(self, records: Tabular) -> Update:
        """Take records away: a list of ids, or a table (or its file) with a column of them."""
        if is_path(records):
            gone = read_retractions(Path(records))
        else:
            ids = as_columns(records)
            column = pa.array(map(str, ids), pa.string()) if ids is not None else take(records).with_ids["id"]
            gone = pa.table({"id": column.cast(pa.string()), "source": pa.nulls(len(column), pa.string())})
        return update_knowledge_base(self.path, retract=gone, command="onoma.open(…).retract")

    def judge(
        self, a: str, b: str, kind: Literal["same", "different"], *, weight: float | None = None, by: str = ""
    ) -> tuple[list[Judgement], Update]:
        """Say that two records (id, or source:id) are the same or different; `weight` in bits, None: it holds."""
        return judge(self.path, [Said(kind, a, b, weight)], by=by, command="onoma.open(…).judge")

    def result(self) -> Result:
        """Return who is who now, as a result: `.to_pandas()`, `.pairs()`, `.explain(a, b)`…"""
        return Result(Stored(self.path))

    @property
    def entities(self) -> Table:
        """One row for each entity."""
        return self.query("FROM entity_current")

    def find(self, name: str, *, most: int = 10) -> Table:
        """Return the entities most alike to a name, spelt roughly right: entity, size, score, and their values."""
        with read_knowledge_base(self.path) as base:
            found = show(base, name, most=most)
        rows = [{"entity": each.entity, "size": each.size, "score": each.score, **each.shown} for each in found]
        return Table(take(rows).table)

    def records(self, entity: str) -> Table:
        """Return the records of an entity as they came."""
        with read_knowledge_base(self.path) as base:
            return Table(take(record_rows(base, entity)).table)

    def explain(self, entity: str) -> EntityExplanation:
        """Say what holds an entity together and what it hangs on; two records are explained by `.result()`."""
        with read_knowledge_base(self.path) as base:
            return explain_entity(base, entity)

    def history(self, entity: str) -> Table:
        """Return the life of an entity: when it was created, joined, merged, split, and why."""
        with read_knowledge_base(self.path) as base:
            return Table(take([each._asdict() for each in history(base, entity)]).table)

    def count(self, where: str | None = None) -> Count:
        """Count entities, with an interval; `where` is an SQL condition on the columns of a record."""
        with read_knowledge_base(self.path) as base:
            return count_entities(base, where=where)

    def query(self, sql: str) -> Table:
        """Ask in SQL: tables records, memberships, entities, pairs, judgements, changes, runs (see docs/living.md)."""
        with read_knowledge_base(self.path) as base:
            return Table(base.query(sql))

    def export(self, folder: str | Path, kind: str = "parquet") -> list[Path]:
        """Export the records with their entities, and the entities: parquet, csv, jsonl or ntriples."""
        with read_knowledge_base(self.path) as base:
            return export(base, Path(folder), kind)

    def __repr__(self) -> str:
        with read_knowledge_base(self.path) as base:
            runs = run_lines(base)
            n, entities = base.rows("SELECT count(*), count(DISTINCT entity) FROM memberships")[0]
            some = base.query("FROM entities LIMIT 4")
        told = f"{self.path.name}: {n:,} records, {entities:,} entities, {len(runs):,} runs"
        more = ".add(table) .find(name) .explain(entity) .history(entity) .judge(a, b, kind) .result() .query(sql)"
        return "\n".join([told, "", *text_lines(some, 4), "", more])


def open_base(path: str | Path) -> KnowledgeBase:
    """Open a knowledge base: to add records, judge pairs, look entities up."""
    return KnowledgeBase(path)
