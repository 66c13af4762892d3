"""The door to DuckDB for tables: delimited files, and what people say in SQL. (The other is the knowledge base.)

A delimited file is scanned as text, then each column is given the narrowest type that keeps every value apart and can
say it again: `007` stays text, `7` becomes a whole number. See `TYPES` for the rules.

What people say in SQL is one expression each, by DuckDB's own parser, and sees nothing but the table that it is about:
no file, no setting, no other table. `MACROS` are there besides DuckDB's own functions.
"""

import functools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.errors import DataError, SettingsError

__all__ = [
    "MACROS",
    "TYPES",
    "ScanError",
    "TextScan",
    "check_condition",
    "check_expressions",
    "evaluate",
    "first_holding",
    "pairs_where",
    "write_tables",
]

TYPES = {
    "BIGINT": "coalesce(try_cast({c} AS BIGINT)::VARCHAR = {c}, false)",
    "BOOLEAN": "{c} IN ('true', 'false')",
    # An exponent needs its sign, for 12e4 may be an id. A double says any 15 digits again, and further ones only where
    # they are those that it would be written with.
    "DOUBLE": r"regexp_full_match({c}, '-?(0|[1-9]\d*)(\.\d+)?([eE][+-]\d{{1,3}})?') "
    r"AND isfinite(try_cast({c} AS DOUBLE)) AND if(regexp_matches({c}, '[.eE]'), "
    r"(length(ltrim(translate(split_part(lower({c}), 'e', 1), '-.', ''), '0')) <= 15 "
    r"AND (try_cast({c} AS DOUBLE) <> 0 OR NOT regexp_matches(split_part(lower({c}), 'e', 1), '[1-9]'))) "
    r"OR try_cast({c} AS DOUBLE)::VARCHAR = {c}, "
    r"coalesce(try_cast({c} AS BIGINT)::VARCHAR = {c}, false) AND length({c}) <= 15)",
    "DATE": r"regexp_full_match({c}, '\d{{4}}-\d\d-\d\d') AND coalesce(try_cast({c} AS DATE)::VARCHAR = {c}, false)",
    "TIMESTAMP": "coalesce(try_cast({c} AS TIMESTAMP)::VARCHAR = {c}, false)",
}
"""The types a column of text may become, in order of preference, each with the test that all its values must pass.

The tests admit only the form in which the type is written again, so nothing is lost. Decimal numbers are the exception
(`2.50` is written `2.5`); a column becomes DOUBLE only if no two different texts in it are the same number.
"""

_LOOKS = {
    "BIGINT": re.compile(r"-?\d"),
    "BOOLEAN": re.compile(r"true|false"),
    "DOUBLE": re.compile(r"-?\d"),
    "DATE": re.compile(r"\d{4}-"),
    "TIMESTAMP": re.compile(r"-?(\d|inf)"),
}
"""How a text begins that may pass a test. To read all tests takes DuckDB longer than to read a small file."""
_FIRST_ROWS, _SAMPLE_ROWS = 20, 10_000
_WIDE = 32  # columns that are asked about at once
_LONGEST_LINE = 1 << 28


class ScanError(Exception):
    """DuckDB could not read the file as it stands; the careful reader will say why."""


