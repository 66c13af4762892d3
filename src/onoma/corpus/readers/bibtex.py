"""BibTeX: one mention for each author and editor of each entry.

Names are cut into parts by BibTeX's own rules (`von Last, Jr, First` or `First von Last`); of the given names the first
is `first` and the others are `middle`. LaTeX accents become letters.
"""

import logging
import re
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path

import pyarrow as pa
from bibtexparser.entrypoint import parse_string
from bibtexparser.library import Library
from bibtexparser.middlewares import (
    LatexDecodingMiddleware,
    NameParts,
    RemoveEnclosingMiddleware,
    ResolveStringReferencesMiddleware,
)
from bibtexparser.middlewares.names import (
    InvalidNameError,
    parse_single_name_into_parts,
    split_multiple_persons_names,
)
from bibtexparser.model import Entry, Field, ImplicitComment

from onoma.corpus.readers.files import check_on_error, make_rejects
from onoma.corpus.readers.source import read_lines_of
from onoma.corpus.readers.table import TableRead
from onoma.errors import DataError

__all__ = ["CITATIONS", "read_bibtex"]

# Without a handler of its own the parser's warnings would go to the terminal; they come back as errors here anyway.
logging.getLogger("bibtexparser").addHandler(logging.NullHandler())

CITATIONS = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False, metadata={"doc": "entry, role and position"}),
        pa.field("entry", pa.string(), nullable=False, metadata={"doc": "key of the entry"}),
        pa.field("entry_type", pa.string(), metadata={"doc": "article, book, …"}),
        pa.field("role", pa.string(), metadata={"doc": "author or editor"}),
        pa.field("position", pa.int64(), metadata={"doc": "in the list of names, from 1"}),
        pa.field("name", pa.string(), metadata={"doc": "all parts, given names first"}),
        pa.field("first", pa.string()),
        pa.field("middle", pa.string()),
        pa.field("von", pa.string()),
        pa.field("last", pa.string()),
        pa.field("jr", pa.string()),
        pa.field("title", pa.string()),
        pa.field("venue", pa.string(), metadata={"doc": "journal, proceedings, publisher, school or institution"}),
        pa.field("year", pa.string()),
        pa.field("coauthors", pa.list_(pa.string()), metadata={"doc": "the other names of the same list"}),
    ]
)
"""What a bibliography becomes."""

_VENUES = ("journal", "journaltitle", "booktitle", "publisher", "school", "institution", "howpublished")
_ROLES = ("author", "editor")
_MARKS = "\\{}~$"
# After an @ anything; without one some word or words, a brace, a key and a comma; or a line of a field.
_ENTRY_LIKE = re.compile(r"@[^\n@]*|^[ \t]*\w[^\n={}@]{0,40}[{(][^\n,{}]*,|^[ \t]*\w+[ \t]*=[ \t]*[{\"]", re.MULTILINE)


def read_bibtex(path: str | Path, *, on_error: str = "stop", encoding: str | None = None) -> TableRead:
    """Read a BibTeX file: a table of mentions (`CITATIONS`).

    Parameters
    ----------
    path
        The file, plain or packed with gzip or zstd.
    on_error
        `"stop"`: the first entry or name that cannot be read is a `DataError`. `"reject"`: they stand in `rejects`.
    encoding
        Of text that is not UTF-8; None: it is found, and said.
    """
    reject = check_on_error(on_error)
    path, notes = Path(path), list[str]()
    stack = [ResolveStringReferencesMiddleware(), RemoveEnclosingMiddleware()]
    text = read_lines_of(path, encoding=encoding, notes=notes).removeprefix("\ufeff")
    library = parse_string(text, parse_stack=stack)
    bad: list[tuple[int | None, str, str]] = [
        ((block.start_line or 0) + 1, _reason(block.error), block.raw or "") for block in library.failed_blocks
    ]
    for comment in library.comments:
        if isinstance(comment, ImplicitComment):
            _outside((comment.start_line or 0) + 1, comment.comment, bad, notes)
    if not library.entries and not bad:
        raise DataError("holds no BibTeX entry", file=path, hint="An entry looks like @article{key, author = {…}, …}.")
    rows: list[dict[str, object]] = []
    for entry in library.entries:
        rows += _mentions(entry, bad)
    bad.sort(key=lambda row: row[0] or 0)
    if bad and not reject:
        row, reason, text = bad[0]
        raise DataError(reason, file=path, row=row, hint=f"There stands {text[:80]!r}.")
    nameless = sum(not any(role in entry.fields_dict for role in _ROLES) for entry in library.entries)
    if nameless:
        notes.append(f"{nameless:,} entries have neither author nor editor and give no mention")
    return TableRead(_decoded(pa.Table.from_pylist(rows, CITATIONS)), make_rejects(bad), notes)


