"""Facts in files: lines of subject, relation and object, N-Triples, or any table with those columns.

A line of triples is `subject TAB relation TAB object`, with a probability and a source after it where they are known.
A first line that names these columns is a header. What cannot be a fact (a missing part, a probability that is none)
stops the reading or stands in the rejects; blank lines are no rows.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import pyarrow as pa

from onoma.corpus.readers.files import check_on_error, make_rejects, read_text
from onoma.corpus.readers.table import TableRead, read_table
from onoma.corpus.schema import FACTS
from onoma.errors import DataError, SettingsError

__all__ = ["FACT_FORMATS", "read_facts", "read_ntriples", "read_triples"]

_WORDS = {
    "subject": ("subject", "head", "entity", "h", "s", "e1"),
    "relation": ("relation", "predicate", "r", "p"),
    "object": ("object", "tail", "value", "t", "o", "e2"),
    "probability": ("probability", "confidence", "score", "weight"),
    "source": ("source",),
}
"""What a column of facts may be called."""
_PARTS_BY_WORD = {word: part for part, words in _WORDS.items() for word in words}

Fact = tuple[str, str, str, float, str | None]


def read_facts(path: str | Path, *, on_error: str = "stop", format: str | None = None) -> TableRead:  # noqa: A002
    """Read facts in the format that the file name says, or the one given.

    Parameters
    ----------
    path
        The file; it may be packed with gzip, zstd or xz.
    on_error
        `"stop"`: the first bad line is a `DataError`. `"reject"`: bad lines stand in `rejects`.
    format
        One of `FACT_FORMATS`. By default `.nt` is N-Triples, `.tsv` and `.txt` are lines of triples, anything else is
        a table with a header.

    Returns
    -------
    TableRead
        Its table has the columns of `FACTS`.
    """
    if format is not None and format not in FACT_FORMATS:
        raise SettingsError(f"there is no format of facts {format!r}; there are {', '.join(FACT_FORMATS)}")
    name = Path(path).name.lower()
    for packed in (".gz", ".zst", ".xz"):
        name = name.removesuffix(packed)
    by_ending = {".nt": "ntriples", ".tsv": "triples", ".txt": "triples", ".tab": "triples"}
    return FACT_FORMATS[format or by_ending.get(Path(name).suffix, "table")](path, on_error=on_error)


def read_triples(path: str | Path, *, on_error: str = "stop") -> TableRead:
    """Read lines of tab-separated subject, relation, object and, where given, probability and source."""
    lines = _lines(path)
    order = [_PARTS_BY_WORD.get(name.strip().lower(), "") for name in lines[0][1].split("\t")]
    if {"subject", "relation", "object"} <= set(order):
        return _collect(path, on_error, lines[1:], partial(_split, order=order))
    return _collect(path, on_error, lines, partial(_split, order=FACTS.names))


def read_ntriples(path: str | Path, *, on_error: str = "stop") -> TableRead:
    """Read N-Triples (RDF 1.1): `<subject> <relation> <object> .`, blank nodes and literals included.

    Addresses lose their angle brackets; a literal keeps its quotes, language and datatype, so that the text "Lyon" and
    the thing of that name stay two things.
    """
    lines = [(number, line) for number, line in _lines(path) if not line.lstrip().startswith("#")]
    return _collect(path, on_error, lines, _statement)


def _read_table(path: str | Path, *, on_error: str = "stop") -> TableRead:
    """Read a table whose header names subject, relation and object."""
    read = read_table(path, on_error=on_error, types="text")
    names = {_PARTS_BY_WORD.get(name.strip().lower(), ""): name for name in reversed(read.table.column_names)}
    for part in ("subject", "relation", "object"):
        if part not in names:
            raise DataError(
                f"no column is called {' or '.join(map(repr, _WORDS[part]))}; "
                f"the columns are {', '.join(map(repr, read.table.column_names))}",
                file=path,
                hint="Facts are subject, relation, object; lines without a header are read with format='triples'.",
            )
    columns = [read.table[names[part]].to_pylist() for part in FACTS.names if part in names]
    order = [part for part in FACTS.names if part in names]
    rows = [(None, dict(zip(order, row, strict=True))) for row in zip(*columns, strict=True)]
    made = _collect(path, on_error, rows, lambda row: _checked(**row))
    return TableRead(made.table, pa.concat_tables([read.rejects, made.rejects]), read.notes)


FACT_FORMATS: dict[str, Callable[..., TableRead]] = {
    "triples": read_triples,
    "ntriples": read_ntriples,
    "table": _read_table,
}
"""The readers of facts, by the name of the format."""

Item = TypeVar("Item")


def _lines(path: str | Path) -> list[tuple[int | None, str]]:
    """Return the lines that are not blank, with their numbers."""
    text = read_text(path).removeprefix("\ufeff")
    if not text.strip():
        raise DataError("is empty", file=path, hint="A fact is a line: subject TAB relation TAB object.")
    # Not splitlines(): a name may hold U+2028 or a form feed.
    numbered = enumerate((line.removesuffix("\r") for line in text.split("\n")), 1)
    return [(number, line) for number, line in numbered if line.strip()]


def _collect(
    path: str | Path, on_error: str, items: Iterable[tuple[int | None, Item]], parse: Callable[[Item], Fact]
) -> TableRead:
    """Make facts of rows; `parse` says in a ValueError why a row is none."""
    reject = check_on_error(on_error)
    facts: list[Fact] = []
    bad: list[tuple[int | None, str, str]] = []
    for number, item in items:
        try:
            facts.append(parse(item))
        except ValueError as error:
            if not reject:
                hint = f"There stands {str(item)[:80]!r}. To go on without such rows, choose on_error='reject'."
                raise DataError(str(error), file=path, row=number, hint=hint) from None
            bad.append((number, str(error), str(item)))
    columns: Iterable[Sequence[object]] = list(zip(*facts, strict=True)) if facts else [()] * len(FACTS)
    arrays = [pa.array(values, field.type) for values, field in zip(columns, FACTS, strict=True)]
    return TableRead(pa.Table.from_arrays(arrays, schema=FACTS), make_rejects(bad), [])


def _checked(
    subject: str | None,
    relation: str | None,
    object: str | None,  # noqa: A002
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
    if len(values) < 3:
        raise ValueError(f"has {len(values)} of the 3 parts subject, relation, object (separated by tabs)")
    if len(values) > len(order):
        raise ValueError(f"has {len(values)} parts; a fact here has at most {len(order)}")
    parts = dict.fromkeys(("subject", "relation", "object"))
    return _checked(**parts | {part: value for part, value in zip(order, values, strict=False) if part})


_NODE = r"(?:<([^<>\"{}|^`\\\x00-\x20]*(?:\\[uU][0-9A-Fa-f]+[^<>\"{}|^`\\\x00-\x20]*)*)>|(_:[^\s<>\"]+))"
_LITERAL = r'("(?:[^"\\\r\n]|\\.)*"(?:\^\^<[^<>\s]*>|@[A-Za-z]+(?:-[A-Za-z0-9]+)*)?)'
_STATEMENT = re.compile(rf"\s*{_NODE}\s*<([^<>\s]*)>\s*(?:{_NODE}|{_LITERAL})\s*\.\s*(?:#.*)?")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([tbnrf\"'\\]))")
_LETTERS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


def _statement(line: str) -> Fact:
    match = _STATEMENT.fullmatch(line)
    if match is None:
        end = "" if line.rstrip().endswith(".") else "; it has no full stop at its end"
        raise ValueError(f"is no N-Triples statement <subject> <relation> <object> .{end}")
    address, blank, relation, other, other_blank, literal = match.groups()
    subject, object_ = address or blank, other or other_blank or literal
    return _checked(*(None if part is None else _ESCAPE.sub(_unescaped, part) for part in (subject, relation, object_)))


def _unescaped(match: re.Match[str]) -> str:
    short, long, letter = match.groups()
    if letter is not None:
        return _LETTERS.get(letter, letter)
    code = int(short or long, 16)
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        raise ValueError(f"the escape {match[0]} is no character")
    return chr(code)
