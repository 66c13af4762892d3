"""JSON Lines: one object a line.

Every key becomes a column, in order of first appearance; a line without the key has null there. Numbers, texts, truth
values and lists of texts keep their type. A column of other nested values, or of mixed ones, becomes text: texts as
they are, everything else as JSON.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal

import pyarrow as pa

from onoma.corpus.readers.files import check_text, line_end_of, make_rejects
from onoma.corpus.readers.source import Source
from onoma.errors import DataError

__all__ = ["read_jsonl"]

_INT64 = range(-(2**63), 2**63)
_HEAD = 1 << 16
_BOM = b"\xef\xbb\xbf"
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_EXACT = range(-(2**53), 2**53 + 1)  # whole numbers that a double says exactly


def read_jsonl(source: Source, *, reject: bool, infer: bool) -> tuple[pa.Table, pa.Table, list[str]]:
    """Read JSON Lines: the table, what was rejected, and notes; blank lines are no rows."""
    columns: dict[str, list[object]] = {}
    bad: list[tuple[int | None, str, str]] = []
    empty: list[tuple[int | None, str, str]] = []
    n_rows = 0
    for number, line in _lines(source):
        try:
            value = _object(line)
        except ValueError as error:
            if not reject:
                hint = _array_hint(source.head(_HEAD)) or f"The line is {_shown(line)[:80]!r}."
                raise DataError(str(error), file=source.path, row=number, hint=hint) from None
            bad.append((number, str(error), _shown(line)))
            continue
        if not value and not columns:
            empty.append((number, "is an empty object: there is no column to put it in", _shown(line)))
        _put(value, columns, n_rows)
        n_rows += 1
    if not n_rows and not bad:
        raise DataError("is empty", file=source.path, hint="JSON Lines has one object a line.")
    notes = list(source.notes)
    if not columns and empty:  # a table without columns cannot have rows
        if not reject:
            raise DataError("holds only empty objects {}", file=source.path, hint="A row has at least one key.")
        bad = sorted([*bad, *empty], key=lambda row: row[0] or 0)
    arrays = {name: _column(name, values, n_rows, notes, infer=infer) for name, values in columns.items()}
    return pa.table(arrays), make_rejects(bad), notes


def _lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank, with their numbers; the file is not held in memory."""
    head = source.head(_HEAD).removeprefix(_BOM)
    check_text(head, source.path)
    with source.plain.open("rb") as file:
        if line_end_of(head) == b"\r" and b"\n" not in (rest := file.read()):
            lines: Iterable[bytes] = rest.split(b"\r")
        else:
            file.seek(0)
            lines = file
        for number, line in enumerate(lines, 1):
            line = line.rstrip(b"\n")
            line = line.removeprefix(_BOM) if number == 1 else line
            if line.strip():
                yield number, line


def _object(line: bytes) -> dict[str, object]:
    """Read one line, or say in a ValueError what is wrong with it."""
    try:
        value = _DECODER.decode(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError(
            f"byte {error.start + 1:,} of the line is 0x{line[error.start]:02X}, which is not UTF-8"
        ) from None
    except json.JSONDecodeError as error:
        raise ValueError(f"is not JSON: {error.msg} at character {error.colno:,}") from None
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    if _SURROGATE.search(line):
        _check_characters(value)
    if not isinstance(value, dict):
        raise ValueError(f"holds {_KINDS.get(type(value), 'null')}, not an object {{…}}")  # noqa: TRY004 (wrong text, as above, not a wrong type)
    return value


def _check_characters(value: object) -> None:
    """Refuse the half of a pair: an escape that is no character, which no file in UTF-8 can hold."""
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise ValueError(f"holds {half}, the half of a pair of escapes, which is no character") from None


_KINDS = {list: "an array", str: "a text", int: "a number", float: "a number", bool: "true or false"}


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"has the key {twice!r} twice")
    return value


def _refuse_constant(name: str) -> object:
    raise ValueError(f"is not JSON: {name} is not a number there")


class _LongNumber(str):
    """A number that no double says again: it stays as it is written."""


def _number(text: str) -> float | _LongNumber:
    found = float(text)
    digits = text.lower().split("e")[0].strip("-").replace(".", "").lstrip("0")
    if not math.isfinite(found) or (not found and digits):
        return _LongNumber(text)
    return found if len(digits) <= 15 or Decimal(repr(found)) == Decimal(text) else _LongNumber(text)


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_refuse_constant, parse_float=_number)


def _array_hint(raw: bytes) -> str | None:
    if raw.lstrip().startswith(b"["):
        return "The file is one JSON array. Turn it into lines first: jq -c '.[]' FILE > FILE.jsonl"
    if raw.startswith((b"{\n", b"{\r\n")):
        return "The file looks like one object over many lines. Turn it into lines first: jq -c . FILE > FILE.jsonl"
    return None


def _put(row: dict[str, object], columns: dict[str, list[object]], n_rows: int) -> None:
    for name, value in row.items():
        values = columns.setdefault(name, [])
        if len(values) < n_rows:
            values.extend([None] * (n_rows - len(values)))
        values.append(value)


def _shown(line: bytes) -> str:
    return line.rstrip(b"\r").decode("utf-8", "backslashreplace")


def _column(name: str, values: list[object], n_rows: int, notes: list[str], *, infer: bool) -> pa.Array:
    values.extend([None] * (n_rows - len(values)))
    kinds = {type(value) for value in values} - {type(None)}
    if infer or kinds <= {str}:
        for accepts, make in _TYPES:
            if accepts(kinds, values):
                return pa.array(values, make)
    if infer:
        notes.append(f"column {name!r} holds {_mixture(kinds)} and was read as text")
    return pa.array([_as_text(value) for value in values], pa.string())


def _is_texts(kinds: set[type], values: list[object]) -> bool:
    return kinds == {list} and all(type(item) is str for value in values if isinstance(value, list) for item in value)


def _is_whole(kinds: set[type], values: list[object]) -> bool:
    return kinds == {int} and all(value in _INT64 for value in values if value is not None)


def _is_number(kinds: set[type], values: list[object]) -> bool:
    return kinds <= {int, float} and all(value in _EXACT for value in values if isinstance(value, int))


_TYPES: tuple[tuple[Callable[[set[type], list[object]], bool], pa.DataType], ...] = (
    (lambda kinds, _: kinds <= {str}, pa.string()),
    (lambda kinds, _: kinds == {bool}, pa.bool_()),
    (_is_whole, pa.int64()),
    (_is_number, pa.float64()),
    (_is_texts, pa.list_(pa.string())),
)


def _mixture(kinds: set[type]) -> str:
    words = {
        _LongNumber: "numbers longer than a double",
        dict: "objects",
        list: "arrays",
        str: "texts",
        int: "whole numbers",
        float: "numbers",
        bool: "truth values",
    }
    return (
        " and ".join(sorted(words[kind] for kind in kinds))
        if len(kinds) > 1
        else ("nested values" if kinds & {dict, list} else "numbers too long for 64 bits")
    )


def _as_text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return None if value is None else str(value)
    return _MARKED.sub(r"\1", json.dumps(_marked(value), ensure_ascii=False))


_MARKED = re.compile(r'"\\u0000([-+.0-9eE]+)\\u0000"')


def _marked(value: object) -> object:
    """Mark long numbers, which JSON would write as texts, to take their quotes away."""
    if isinstance(value, dict):
        return {name: _marked(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_marked(item) for item in value]
    return f"\0{value}\0" if isinstance(value, _LongNumber) else value
