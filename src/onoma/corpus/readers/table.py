"""Tables in files: what kind of file it is, and its rows."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from onoma.corpus.readers.delimited import read_delimited
from onoma.corpus.readers.dialect import DELIMITERS
from onoma.corpus.readers.files import REJECTS, check_on_error
from onoma.corpus.readers.jsonl import read_jsonl
from onoma.corpus.readers.parquet import read_parquet
from onoma.corpus.readers.source import Source, open_source
from onoma.corpus.readers.spreadsheet import SPREADSHEETS, read_spreadsheet
from onoma.errors import DataError, SettingsError

__all__ = ["TableRead", "read_source", "read_table"]


@dataclass(frozen=True)
class TableRead:
    """What a table file held.

    Parameters
    ----------
    table
        The rows that could be used, all columns, in the order of the file.
    rejects
        The rows that could not (`row`, `reason`, `text`).
    notes
        What was done that the reader of the result should know, such as a column renamed.
    """

    table: pa.Table
    rejects: pa.Table
    notes: list[str]


def read_table(
    path: str | Path,
    *,
    on_error: str = "stop",
    format: str | None = None,
    delimiter: str | None = None,
    header: bool = True,
    types: str = "infer",
    encoding: str | None = None,
) -> TableRead:
    """Read a table from CSV, TSV, JSON Lines, Parquet or a spreadsheet, plain or packed with gzip, zstd or xz.

    Parameters
    ----------
    path
        The file, or a stream such as `/dev/stdin`, which is read once. Its content decides whether it is packed,
        Parquet or a spreadsheet; its name decides the rest.
    on_error
        `"stop"`: the first bad row is a `DataError`. `"reject"`: bad rows stand in `rejects`, the others are read.
    format
        `"csv"`, `"tsv"`, `"jsonl"`, `"parquet"` or `"xlsx"`, where the name does not say it.
    delimiter
        One character; None looks for comma, tab, semicolon or pipe.
    header
        Whether the first row of delimited text has the column names.
    types
        `"infer"`: a column becomes whole numbers, numbers, truth values, dates or times where that loses nothing
        (`007` stays text). `"text"`: all columns of CSV, TSV and JSON Lines stay text.
    encoding
        Of text that is not UTF-8, such as `"latin-1"`; None: it is found, and said.

    Returns
    -------
    TableRead
    """
    reject = check_on_error(on_error)
    if types not in ("infer", "text"):
        raise SettingsError(f"types is {types!r}; it may be 'infer' or 'text'")
    if delimiter is not None and (len(delimiter) != 1 or delimiter in "\r\n\"'"):
        raise SettingsError(
            f"delimiter is {delimiter!r}; it is one character, such as {' '.join(map(repr, DELIMITERS))}"
        )
    with open_source(path, encoding=encoding) as source:
        return read_source(source, reject=reject, format=format, delimiter=delimiter, header=header, types=types)


def read_source(
    source: Source,
    *,
    reject: bool,
    format: str | None = None,
    delimiter: str | None = None,
    header: bool = True,
    types: str = "infer",
) -> TableRead:
    """Read the table of a file that is open; otherwise as `read_table`."""
    kind, infer = _signature(source) or format or _kind(source.path), types == "infer"
    if kind == "parquet":
        return TableRead(read_parquet(source.plain, source.path), REJECTS.empty_table(), source.notes)
    if kind == "jsonl":
        return TableRead(*read_jsonl(source, reject=reject, infer=infer))
    if kind == "xlsx":
        return TableRead(*read_spreadsheet(source, reject=reject, header=header, infer=infer))
    if kind not in ("csv", "tsv"):
        raise SettingsError(f"format is {format!r}; a table may be 'csv', 'tsv', 'jsonl', 'parquet' or 'xlsx'")
    delimiter = delimiter or ("\t" if kind == "tsv" else None)
    return TableRead(*read_delimited(source, reject=reject, delimiter=delimiter, header=header, infer=infer))


_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".txt": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".xls": "xlsx",
    ".ods": "xlsx",
}


def _signature(source: Source) -> str | None:
    """Tell the format by the first bytes, where they say it."""
    head = source.head()
    if head in SPREADSHEETS:
        return "xlsx"
    return "parquet" if head == b"PAR1" else None


def _kind(path: Path) -> str:
    """Tell the format by the name."""
    name = path.name.lower()
    for packed in (".gz", ".zst", ".xz"):
        name = name.removesuffix(packed)
    kind = _SUFFIXES.get(Path(name).suffix)
    if kind is None:
        known = ", ".join(_SUFFIXES)
        raise DataError(
            f"the name does not say the format; known endings are {known}", file=path, hint="Or name the format."
        )
    return kind
