"""A knowledge base as it was: after a run, or on a day.

Whenever the place of a record changes, where it was is kept with the run that changed it (the table `former`). So the
state after run R is, of each record that was there, what it was just before the first change after R, or what it is.
Samples are of now: the past has one answer and no intervals.
"""

from datetime import datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.errors import DataError, SettingsError
from onoma.kb.database import KnowledgeBase, quoted

__all__ = ["before_run", "find_run", "keep_former", "own", "see_as_of"]

FORMER = """CREATE TABLE IF NOT EXISTS former (
    record BIGINT NOT NULL, source VARCHAR NOT NULL, id VARCHAR NOT NULL, entity VARCHAR NOT NULL,
    probability DOUBLE NOT NULL, run BIGINT NOT NULL)"""


def keep_former(base: KnowledgeBase, rows: pa.Table | None, run: int) -> None:
    """Keep where some records (rows of `memberships`; all, if None) are, before a run changes that."""
    base.change(FORMER)
    if rows is None:
        base.change(f"INSERT INTO former SELECT *, {int(run)} FROM memberships WHERE entity <> ''")  # noqa: S608 (a number)
        return
    placed = rows.filter(pc.not_equal(rows["entity"], pa.scalar("", rows["entity"].type)))
    base.append("former", placed.append_column("run", pa.array(np.full(len(placed), run, dtype=np.int64))))


def before_run(base: KnowledgeBase, numbers: NDArray[np.int64], run: int) -> list[str | None]:
    """Return the entities that records (ascending) were in before a run; None of those that were not there."""
    base.change(FORMER)
    (mine, tables), (theirs, _) = (base.among(name, numbers) for name in ("record", "onoma_record"))
    found = base.query(
        f"""WITH before AS (SELECT record, entity FROM former WHERE {mine} AND run >= {int(run)}
            QUALIFY row_number() OVER (PARTITION BY record ORDER BY run) = 1),
        old AS (SELECT onoma_record AS record FROM records WHERE {theirs} AND onoma_added < {int(run)})
        SELECT CASE WHEN old.record IS NOT NULL THEN coalesce(before.entity, m.entity) END AS entity
        FROM (FROM memberships WHERE {mine}) m LEFT JOIN before USING (record) LEFT JOIN old USING (record)
        ORDER BY m.record""",  # noqa: S608 (numbers)
        None,
        tables,
    )
    return list(found["entity"].to_pylist())


def find_run(base: KnowledgeBase, when: str) -> int:
    """Return the run that is meant: by its number, or the last one up to a day or time (UTC)."""
    runs = base.rows("SELECT run, made FROM runs ORDER BY run")
    if when.isdecimal():
        number = int(when)
        if number not in [run for run, _ in runs]:
            hint = f"Runs are {runs[0][0]} to {runs[-1][0]}: onoma history KB."
            raise SettingsError(f"there is no run {number}", hint=hint)
        return number
    try:
        until = datetime.fromisoformat(when).replace(tzinfo=None)
    except ValueError as error:
        raise SettingsError(
            f"{when!r} is neither a run nor a date", hint="3, 2026-01-31 or 2026-01-31T12:00."
        ) from error
    if len(when) == len("2026-01-31"):
        until = until.replace(hour=23, minute=59, second=59)
    before = [run for run, made in runs if made is not None and made <= until]
    if not before:
        raise DataError(f"it was made on {runs[0][1]}, after {when}", file=base.path)
    return int(before[-1])


def see_as_of(base: KnowledgeBase, when: str) -> int:
    """Let the tables and views of an open knowledge base be those after a run; return the run."""
    run = find_run(base, when)
    has_former = base.value("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'former'")
    main = own(base)
    former = f"{main}.former" if has_former else f"(SELECT *, 0 AS run FROM {main}.memberships LIMIT 0)"  # noqa: S608 (names that are quoted)
    # Where it was just before the first change after the run; of records that are gone since, too.
    base.change(
        f"""CREATE OR REPLACE TEMP TABLE past AS
        WITH then_ AS (SELECT record, source, id, entity, probability FROM {former} WHERE run > {run}
            QUALIFY row_number() OVER (PARTITION BY record ORDER BY run) = 1),
        every AS (FROM then_ UNION ALL SELECT * FROM {main}.memberships ANTI JOIN then_ USING (record))
        SELECT e.* FROM every e JOIN {main}.records r ON r.onoma_record = e.record
        WHERE r.onoma_added <= {run} AND (r.onoma_retracted IS NULL OR r.onoma_retracted > {run})"""  # noqa: S608
    )
    _views(base)
    base.is_past = True
    return run


def own(base: KnowledgeBase) -> str:
    """Return where the tables of the file are, whatever stands before them for now."""
    return f"{quoted(str(base.value('SELECT current_database()')))}.main"


def _views(base: KnowledgeBase) -> None:
    main = own(base)
    columns = [str(name) for (name,) in base.rows(f"SELECT column_name FROM (DESCRIBE {main}.entities)")]  # noqa: S608 (names that are quoted)
    stored = {str(name) for (name,) in base.rows("SELECT stored FROM columns")}
    first = ("entity", "size", "probability", "record")
    values = [name for name in columns if name not in first]
    chosen = "".join(
        f", mode(r.{quoted(_stored(name, stored))}) AS {quoted(name)}"
        for name in values
        if _stored(name, stored) in stored
    )
    base.change(
        f"""CREATE OR REPLACE TEMP VIEW memberships AS SELECT record, source, id, entity, probability FROM past;
        CREATE OR REPLACE TEMP VIEW samples AS FROM {main}.samples LIMIT 0;
        CREATE OR REPLACE TEMP VIEW record_current AS
            SELECT p.entity, p.probability, r.* FROM {main}.records r JOIN past p ON p.record = r.onoma_record;
        CREATE OR REPLACE TEMP VIEW entities AS
            SELECT p.entity, count(*) AS size, min(p.probability) AS probability, min(r.id) AS record{chosen}
            FROM past p JOIN {main}.records r ON r.onoma_record = p.record GROUP BY p.entity;
        CREATE OR REPLACE TEMP VIEW entity_current AS FROM entities;"""  # noqa: S608 (names that are quoted)
    )


def _stored(name: str, stored: set[str]) -> str:
    bare = name.removesuffix("_of_record")
    return bare if name not in stored and bare in stored else name