class TextScan:
    """All columns of a source as text, and the types they may take; a context manager.

    Parameters
    ----------
    source
        A file, or a table of text columns.
    n_columns
        How many columns it has.
    delimiter, quoted, header
        How the file is written; of no meaning for a table.
    """

    def __init__(
        self, source: Path | pa.Table, n_columns: int, *, delimiter: str = ",", quoted: bool = True, header: bool = True
    ) -> None:
        self._source = source
        self._names = [f"c{i}" for i in range(n_columns)]
        self._connection = duckdb.connect()
        self._from = "source"
        if isinstance(source, Path):
            quote = "'\"'" if quoted else "''"
            columns = ", ".join(f"'{name}': 'VARCHAR'" for name in self._names)
            self._from = (
                f"read_csv({_literal(source)}, columns = {{{columns}}}, delim = '{delimiter}', quote = {quote}, "
                f"escape = {quote}, header = {str(header).lower()}, auto_detect = false, strict_mode = true, "
                f"null_padding = false, nullstr = '', max_line_size = {_LONGEST_LINE}, compression = 'none')"
            )
        else:
            self._connection.register("source", source.rename_columns(self._names))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def types(self) -> list[str]:
        """Find the type of each column: a sample rules most out, a pass over all decides.

        Tests take memory for each column that is asked about at once, so a wide file is asked in groups of columns,
        once it lies in memory and a column can be had without the others.
        """
        if len(self._names) <= _WIDE:
            return self._types()
        if isinstance(self._source, Path):
            text = self.table(["VARCHAR"] * len(self._names))
            self._connection.register("source", text)
            self._from = "source"
        names, found = self._names, list[str]()
        for at in range(0, len(names), _WIDE):
            self._names = names[at : at + _WIDE]
            found += self._types()
        self._names = names
        return found

    def _types(self) -> list[str]:
        alive, n_rows = self._passing(self._likely(), f"{self._from} LIMIT {_SAMPLE_ROWS}")
        if n_rows == _SAMPLE_ROWS:  # else the sample was all
            alive, _ = self._passing(alive, self._from)
        chosen = {name: (tests[0] if tests else "VARCHAR") for name, tests in alive.items()}
        decimals = [name for name, kind in chosen.items() if kind == "DOUBLE"]
        for name, apart in zip(decimals, self._apart(decimals), strict=True):
            chosen[name] = "DOUBLE" if apart else "VARCHAR"
        return [chosen[name] for name in self._names]

    def _likely(self) -> dict[str, list[str]]:
        """Return for each column the tests that its first values may pass."""
        columns = ", ".join(self._names)
        rows = self._rows(f"SELECT {columns} FROM {self._from} LIMIT {_FIRST_ROWS}")  # noqa: S608
        texts = {name: [str(row[at]) for row in rows if row[at] is not None] for at, name in enumerate(self._names)}
        return {
            name: [kind for kind in TYPES if all(_LOOKS[kind].match(text) for text in values)]
            for name, values in texts.items()
        }

    def table(self, types: Sequence[str]) -> pa.Table:
        """Read everything with these types, rows in their order."""
        try:
            return self._connection.sql(self._query(types)).to_arrow_table()
        except duckdb.Error as error:
            raise self._translated(error) from error

    def _query(self, types: Sequence[str]) -> str:
        columns = ", ".join(f"{name}::{kind} AS {name}" for name, kind in zip(self._names, types, strict=True))
        return f"SELECT {columns} FROM {self._from}"  # noqa: S608 (names and types are ours, here and below)

    def _passing(self, tests: dict[str, list[str]], source: str) -> tuple[dict[str, list[str]], int]:
        """Keep the tests that all values pass (a column without values passes none), and count the rows."""
        asked = [(name, kind) for name, kinds in tests.items() for kind in kinds]
        if not asked:
            return tests, 0
        checks = [f"bool_and({TYPES[kind].format(c=name)}) FILTER ({name} IS NOT NULL)" for name, kind in asked]
        columns = ", ".join(self._names)
        n_rows, *answers = self._row(f"SELECT count(*), {', '.join(checks)} FROM (SELECT {columns} FROM {source})")  # noqa: S608
        passed = {pair for pair, answer in zip(asked, answers, strict=True) if answer}
        kept = {name: [kind for kind in kinds if (name, kind) in passed] for name, kinds in tests.items()}
        return kept, int(n_rows)  # type: ignore[call-overload]

    def _apart(self, names: Sequence[str]) -> list[bool]:
        """Say of each column whether different texts are different numbers."""
        if not names:
            return []
        # Counting is slow, and of use only where one number can be written in two ways.
        two_ways = ", ".join(rf"bool_or(regexp_matches({name}, '\.\d*0$|[eE]'))" for name in names)
        doubtful = self._row(f"SELECT {two_ways} FROM {self._from}")  # noqa: S608
        counted = [name for name, doubt in zip(names, doubtful, strict=True) if doubt]
        if not counted:
            return [True] * len(names)
        same = ", ".join(f"count(DISTINCT {name}) = count(DISTINCT {name}::DOUBLE)" for name in counted)
        told = dict(zip(counted, self._row(f"SELECT {same} FROM {self._from}"), strict=True))  # noqa: S608
        return [bool(told.get(name, True)) for name in names]

    def _row(self, query: str) -> tuple[object, ...]:
        return self._rows(query)[0]

    def _rows(self, query: str) -> list[tuple[object, ...]]:
        try:
            rows: list[tuple[object, ...]] = self._connection.execute(query).fetchall()
        except duckdb.Error as error:
            raise self._translated(error) from error
        return rows

    def _translated(self, error: duckdb.Error) -> Exception:
        if isinstance(error, duckdb.InvalidInputException | duckdb.ConversionException):
            return ScanError(str(error))
        where = self._source if isinstance(self._source, Path) else None
        return DataError(f"DuckDB could not read it: {str(error).splitlines()[0]}", file=where)


