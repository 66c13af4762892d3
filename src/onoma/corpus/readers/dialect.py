"""How a delimited file is written: its delimiter, its names, its quotes, and where its first row of data stands."""

import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from onoma.corpus.readers.files import check_text, line_end_of
from onoma.errors import DataError

__all__ = ["DELIMITERS", "STRAY_BYTE", "Dialect", "long_fields", "not_utf8", "sniff"]

DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "pipe"}
"""The delimiters that are looked for."""

STRAY_BYTE = re.compile("[\udc80-\udcff]")
"""A byte that is no UTF-8, in text decoded with `surrogateescape`."""

_HEAD_BYTES = 1 << 16
_LONGEST_HEAD = 1 << 28
_SNIFF_ROWS = 50
_TITLE_ROWS = 5  # titles above a header take no more lines than these
_HEADER_LINES = 5  # a header with more line ends in it is one with a forgotten quote
_BOM = b"\xef\xbb\xbf"


class Dialect(NamedTuple):
    """How a delimited file is written."""

    delimiter: str
    names: list[str]
    quoted: bool = True
    header: bool = True
    line_end: bytes = b"\n"  # what the last byte of a line is
    n_above: int = 1  # lines above the first row of data: the header, blank lines and titles
    header_lines: int = 1
    broken: str | None = None  # what is wrong with the header
    simple: bool = True  # whether the header is the first line, and whole


class _Row(NamedTuple):
    """A row of the head: its values, and its lines from `first` to before `past`."""

    values: list[str]
    first: int
    past: int


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
    raw, blank = _head(plain)
    check_text(raw, path)
    if not raw.strip():
        raise DataError("is empty", file=path, hint="A table needs at least a row of column names.")
    line_end = line_end_of(raw)
    n_blank = blank[line_end]
    lines = [line.decode("utf-8", "surrogateescape") + "\n" for line in raw.split(line_end)]
    if delimiter is None:
        delimiter = max(DELIMITERS, key=lambda candidate: _fitness(lines, candidate))
    rows = _rows(lines, delimiter)
    at = _header_row(rows) if header else 0
    if at:
        above = ", ".join(repr(" ".join(filter(None, row.values))) for row in rows[:at])
        notes.append(f"{above} stands above the header and was taken for a title")
    simple = not n_blank and not _is_blank(lines[0])
    if not header:
        names = _name_columns([""] * len(rows[0].values), [], given=False)
        return Dialect(delimiter, names, header=False, line_end=line_end, n_above=0, simple=simple)
    first = rows[at].first
    names, past, broken = _header(lines, first, delimiter)
    stray = STRAY_BYTE.search("".join(names))
    if stray:
        hint = "If the file is in another encoding, name it, for example: --encoding latin-1"
        raise DataError(f"a column name has {not_utf8(stray[0])}", file=path, row=n_blank + first + 1, hint=hint)
    quoted = True
    if broken and delimiter == "\t":  # where quotes mean themselves
        names, quoted, broken = lines[first].rstrip("\r\n").split("\t"), False, None
    if broken:
        notes.append(f"the header is broken ({broken}); the columns were called {', '.join(map(repr, names[:8]))}")
    return Dialect(
        delimiter,
        _name_columns(names, notes, given=True),
        quoted=quoted,
        line_end=line_end,
        n_above=n_blank + past,
        header_lines=past - first,
        broken=broken,
        simple=simple and not first and not broken,
    )


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


def _head(plain: Path) -> tuple[bytes, dict[bytes, int]]:
    """Read the first rows, whole, without pages of blank lines above them; count the line ends in these."""
    blank = {b"\n": 0, b"\r": 0}
    with plain.open("rb") as file:
        raw = file.read(_HEAD_BYTES).removeprefix(_BOM)
        while not raw.strip() and (more := file.read(_HEAD_BYTES)):
            blank = {end: n + raw.count(end) for end, n in blank.items()}
            raw = more
        while len(raw) < _LONGEST_HEAD and (raw.count(b'"') % 2 or not _has_row(raw)):
            if not (more := file.read(max(len(raw), _HEAD_BYTES))):
                break
            raw += more
    return raw, blank


