"""Delimited text, line by line: which rows are good, and what is wrong with the others."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from onoma.corpus.readers.dialect import STRAY_BYTE, Dialect, long_fields, not_utf8
from onoma.corpus.readers.files import make_rejects
from onoma.errors import DataError

__all__ = ["count_rows", "read_carefully"]

_CHUNK_ROWS = 1 << 16
_CHUNK_BYTES = 1 << 24
_BLANK = re.compile(rb"\n(?=\n)")
_QUOTING = {
    "unexpected": "a quoted value is never closed",
    "new-line c": "a lone carriage return stands in the row",
}


class _Bad(NamedTuple):
    row: int
    reason: str
    text: str
    column: str | None = None


def count_rows(plain: Path, dialect: Dialect) -> int:
    """Count the rows under the header: the line ends outside quotes, in a file whose quotes are all in pairs.

    Blank lines are no rows, unless the table has one column. Where quotes are not in pairs the answer may be wrong, and
    the file needs careful reading.
    """
    n_ends, n_blank, inside, last = 0, 0, False, b"\n"
    with plain.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            pieces = chunk.split(b'"') if dialect.quoted else [chunk]
            outside = b'"'.join(pieces[inside::2])
            if inside:
                outside = b'"' + outside
            inside ^= len(pieces) % 2 == 0
            outside = outside.replace(b"\r", b"\n" if dialect.line_end == b"\r" else b"") + b'"' * inside
            n_ends += outside.count(b"\n")
            n_blank += len(_BLANK.findall(last + outside))
            last = outside[-1:] or last
    n_rows = n_ends + (last != b"\n") - (n_blank if len(dialect.names) > 1 else 0)
    return n_rows - dialect.header


def read_carefully(plain: Path, path: Path, dialect: Dialect, *, reject: bool) -> tuple[pa.Table, pa.Table]:
    """Return the good rows as text and the bad ones as rejects; the first bad one stops unless `reject`.

    Parameters
    ----------
    plain, path
        The unpacked file, and the one the user named.
    dialect
        How it is written.
    reject
        Whether bad rows are collected.
    """
    n_columns = len(dialect.names)
    chunks: list[pa.Table] = []
    good: list[list[str]] = []
    bad: list[_Bad] = []
    for row in _each_row(plain.read_bytes(), dialect):
        if not isinstance(row, _Bad):
            good.append(row)
            if len(good) == _CHUNK_ROWS:
                chunks.append(_text_table(good, n_columns))
                good = []
        elif reject:
            bad.append(row)
        else:
            hint = f"The row is {row.text[:80]!r}. To go on without such rows, choose on_error='reject'."
            raise DataError(row.reason, file=path, row=row.row, column=row.column, hint=hint)
    chunks.append(_text_table(good, n_columns))
    return pa.concat_tables(chunks), make_rejects([row[:3] for row in bad])


def _text_table(rows: list[list[str]], n_columns: int) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else [()] * n_columns
    arrays = [pa.array(column, pa.string()) for column in columns]
    nulled = [pc.if_else(pc.equal(array, ""), pa.scalar(None, pa.string()), array) for array in arrays]
    return pa.table(nulled, [f"c{i}" for i in range(n_columns)])


def _each_row(raw: bytes, dialect: Dialect) -> Iterator[list[str] | _Bad]:
    """Yield each row under the header, good or bad.

    A row that breaks the rules of quoting loses only its first line, and reading goes on with the next: one forgotten
    quote does not swallow what follows.
    """
    raw = raw.removeprefix(b"\xef\xbb\xbf")
    end = dialect.line_end
    lines = [line.decode("utf-8", "surrogateescape") + "\n" for line in raw.removesuffix(end).split(end)]
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if dialect.quoted else csv.QUOTE_NONE
    n_columns, past_header, at = len(dialect.names), not dialect.header, 0
    with long_fields():
        while at < len(lines):
            base = at
            rest = (lines[i] for i in range(base, len(lines)))
            reader = csv.reader(rest, delimiter=dialect.delimiter, quoting=quoting, strict=True)
            try:
                for values in reader:
                    first, at = at, base + reader.line_num
                    if past_header and (values or n_columns == 1):
                        yield _judged(values or [""], dialect.names, lines, first, at)
                    past_header = past_header or bool(values)
            except csv.Error as error:
                reason = _QUOTING.get(str(error)[:10], "text follows the closing quote of a value")
                yield _Bad(at + 1, reason, _shown(lines[at]))
                at += 1


def _judged(values: list[str], names: list[str], lines: list[str], first: int, past: int) -> list[str] | _Bad:
    if len(values) < len(names):
        reason = f"has {len(values)} of the {len(names)} columns"
        return _Bad(first + 1, reason, _shown(*lines[first:past]), names[len(values)])
    if len(values) > len(names):
        reason = f"has {len(values)} columns, the header has {len(names)}"
        return _Bad(first + 1, reason, _shown(*lines[first:past]))
    for name, value in zip(names, values, strict=True):
        stray = None if value.isascii() else STRAY_BYTE.search(value)
        if stray:
            return _Bad(first + 1, f"has {not_utf8(stray[0])}", _shown(*lines[first:past]), name)
    return values


def _shown(*lines: str) -> str:
    text = "".join(lines).removesuffix("\n")
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
