"""The rows of a table: their ids and sources, and what can be said of them before any is compared."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.corpus.records import ID_NAMES, with_ids
from onoma.errors import DataError, SettingsError
from onoma.resolve.fields.missing import by_form

__all__ = ["check_known", "encoded", "identified", "read_sources", "says_the_same", "silent_note", "unambiguous"]


def unambiguous(table: pa.Table) -> pa.Table:
    """Refuse a table with two columns of one name: which one is meant could not be said."""
    names = table.column_names
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(f"two columns are called {twice[0]!r}", hint="Rename one of them.")
    return table


def check_known(table: pa.Table, exclude: Sequence[str]) -> None:
    """Refuse to leave out what is not there."""
    for name in exclude:
        if name not in table.column_names:
            names = ", ".join(table.column_names)
            raise SettingsError(f"there is no column {name!r} to exclude", hint=f"The columns are {names}.")


def says_the_same(table: pa.Table, left_out: set[str | None]) -> bool:
    """Say whether all rows have the same values, and at least one that is a value."""
    says = False
    for name in table.column_names:
        if name in left_out:
            continue
        try:
            values = table[name].unique()
        except pa.ArrowNotImplementedError:
            return False
        if len(values) > 1:
            return False
        value = values[0].as_py()
        says |= value is not None and by_form(str(value), "text") is None
    return says


def silent_note(n: int, *, identical: bool) -> str:
    """Say why nothing was compared."""
    if n == 0:
        return "there are no rows"
    if n == 1:
        return "one row is one entity"
    if identical:
        return "all rows say the same, so they are taken for one entity: nothing in the table could tell them apart"
    return "there is nothing to compare, so every row is an entity"


def read_sources(
    table: pa.Table, source: str | None, *, link: bool
) -> tuple[pa.ChunkedArray | None, NDArray[np.int32] | None]:
    """Return the source of each row, as text and as a number."""
    if source is None:
        if link:
            raise SettingsError("linking needs to know where rows come from", hint="Name the column: source=….")
        return None, None
    codes = encoded(table, source)
    if link and codes.max(initial=0) == 0:
        raise DataError(f"all rows come from one source, so there is nothing to link (column {source!r})")
    return table[source].cast(pa.string()), codes


def identified(table: pa.Table, id: str | None, sources: pa.ChunkedArray | None) -> tuple[pa.Table, str]:
    """Return the table with its ids first, and where they come from; with sources, ids are unique within one."""
    if sources is None:
        found = with_ids(table, id)
        return found.table, found.note
    lowered = {name.lower(): name for name in reversed(table.column_names)}
    name = id if id is not None else next((lowered[each] for each in ID_NAMES if each in lowered), None)
    if name is None or name not in table.column_names:
        found = with_ids(table, id)
        return found.table, found.note
    ids = table[name].cast(pa.string())
    if ids.null_count:
        raise DataError("a record has no id", column=name, hint="Name another column of ids, or leave this one out.")
    together = pc.binary_join_element_wise(pc.fill_null(sources, ""), ids, "\x1f")
    if pc.count_distinct(together).as_py() < len(table):
        raise DataError("an id stands twice within one source", column=name)
    rest = table.drop_columns([name])
    return rest.add_column(0, "id", ids), f"ids are taken from the column {name!r}, within each source"


def encoded(table: pa.Table, name: str) -> NDArray[np.int32]:
    """Number the values of a column; a missing one is a value."""
    if name not in table.column_names:
        raise SettingsError(f"there is no column {name!r}", hint=f"The columns are {', '.join(table.column_names)}.")
    return Clustering.from_labels(pc.fill_null(table[name].cast(pa.string()), "")).labels.astype(np.int32)
