"""The door to DuckDB for delimited files, which are read through it. (The other is the knowledge base.)

A delimited file is scanned as text, then each column is given the narrowest type that keeps every value apart and can
say it again: `007` stays text, `7` becomes a whole number. See `TYPES` for the rules.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import duckdb
import pyarrow as pa

from onoma.errors import DataError

__all__ = ["TYPES", "ScanError", "TextScan", "write_tables"]

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

_SAMPLE_ROWS = 10_000
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
        alive = self._passing({name: [*TYPES] for name in self._names}, f"{self._from} LIMIT {_SAMPLE_ROWS}")
        alive = self._passing(alive, self._from)
        chosen = {name: (tests[0] if tests else "VARCHAR") for name, tests in alive.items()}
        decimals = [name for name, kind in chosen.items() if kind == "DOUBLE"]
        for name, apart in zip(decimals, self._apart(decimals), strict=True):
            chosen[name] = "DOUBLE" if apart else "VARCHAR"
        return [chosen[name] for name in self._names]

    def table(self, types: Sequence[str]) -> pa.Table:
        """Read everything with these types, rows in their order."""
        try:
            return self._connection.sql(self._query(types)).to_arrow_table()
        except duckdb.Error as error:
            raise self._translated(error) from error

    def _query(self, types: Sequence[str]) -> str:
        columns = ", ".join(f"{name}::{kind} AS {name}" for name, kind in zip(self._names, types, strict=True))
        return f"SELECT {columns} FROM {self._from}"  # noqa: S608 (names and types are ours, here and below)

    def _passing(self, tests: dict[str, list[str]], source: str) -> dict[str, list[str]]:
        """Keep the tests that all values pass; a column without values passes none."""
        asked = [(name, kind) for name, kinds in tests.items() for kind in kinds]
        if not asked:
            return tests
        checks = [f"bool_and({TYPES[kind].format(c=name)}) FILTER ({name} IS NOT NULL)" for name, kind in asked]
        columns = ", ".join(self._names)
        answers = self._row(f"SELECT {', '.join(checks)} FROM (SELECT {columns} FROM {source})")  # noqa: S608
        passed = {pair for pair, answer in zip(asked, answers, strict=True) if answer}
        return {name: [kind for kind in kinds if (name, kind) in passed] for name, kinds in tests.items()}

    def _apart(self, names: Sequence[str]) -> list[bool]:
        """Say of each column whether different texts are different numbers."""
        if not names:
            return []
        # Counting is slow, and of use only where one number can be written in two ways.
        two_ways = ", ".join(rf"bool_or(regexp_matches({name}, '\.\d*0$|[eE]'))" for name in names)
        doubtful = self._row(f"SELECT {two_ways} FROM {self._from}")  # noqa: S608
        same = [
            f"count(DISTINCT {name}) = count(DISTINCT {name}::DOUBLE)" if doubt else "true"
            for name, doubt in zip(names, doubtful, strict=True)
        ]
        return [bool(answer) for answer in self._row(f"SELECT {', '.join(same)} FROM {self._from}")]  # noqa: S608

    def _row(self, query: str) -> tuple[object, ...]:
        try:
            rows: list[tuple[object, ...]] = self._connection.execute(query).fetchall()
        except duckdb.Error as error:
            raise self._translated(error) from error
        return rows[0]

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
