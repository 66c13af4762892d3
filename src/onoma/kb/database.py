"""A knowledge base: one DuckDB file that one can live with.

A writer holds a lock, works on a copy of the file beside it in one transaction, and moves the copy there when all is on
disk. So readers see the state before or the state after, never wait and never make a writer wait; and a writer that is
killed at any moment leaves the state before. The price is a copy of the file for each run: about a second a gigabyte.

That is too dear for one record. Such a change is made in the file itself (`write_in_place`), in one transaction of
DuckDB, whose log beside the file makes it whole or not at all: readers of other processes wait for the fraction of a
second that it takes. A service holds its file open (`hold_knowledge_base`): one that writes is the only process that
has it, and its readers see the state before or after.
"""

import contextlib
import json
import os
import re
import shutil
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from onoma.beside import Lock, remove, working_place
from onoma.errors import DataError
from onoma.kb import _schema
from onoma.kb._schema import FIRST_VERSION, FORMAT, INDEXES, TABLES, VERSION, VIEWS
from onoma.kb.versions import make_tables, migrate

__all__ = [
    "Held",
    "KnowledgeBase",
    "create_knowledge_base",
    "file_stamp",
    "hold_knowledge_base",
    "is_knowledge_base",
    "read_knowledge_base",
    "rewrite_knowledge_base",
    "write_in_place",
    "write_knowledge_base",
]


