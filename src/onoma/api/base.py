"""A knowledge base in Python: records come and go, people judge pairs, questions are answered."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeGuard, overload

import pyarrow as pa

from onoma.api.backing import Stored
from onoma.api.result import Result
from onoma.api.tables import Table, Tabular, as_columns, is_path, take, text_lines
from onoma.errors import DataError
from onoma.kb.commit import Update
from onoma.kb.database import is_knowledge_base, read_knowledge_base
from onoma.kb.explain import EntityExplanation, explain_entity
from onoma.kb.exports.write import export
from onoma.kb.judge import Judgement, Said, judge
from onoma.kb.lookup.find import Finding
from onoma.kb.lookup.live import Added, Live
from onoma.kb.query import Count, count_entities, history, record_rows, show
from onoma.kb.report import run_lines
from onoma.kb.texts import is_from_text
from onoma.kb.update import read_retractions, update_knowledge_base

__all__ = ["KnowledgeBase", "open_base"]

_FOUND = pa.schema(
    [
        ("row", pa.int64()),
        ("entity", pa.string()),
        ("probability", pa.float64()),
        ("size", pa.int64()),
        ("record", pa.string()),
        ("bits", pa.float64()),
        ("reason", pa.string()),
    ]
)


class KnowledgeBase:
    """A knowledge base: one file with records, entities whose ids stay, judgements and a history.

    Made by `onoma.open`. Each change is written whole or not at all, and several processes may read meanwhile.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._live = Live(self.path)
        if not self.path.exists():
            raise DataError(
                "there is no such file", file=self.path, hint='Make one: onoma.resolve(table).save("people.duckdb").'
            )
        if not is_knowledge_base(self.path):
            raise DataError("is no knowledge base", file=self.path, hint='Make one: found.save("people.duckdb").')

    @overload
    def add(self, table: Mapping[str, str | float | None], *, id: str | None = None) -> Added: ...
    @overload
    def add(self, table: Tabular, *, id: str | None = None) -> Update: ...
    def add(self, table: Tabular, *, id: str | None = None) -> Update | Added:
        """Add records; only what they touch is resolved again.

        One record, a mapping of columns to single values, is added in one transaction at once, and comes back with its
        entity (`Added`).

        Parameters
        ----------
        table
            New records, in any form that `onoma.resolve` takes. One whose id and content are there already is passed
            over; one whose id is there with other content takes its place.
        id
            The column of ids, if it is called otherwise than before.
        """
        if is_record(table):
            record = dict(table) if id is None else {("id" if name == id else name): table[name] for name in table}
            return self._live.add(record, command="onoma.open(…).add")
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

    @overload
    def find(self, record: str, *, most: int = 10) -> Table: ...
    @overload
    def find(self, record: Mapping[str, object], *, most: int = 10) -> Finding: ...
    def find(self, record: str | Mapping[str, object], *, most: int = 10) -> Table | Finding:
        """Say which entities a record may be, nothing added; or find entities by name.

        Parameters
        ----------
        record
            Columns and their values, `{"name": "Jon Smith", "city": "Leeds"}`: the entities it may be with their
            probabilities, a reason, and the probability that it is none of them (`nil`). Or a name, spelt roughly
            right: a table of the entities most alike.
        most
            How many entities at most.
        """
        if not isinstance(record, str):
            if self._is_from_text:
                from onoma.pipeline.linking import find_mention  # of texts alone

                return find_mention(self.path, record, most=most)
            return self._live.find(record, most=most)
        return self._named(record, most)

    @cached_property
    def _is_from_text(self) -> bool:
        with read_knowledge_base(self.path) as base:
            return is_from_text(base)

    def find_many(self, table: Tabular, *, most: int = 5) -> Table:
        """Say of each row of a table which entities it may be, each row asked alone and nothing added.

        One row for each candidate: `row` (counted from 0), `entity` (missing for NIL), `probability`, `size`, `record`,
        `bits`, `reason`. The rows of one record add up to one, as far as `most` lets them.
        """
        found = self._live.find_many(take(table).table, most=most)
        return Table(pa.Table.from_pylist([row for i, each in enumerate(found) for row in _rows(i, each)], _FOUND))

    def _named(self, name: str, most: int) -> Table:
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
        """Export the records with their entities, and the entities: parquet, csv, jsonl, sssom… (`onoma export`)."""
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


def is_record(given: object) -> TypeGuard[Mapping[str, str | float | None]]:
    """Say whether this is one record: names of columns, and a single value for each."""
    if not isinstance(given, Mapping):
        return False
    return all(value is None or isinstance(value, str | int | float) for value in given.values())


def _rows(i: int, found: Finding) -> list[dict[str, object]]:
    """Return the candidates of a record as rows, and that it is none."""
    rows = [{name: value for name, value in each.as_dict().items() if name != "fields"} for each in found.candidates]
    return [{"row": i} | row for row in rows] + [{"row": i, "probability": found.nil}]


def open_base(path: str | Path) -> KnowledgeBase:
    """Open a knowledge base: to add records, judge pairs, look entities up."""
    return KnowledgeBase(path)
