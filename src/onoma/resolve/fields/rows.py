"""The rows of a table: their ids and sources, and what can be said of them before any is compared."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from rapidfuzz.distance import Indel

from onoma.corpus.clustering import Clustering
from onoma.corpus.records import ID_NAMES, with_ids
from onoma.errors import DataError, SettingsError
from onoma.numerics.rng import stream
from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.missing import by_form

__all__ = [
    "check_known",
    "encoded",
    "identified",
    "read_sources",
    "says_nearly_the_same",
    "says_the_same",
    "silent_note",
    "unambiguous",
]

_LOOKED_AT = 1_000
"""Pairs of rows, drawn at random, that show how alike all rows are."""
_MISSPELT, _FEWEST_FIELDS, _FEWEST_ROWS = 0.8, 3, 10
"""Letters in common, as a part of all, that are left where both of two copies may have a slip in a short word; columns
and rows from which on this is no accident."""
_WORDED, _FEWEST_WORDED = ("person", "organisation", "place", "text"), 2
"""Kinds that can be misspelt: days of one year and codes of one list are alike, too. At least so many columns."""


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


def says_nearly_the_same(fields: Sequence[FieldData], seed: int) -> bool:
    """Say whether all rows are one thing, written with slips: in every field any two are as alike as misspellings.

    How often strangers share a value is learnt from pairs of rows drawn at random. Where all rows are one thing there
    are no strangers to learn from, and what any two share would count for nothing.
    """
    n = len(fields[0].codes) if fields else 0
    n_worded = sum(field.kind in _WORDED for field in fields)
    if n < _FEWEST_ROWS or len(fields) < _FEWEST_FIELDS or n_worded < _FEWEST_WORDED:
        return False
    rng = stream(seed, "one thing")
    one = rng.integers(0, n, _LOOKED_AT)
    other = (one + rng.integers(1, n, _LOOKED_AT)) % n
    for field in fields:
        a, b = field.codes[one], field.codes[other]
        known = (a >= 0) & (b >= 0)
        pairs = zip(a[known].tolist(), b[known].tolist(), strict=True)
        alike = [Indel.normalized_similarity(str(field.values[i]), str(field.values[j])) for i, j in pairs]
        if len(alike) < _LOOKED_AT // 4 or np.mean(alike) < _MISSPELT:
            return False
    return True


def silent_note(n: int, *, identical: bool) -> str:
    """Say why nothing was compared."""
    if n == 0:
        return "there are no rows"
    if n == 1:
        return "one row is one entity"
    if identical:
        return (
            "all rows say the same, or the same with slips, so they are taken for one entity: nothing in the table "
            "could tell them apart"
        )
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