def _outside(line: int, text: str, bad: list[tuple[int | None, str, str]], notes: list[str]) -> None:
    """Judge what stands between entries: BibTeX takes it for remarks, but an entry that is misspelt is none."""
    found = list(_ENTRY_LIKE.finditer(text))
    for match, following in zip_longest(found, found[1:]):
        stands = text[match.start() : following.start() if following else None].strip()
        row = line + text.count("\n", 0, match.start())
        bad.append((row, "looks like an entry and is none: an entry begins with @type{key,", stands))
    remark = (text[: found[0].start()] if found else text).strip()
    if remark:
        shown = " ".join(remark.split())
        notes.append(f"row {line:,}: {shown[:60]!r}{'…' if len(shown) > 60 else ''} stands between entries: a remark")


def _reason(error: Exception) -> str:
    text = " ".join(str(getattr(error, "abort_reason", None) or error).split())
    return f"the entry cannot be read: {text.split(' Note:')[0]}"


def _mentions(entry: Entry, bad: list[tuple[int | None, str, str]]) -> Iterator[dict[str, object]]:
    fields = {key.lower(): field for key, field in entry.fields_dict.items()}
    shared = {
        "entry": entry.key,
        "entry_type": entry.entry_type.lower(),
        "title": _value(fields, ("title",)),
        "venue": _value(fields, _VENUES),
        "year": _value(fields, ("year", "date")),
    }
    for role in _ROLES:
        if role not in fields:
            continue
        line = (fields[role].start_line or entry.start_line or 0) + 1
        names = list(_names(str(fields[role].value), line, bad))
        written = [parts.merge_first_name_first for _, parts in names]
        for at, (position, parts) in enumerate(names):
            yield {
                "id": f"{entry.key}:{role}:{position}",
                **shared,
                "role": role,
                "position": position,
                "name": written[at],
                "first": parts.first[0] if parts.first else None,
                "middle": " ".join(parts.first[1:]) or None,
                "von": " ".join(parts.von) or None,
                "last": " ".join(parts.last) or None,
                "jr": " ".join(parts.jr) or None,
                "coauthors": written[:at] + written[at + 1 :],
            }


def _names(value: str, line: int, bad: list[tuple[int | None, str, str]]) -> Iterator[tuple[int, NameParts]]:
    """Yield each name with its position; `others` is nobody."""
    for position, name in enumerate(split_multiple_persons_names(value), 1):
        if name.strip().lower() == "others":
            continue
        try:
            parts = parse_single_name_into_parts(name, strict=True)
        except InvalidNameError as error:
            bad.append((line, f"the name cannot be read: {str(error).rpartition(': ')[2]}", name))
            continue
        if parts.merge_first_name_first.strip():
            yield position, parts
        else:
            bad.append((line, "the name is empty", name))


def _value(fields: dict[str, Field], keys: Iterable[str]) -> str | None:
    return next((" ".join(str(fields[key].value).split()) for key in keys if key in fields), None)


def _decoded(table: pa.Table) -> pa.Table:
    """Turn LaTeX into letters in all texts that hold any; braces and ties go."""
    texts = [column for column in table.schema if column.name not in ("id", "entry", "entry_type", "role", "position")]
    found = {text for column in texts for text in _flat(table[column.name]) if any(mark in text for mark in _MARKS)}
    names = sorted(found)
    entry = Entry("misc", "key", [Field(str(i), text) for i, text in enumerate(names)])
    done = LatexDecodingMiddleware().transform_entry(entry, library=Library())
    letters = {text: str(field.value) for text, field in zip(names, getattr(done, "fields", []), strict=False)}
    for column in texts:
        values = [
            [letters.get(item, item) for item in value] if isinstance(value, list) else letters.get(value, value)
            for value in table[column.name].to_pylist()
        ]
        position = table.schema.get_field_index(column.name)
        table = table.set_column(position, column, pa.array(values, column.type))
    return table


def _flat(column: pa.ChunkedArray) -> list[str]:
    flat = column.combine_chunks().flatten() if pa.types.is_list(column.type) else column
    return [text for text in flat.to_pylist() if text is not None]
