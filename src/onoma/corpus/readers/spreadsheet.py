"""Spreadsheets: `.xlsx`, `.xls` and `.ods`, by python-calamine.

The first sheet that holds anything becomes delimited text, which is read as such: so titles above the header, types and
bad rows are what they are there. Dates are dates where the cell is formatted as one. Formulas are the values last
calculated. Other sheets are named in a note.
"""

import csv
import datetime
import zipfile
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
from python_calamine import CalamineError, CalamineWorkbook

from onoma.corpus.readers.source import Source
from onoma.errors import DataError

__all__ = ["SPREADSHEETS", "read_spreadsheet"]

SPREADSHEETS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""How spreadsheets begin: as zip archives (.xlsx, .ods), or as the old compound files (.xls)."""

_MOST_BYTES = 1 << 30


def read_spreadsheet(
    source: Source, *, reject: bool, header: bool, infer: bool
) -> tuple[pa.Table, pa.Table, list[str]]:
    """Read the first sheet of a spreadsheet that holds anything: its table, what was rejected, and notes."""
    _refuse_bomb(source)
    name, others, rows = _first_sheet(source)
    notes = list(source.notes)
    if others:
        said = ", ".join(map(repr, others[:5])) + ("…" if len(others) > 5 else "")
        notes.append(
            f"the sheet {name!r} was read; {said} stayed behind (save a sheet as a file of its own to read it)"
        )
    from onoma.corpus.readers.delimited import read_delimited

    with TemporaryDirectory(prefix="onoma-") as folder:
        plain = Path(folder) / "sheet.csv"
        with plain.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            for row in rows:
                values = [_text(value) for value in row]
                writer.writerow(values if any(values) else [])
        # With a delimiter of its own for a sheet of one column: texts may hold commas.
        sheet = Source(source.path, plain, notes)
        return read_delimited(sheet, reject=reject, delimiter=",", header=header, infer=infer)


def _refuse_bomb(source: Source) -> None:
    if not zipfile.is_zipfile(source.plain):
        return
    with zipfile.ZipFile(source.plain) as archive:
        if sum(each.file_size for each in archive.infolist()) > _MOST_BYTES:
            hint = "Save it as CSV, which has no such limit."
            raise DataError("is a spreadsheet of more than 1 GB when unpacked", file=source.path, hint=hint)


def _first_sheet(source: Source) -> tuple[str, list[str], Sequence[Sequence[object]]]:
    """Return the first sheet with rows, and the names of the others."""
    try:
        book = CalamineWorkbook.from_path(str(source.plain))
        for name in book.sheet_names:
            rows: Sequence[Sequence[object]] = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
            if any(value != "" for row in rows for value in row):
                return name, [other for other in book.sheet_names if other != name], rows
    except BaseException as error:
        # A panic in Rust is no Exception.
        if not isinstance(error, CalamineError | OSError | ValueError) and type(error).__name__ != "PanicException":
            raise
        said = (
            "is a zip archive, and no spreadsheet that can be read"
            if source.head() == SPREADSHEETS[0]
            else "is damaged"
        )
        hint = "If it is an archive, unpack it first (unzip); a damaged spreadsheet may be saved anew, or as CSV."
        raise DataError(
            f"{said} ({str(error).splitlines()[0] if str(error) else error!r})", file=source.path, hint=hint
        ) from error
    raise DataError("is empty: no sheet holds anything", file=source.path)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ")
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return str(value)
