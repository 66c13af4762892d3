"""Columns of raw text (citations, addresses) as columns of fields, before a table is resolved."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from onoma.errors import SettingsError
from onoma.extract.extractor import Extractor, Span
from onoma.extract.ready import READY, open_ready

__all__ = ["ONE", "fields_of", "open_extractor", "parse_columns", "parse_more", "parse_table"]

ONE = {"citation": "citations", "address": "addresses"}
"""What a value of a column is, and the ready extractor of such."""
_PLACE = "citation-number"
"""The place in a list of references: not of the thing that is cited."""
_AS = {"journal": "container-title"}
"""Labels that are one column: where something appeared is what matters, not what kind of place that is."""
_EDGES = ' .,;:()[]"“”'


def open_extractor(name: str) -> Extractor:
    """Open a folder that `train_extractor` wrote, or a ready extractor by name."""
    if Path(name).is_dir():
        return Extractor.load(name)
    if name in READY:
        return open_ready(name)
    raise SettingsError(
        f"{name!r} is no folder and no ready extractor", hint=f"Ready: {', '.join(READY)}; or train one first."
    )


def fields_of(spans: Sequence[Span]) -> dict[str, str]:
    """Return the fields of a text by label, several of one label joined by a semicolon."""
    fields: dict[str, str] = {}
    for span in spans:
        fields[span.label] = f"{fields[span.label]}; {span.text}" if span.label in fields else span.text
    return fields


def parse_table(table: pa.Table, parse: Mapping[str, str]) -> pa.Table:
    """Return a table with the fields of its raw texts.

    Parameters
    ----------
    parse
        Columns, and what each holds: `citation`, `address`, or the folder of an extractor.

    Examples
    --------
    >>> table = pa.table({"at": ["123 Main Street Springfield IL 62701"]})
    >>> parse_table(table, {"at": "address"})["ZipCode"].to_pylist()
    ['62701']
    """
    for column, kind in parse.items():
        _check_column(column, table)  # before an extractor is opened, which takes longer
        if kind not in ONE and not Path(kind).is_dir():
            raise SettingsError(
                f"parse: {column!r} holds {kind!r}, which is no folder",
                hint=f"It is {', '.join(ONE)}, or the folder of an extractor (onoma extract train).",
            )
    return parse_columns(table, {column: open_extractor(ONE.get(kind, kind)) for column, kind in parse.items()})


def parse_columns(table: pa.Table, extractors: Mapping[str, Extractor]) -> pa.Table:
    """Return a table with the fields of raw texts behind its own columns.

    A field is called by its label; where the table has such a column, ``column.label``.
    """
    for column, extractor in extractors.items():
        _check_column(column, table)
        taken = set(table.column_names)
        for label, values in _fields(table, column, extractor).items():
            table = table.append_column(f"{column}.{label}" if label in taken else label, values)
    return table


def parse_more(table: pa.Table, parse: Mapping[str, str], known: Collection[str]) -> pa.Table:
    """Return a later table with the fields of its raw texts, called as those of the first table were.

    A column that is not there is not parsed, and a field that has come already stays as it came: records may be given
    in fields too, and those of an export are.

    Parameters
    ----------
    known
        The columns of the first table, its fields among them.
    """
    for column, kind in parse.items():
        if column not in table.column_names:
            continue
        for label, values in _fields(table, column, open_extractor(ONE.get(kind, kind))).items():
            name = f"{column}.{label}" if f"{column}.{label}" in known else label
            if name not in table.column_names:
                table = table.append_column(name, values)
    return table


def _fields(table: pa.Table, column: str, extractor: Extractor) -> dict[str, pa.Array]:
    texts = ["" if text is None else str(text) for text in table[column].to_pylist()]
    rows = [_joined(fields_of(spans)) for spans in extractor.run(texts)]
    return {
        label: pa.array([row.get(label, "").strip(_EDGES) or None for row in rows], pa.string())
        for label in dict.fromkeys(label for row in rows for label in row if label != _PLACE)
    }


def _joined(fields: Mapping[str, str]) -> dict[str, str]:
    """Return fields by column."""
    found: dict[str, str] = {}
    for label, text in fields.items():
        column = _AS.get(label, label)
        found[column] = f"{found[column]}; {text}" if column in found else text
    return found


def _check_column(column: str, table: pa.Table) -> None:
    if column not in table.column_names:
        raise SettingsError(
            f"parse: there is no column {column!r}", hint=f"The columns are {', '.join(table.column_names)}."
        )
