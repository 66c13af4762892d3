"""Facts in files: lines of subject, relation and object, N-Triples, N-Quads, or any table with those columns.

A line of triples is `subject TAB relation TAB object`, with a probability and a source after it where they are known.
A first line that names these columns is a header. What cannot be a fact (a missing part, a probability that is none)
stops the reading or stands in the rejects; blank lines are no rows.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from onoma.corpus.readers.files import check_on_error, check_text, line_end_of, make_rejects
from onoma.corpus.readers.source import Source, open_source
from onoma.corpus.readers.table import TableRead, read_source
from onoma.corpus.schema import FACTS
from onoma.errors import DataError, SettingsError

__all__ = ["FACT_FORMATS", "read_facts", "read_ntriples", "read_triples"]

_WORDS = {
    "subject": ("subject", "head", "entity", "item", "h", "s", "e1"),
    "relation": ("relation", "predicate", "property", "rel", "r", "p"),
    "object": ("object", "tail", "value", "target", "t", "o", "e2"),
    "probability": ("probability", "confidence", "score", "weight"),
    "source": ("source",),
}
"""What a column of facts may be called."""
_PARTS_BY_WORD = {word: part for part, words in _WORDS.items() for word in words}

_ENDINGS = {
    ".tsv": "triples",
    ".tab": "triples",
    ".txt": "triples",
    "": "triples",  # a pipe, or a name such as train
    ".nt": "ntriples",
    ".nq": "ntriples",
    ".csv": "table",
    ".jsonl": "table",
    ".ndjson": "table",
    ".json": "table",
    ".parquet": "table",
    ".pq": "table",
}
"""What the end of a file name says."""
_RDF = (".ttl", ".n3", ".trig", ".rdf", ".owl", ".xml", ".jsonld")

_HEAD = 1 << 16

Fact = tuple[str, str, str, float, str | None]
Bad = tuple[int | None, str, str]
"""Row, reason, text."""


def read_facts(
    path: str | Path, *, on_error: str = "stop", format: str | None = None, encoding: str | None = None
) -> TableRead:
    """Read facts in the format that the file name says, or the one given.

    Parameters
    ----------
    path
        The file; it may be packed with gzip, zstd or xz.
    on_error
        `"stop"`: the first bad line is a `DataError`. `"reject"`: bad lines stand in `rejects`.
    format
        One of `FACT_FORMATS`. By default the name says it: `.nt` and `.nq` are N-Triples, `.csv`, `.jsonl` and
        `.parquet` tables with a header, `.tsv`, `.txt` and names without an ending lines of triples.
    encoding
        Of text that is not UTF-8; None: it is found, and said.

    Returns
    -------
    TableRead
        Its table has the columns of `FACTS`.
    """
    if format is not None and format not in FACT_FORMATS:
        raise SettingsError(f"there is no format of facts {format!r}; there are {', '.join(FACT_FORMATS)}")
    read = FACT_FORMATS[format or _format_of(Path(path))]
    return read(path, on_error=on_error, encoding=encoding)


def _format_of(path: Path) -> str:
    name = path.name.lower()
    for packed in (".gz", ".zst", ".xz"):
        name = name.removesuffix(packed)
    ending = Path(name).suffix
    if ending not in _ENDINGS:
        hint = "Give the file the ending of what it is."
        if ending in _RDF:
            hint = "Turn it into N-Triples first, for example: riot --output=nt FILE > FILE.nt"
        known = " ".join(each for each in _ENDINGS if each)
        raise DataError(f"the ending {ending!r} is none of facts; these are {known}", file=path, hint=hint)
    return _ENDINGS[ending]


def read_triples(path: str | Path, *, on_error: str = "stop", encoding: str | None = None) -> TableRead:
    """Read lines of tab-separated subject, relation, object and, where given, probability and source."""
    with open_source(path, encoding=encoding) as source:
        lines, bad = _lines(source, reject=check_on_error(on_error))
        names = lines[0][1].split("\t") if lines else []
        order = [_PARTS_BY_WORD.get(name.strip().lower(), "") for name in names]
        if {"subject", "relation", "object"} <= set(order):
            if any(line.startswith('"') or '\t"' in line for _, line in lines):
                return _table(source, on_error, "tsv")  # a table may quote what holds quotes or tabs
            order = [part if part not in order[:at] else "" for at, part in enumerate(order)]
            return _collect(source, on_error, lines[1:], partial(_split, order=order), bad=bad)
        read = _collect(source, on_error, lines, partial(_split, order=FACTS.names), bad=bad)
        if len(set(order) - {""}) > 1:
            first = f"row {lines[0][0]} ({', '.join(names)}) was read as a fact"
            notes = [*read.notes, f"{first}; a header names subject, relation and object"]
            return TableRead(read.table, read.rejects, notes)
        return read


def read_ntriples(path: str | Path, *, on_error: str = "stop", encoding: str | None = None) -> TableRead:
    """Read N-Triples (RDF 1.1): `<subject> <relation> <object> .`, blank nodes and literals included.

    Addresses lose their angle brackets; a literal keeps its quotes, language and datatype, so that the text "Lyon" and
    the thing of that name stay two things. The graph of N-Quads becomes the source.
    """
    with open_source(path, encoding=encoding) as source:
        lines, bad = _lines(source, reject=check_on_error(on_error))
        said = [(number, line) for number, line in lines if not line.lstrip().startswith("#")]
        return _collect(source, on_error, said, _statement, bad=bad)


def _read_table(path: str | Path, *, on_error: str = "stop", encoding: str | None = None) -> TableRead:
    """Read a table whose header names subject, relation and object."""
    with open_source(path, encoding=encoding) as source:
        return _table(source, on_error)


def _table(source: Source, on_error: str, format: str | None = None) -> TableRead:
    path = source.path
    read = read_source(source, reject=check_on_error(on_error), types="text", format=format)
    names = {_PARTS_BY_WORD.get(name.strip().lower(), ""): name for name in reversed(read.table.column_names)}
    for part in ("subject", "relation", "object"):
        if part not in names:
            raise DataError(
                f"no column is called {' or '.join(map(repr, _WORDS[part]))}; "
                f"the columns are {', '.join(map(repr, read.table.column_names))}",
                file=path,
                hint="Let its first line name them: subject, relation, object (probability, source).",
            )
    order = [part for part in FACTS.names if part in names]
    columns = [_as_text(read.table[names[part]], path, names[part]).to_pylist() for part in order]
    rows = enumerate(dict(zip(order, row, strict=True)) for row in zip(*columns, strict=True))
    lines = _TableLines(source, read)
    made = _collect(source, on_error, rows, lambda row: _checked(**row), where=lines, shown=_values)
    return TableRead(made.table, pa.concat_tables([read.rejects, made.rejects]).sort_by("row"), read.notes)


def _as_text(column: pa.ChunkedArray, path: str | Path, name: str) -> pa.ChunkedArray:
    """Return names that may be stored as numbers or categories."""
    try:
        return column.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise DataError(f"holds {column.type}, which is no name", file=path, column=name) from None


class _TableLines:
    """Where the rows of a table stand in its file; nowhere if cells span lines or the format has no lines."""

    def __init__(self, source: Source, read: TableRead) -> None:
        self.source, self.read = source, read

    @cached_property
    def numbers(self) -> list[int]:
        refused = set(self.read.rejects["row"].to_pylist())
        with self.source.plain.open("rb") as file:
            numbers = [number for number, line in enumerate(file, 1) if line.strip() and number not in refused]
        n_header = len(numbers) - len(self.read.table)
        return numbers[n_header:] if n_header in (0, 1) else []

    def __call__(self, index: int) -> int | None:
        return self.numbers[index] if self.numbers else None


def _values(row: dict[str, str | None]) -> str:
    return ", ".join(value or "" for value in row.values())


FACT_FORMATS: dict[str, Callable[..., TableRead]] = {
    "triples": read_triples,
    "ntriples": read_ntriples,
    "table": _read_table,
}
"""The readers of facts, by the name of the format."""

Item = TypeVar("Item")


def _lines(source: Source, *, reject: bool) -> tuple[list[tuple[int, str]], list[Bad]]:
    """Return the lines that are not blank, with their numbers; and those that are no UTF-8, if they may be rejected."""
    lines: list[tuple[int, str]] = []
    bad: list[Bad] = []
    check_text(head := source.head(_HEAD), source.path)
    # Not splitlines(): a name may hold U+2028 or a form feed.
    with source.plain.open("rb") as file:
        only_returns = line_end_of(head) == b"\r" and b"\n" not in (content := file.read())
        if not only_returns:
            file.seek(0)
        for number, raw in enumerate(content.split(b"\r") if only_returns else file, 1):
            raw = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
            if not raw.strip():
                continue
            try:
                lines.append((number, raw.decode("utf-8").rstrip("\n").removesuffix("\r")))
            except UnicodeDecodeError as error:
                reason = f"byte {error.start + 1:,} of the line is 0x{raw[error.start]:02X}, which is not UTF-8"
                if not reject:
                    hint = "If the file is in another encoding, name it, for example: --encoding latin-1"
                    raise DataError(reason, file=source.path, row=number, hint=hint) from error
                bad.append((number, reason, raw.rstrip(b"\r\n").decode("utf-8", "backslashreplace")))
    if not lines and not bad:
        raise DataError("is empty", file=source.path, hint="A fact is a line: subject TAB relation TAB object.")
    return lines, bad


def _collect(
    source: Source,
    on_error: str,
    items: Iterable[tuple[int, Item]],
    parse: Callable[[Item], Fact],
    *,
    bad: Sequence[Bad] = (),
    where: Callable[[int], int | None] = int,
    shown: Callable[[Item], str] = str,
) -> TableRead:
    """Make facts of numbered rows.

    `parse` says in a ValueError why a row is none, `where` what its line is, `shown` how it is written.
    """
    reject = check_on_error(on_error)
    facts: list[Fact] = []
    refused = list(bad)
    for number, item in items:
        try:
            facts.append(parse(item))
        except ValueError as error:
            if not reject:
                hint = f"There stands {shown(item)[:80]!r}. To go on without such rows, choose on_error='reject'."
                raise DataError(str(error), file=source.path, row=where(number), hint=hint) from None
            refused.append((where(number), str(error), shown(item)))
    columns: Iterable[Sequence[object]] = list(zip(*facts, strict=True)) if facts else [()] * len(FACTS)
    arrays = [pa.array(values, field.type) for values, field in zip(columns, FACTS, strict=True)]
    return TableRead(pa.Table.from_arrays(arrays, schema=FACTS), make_rejects(refused).sort_by("row"), source.notes)


def _checked(
    subject: str | None,
    relation: str | None,
    object: str | None,
    probability: str | None = None,
    source: str | None = None,
) -> Fact:
    parts = {"subject": subject, "relation": relation, "object": object}
    for name, value in parts.items():
        if not value or not value.strip():
            raise ValueError(f"the {name} is empty")
    try:
        number = 1.0 if not probability else float(probability)
    except ValueError:
        raise ValueError(f"the probability is {probability!r}, which is no number") from None
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"the probability is {number:g}; it is from 0 to 1")
    return str(subject), str(relation), str(object), number, source or None


def _split(line: str, order: Sequence[str]) -> Fact:
    values = line.split("\t")
    if len(values) == 3 and order == FACTS.names and all(map(str.strip, values)):
        return values[0], values[1], values[2], 1.0, None  # what nearly every line is, soon done
    if len(values) < 3:
        raise ValueError(f"has {len(values)} of the 3 parts subject, relation, object (separated by tabs)")
    if len(values) > len(order):
        raise ValueError(f"has {len(values)} parts; a fact here has at most {len(order)}")
    parts = dict.fromkeys(("subject", "relation", "object"))
    return _checked(**parts | {part: value for part, value in zip(order, values, strict=False) if part})


# Every piece can match in one way only (and what has matched is not given back: `*+`), so that a bad line is found bad
# in time linear in its length.
_NODE = (
    r"(?:<((?:[^<>\"{}|^`\\\x00-\x20]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*+)>|(_:[^\s<>\".]++(?:\.+[^\s<>\".]++)*+))"
)
_LITERAL = r'("(?:[^"\\\r\n]|\\.)*+"(?:\^\^<[^<>\s]*>|@[A-Za-z]+(?:-[A-Za-z0-9]+)*)?)'
_STATEMENT = re.compile(rf"\s*+{_NODE}\s*+<([^<>\s]*+)>\s*+(?:{_NODE}|{_LITERAL})\s*+(?:{_NODE}\s*+)?\.\s*+(?:#.*)?")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([tbnrf\"'\\]))")
_LETTERS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


def _statement(line: str) -> Fact:
    match = _STATEMENT.fullmatch(line)
    if match is None:
        end = "" if line.rstrip().endswith(".") else "; it has no full stop at its end"
        raise ValueError(f"is no N-Triples statement <subject> <relation> <object> .{end}")
    address, blank, relation, other, other_blank, literal, graph, graph_blank = match.groups()
    parts = (address or blank, relation, other or other_blank or literal, graph or graph_blank)
    subject, name, object_, source = (None if part is None else _ESCAPE.sub(_unescaped, part) for part in parts)
    return _checked(subject, name, object_, source=source)


def _unescaped(match: re.Match[str]) -> str:
    short, long, letter = match.groups()
    if letter is not None:
        return _LETTERS.get(letter, letter)
    code = int(short or long, 16)
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        raise ValueError(f"the escape {match[0]} is no character")
    return chr(code)