class KnowledgeBase:
    """An open knowledge base: SQL in, Arrow out. See `docs/living.md` for its tables.

    Made by `read_knowledge_base`, `write_knowledge_base` or `create_knowledge_base`.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, path: Path) -> None:
        self._connection = connection
        self.path = path
        """Where people know it to be."""
        self.is_changed = False
        """Whether there is something to keep; a writer sets it."""
        self.is_past = False
        """Whether what is seen is an earlier state."""
        self._blobs: dict[str, bytes] = {}

    def query(
        self, sql: str, parameters: Sequence[object] | None = None, tables: Mapping[str, pa.Table] | None = None
    ) -> pa.Table:
        """Return what a query finds; Arrow tables can be named in it."""
        with self._named(tables):
            try:
                return self._connection.sql(sql, params=parameters).to_arrow_table()
            except duckdb.Error as error:
                raise DataError(f"DuckDB could not answer: {_first_line(error)}", file=self.path) from error

    def rows(self, sql: str, parameters: Sequence[object] | None = None) -> list[tuple[Any, ...]]:
        """Return what a query finds, row by row."""
        try:
            found: list[tuple[Any, ...]] = self._connection.execute(sql, parameters).fetchall()
        except duckdb.Error as error:
            raise DataError(f"DuckDB could not answer: {_first_line(error)}", file=self.path) from error
        return found

    def array(self, sql: str, dtype: type[np.generic], **tables: pa.Table) -> "np.ndarray[Any, Any]":
        """Return the one column that a query finds."""
        found = self.query(sql, None, tables).column(0).to_numpy()
        return np.ascontiguousarray(found, dtype=dtype)

    def value(self, sql: str, parameters: Sequence[object] | None = None) -> Any:  # noqa: ANN401 (whatever the table holds)
        """Return the one value that a query finds; None if there is none."""
        found = self.rows(sql, parameters)
        return found[0][0] if found else None

    def change(
        self, sql: str, parameters: Sequence[object] | None = None, tables: Mapping[str, pa.Table] | None = None
    ) -> None:
        """Change something."""
        self.is_changed = True
        with self._named(tables):
            try:
                self._connection.execute(sql, parameters)
            except duckdb.Error as error:
                hint = _ROOM if _FULL.search(str(error)) else None
                raise DataError(f"DuckDB could not write: {_first_line(error)}", file=self.path, hint=hint) from error

    def check_expression(self, text: str) -> None:
        """Refuse a text that is not one expression of SQL and nothing more, by DuckDB's own parser.

        What stands around it is compared with what stands around `true`: no other clause, no other statement.
        """
        if self._around(text) != self._around("true"):
            raise DataError("DuckDB could not answer: it is more than one expression", file=self.path)

    def _around(self, expression: str) -> tuple[int, object]:
        """Return how many expressions the parser saw, and all else that it saw."""
        # On a line of its own, for it may end in a comment.
        found = json.loads(self.value("SELECT json_serialize_sql(?)", [f"SELECT (\n{expression}\n)"]))
        if found["error"]:
            raise DataError(f"DuckDB could not answer: {found['error_message']}", file=self.path)
        nodes = [each["node"] for each in found["statements"]]
        return len(nodes[0].pop("select_list", [])), nodes

    def append(self, name: str, rows: pa.Table) -> None:
        """Append rows to a table, by the names of their columns."""
        if not len(rows):
            return
        if len(rows) <= _FEW_ROWS and all(_is_plain(kind) for kind in rows.schema.types):
            # As parameters: a table of Arrow is named and forgotten again in the time of several such rows.
            row = f"({', '.join('?' * rows.num_columns)})"
            names = ", ".join(quoted(column) for column in rows.column_names)
            values = [value for each in zip(*(c.to_pylist() for c in rows.columns), strict=True) for value in each]
            self.change(f"INSERT INTO {quoted(name)} ({names}) VALUES {', '.join([row] * len(rows))}", values)  # noqa: S608
        else:
            self.change(f"INSERT INTO {quoted(name)} BY NAME FROM incoming", None, {"incoming": rows})

    def among(self, column: str, numbers: "np.ndarray[Any, Any]") -> tuple[str, dict[str, pa.Table]]:
        """Return the condition that a column of ours holds one of some numbers, and the tables that it names.

        Few numbers are written out, so that DuckDB passes over the parts of a large table that hold none of them.
        """
        if len(numbers) <= _FEW_NUMBERS:
            return f"{column} IN ({', '.join(map(str, map(int, numbers))) or 'NULL'})", {}
        return f"{column} IN (SELECT number FROM chosen)", {"chosen": pa.table({"number": numbers})}  # noqa: S608

    def replace(self, name: str, rows: pa.Table) -> None:
        """Put a table in the place of another, or make it."""
        self.change(f"CREATE OR REPLACE TABLE {quoted(name)} AS FROM incoming", None, {"incoming": rows})

    def drop_indexes(self, name: str) -> None:
        """Take the indexes of a table away, for its columns change; they are made again when the file is opened."""
        for index, (table, _) in INDEXES.items():
            if table == name:
                self.change(f"DROP INDEX IF EXISTS {index}")

    def blob(self, name: str) -> bytes:
        """Return a part of the model; it is read once, for what is seen is one state."""
        if name not in self._blobs:
            found = self.value("SELECT value FROM model WHERE name = ?", [name])
            self._blobs[name] = b"" if found is None else bytes(found)
        return self._blobs[name]

    def set_blob(self, name: str, value: bytes) -> None:
        """Keep a part of the model."""
        self._blobs[name] = value
        self.change("INSERT OR REPLACE INTO model VALUES (?, ?)", [name, value])

    def meta(self, key: str) -> str | None:
        """Return a fact about the file."""
        found = self.value("SELECT value FROM meta WHERE key = ?", [key])
        return None if found is None else str(found)

    def set_meta(self, key: str, value: object) -> None:
        """Keep a fact about the file."""
        self.change("INSERT OR REPLACE INTO meta VALUES (?, ?)", [key, str(value)])

    @contextlib.contextmanager
    def _named(self, tables: Mapping[str, pa.Table] | None) -> Iterator[None]:
        for name, table in (tables or {}).items():
            self._connection.register(name, table)
        yield
        # After an error there is nothing left to tidy: the transaction is over, and so is the connection.
        for name in tables or {}:
            self._connection.unregister(name)


_FEW_ROWS, _FEW_NUMBERS = 4, 1_000
"""Rows that are given as parameters, numbers that are written into a query."""


def _is_plain(kind: pa.DataType) -> bool:
    """Say whether values of a type are the same as parameters of a query."""
    plain = (pa.types.is_integer, pa.types.is_floating, pa.types.is_string, pa.types.is_boolean, pa.types.is_null)
    return any(is_such(kind) for is_such in (*plain, pa.types.is_large_binary))


@contextlib.contextmanager
def read_knowledge_base(path: str | Path) -> Iterator[KnowledgeBase]:
    """Open a knowledge base to read it; one of an earlier version is brought to this one first.

    What is seen is one state, whatever others write meanwhile.
    """
    path = Path(path)
    _refuse_other_files(path)
    with contextlib.ExitStack() as opened:
        with _damage_told(path):
            connection = opened.enter_context(_connect(path, path, read_only=True))
            version = _version_in(connection, path)
        if version == VERSION:
            with _failures_told(path, "read"):
                yield KnowledgeBase(connection, path)
            return
    _bring_up(path)
    with read_knowledge_base(path) as base:
        yield base


@contextlib.contextmanager
def write_in_place(path: str | Path) -> Iterator[KnowledgeBase]:
    """Open a knowledge base for a small change in the file itself; all of it is there at the end, or nothing."""
    path = Path(path)
    if not path.is_file():
        _version(path)  # says what is wrong
    target = path.resolve()
    with Lock(target, path), _connected(target, path) as connection:
        if _is_current(connection):
            with _transaction(connection, path) as base:
                yield base
            return
    _bring_up(path)
    with write_in_place(path) as base:
        yield base


def _is_current(connection: duckdb.DuckDBPyConnection) -> bool:
    try:
        found = connection.execute("SELECT value FROM meta WHERE key = 'schema_version'").fetchone()
    except duckdb.Error:
        return False
    return found == (str(VERSION),)


def _bring_up(path: Path) -> None:
    """Bring a file to this version; refuse what is no knowledge base."""
    if _version(path) < VERSION:
        with write_knowledge_base(path) as base:
            base.is_changed = True


@contextlib.contextmanager
def rewrite_knowledge_base(path: str | Path) -> Iterator[KnowledgeBase]:
    """Change a knowledge base and write all of it anew: nothing that was deleted is left in any byte of the file."""
    path = Path(path)
    _bring_up(path)
    target = path.resolve()
    with Lock(target, path), _beside(target, path) as draft, _beside(target, path) as place:
        _take_in_log(target, path)
        shutil.copyfile(target, draft)
        with _connected(draft, path) as connection:
            with _transaction(connection, path) as base:
                yield base
            connection.execute("CHECKPOINT")
        _copy_tables(draft, place, path)
        _settle(place, target)


def _copy_tables(draft: Path, place: Path, path: Path) -> None:
    """Write the tables and views of one file into a new one."""
    try:
        with duckdb.connect() as connection:
            for name, file, how in (("draft", draft, "READ_ONLY"), ("place", place, "")):
                text = str(file).replace("'", "''")
                connection.execute(f"ATTACH '{text}' AS {name} {f'({how})' if how else ''}")
            connection.execute("COPY FROM DATABASE draft TO place")
            connection.execute("USE place")
            _make_indexes(connection)
            connection.execute("CHECKPOINT place")
    except duckdb.Error as error:
        raise DataError(f"cannot be written: {_first_line(error)}", file=path) from error


class Held:
    """A knowledge base that is held open: by all threads of a service, each reading a state of its own."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, path: Path, *, writes: bool) -> None:
        self._connection, self.path, self.writes = connection, path, writes
        self._one = threading.RLock()

    @contextlib.contextmanager
    def reading(self) -> Iterator[KnowledgeBase]:
        """Give one state to read."""
        with self._connection.cursor() as cursor:
            cursor.begin()
            yield KnowledgeBase(cursor, self.path)
            cursor.rollback()

    @contextlib.contextmanager
    def writing(self) -> Iterator[KnowledgeBase]:
        """Let one thread change something: all of it is there at the end, or nothing."""
        if not self.writes:
            raise DataError("is open to be read only", file=self.path)
        with self._one, self._connection.cursor() as cursor, _transaction(cursor, self.path) as base:
            yield base


