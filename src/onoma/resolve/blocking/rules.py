"""Candidate pairs that a person asks for: rows that agree on columns of their choice."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.errors import SettingsError
from onoma.resolve.fields.field import FieldData

__all__ = ["RulePairs", "rule_codes", "rule_pairs"]


class RulePairs(NamedTuple):
    """The pairs of a rule."""

    keys: NDArray[np.int64]
    """a·n + b with a < b, ascending."""
    n_capped: int
    """Groups of equal rows that were too large to be paired."""


def rule_codes(table: pa.Table, fields: Sequence[FieldData], columns: Sequence[str]) -> NDArray[np.int64]:
    """Return the group of each row: rows that agree on all the columns have one; -1 where a value is missing.

    Values are those of the field that a column became, so that `Smith` and `SMITH ` agree; of other columns, the texts
    without regard to case and space around them.
    """
    if not columns:
        raise SettingsError("a rule names at least one column")
    group = np.zeros(len(table), dtype=np.int64)
    missing = np.zeros(len(table), dtype=np.bool_)
    by_column = {field.columns[0]: field.codes for field in fields if len(field.columns) == 1}
    for name in columns:
        if name not in table.column_names:
            names = ", ".join(table.column_names)
            raise SettingsError(f"there is no column {name!r} to compare by", hint=f"The columns are {names}.")
        code = by_column[name].astype(np.int64) if name in by_column else _texts(table[name], name)
        missing |= code < 0
        group = np.unique(group * (int(code.max(initial=0)) + 2) + code + 1, return_inverse=True)[1].astype(np.int64)
    return np.where(missing, -1, group)


def _texts(column: pa.ChunkedArray, name: str) -> NDArray[np.int64]:
    try:
        text = pc.utf8_lower(pc.utf8_trim_whitespace(column.cast(pa.string())))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise SettingsError(f"column {name!r} holds {column.type}, which cannot be compared by") from error
    text = pc.if_else(pc.equal(text, ""), None, text)
    return np.asarray(pc.fill_null(text.combine_chunks().dictionary_encode().indices, -1), dtype=np.int64)


def rule_pairs(
    group: NDArray[np.int64],
    *,
    cap: int,
    source: NDArray[np.int32] | None = None,
    block: NDArray[np.int32] | None = None,
) -> RulePairs:
    """Return the pairs of rows of one group, of one block and of different sources where these are given.

    A group of more than `cap` rows is left out, and counted.
    """
    n = len(group)
    rows = np.flatnonzero(group >= 0)
    rows = rows[np.argsort(group[rows], kind="stable")]
    sizes = np.bincount(group[rows]) if len(rows) else np.zeros(0, dtype=np.int64)
    starts = np.cumsum(sizes) - sizes
    keys = [np.zeros(0, dtype=np.int64)]
    for size in np.unique(sizes[(sizes > 1) & (sizes <= cap)]).tolist():
        # All groups of one size at a time.
        members = rows[starts[sizes == size][:, None] + np.arange(size)]
        one, other = (members[:, side].ravel() for side in np.triu_indices(size, 1))
        good = np.ones(len(one), dtype=np.bool_)
        if source is not None:
            good &= source[one] != source[other]
        if block is not None:
            good &= block[one] == block[other]
        keys.append(one[good] * n + other[good])
    return RulePairs(np.sort(np.concatenate(keys)), int(np.count_nonzero(sizes > cap)))
