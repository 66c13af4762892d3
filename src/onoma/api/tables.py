"""Anything tabular in, any kind of frame out.

A table may come as the name of a file, a pandas or Polars frame, an Arrow table, a DuckDB relation, anything else that
speaks Arrow, a list of dicts or a dict of columns. What goes out is a `Table`, which becomes a pandas or Polars frame
or an Arrow table, and which pandas, Polars and DuckDB take over as it is, for it speaks Arrow itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from onoma.corpus.readers.arrow import from_arrow
from onoma.corpus.records import with_ids
from onoma.errors import DataError, OnomaError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

__all__ = ["Table", "Tabular", "Taken", "as_columns", "is_path", "take"]

_SHOWN_ROWS, _SHOWN_WIDTH, _SHOWN_CELL = 5, 100, 24


class Table:
    """A table that becomes any kind of frame.

    Examples
    --------
    >>> table = Table(pa.table({"name": ["Ada", "Alan"], "born": [1815, 1912]}))
    >>> table
    name   born
    Ada    1815
    Alan   1912
    2 rows; .to_pandas(), .to_polars(), .to_arrow()
    >>> table.to_pandas()["born"].sum()
    np.int64(3727)
    """

    def __init__(self, table: pa.Table, index: "pd.Index | None" = None) -> None:
        self._table = table
        self._index = index

    def to_arrow(self) -> pa.Table:
        """Return it as an Arrow table."""
        return self._table

    def to_pandas(self) -> "pd.DataFrame":
        """Return it as a pandas frame; what came as a pandas frame has its index again."""
        try:
            found = self._table.to_pandas()
        except ImportError as error:
            raise OnomaError("pandas is not installed", hint="pip install pandas; or take .to_arrow().") from error
        if self._index is not None:
            found.index = self._index
        return found

    def to_polars(self) -> "pl.DataFrame":
        """Return it as a Polars frame."""
        try:
            import polars
        except ImportError as error:
            raise OnomaError("Polars is not installed", hint="pip install polars; or take .to_arrow().") from error
        return polars.DataFrame(self._table)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return it as a list of dicts."""
        rows: list[dict[str, Any]] = self._table.to_pylist()
        return rows

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._table.column_names)

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def __getitem__(self, column: str) -> pa.ChunkedArray:
        return self._table[column]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        told = f"{_count(len(self), 'row')}; .to_pandas(), .to_polars(), .to_arrow()"
        return "\n".join([*text_lines(self._table, _SHOWN_ROWS), told])

    def _repr_html_(self) -> str:
        return f"{html_table(self._table, 10)}<p>{_count(len(self), 'row')}</p>"


Tabular = Any
"""What is taken for a table: see `take`. (No type of Python's says so much.)"""


@dataclass(frozen=True, eq=False)
class Taken:
    """A table as it was taken, and what is needed to give it back alike."""

    table: pa.Table
    index: "pd.Index | None" = None
    """Of a pandas frame."""

    @cached_property
    def with_ids(self) -> pa.Table:
        """The table; where it has no column of ids and its pandas index is one, with a column `id` of the index."""
        if self.index is None or not self.index.is_unique or self.index.hasnans or _is_plain(self.index):
            return self.table
        if not with_ids(self.table).note.startswith("no column of ids"):
            return self.table
        labels = pa.array([str(label) for label in self.index], pa.string())
        return self.table.add_column(0, "id", labels)


def is_path(thing: object) -> bool:
    """Say whether a thing names a file."""
    return isinstance(thing, str | Path)


def take(thing: Tabular) -> Taken:
    """Take a thing for a table; one that names a file is not read here.

    Examples
    --------
    >>> take([{"name": "Ada"}, {"name": "Alan", "born": 1912}]).table.to_pydict()
    {'name': ['Ada', 'Alan'], 'born': [None, 1912]}
    >>> take({"name": ["Ada"]}).table.column_names
    ['name']
    """
    if isinstance(thing, Table):
        return Taken(_plain(thing.to_arrow()), thing._index)
    if _is_from(thing, "pandas") and hasattr(thing, "iloc"):
        return _from_pandas(thing)
    if _is_from(thing, "polars") and hasattr(thing, "collect"):
        thing = thing.collect()
    if isinstance(thing, Mapping):
        return Taken(_plain(_made(thing)))
    if isinstance(thing, Sequence) and not isinstance(thing, str | bytes):
        return Taken(_plain(_from_rows(thing)))
    if not hasattr(thing, "__arrow_c_stream__") and hasattr(thing, "to_arrow_table"):  # a DuckDB relation
        thing = thing.to_arrow_table()
    return Taken(_plain(from_arrow(thing)))


