"""The formats: what each is called, holds, reads and writes.

A format of one's own is registered by `register_format`, or by another package through an entry point:

    [project.entry-points."onoma.formats"]
    fixed = "my_package.formats:FIXED_WIDTH"
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from onoma.corpus.corpus import Corpus
from onoma.corpus.readers.table import TableRead, read_table
from onoma.corpus.writers.delimited import write_csv, write_tsv
from onoma.corpus.writers.jsonl import write_jsonl
from onoma.corpus.writers.parquet import write_parquet
from onoma.errors import DataError, SettingsError
from onoma.plugins import entry_points

__all__ = [
    "FORMATS",
    "Format",
    "format_of",
    "known_formats",
    "read_corpus",
    "read_rows",
    "register_format",
    "unregister_format",
    "write_corpus",
    "write_table",
]


@dataclass(frozen=True)
class Format:
    """A file format.

    Parameters
    ----------
    name
        How it is called in settings.
    extensions
        Endings of file names; `.gz`, `.zst` or `.xz` may follow.
    holds
        `"table"`: rows. `"corpus"`: documents with tokens, mentions and chains.
    about
        One line for people.
    read_table, read_corpus
        Its reader; one of the two.
    write_table, write_corpus
        Its writer, if there is one.
    """

    name: str
    extensions: tuple[str, ...]
    holds: Literal["table", "corpus"]
    about: str
    read_table: Callable[..., TableRead] | None = None
    read_corpus: Callable[..., Corpus] | None = None
    write_table: Callable[..., None] | None = None
    write_corpus: Callable[[Corpus, str | Path], None] | None = None


def _table(name: str, extensions: tuple[str, ...], about: str, write: Callable[..., None] | None) -> Format:
    return Format(name, extensions, "table", about, partial(read_table, format=name), write_table=write)


_CONLL2012 = (".conll", ".conll12", ".v4_conll", ".v4_gold_conll", ".v4_auto_conll", ".gold_conll", ".auto_conll")


def _read_bibtex(path: Path, **options: Any) -> TableRead:  # noqa: ANN401 (those of `read_bibtex`)
    from onoma.corpus.readers.bibtex import read_bibtex  # its parser is much to load

    return read_bibtex(path, **options)


def _late(module: str, name: str) -> Callable[..., Any]:
    """Return a function of this room, whose module is loaded when it is called: most runs read and write tables."""

    def call(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 (those of the function)
        return getattr(importlib.import_module(f"onoma.corpus.{module}"), name)(*arguments, **named)

    return call


FORMATS: dict[str, Format] = {
    entry.name: entry
    for entry in (
        _table("csv", (".csv", ".txt"), "delimited text with a header", write_csv),
        _table("tsv", (".tsv", ".tab"), "tab-separated text with a header", write_tsv),
        _table("jsonl", (".jsonl", ".ndjson", ".json"), "JSON Lines, one object a line", write_jsonl),
        _table("parquet", (".parquet", ".pq"), "Parquet", write_parquet),
        _table("xlsx", (".xlsx", ".xlsm", ".xls", ".ods"), "a spreadsheet: its first sheet", None),
        Format("bibtex", (".bib",), "table", "BibTeX: a mention for each author and editor", read_table=_read_bibtex),
        Format(
            "conll2012",
            (*_CONLL2012, ".key", ".response"),
            "corpus",
            "CoNLL-2012 coreference",
            read_corpus=_late("readers.conll2012", "read_conll2012"),
            write_corpus=_late("writers.conll2012", "write_conll2012"),
        ),
        Format(
            "conllu",
            (".conllu",),
            "corpus",
            "CoNLL-U with Entity= (GUM, CorefUD)",
            read_corpus=_late("readers.conllu", "read_conllu"),
            write_corpus=_late("writers.conllu", "write_conllu"),
        ),
    )
}
"""Every format that comes with Onoma, by name."""

GROUP = "onoma.formats"
"""The group of entry points."""
_registered: dict[str, Format] = {}


def register_format(format: Format) -> None:
    """Add a format; files whose names end as it says are then read, and written, by it."""
    taken = {ending for each in FORMATS.values() for ending in each.extensions} & set(format.extensions)
    if format.name in FORMATS or taken:
        what = f"called {format.name!r}" if format.name in FORMATS else f"with the ending {min(taken)!r}"
        raise SettingsError(f"there is a format {what} already", hint="Give it another name, or other endings.")
    if (format.read_table if format.holds == "table" else format.read_corpus) is None:
        raise SettingsError(f"the format {format.name!r} holds a {format.holds} and does not say how that is read")
    _registered[format.name] = format


def unregister_format(name: str) -> None:
    """Take away a format that `register_format` added."""
    _registered.pop(name, None)


def known_formats() -> dict[str, Format]:
    """Return every format by name: those of the house first, then those registered and of other packages."""
    found = FORMATS | _registered
    for point in entry_points(group=GROUP):
        if point.name not in found:
            found[point.name] = point.load()
    return found


def read_rows(path: str | Path, *, on_error: str = "stop", encoding: str | None = None) -> TableRead:
    """Read a table from a file of any format: one of somebody's own by its reader, any other by `read_table`."""
    name = _bare_name(path)
    for entry in known_formats().values():
        if entry.name not in FORMATS and entry.read_table is not None and name.endswith(entry.extensions):
            return entry.read_table(path, on_error=on_error, encoding=encoding)
    return read_table(path, on_error=on_error, encoding=encoding)


