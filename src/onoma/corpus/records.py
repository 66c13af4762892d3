"""Records: a table in which every row has an id."""

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from onoma.corpus.readers.files import check_on_error, make_rejects
from onoma.errors import DataError

__all__ = ["ID_NAMES", "Identified", "alike", "with_ids"]

ID_NAMES = ("id", "record_id", "rec_id", "mention_id", "recid", "uid", "uuid", "key")
"""Names of columns that are taken for ids, in this order, whatever their case."""


class Identified(NamedTuple):
    """Records with ids.

    Parameters
    ----------
    table
        The records, with a text column `id` first.
    note
        Where the ids come from.
    rejects
        The records left out because their id was missing or not unique.
    """

    table: pa.Table
    note: str
    rejects: pa.Table


def with_ids(
    table: pa.Table, id_column: str | None = None, *, on_error: str = "stop", file: str | Path | None = None
) -> Identified:
    """Give every record an id: from a column, or made.

    The column is the one named, else the first of `ID_NAMES`, else a column ending in `id` whose values are all there
    and all different; failing these, ids are made: 1, 2, 3… in the order of the rows. The column becomes `id`, as text.

    Parameters
    ----------
    table
        Any table.
    id_column
        The column with the ids; None looks for it.
    on_error
        What to do with a record whose id is missing or was there before: `"stop"` or `"reject"` (the first one stays).
    file
        The file the table came from, for errors.

    Examples
    --------
    >>> found = with_ids(pa.table({"name": ["Ada", "Charles"], "person_id": [7, 8]}))
    >>> found.table.to_pydict()
    {'id': ['7', '8'], 'name': ['Ada', 'Charles']}
    >>> with_ids(pa.table({"name": ["Ada", "Charles"]})).note
    'no column of ids was found; ids 1 to 2 were made from the order of the rows'
    """
    reject = check_on_error(on_error)
    chosen = _find(table, id_column, file)
    if chosen is None:
        ids = pa.array([str(i) for i in range(1, len(table) + 1)], pa.string())
        made = f"no column of ids was found; ids 1 to {len(table):,} were made from the order of the rows"
        return Identified(_put_first(table, ids), made, make_rejects([]))
    ids = _as_text(table[chosen], chosen, file)
    table = table.drop_columns([chosen])
    bad = _bad_rows(ids)
    if bad and not reject:
        row, reason, _ = bad[0]
        hint = "Name another column of ids, or choose on_error='reject' to leave such records out."
        raise DataError(f"record {row:,} {reason}", file=file, column=chosen, hint=hint)
    if bad:
        good = pa.array(
            [row - 1 for row in sorted(set(range(1, len(ids) + 1)) - {row for row, _, _ in bad})], pa.int64()
        )
        table, ids = table.take(good), ids.take(good)
    note = f"ids are taken from the column {chosen!r}"
    return Identified(_put_first(table, ids), note, make_rejects([(row, reason, text) for row, reason, text in bad]))


def id_column(table: pa.Table) -> str | None:
    """Return the column that would be taken for the ids; None where there is none."""
    return _find(table, None, None)


def _find(table: pa.Table, id_column: str | None, file: str | Path | None) -> str | None:
    names = table.column_names
    if id_column is not None:
        if id_column in names:
            return id_column
        near = difflib.get_close_matches(id_column, names, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"The columns are {', '.join(map(repr, names))}."
        raise DataError(f"there is no column {id_column!r}", file=file, hint=hint)
    lowered = {name.lower(): name for name in reversed(names)}
    for name in ID_NAMES:
        if name in lowered:
            return lowered[name]
    return next((name for name in names if name.lower().endswith("id") and _is_key(table[name])), None)


def _is_key(column: pa.ChunkedArray) -> bool:
    simple = (
        pa.types.is_integer(column.type) or pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    )
    return simple and len(column) > 0 and column.null_count == 0 and pc.count_distinct(column).as_py() == len(column)


def _as_text(column: pa.ChunkedArray, name: str, file: str | Path | None) -> pa.ChunkedArray:
    try:
        return column.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise DataError(f"holds {column.type}, which cannot be an id", file=file, column=name) from error


def _bad_rows(ids: pa.ChunkedArray) -> list[tuple[int, str, str]]:
    """Return (record, reason, id) for each missing id and each that was there before."""
    if ids.null_count == 0 and pc.count_distinct(ids).as_py() == len(ids):
        return []
    first: dict[str, int] = {}
    bad = []
    for row, value in enumerate(ids.to_pylist(), 1):
        if value is None:
            bad.append((row, "has no id", ""))
        elif value in first:
            bad.append((row, f"has the id {value!r}, which record {first[value]:,} has already", value))
        else:
            first[value] = row
    return bad


def _put_first(table: pa.Table, ids: pa.Array | pa.ChunkedArray) -> pa.Table:
    if "id" in table.column_names:
        taken = set(table.column_names)
        other = next(name for name in ("id_in_file", *(f"id_in_file_{i}" for i in range(2, 1000))) if name not in taken)
        table = table.rename_columns([other if name == "id" else name for name in table.column_names])
    return table.add_column(0, pa.field("id", pa.string(), nullable=False), ids)


def alike(tables: Sequence[pa.Table]) -> list[pa.Table]:
    """Return the tables with columns of one name made text where their types differ."""
    kinds: dict[str, set[pa.DataType]] = {}
    for table in tables:
        for column in table.schema:
            kinds.setdefault(column.name, set()).add(column.type)
    return [
        pa.table(
            {
                name: table[name].cast(pa.string()) if len(kinds[name]) > 1 else table[name]
                for name in table.column_names
            }
        )
        for table in tables
    ]