def as_columns(thing: object) -> list[Any] | None:
    """Return the values of one column of labels (a list, a Series, an array); None if it is none."""
    if isinstance(thing, pa.Array | pa.ChunkedArray):
        return list(thing.to_pylist())
    if isinstance(thing, list | tuple):
        return list(thing) if not any(isinstance(each, Mapping) for each in thing) else None
    is_flat = getattr(thing, "ndim", None) == 1 or type(thing).__name__ == "Series"
    if is_flat and hasattr(thing, "tolist"):
        return [None if each != each else each for each in thing.tolist()]  # NaN is not itself
    return list(thing.to_list()) if is_flat and hasattr(thing, "to_list") else None


def text_lines(table: pa.Table, most: int) -> list[str]:
    """Return the head of a table as lines of text no wider than a screen."""
    head = table.slice(0, most)
    widths, cells = [], []
    for name in table.column_names:
        column = [_cell(name), *(_cell(value) for value in head[name].to_pylist())]
        widths.append(max(map(len, column)))
        cells.append(column)
        if sum(widths) + 3 * len(widths) > _SHOWN_WIDTH and len(widths) > 1:
            widths[-1], cells[-1] = 1, ["…"] * len(column)
            break
    rows = zip(*cells, strict=True)
    return ["   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def html_table(table: pa.Table, most: int) -> str:
    """Return the head of a table as HTML; values are people's data and are escaped."""
    head = "".join(f"<th>{escape(name)}</th>" for name in table.column_names)
    rows = (
        "".join(f"<td>{escape('' if value is None else str(value))}</td>" for value in row.values())
        for row in table.slice(0, most).to_pylist()
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(f'<tr>{row}</tr>' for row in rows)}</tbody></table>"


def _cell(value: object) -> str:
    text = "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN_CELL else text[: _SHOWN_CELL - 1] + "…"


def _count(n: int, one: str, many: str | None = None) -> str:
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def _is_from(thing: object, package: str) -> bool:
    return type(thing).__module__.partition(".")[0] == package


def _is_plain(index: "pd.Index") -> bool:
    """Say whether an index only counts the rows: 0, 1, 2…"""
    return type(index).__name__ == "RangeIndex" and index.name is None


def _from_pandas(frame: Any) -> Taken:  # noqa: ANN401 (pandas may not be there)
    if frame.ndim == 1:
        frame = frame.to_frame(name="name" if frame.name is None else frame.name)
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise DataError(f"the column {twice!r} stands twice in the frame", hint="Rename or drop one of them.")
    columns: dict[str, pa.Array] = {}
    for name in frame.columns:
        try:
            columns[str(name)] = pa.Array.from_pandas(frame[name])
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):  # numbers and texts in one column
            is_there = frame[name].notna()
            columns[str(name)] = pa.array(
                [str(each) if ok else None for each, ok in zip(frame[name], is_there, strict=True)]
            )
    return Taken(_plain(_made(columns)), frame.index)


def _from_rows(rows: Sequence[Any]) -> pa.Table:
    if not all(isinstance(row, Mapping) for row in rows):
        kind = next(type(row).__name__ for row in rows if not isinstance(row, Mapping))
        raise DataError(
            f"a list with a {kind} came; a list is taken for a table if it holds dicts, one for each row",
            hint='For example: [{"name": "Ada", "born": 1815}, …].',
        )
    names = dict.fromkeys(str(name) for row in rows for name in row)
    return pa.table({name: _column([row.get(name) for row in rows]) for name in names})


def _column(values: list[Any]) -> pa.Array:
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if each is None else str(each) for each in values], pa.string())


def _made(columns: Mapping[str, Any]) -> pa.Table:
    is_arrow = (pa.Array, pa.ChunkedArray)
    try:
        return pa.table(
            {str(name): each if isinstance(each, is_arrow) else _column(list(each)) for name, each in columns.items()}
        )
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise DataError(f"the columns do not make a table: {error}") from error


def _plain(table: pa.Table) -> pa.Table:
    """Return a table whose texts are of one type, whatever library made them."""
    for at, column in enumerate(table.schema):
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
            kind = pa.string()
        if kind != column.type:
            table = table.set_column(at, column.name, table.column(at).cast(kind))
    return table