def _literal(path: Path) -> str:
    """Write a path as an SQL text in which no character means a pattern."""
    plain = re.sub(r"[\[*?]", r"[\g<0>]", str(path.absolute()))
    return "'" + plain.replace("'", "''") + "'"


def write_tables(path: Path, schemas: Mapping[str, pa.Schema], batches: Iterable[Mapping[str, pa.Table]]) -> None:
    """Make a database file of some tables, filled batch by batch."""
    with duckdb.connect(str(path)) as connection:
        for name, schema in schemas.items():
            empty = schema.empty_table()
            connection.register("incoming", empty)
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM incoming")  # noqa: S608  (our own names)
        for batch in batches:
            for name, schema in schemas.items():
                connection.register("incoming", batch[name].select(schema.names))
                connection.execute(f"INSERT INTO {name} SELECT * FROM incoming")  # noqa: S608


# What people say in SQL.

MACROS = {
    "jaro_winkler(a, b)": "jaro_winkler_similarity(a, b)",
    "number(t)": r"try_cast(regexp_extract(replace(t, ',', ''), '[-+]?\d+(\.\d+)?') AS DOUBLE)",
    "digits(t)": r"regexp_replace(t, '\D', '', 'g')",
    # Letters as digits of their sounds; h and w part nothing, vowels do; runs are one; vowels go.
    "onoma_sounds(t)": "translate(regexp_replace(t, '[HW]', '', 'g'), "
    "'AEIOUYBFPVCGJKQSXZDTLMNR', '000000111122222222334556')",
    "onoma_runs(t)": "regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace("
    "t, '1+', '1', 'g'), '2+', '2', 'g'), '3+', '3', 'g'), '4+', '4', 'g'), '5+', '5', 'g'), '6+', '6', 'g')",
    "onoma_soundex(t)": "left(left(t, 1) || replace(substr(onoma_runs("
    "onoma_sounds(left(t, 1)) || '' || onoma_sounds(substr(t, 2))), length(onoma_sounds(left(t, 1))) + 1), '0', '') "
    "|| '000', 4)",
    "soundex(t)": "nullif(onoma_soundex(regexp_replace(upper(strip_accents(t)), '[^A-Z]', '', 'g')), '000')",
}
"""Functions that expressions may use besides DuckDB's own: name and parameters, and what they are."""

_CLOSED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "python_enable_replacements": "false",
    "threads": "2",
}
_SLOW_PAIRS = 4_000_000_000
"""Pairs of rows from which on a condition that has no equality to join by would take too long."""


@functools.cache
def _closed() -> duckdb.DuckDBPyConnection:
    """Return a database in memory that reaches nothing outside it."""
    connection = duckdb.connect(":memory:", config=_CLOSED)
    for name, body in MACROS.items():
        connection.execute(f"CREATE MACRO {name} AS {body}")
    connection.execute("SET lock_configuration = true")
    return connection