def _has_row(raw: bytes) -> bool:
    return line_end_of(raw) in raw.lstrip(b"\r\n")


def _fitness(lines: Sequence[str], delimiter: str) -> tuple[float, int]:
    """Say how well a delimiter explains the first rows: the share as wide as the header, and its width."""
    rows = _rows(lines, delimiter)
    counts = [len(row.values) for row in rows[_header_row(rows) :]]
    if not counts or counts[0] == 1:
        return 0.0, 0
    return counts.count(counts[0]) / len(counts), counts[0]


def _rows(lines: Sequence[str], delimiter: str) -> list[_Row]:
    """Read the first rows that are not blank, leniently; the end of the head may cut the last."""
    rows: list[_Row] = []
    with long_fields():
        reader = csv.reader(iter(lines), delimiter=delimiter)
        past = 0
        while len(rows) < _SNIFF_ROWS:
            try:
                values = next(reader)
            except (StopIteration, csv.Error):
                break
            if len(values) > 1 or (values and not _is_blank(lines[past])):
                rows.append(_Row(values, past, reader.line_num))
            past = reader.line_num
    if not rows:  # the first row breaks the rules
        at = next((i for i, line in enumerate(lines) if not _is_blank(line)), 0)
        rows.append(_Row(_bare(lines[at], delimiter), at, at + 1))
    return rows


def _is_blank(line: str) -> bool:
    """Say whether nothing stands in a line; Python's own white space has signs that may be a column's name."""
    return not line.strip(" \t\r\n\v\f")


def _header_row(rows: Sequence[_Row]) -> int:
    """Return which row is the header: the first, or the first below titles.

    A title is a row of one value where the rows below, header and data, are all wider; and the header below it must be
    told apart from data: its names are there, all different, without digits alone, and some column under it holds
    figures.
    """
    for at in range(1, min(_TITLE_ROWS, len(rows) - 1) + 1):
        if sum(bool(value.strip()) for value in rows[at - 1].values) > 1:
            return 0
        names, data = rows[at].values, [row.values for row in rows[at + 1 : at + 10]]
        if len(names) < 2 or not all(map(str.strip, names)) or len(set(names)) < len(names) or not data:
            continue
        alike = all(len(values) == len(names) for values in data)
        if (
            alike
            and not any(map(_is_figure, names))
            and any(all(map(_is_figure, column)) for column in zip(*data, strict=True))
        ):
            return at
    return 0


def _is_figure(value: str) -> bool:
    return value.strip() != "" and not value.strip(" \t+-.,:/%€$£0123456789")


def _header(lines: Sequence[str], at: int, delimiter: str) -> tuple[list[str], int, str | None]:
    """Return the names, the line after them, and what is wrong with the header, which is then read as it can be."""
    with long_fields():
        reader = csv.reader(iter(lines[at:]), delimiter=delimiter, strict=True)
        try:
            names = next(reader)
        except (csv.Error, StopIteration):
            return _bare(lines[at], delimiter), at + 1, "its quotes or line ends break the rules"
        if reader.line_num > _HEADER_LINES:
            return _bare(lines[at], delimiter), at + 1, "a quoted name goes on for many lines"
        return names, at + reader.line_num, None


def _bare(line: str, delimiter: str) -> list[str]:
    """Cut a line at its delimiters alone."""
    return [value.replace('"', "").replace("\r", " ").strip() for value in line.rstrip("\r\n").split(delimiter)]


def _name_columns(first: Sequence[str], notes: list[str], *, given: bool) -> list[str]:
    """Keep the names as they are, but give each column one of its own."""
    names: dict[str, None] = {}
    wanted = set(first)
    for number, name in enumerate(first, 1):
        unique = name or f"column_{number}"
        if given and not name:
            notes.append(f"column {number} has no name and was called {unique!r}")
        suffix = 2
        while unique in names or (suffix > 2 and unique in wanted):
            unique = f"{name}_{suffix}"
            suffix += 1
        if suffix > 2:
            notes.append(f"column {number} is a second {name!r} and was called {unique!r}")
        names[unique] = None
    if given and all(name.replace(".", "", 1).lstrip("-").isdigit() for name in first):
        notes.append("the first row holds only numbers: if it is data, say that there is no header")
    return [*names]
