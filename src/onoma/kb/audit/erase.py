"""Erasure: a record, and every trace of its values, out of a knowledge base.

A record is retracted first, so that what it touched is drawn again without it. Then its row, its place in the past, the
values that nobody else has, with their features, examples and judgements, are deleted, and the file is written anew,
table by table: blocks that a database no longer uses keep their bytes, a new file has none of them. What remains is
that an
erasure happened: when, and how many records; no id.
"""

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from onoma.kb.audit.seals import seal_anew
from onoma.kb.commit import Update
from onoma.kb.database import KnowledgeBase, rewrite_knowledge_base
from onoma.kb.store import Run, note_run
from onoma.kb.update import update_in
from onoma.kb.world import find_record_key, record_table

__all__ = ["erase"]


def erase(path: Path, names: Sequence[str]) -> Update:
    """Take records, named by id or source:id, and every trace of their values out of a knowledge base."""
    begun = time.perf_counter()
    with rewrite_knowledge_base(path) as base:
        keys = [find_record_key(base, name) for name in dict.fromkeys(names)]
        gone = pa.table(
            {
                "id": pa.array([key for _, _, key in keys], pa.string()),
                "source": pa.array([source for _, source, _ in keys], pa.string()),
            }
        )
        values = record_table(base, [number for number, _, _ in keys]).drop_columns(["id"]).to_pylist()
        update = update_in(base, retract=gone, begun=begun)
        _forget_told(base, [str(value) for row in values for value in row.values() if value is not None])
        for number, source, key in keys:
            _forget(base, number, source, key)
        _forget_values(base)
        run = Run(update.run, "erase", "onoma erase", n_retracted=len(keys), n_touched=update.n_touched)
        base.change("DELETE FROM runs WHERE run = ?", [update.run])
        update.seconds = time.perf_counter() - begun
        note_run(base, run, update.seconds, {"rows": update.n_records, "entities": update.n_entities})
        seal_anew(base)
    return update


def _forget(base: KnowledgeBase, number: int, source: str, key: str) -> None:
    """Delete all rows about a record; earlier versions of it, under the same id, too."""
    same = "SELECT onoma_record FROM records WHERE id = ? AND onoma_source = ?"
    for table, column in (("samples", "record"), ("codes", "record"), ("former", "record")):
        if base.value("SELECT count(*) FROM duckdb_tables() WHERE table_name = ?", [table]):
            base.change(f"DELETE FROM {table} WHERE {column} IN ({same}) OR {column} = {int(number)}", [key, source])  # noqa: S608
    base.change(f"DELETE FROM edges WHERE a IN ({same}) OR b IN ({same})", [key, source, key, source])  # noqa: S608
    base.change("DELETE FROM records WHERE id = ? AND onoma_source = ?", [key, source])
    base.change("DELETE FROM judgements WHERE (a_source, a) = (?, ?) OR (b_source, b) = (?, ?)", [source, key] * 2)
    base.change("UPDATE changes SET source = NULL, id = NULL WHERE id = ? AND coalesce(source, '') = ?", [key, source])
    shown = f"{source}:{key}" if source else key
    base.change("UPDATE changes SET reason = 'erased' WHERE contains(reason, ?)", [shown])
    base.change("UPDATE runs SET command = NULL WHERE contains(coalesce(command, ''), ?)", [key])
    base.change("UPDATE aliases SET records = list_filter(records, lambda x: x <> ?)", [int(number)])
    for table in ("proposals", "rejects"):
        if base.value("SELECT count(*) FROM duckdb_tables() WHERE table_name = ?", [table]):
            where = "a IN (?, ?) OR b IN (?, ?)" if table == "proposals" else "true OR ? = ? OR ? = ?"
            base.change(f"DELETE FROM {table} WHERE {where}", [key, shown, key, shown])  # noqa: S608


def _forget_told(base: KnowledgeBase, values: Sequence[str]) -> None:
    """Take what is told of runs away where it repeats a value."""
    for value in {each for each in values if len(each) > 2}:
        for column in ("summary", "command", "settings"):
            base.change(f"UPDATE runs SET {column} = NULL WHERE contains(coalesce({column}, ''), ?)", [value])  # noqa: S608


def _forget_values(base: KnowledgeBase) -> None:
    """Take values that no record has any more out of the fields: their texts, examples and features.

    Codes stay as they are, since places in lists depend on them; an empty text stands where a value was. Rows of
    features that were kept together are written again without those of the values that are gone.
    """
    if not base.blob("memory"):
        return
    fields = [int(f) for (f,) in base.rows("SELECT DISTINCT field FROM field_values ORDER BY field")]
    for f in fields:
        used = base.array(f"SELECT DISTINCT f{f} FROM codes WHERE f{f} >= 0", np.int64)  # noqa: S608
        kept = pa.table({"code": pa.array(used, pa.int32())})
        gone = base.array(
            f"SELECT code FROM field_values ANTI JOIN kept USING (code) WHERE field = {f} AND value <> ''",  # noqa: S608
            np.int64,
            kept=kept,
        )
        base.change(
            """UPDATE field_values SET value = '', example = '' FROM gone
            WHERE field_values.code = gone.code AND field = ?""",
            [f],
            {"gone": pa.table({"code": pa.array(gone, pa.int32())})},
        )
        _forget_examples(base, f)
        _forget_features(base, f, set(gone.tolist()))
    base.change("DELETE FROM missing WHERE n_records <= 1")


def _forget_examples(base: KnowledgeBase, f: int) -> None:
    """Show every value by itself: an example may be how the erased record wrote it."""
    base.change("UPDATE field_values SET example = value WHERE field = ?", [f])


def _forget_features(base: KnowledgeBase, f: int, gone: set[int]) -> None:
    rows = base.rows("SELECT first_code, offsets, ids FROM features WHERE field = ? ORDER BY first_code", [f])
    for first, packed, ids in rows:
        offsets, features = np.frombuffer(packed, np.int64), np.frombuffer(ids, np.uint32)
        lost = [code - first for code in gone if 0 <= code - first < len(offsets) - 1]
        if not lost:
            continue
        keep = np.ones(len(features), dtype=np.bool_)
        for at in lost:
            keep[offsets[at] : offsets[at + 1]] = False
        ends = np.concatenate([[0], np.cumsum(keep)])[offsets]
        sql = "UPDATE features SET offsets = ?, ids = ? WHERE field = ? AND first_code = ?"
        base.change(sql, [ends.astype(np.int64).tobytes(), features[keep].tobytes(), f, first])
