"""New files, and files of earlier versions brought to this one; what columns of the data are called in a file."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from onoma.corpus.fingerprints import row_fingerprints
from onoma.kb._schema import BOOKKEEPING, FORMAT, FROM_FIRST, TABLES, VERSION, VIEWS

if TYPE_CHECKING:
    from onoma.kb.database import KnowledgeBase

__all__ = ["make_tables", "migrate", "stored_names"]


def make_tables(base: "KnowledgeBase") -> None:
    """Make the tables of a new file."""
    base.change(TABLES)
    base.set_meta("format", FORMAT)
    base.set_meta("schema_version", VERSION)


def migrate(base: "KnowledgeBase", version: int) -> None:
    """Bring a file from its version to this one, step by step."""
    for step in range(version, VERSION):
        _MIGRATIONS[step](base)
    base.set_meta("schema_version", VERSION)


def _from_first(base: "KnowledgeBase") -> None:
    """Bring the tables of one run to version 2; there is no model in them, so that the next run resolves all anew."""
    tables = {str(name) for (name,) in base.rows("SELECT table_name FROM duckdb_tables()")}
    names = [str(name) for (name,) in base.rows("SELECT column_name FROM (DESCRIBE records)")]
    weights = base.query("FROM weights") if "weights" in tables else None
    base.change("DROP TABLE IF EXISTS weights")
    for name in ("pairs", "fields", "missing"):
        if name not in tables:
            base.change(f"CREATE TABLE {name} (a VARCHAR)")
    base.change(FROM_FIRST)
    content = row_fingerprints(base.query("SELECT * FROM records ORDER BY onoma_record").select(names))
    numbered = pa.table({"record": np.arange(len(content)), "content": content})
    base.change(
        "UPDATE records SET onoma_content = content FROM numbered WHERE record = onoma_record",
        None,
        {"numbered": numbered},
    )
    base.change(TABLES)
    base.set_meta("format", FORMAT)
    base.append("columns", pa.table({"name": names, "stored": names}))
    # The rows of memberships are those of the records, in their order.
    base.change("ALTER TABLE memberships_1 ADD COLUMN record BIGINT; UPDATE memberships_1 SET record = rowid;")
    source = "source" if "source" in _columns(base, "memberships_1") else "''"
    base.change(
        f"UPDATE records SET onoma_source = (SELECT {source} FROM memberships_1 m WHERE m.record = onoma_record);"  # noqa: S608 (a name of ours)
        f"INSERT INTO memberships SELECT record, {source}, id, entity, probability FROM memberships_1 ORDER BY record;"
    )
    for name in ("fields", "missing"):
        if name in tables:
            base.append(name, base.query(f"FROM {name}_1"))
    if weights is not None:
        base.append("weights", weights)
    base.change("ALTER TABLE runs_1 ADD COLUMN run BIGINT DEFAULT 1; ALTER TABLE runs_1 ADD COLUMN kind VARCHAR")
    base.change("UPDATE runs_1 SET kind = 'resolve'; ALTER TABLE runs_1 ADD COLUMN made TIMESTAMP DEFAULT 'epoch'")
    base.append("runs", base.query("FROM runs_1"))
    base.change("".join(f"DROP TABLE {name}_1;" for name in ("memberships", "pairs", "runs", "fields", "missing")))
    base.set_meta("next_record", len(content))
    last = base.value("SELECT max(substr(entity, 2)::BIGINT) FROM memberships WHERE regexp_matches(entity, '^e\\d+$')")
    base.set_meta("next_entity", 0 if last is None else int(last) + 1)
    base.change(VIEWS)


def _columns(base: "KnowledgeBase", table: str) -> set[str]:
    return {str(name) for (name,) in base.rows(f"SELECT column_name FROM (DESCRIBE {table})")}  # noqa: S608 (a name of ours)


_MIGRATIONS = {1: _from_first}
"""From each earlier version to the next."""


def stored_names(names: Sequence[str], known: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return under which name each column of the data is kept: DuckDB does not tell names apart by case.

    Examples
    --------
    >>> stored_names(["id", "Name", "name"])
    {'id': 'id', 'Name': 'Name', 'name': 'name_1'}
    """
    found = dict(known or {})
    taken = {name.lower() for name in (*found.values(), *BOOKKEEPING, "entity", "probability")}
    for name in names:
        if name in found:
            continue
        options = (name, *(f"{name}_{i}" for i in range(1, len(taken) + 2)))
        found[name] = next(each for each in options if each.lower() not in taken)
        taken.add(found[name].lower())
    return found
