"""Tables in files: what kind of file it is, and its rows."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from onoma.corpus.readers.delimited import read_delimited
from onoma.corpus.readers.dialect import DELIMITERS
from onoma.corpus.readers.files import REJECTS, check_on_error, check_readable
from onoma.corpus.readers.jsonl import read_jsonl
from onoma.corpus.readers.parquet import read_parquet
from onoma.errors import DataError, SettingsError

__all__ = ["TableRead", "read_table"]


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
) -> TableRead:
    """Read a table from CSV, TSV, JSON Lines or Parquet, plain or packed with gzip, zstd or xz.

    Parameters
    ----------
    path
        The file. Its content decides whether it is packed, and whether it is Parquet; its name decides the rest.
    on_error
        `"stop"`: the first bad row is a `DataError`. `"reject"`: bad rows stand in `rejects`, the others are read.
    format
        `"csv"`, `"tsv"`, `"jsonl"` or `"parquet"`, where the name does not say it.
    delimiter
        One character; None looks for comma, tab, semicolon or pipe.
    header
        Whether the first row of delimited text has the column names.
    types
        `"infer"`: a column becomes whole numbers, numbers, truth values, dates or times where that loses nothing
        (`007` stays text). `"text"`: all columns of CSV, TSV and JSON Lines stay text.

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
    path = check_readable(path)
    kind = _signature(path) or format or _kind(path)
    if kind == "parquet":
        return TableRead(read_parquet(path), REJECTS.empty_table(), [])
    if kind == "jsonl":
        return TableRead(*read_jsonl(path, reject=reject, infer=types == "infer"))
    if kind not in ("csv", "tsv"):
        raise SettingsError(f"format is {format!r}; a table may be 'csv', 'tsv', 'jsonl' or 'parquet'")
    delimiter = delimiter or ("\t" if kind == "tsv" else None)
    return TableRead(*read_delimited(path, reject=reject, delimiter=delimiter, header=header, infer=types == "infer"))


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
}


def _signature(path: Path) -> str | None:
    """Tell the format by the first bytes, where they say it."""
    with path.open("rb") as file:
        head = file.read(4)
    if head == b"PK\x03\x04":
        hint = "Unpack it first (unzip); .gz, .zst and .xz are read as they are."
        raise DataError("is a zip archive", file=path, hint=hint)
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