@contextlib.contextmanager
def hold_knowledge_base(path: str | Path, *, write: bool = False) -> Iterator[Held]:
    """Hold a knowledge base open; to write, no other process has it meanwhile."""
    path = Path(path)
    _bring_up(path)
    with contextlib.ExitStack() as stack:
        if write:
            stack.enter_context(Lock(path.resolve(), path))
        connection = stack.enter_context(_connected(path.resolve(), path, read_only=not write))
        if write:
            _make_indexes(connection)
        yield Held(connection, path, writes=write)


def file_stamp(path: Path) -> tuple[int, ...]:
    """Return what is different when a file, or the log beside it, is."""
    found: list[int] = []
    for each in (path, _log(path)):
        with contextlib.suppress(OSError):
            about = each.stat()
            found += [about.st_ino, about.st_mtime_ns, about.st_size]
    return tuple(found)


def _log(path: Path) -> Path:
    """Return where DuckDB keeps what is not in the file yet."""
    return path.with_name(path.name + ".wal")


@contextlib.contextmanager
def _transaction(connection: duckdb.DuckDBPyConnection, path: Path) -> Iterator[KnowledgeBase]:
    connection.begin()
    try:
        yield KnowledgeBase(connection, path)
    except BaseException:
        with contextlib.suppress(duckdb.Error):  # an error of DuckDB has ended it already
            connection.rollback()
        raise
    connection.commit()