@contextmanager
def _tables(**tables: pa.Table) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a way to the closed database that sees these tables."""
    with _closed().cursor() as cursor:
        for name, table in tables.items():
            cursor.register(name, table)
        try:
            yield cursor
        finally:
            for name in tables:
                cursor.unregister(name)


def check_expressions(expressions: Iterable[str], names: Sequence[str], what: str) -> None:
    """Refuse what is no expression of SQL over texts of these names.

    Parameters
    ----------
    what
        What the expressions are, for errors: `a level of 'sku'`.

    Examples
    --------
    >>> check_expressions(["jaro_winkler(a, b) >= 0.92", "abs(number(a) - number(b)) <= 2"], ("a", "b"), "a level")
    >>> check_expressions(["jaro_winkler(a, c) >= 0.92"], ("a", "b"), "a level")
    Traceback (most recent call last):
    ...
    onoma.errors.SettingsError: a level, 'jaro_winkler(a, c) >= 0.92', is not understood: ... "c" ...
    """
    empty = pa.table({name: pa.array([], pa.string()) for name in names})
    with _tables(texts=empty) as cursor:
        for text in expressions:
            _check_one(cursor, text, "texts", what, f"It speaks of {' and '.join(names)}.", is_condition=len(names) > 1)


def evaluate(expressions: Sequence[str], texts: Sequence[str], what: str) -> list[list[str | None]]:
    """Return, for each expression over a text `x`, what it gives for each text, as text.

    Examples
    --------
    >>> evaluate(["upper(x)", "soundex(x)"], ["Robert", "Ashcraft", "Tymczak"], "a key")
    [['ROBERT', 'ASHCRAFT', 'TYMCZAK'], ['R163', 'A261', 'T522']]
    """
    if not expressions:
        return []
    columns = ", ".join(f"(\n{text}\n)::VARCHAR AS c{i}" for i, text in enumerate(expressions))
    with _tables(texts=pa.table({"x": pa.array(texts, pa.string())})) as cursor:
        found = _answer(cursor, f"SELECT {columns} FROM texts", what)  # noqa: S608 (checked to be expressions)
    return [column.to_pylist() for column in found.columns]


def first_holding(conditions: Sequence[str], a: pa.Array, b: pa.Array, what: str) -> NDArray[np.int8]:
    """Return for each pair of texts the place of the first condition over `a` and `b` that holds, in either order.

    Where none holds, that is the number of conditions.

    Examples
    --------
    >>> conditions = ["starts_with(a, b)", "abs(number(a) - number(b)) <= 2"]
    >>> first_holding(conditions, pa.array(["ab", "9", "x"]), pa.array(["abc", "8", "y"]), "levels")
    array([0, 1, 2], dtype=int8)
    """
    cases = " ".join(f"WHEN (\n{text}\n) THEN {i}" for i, text in enumerate(conditions))
    with _tables(pairs=pa.table({"a": a, "b": b}), turned=pa.table({"a": b, "b": a})) as cursor:
        sides = [
            _answer(cursor, f"SELECT (CASE {cases} ELSE {len(conditions)} END)::TINYINT AS n FROM {name}", what)  # noqa: S608
            for name in ("pairs", "turned")
        ]
    one, other = (np.asarray(side["n"], dtype=np.int8) for side in sides)
    return np.minimum(one, other)


def check_condition(table: pa.Table, condition: str, what: str) -> None:
    """Refuse what is no condition over the columns of two rows of a table, `l` and `r`."""
    with _tables(rows=_with_rows(table.slice(0, 0))) as cursor:
        columns = ", ".join(f"l.{_name(name)}" for name in table.column_names[:12])
        hint = f"It speaks of columns of two rows, l and r: {columns}."
        _check_one(cursor, condition, "rows l, rows r", what, hint, is_condition=True)


def pairs_where(
    table: pa.Table,
    condition: str,
    *,
    source: NDArray[np.int32] | None = None,
    block: NDArray[np.int32] | None = None,
    most: int,
) -> NDArray[np.int64]:
    """Return the pairs of rows (a < b) for which a condition over `l` and `r` holds, in either order.

    Parameters
    ----------
    source
        Only pairs of different sources.
    block
        Only pairs of one block.
    most
        So many pairs may be found; more are an error.

    Examples
    --------
    >>> table = pa.table({"zip": ["1", "1", "2"], "name": ["Smith", "Smit", "Smith"]})
    >>> pairs_where(table, "l.zip = r.zip AND left(l.name, 3) = left(r.name, 3)", most=10).tolist()
    [[0, 1]]
    """
    given = {"onoma_source": source, "onoma_block": block}
    rows = _with_rows(table, **{name: each for name, each in given.items() if each is not None})
    parts = ["l.onoma_row <> r.onoma_row", f"(\n{condition}\n)"]
    parts += [] if source is None else ["l.onoma_source <> r.onoma_source"]
    parts += [] if block is None else ["l.onoma_block = r.onoma_block"]
    pairs = "SELECT least(l.onoma_row, r.onoma_row) AS a, greatest(l.onoma_row, r.onoma_row) AS b"
    sql = f"{pairs} FROM rows l JOIN rows r ON {' AND '.join(parts)}"
    with _tables(rows=rows) as cursor:
        if len(table) ** 2 > _SLOW_PAIRS and not _is_joined(cursor, sql):
            raise SettingsError(
                f"the condition {condition!r} would be tried on {len(table) ** 2 / 2:,.0f} pairs of rows",
                hint="Add an equality to join by: l.zip = r.zip AND …; alternatives (… OR …) are rules of their own.",
            )
        found = _answer(cursor, f"SELECT DISTINCT a, b FROM ({sql} LIMIT {2 * most + 2})", condition)  # noqa: S608
    if len(found) > most:
        raise SettingsError(
            f"the condition {condition!r} holds for more than {most:,} pairs of rows", hint="Narrow it: … AND l.x = r.x"
        )
    keys = np.sort(np.asarray(found["a"], dtype=np.int64) * max(len(table), 1) + np.asarray(found["b"]))
    return np.stack([keys // max(len(table), 1), keys % max(len(table), 1)], axis=1)


def _with_rows(table: pa.Table, **more: NDArray[np.int32]) -> pa.Table:
    table = table.append_column("onoma_row", pa.array(np.arange(len(table))))
    for name, values in more.items():
        table = table.append_column(name, pa.array(values))
    return table


def _is_joined(cursor: duckdb.DuckDBPyConnection, sql: str) -> bool:
    """Say whether the rows are joined by an equality, and not each with each."""
    plan = str(cursor.execute(f"EXPLAIN {sql}").fetchall()).lower()
    return "hashjoin" in re.sub(r"[^a-z]", "", plan)  # HASH_JOIN or Hash Join, by version


def _check_one(
    cursor: duckdb.DuckDBPyConnection, text: str, source: str, what: str, hint: str, *, is_condition: bool
) -> None:
    """Refuse a text that is not one expression and nothing more, or that does not fit what it speaks of."""
    told = f"{what}, {text!r},"
    try:
        for before, after in (("(", ")"), ("", "")):
            if _around(cursor, before, text, after) != _around(cursor, before, "true", after):
                raise SettingsError(f"{told} is more than one expression", hint=hint)
        found = cursor.execute(f"DESCRIBE SELECT (\n{text}\n) FROM {source}").fetchall()[0][1]  # noqa: S608
        if is_condition and found != "BOOLEAN":
            raise SettingsError(f"{told} is no condition: it gives {found}, not true or false", hint=hint)
        # In a place where no aggregate may stand.
        cursor.execute(f"EXPLAIN SELECT 1 FROM {source} WHERE (\n{text}\n)::VARCHAR = ''").fetchall()  # noqa: S608
    except (duckdb.Error, UnicodeError) as error:
        raise SettingsError(f"{told} is not understood: {_first_line(error)}", hint=hint) from error


def _around(cursor: duckdb.DuckDBPyConnection, before: str, expression: str, after: str) -> tuple[int, object]:
    """Return how many expressions the parser saw, and all else that it saw."""
    # On a line of its own, for it may end in a comment.
    sql = f"SELECT {before}\n{expression}\n{after}"
    found = json.loads(cursor.execute("SELECT json_serialize_sql(?)", [sql]).fetchall()[0][0])
    if found["error"]:
        raise duckdb.ParserException(str(found["error_message"]))
    nodes = [each["node"] for each in found["statements"]]
    return len(nodes[0].pop("select_list", [])), nodes


def _answer(cursor: duckdb.DuckDBPyConnection, sql: str, what: str) -> pa.Table:
    try:
        return cursor.sql(sql).to_arrow_table()
    except duckdb.Error as error:
        hint = "Values that cannot be read so are better tried: try_cast(a AS INTEGER), number(a)."
        raise SettingsError(f"{what}: DuckDB could not answer: {_first_line(error)}", hint=hint) from error


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


def _name(name: str) -> str:
    return name if re.fullmatch(r"[a-z_][a-z0-9_]*", name) else '"' + name.replace('"', '""') + '"'
