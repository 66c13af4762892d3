"""Delimited text, line by line: which rows are good, and what is wrong with the others."""

import csv
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple, TypedDict

import pyarrow as pa
import pyarrow.compute as pc

from onoma.corpus.readers.dialect import STRAY_BYTE, Dialect, long_fields, not_utf8
from onoma.corpus.readers.files import make_rejects
from onoma.errors import DataError

__all__ = ["count_rows", "read_carefully"]

_CHUNK_ROWS = 1 << 16
_CHUNK_BYTES = 1 << 22
_MOST_AGAIN = 20  # how often a file is read again for quotes that are never closed
_BLANK = re.compile(rb"\n(?=\n)")
_QUOTING = {
    "unexpected": "a quoted value is never closed",
    "new-line c": "a lone carriage return stands in the row",
}


class _How(TypedDict):
    delimiter: str
    quoting: Literal[0, 3]
    strict: bool


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


class _Lines:
    """The lines of a file one after the other, as text, and where the next one begins."""

    def __init__(self, raw: bytes, end: bytes, offset: int = 0, number: int = 0) -> None:
        self.raw, self.end, self.offset, self.number = raw, end, offset, number

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self.offset >= len(self.raw):
            raise StopIteration
        stop = self.raw.find(self.end, self.offset)
        line = self.raw[self.offset : stop if stop >= 0 else None]
        self.offset = stop + 1 if stop >= 0 else len(self.raw)
        self.number += 1
        return line.decode("utf-8", "surrogateescape") + "\n"


def _each_row(raw: bytes, dialect: Dialect) -> Iterator[list[str] | _Bad]:
    """Yield each row under the header, good or bad.

    A row that breaks the rules of quoting loses only its first line, and reading goes on with the next: one forgotten
    quote does not swallow what follows. Where so many quotes are never closed that the file would be read over and over
    again, rows are lines from there on.
    """
    raw = raw.removeprefix(b"\xef\xbb\xbf")
    lines = _Lines(raw, dialect.line_end)
    above = list(islice(lines, dialect.n_above))[-1:]
    if dialect.broken:
        yield _Bad(dialect.n_above, f"the header is broken: {dialect.broken}", _shown(*above))
    how: _How = {
        "delimiter": dialect.delimiter,
        "quoting": csv.QUOTE_MINIMAL if dialect.quoted else csv.QUOTE_NONE,
        "strict": True,
    }
    n_again = 0
    with long_fields():
        while lines.offset < len(raw):
            alone = n_again > _MOST_AGAIN * len(raw)
            reader = csv.reader(islice(lines, 1) if alone else lines, **how)
            offset, number = lines.offset, lines.number
            try:
                for values in reader:
                    if values or len(dialect.names) == 1:
                        yield _judged(values or [""], dialect.names, number + 1, raw[offset : lines.offset])
                    offset, number = lines.offset, lines.number
            except csv.Error as error:
                reason = _QUOTING.get(str(error)[:10], "text follows the closing quote of a value")
                n_again += lines.offset - offset
                lines.offset, lines.number = offset, number
                yield _Bad(number + 1, reason, _shown(next(lines)))


def _judged(values: list[str], names: list[str], number: int, raw: bytes) -> list[str] | _Bad:
    if len(values) < len(names):
        return _Bad(number, f"has {len(values)} of the {len(names)} columns", _shown(raw), names[len(values)])
    if len(values) > len(names):
        return _Bad(number, f"has {len(values)} columns, the header has {len(names)}", _shown(raw))
    for name, value in zip(names, values, strict=True):
        stray = None if value.isascii() else STRAY_BYTE.search(value)
        if stray:
            return _Bad(number, f"has {not_utf8(stray[0])}", _shown(raw), name)
    return values


def _shown(raw: str | bytes) -> str:
    raw = raw.encode("utf-8", "surrogateescape") if isinstance(raw, str) else raw
    return raw.decode("utf-8", "backslashreplace").removesuffix("\n").removesuffix("\r")