def _take_in_log(target: Path, path: Path) -> None:
    """Bring what a killed process left in the log into the file: a copy is of the file alone."""
    if _log(target).exists():
        with _connected(target, path) as connection:
            connection.execute("CHECKPOINT")


@contextlib.contextmanager
def write_knowledge_base(path: str | Path) -> Iterator[KnowledgeBase]:
    """Open a knowledge base to change it, alone; all changes are there at the end, or none of them."""
    path = Path(path)
    version = _version(path)
    target = path.resolve()
    with Lock(target, path), _beside(target, path) as place:
        _take_in_log(target, path)
        shutil.copyfile(target, place)
        with _connected(place, path) as connection:
            base = KnowledgeBase(connection, path)
            connection.begin()
            if version < VERSION:
                migrate(base, version)
            yield base
            _finish(connection)
        if base.is_changed:
            _settle(place, target)


@contextlib.contextmanager
def create_knowledge_base(path: str | Path) -> Iterator[KnowledgeBase]:
    """Make a new knowledge base, in the place of whatever file is there; it appears when all is in it."""
    path = Path(path)
    if path.is_dir():
        raise DataError("is a folder; name a file to write", file=path)
    target = path.resolve()
    if not target.parent.is_dir():
        raise DataError(f"cannot be written: there is no folder {path.parent}", file=path)
    with Lock(target, path), _beside(target, path) as place:
        with _connected(place, path) as connection:
            base = KnowledgeBase(connection, path)
            connection.begin()
            make_tables(base)
            yield base
            base.change(VIEWS)
            _finish(connection)
        _settle(place, target)


def is_knowledge_base(path: str | Path) -> bool:
    """Say whether a file is a knowledge base that this version can open."""
    try:
        _version(Path(path))
    except DataError:
        return False
    return True


def quoted(name: str) -> str:
    """Write a name as SQL does."""
    return '"' + name.replace('"', '""') + '"'


@contextlib.contextmanager
def _beside(target: Path, path: Path) -> Iterator[Path]:
    """Give a place beside the file that says who works on it; leave nothing there."""
    place = working_place(target)
    try:
        yield place
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror or error}", file=path) from error
    finally:
        remove(place)


def _finish(connection: duckdb.DuckDBPyConnection) -> None:
    """Keep all changes, in the file itself: the log beside it is not moved with it."""
    connection.commit()
    _make_indexes(connection)
    connection.execute("CHECKPOINT")


def _make_indexes(connection: duckdb.DuckDBPyConnection) -> None:
    """Let single records and entities of a large base be looked up without reading through all; most are there."""
    counted = connection.execute("SELECT count(*) FROM memberships").fetchone()
    if counted is None or counted[0] < _schema.FEWEST_INDEXED:
        return
    found = connection.execute("SELECT index_name FROM duckdb_indexes() WHERE database_name = current_database()")
    there = {str(name) for (name,) in found.fetchall()}
    for index, (table, column) in INDEXES.items():
        if index not in there:
            connection.execute(f"CREATE INDEX {index} ON {table} ({column})")


def _settle(place: Path, target: Path) -> None:
    """Put the copy in the place of the file, once it is on disk."""
    _sync(place, os.O_RDWR)
    _log(target).unlink(missing_ok=True)  # it was of the file before, and is in the copy or of no use
    place.replace(target)
    _sync(target.parent, os.O_RDONLY)


