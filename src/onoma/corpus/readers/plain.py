"""Small delimited files that hold nothing to stumble over, read without DuckDB.

To load and open DuckDB takes longer than to split some thousand lines. So a file without carriage returns and control
characters, with as many values in each line as in the header and no quotes but those around a whole value, is split
here, and its columns take the types that DuckDB would find (`store.TYPES`) where these are plain: texts, whole numbers,
truth values, dates. Whatever else a file holds, it is left to DuckDB.
"""

import csv
import re
from datetime import date
from pathlib import Path

import pyarrow as pa

from onoma.corpus.readers.dialect import Dialect, long_fields

__all__ = ["read_plain"]

_MOST_BYTES = 1 << 21
"""What is split in about the time in which DuckDB is loaded and opened."""
_ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f\ufeff]")
_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")  # longer ones may not fit
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-][0-9]{1,3})?")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def read_plain(plain: Path, dialect: Dialect, *, infer: bool) -> pa.Table | None:
    """Return the table of a small plain file, columns called as DuckDB's scan calls them; None: it is not such a file.

    Parameters
    ----------
    plain
        The file, in UTF-8.
    dialect
        How it is written.
    infer
        Whether columns take types; otherwise all are text.
    """
    if not dialect.simple or dialect.header_lines != 1 or plain.stat().st_size > _MOST_BYTES:
        return None
    try:
        text = plain.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return None
    if _ODD.search(text):
        return None
    lines = text.removesuffix("\n").split("\n")[dialect.header :]
    rows = _split(lines, dialect) if '"' in text else [line.split(dialect.delimiter) for line in lines]
    n = len(dialect.names)
    if not rows or any(len(row) != n for row in rows) or "" in lines:
        return None
    columns = []
    for values in zip(*rows, strict=True):
        column = _column(values, infer=infer)
        if column is None:
            return None
        columns.append(column)
    return pa.Table.from_arrays(columns, [f"c{i}" for i in range(n)])


def _split(lines: list[str], dialect: Dialect) -> list[list[str]]:
    """Return the values of lines with quotes; none where these are not all around whole values."""
    if not dialect.quoted or dialect.delimiter == "\t":  # where quotes may mean themselves
        return []
    value = rf'(?:"[^"]+"|[^"{re.escape(dialect.delimiter)}]*)'
    plain = re.compile(f"{value}(?:{re.escape(dialect.delimiter)}{value})*")
    if not all(map(plain.fullmatch, lines)):
        return []
    with long_fields():
        return list(csv.reader(lines, delimiter=dialect.delimiter))


def _column(values: tuple[str, ...], *, infer: bool) -> pa.Array | None:
    """Return the values with the type that all of them pass; None: only DuckDB can tell."""
    known = list(filter(None, values))
    if not known or not infer:
        return pa.array([value or None for value in values], pa.string())
    if all(map(_WHOLE.fullmatch, known)):
        return pa.array([int(value) if value else None for value in values], pa.int64())
    if {*known} <= {"true", "false"}:
        return pa.array([value == "true" if value else None for value in values], pa.bool_())
    if all(map(_DAY.fullmatch, known)):
        try:
            return pa.array([date.fromisoformat(value) if value else None for value in values], pa.date32())
        except ValueError:  # no day of the calendar
            return None
    if all(map(_DECIMAL.fullmatch, known)) or all(map(_may_be_time, known)):
        return None
    return pa.array([value or None for value in values], pa.string())


def _may_be_time(value: str) -> bool:
    """Say whether a text may be a point in time as DuckDB writes it."""
    return ":" in value or value.endswith("infinity")
