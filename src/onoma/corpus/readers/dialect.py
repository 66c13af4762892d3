"""How a delimited file is written: its delimiter, its names, its quotes."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from onoma.corpus.readers.files import check_text
from onoma.errors import DataError

__all__ = ["DELIMITERS", "STRAY_BYTE", "Dialect", "long_fields", "not_utf8", "sniff"]

DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "pipe"}
"""The delimiters that are looked for."""

STRAY_BYTE = re.compile("[\udc80-\udcff]")
"""A byte that is no UTF-8, in text decoded with `surrogateescape`."""

_HEAD_BYTES = 1 << 16
_LONGEST_HEAD = 1 << 28
_SNIFF_ROWS = 50


class Dialect(NamedTuple):
    """How a delimited file is written."""

    delimiter: str
    names: list[str]
    quoted: bool = True
    header: bool = True
    line_end: bytes = b"\n"  # what the last byte of a line is
    starts_blank: bool = False


def sniff(plain: Path, path: Path, *, delimiter: str | None, header: bool, notes: list[str]) -> Dialect:
    """Find delimiter and names in the first rows.

    Parameters
    ----------
    plain, path
        The unpacked file, and the one the user named.
    delimiter
        None: look for it.
    header
        Whether the first row has the names.
    notes
        Takes what was done to the names.
    """
    raw = _head(plain)
    check_text(raw, path)
    text = raw.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    if not text.strip(" \t\r\n"):
        raise DataError("is empty", file=path, hint="A table needs at least a row of column names.")
    if delimiter is None:
        delimiter = max(DELIMITERS, key=lambda candidate: _fitness(text, candidate))
    first = next((row for row in _rows(text, delimiter) if row), [])
    stray = STRAY_BYTE.search("".join(first)) if header else None
    if stray:
        hint = f"If the file is Latin-1, convert it: iconv -f LATIN1 -t UTF-8 {path.name}"
        raise DataError(f"a column name has {not_utf8(stray[0])}", file=path, row=1, hint=hint)
    names = _name_columns(first if header else [""] * len(first), notes, given=header)
    line_end = b"\n" if b"\n" in raw or b"\r" not in raw else b"\r"
    return Dialect(delimiter, names, header=header, line_end=line_end, starts_blank=text[0] in "\r\n")


def not_utf8(escaped: str) -> str:
    """Name a byte that `surrogateescape` let through."""
    return f"the byte 0x{ord(escaped) - 0xDC00:02X}, which is not UTF-8"


@contextmanager
def long_fields() -> Iterator[None]:
    """Let the csv module read values of any length; the limit is the module's own global."""
    before = csv.field_size_limit(2**31 - 1)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _head(plain: Path) -> bytes:
    """Read the first rows; if a quoted value is open at their end, read on."""
    with plain.open("rb") as file:
        raw = file.read(_HEAD_BYTES)
        while raw.count(b'"') % 2 and len(raw) < _LONGEST_HEAD and (more := file.read(len(raw))):
            raw += more
    return raw


def _fitness(text: str, delimiter: str) -> tuple[float, int]:
    """Say how well a delimiter explains the first rows: the share as wide as the header, and its width."""
    counts = [len(row) for row, _ in zip(_rows(text, delimiter), range(_SNIFF_ROWS), strict=False) if row]
    if not counts or counts[0] == 1:
        return 0.0, 0
    return counts.count(counts[0]) / len(counts), counts[0]


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    with long_fields():
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        while True:
            try:
                yield next(reader)
            except (StopIteration, csv.Error):
                return


def _name_columns(first: Sequence[str], notes: list[str], *, given: bool) -> list[str]:
    """Keep the names as they are, but give each column one of its own."""
    names: list[str] = []
    for number, name in enumerate(first, 1):
        unique = name or f"column_{number}"
        if given and not name:
            notes.append(f"column {number} has no name and was called {unique!r}")
        suffix = 2
        while unique in names or (suffix > 2 and unique in first):
            unique = f"{name}_{suffix}"
            suffix += 1
        if suffix > 2:
            notes.append(f"column {number} is a second {name!r} and was called {unique!r}")
        names.append(unique)
    if given and all(name.replace(".", "", 1).lstrip("-").isdigit() for name in first):
        notes.append("the first row holds only numbers: if it is data, say that there is no header")
    return names