def _sync(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def _connected(place: Path, path: Path, *, read_only: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    try:
        connection = _connect(place, path, read_only=read_only)
    except duckdb.Error as error:
        raise DataError(f"cannot be opened: {_first_line(error)}", file=path) from error
    with _failures_told(path, "read" if read_only else "written"), connection:
        yield connection


@contextlib.contextmanager
def _failures_told(path: Path, how: str) -> Iterator[None]:
    try:
        yield
    except duckdb.Error as error:
        hint = _ROOM if _FULL.search(str(error)) else None
        raise DataError(f"cannot be {how}: {_first_line(error)}", file=path, hint=hint) from error


def _connect(place: Path, path: Path, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    """Open a file; wait a little for somebody who makes a small change in it."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            return duckdb.connect(str(place), read_only=read_only, config=_CONFIG)
        except duckdb.Error as error:
            if not _BUSY.search(str(error)):
                raise
            if time.monotonic() > until:
                raise DataError("is held open by another process", file=path, hint=_HELD) from error
        time.sleep(0.01)


_PATIENCE = 10.0
_BUSY = re.compile(r"conflicting lock|different configuration|could not set lock", re.IGNORECASE)
_HELD = "A service that writes (onoma serve --write) has it alone: ask that service, or end it."
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "lock_configuration": "true",
}
"""No query, and no view that somebody stored, reaches a file but the knowledge base itself."""
_FULL = re.compile(r"no space|disk full|could not write|disk quota", re.IGNORECASE)
_ROOM = "The state before is whole. A writer needs room for a second copy of the file: free some, and try again."


_MAKE = "Make one: onoma resolve people.csv -o people.duckdb."
_RESTORE = "It was not touched. Restore a copy, or make a new one with onoma resolve … -o NEW.duckdb."
_MAGIC = b"DUCK"
"""Stands in every file of DuckDB, after eight bytes."""
_OURS = re.findall(r"CREATE TABLE (\w+)", TABLES)


def _version(path: Path) -> int:
    """Return the version of a file; refuse what is no knowledge base, or a later one. The file is not touched."""
    _refuse_other_files(path)
    with _damage_told(path), _connect(path, path, read_only=True) as connection:
        return _version_in(connection, path)


def _refuse_other_files(path: Path) -> None:
    """Refuse what is no file of DuckDB, before it is opened as one."""
    if path.is_dir():
        raise DataError("is a folder; a knowledge base is one file", file=path, hint=_MAKE)
    if not path.is_file():
        raise DataError("there is no such file", file=path, hint=_MAKE)
    with path.open("rb") as file:
        if file.read(12)[8:] != _MAGIC:
            made = path.with_suffix(".duckdb")
            hint = _MAKE if made == path else f"If it is a table, make one of it: onoma resolve {path} -o {made}."
            raise DataError("is no knowledge base, or a damaged one: it is no file of DuckDB", file=path, hint=hint)


@contextlib.contextmanager
def _damage_told(path: Path) -> Iterator[None]:
    try:
        yield
    except duckdb.Error as error:
        raise DataError(
            f"is no knowledge base, or a damaged one: {_first_line(error)}", file=path, hint=_RESTORE
        ) from error


def _version_in(connection: duckdb.DuckDBPyConnection, path: Path) -> int:
    """Return the version of a database that is open; refuse what is no knowledge base, or a later one."""
    tables = {str(name) for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    about = dict(connection.execute("FROM meta").fetchall()) if "meta" in tables else {}
    if "meta" not in tables and tables >= FIRST_VERSION:
        return 1
    if about.get("format") != FORMAT:
        raise DataError(
            "is a database, but was not written by onoma resolve; it was not touched", file=path, hint=_MAKE
        )
    version = int(about["schema_version"])
    if version > VERSION:
        raise DataError(
            f"is of version {version}; this Onoma reads versions up to {VERSION}, and did not touch it",
            file=path,
            hint="Install a later Onoma: pip install --upgrade onoma.",
        )
    lost = sorted({*_OURS} - tables) if version == VERSION else []
    if lost:
        raise DataError(f"is a damaged knowledge base: it lacks the table {lost[0]}", file=path, hint=_RESTORE)
    return version


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