def format_of(path: str | Path, name: str | None = None) -> Format:
    """Return the format named, or the one the file name says.

    Examples
    --------
    >>> format_of("people.csv.gz").name
    'csv'
    """
    if name is not None:
        known = known_formats()
        if name not in known:
            raise SettingsError(f"there is no format {name!r}; there are {', '.join(known)}")
        return known[name]
    bare = _bare_name(path)
    for entry in known_formats().values():
        if bare.endswith(entry.extensions):
            return entry
    if Path(path).is_dir():
        raise DataError("is a folder, not a file", file=path, hint="Name a file, in it or beside it.")
    endings = ", ".join(extension for entry in known_formats().values() for extension in entry.extensions)
    hint = (
        "Name the format." if not bare.endswith(".duckdb") else "A knowledge base is told by onoma export KB -o FOLDER."
    )
    raise DataError(f"the name does not say the format; known endings are {endings}", file=path, hint=hint)


def _bare_name(path: str | Path) -> str:
    """Return the name of a file in small letters, without the ending that says that it is packed."""
    bare = Path(path).name.lower()
    for packed in (".gz", ".zst", ".xz"):
        bare = bare.removesuffix(packed)
    return bare


def read_corpus(
    path: str | Path, *, format: str | None = None, on_error: str = "stop", encoding: str | None = None
) -> Corpus:
    """Read annotated text in the format that the file name says, or the one given."""
    entry = format_of(path, format)
    if entry.read_corpus is None:
        texts = ", ".join(other.name for other in FORMATS.values() if other.read_corpus)
        raise DataError(f"{entry.name} holds a table, not annotated text; that is in {texts}", file=path)
    return entry.read_corpus(path, on_error=on_error, encoding=encoding)


def write_corpus(corpus: Corpus, path: str | Path, *, format: str | None = None) -> None:
    """Write annotated text in the format that the file name says, or the one given."""
    entry = format_of(path, format)
    if entry.write_corpus is None:
        hint = "To write its mentions as a table, use onoma.corpus.convert.mentions_table."
        raise DataError(f"{entry.name} cannot hold annotated text", file=path, hint=hint)
    entry.write_corpus(corpus, path)


def write_table(
    table: pa.Table, path: str | Path, *, format: str | None = None, quote_formulas: bool | None = None
) -> None:
    """Write a table in the format that the file name says, or the one given.

    With `quote_formulas`, CSV and TSV have an apostrophe before what a spreadsheet would take for a formula.
    """
    entry = format_of(path, format)
    if entry.write_table is None:
        tables = ", ".join(other.name for other in FORMATS.values() if other.write_table)
        what = (
            "is read, not written" if entry.holds == "table" else "holds annotated text: words and brackets, not rows"
        )
        raise DataError(f"{entry.name} {what}; a table can be written as {tables}", file=path)
    if entry.name in ("csv", "tsv"):
        entry.write_table(table, path, quote_formulas=quote_formulas)
    else:
        entry.write_table(table, path)
