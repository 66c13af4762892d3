"""Columns of raw text (citations, addresses) into columns of fields, before a table is resolved."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from onoma.corpus.readers.table import TableRead
from onoma.errors import SettingsError
from onoma.extract.extractor import Extractor
from onoma.pipeline.extraction import Extracted, fields_of, open_extractor
from onoma.pipeline.resolution import Reader, read_rows

__all__ = ["ONE", "parse_columns", "parsers", "parsing_reader"]

ONE = {"citation": "citations", "address": "addresses"}
"""What a value of a column is, and the ready extractor of such."""
_PLACE = "citation-number"
"""The place in a list of references: not of the thing that is cited."""
_EDGES = ' .,;:()[]"“”'


def parsers(said: Sequence[str]) -> dict[str, str]:
    """Read what is said of columns: ``column=citation``, ``column=address``, ``column=FOLDER`` of an extractor.

    Examples
    --------
    >>> parsers(["reference=citation"])
    {'reference': 'citation'}
    """
    found = {}
    for each in said:
        column, _, kind = each.partition("=")
        if not column or not kind:
            raise SettingsError(f"--parse is {each!r}; it is COLUMN=citation, COLUMN=address or COLUMN=FOLDER")
        found[column] = kind
    return found


def parsing_reader(parse: Mapping[str, str]) -> Reader:
    """Return a reader of tables whose columns of raw text become columns of fields."""
    extractors = {column: open_extractor(ONE.get(kind, kind)) for column, kind in parse.items()}

    def reader(path: Path, on_error: str, encoding: str | None) -> TableRead:
        read = read_rows(path, on_error, encoding)
        return replace(read, table=parse_columns(read.table, extractors))

    return reader


def parse_columns(table: pa.Table, extractors: Mapping[str, Extractor]) -> pa.Table:
    """Return a table with the fields of raw texts behind its own columns.

    A field is called by its label; where the table has such a column, ``column.label``.
    """
    for column, extractor in extractors.items():
        if column not in table.column_names:
            raise SettingsError(
                f"--parse: there is no column {column!r}", hint=f"The columns are {', '.join(table.column_names)}."
            )
        texts = ["" if text is None else str(text) for text in table[column].to_pylist()]
        rows = [fields_of(Extracted(text, spans)) for text, spans in zip(texts, extractor.run(texts), strict=True)]
        taken = set(table.column_names)
        for label in dict.fromkeys(label for row in rows for label in row if label != _PLACE):
            values = [row.get(label, "").strip(_EDGES) or None for row in rows]
            name = f"{column}.{label}" if label in taken else label
            table = table.append_column(name, pa.array(values, pa.string()))
    return table
