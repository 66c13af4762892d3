"""Types of rows, told by the columns that they fill.

An export may hold people beside organisations: some columns are filled by the ones, some by the others. Two columns are
*exclusive* if hardly a row fills both, though by chance many would. The fullest columns that are exclusive of each
other are the first sign of a type each; what else rows of a type fill is counted, and every row is of the type that its
filled columns speak for (naive Bayes), or of the largest if it fills none that speaks. Types stay that part clearly,
both ways: nine in ten rows of either fill a column that hardly a row of the other fills. So neither values that are
missing at random nor a column that only some rows have make types.

Cost: one pass over the null marks; all else is done by distinct patterns of filled columns.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

__all__ = ["FEWEST_ROWS", "Pattern", "filled_cells", "find_patterns"]

FEWEST_ROWS = 100
"""Rows of a type: from fewer little can be learnt (`docs/resolve.md`, limits)."""
HARDLY = 0.02
"""Rows of another type that fill a type's own column: slips of whoever made the file."""
_NEARLY_ALL = 0.9
"""Rows of a type that fill a column of its own: the others may be of any type."""
_BY_CHANCE = 10.0
"""Rows that would fill both of two columns by chance, and times as many as do: fewer may be an accident."""
_ROUNDS = 5


@dataclass(frozen=True, eq=False)
class Pattern:
    """Rows that fill some columns which hardly any other rows fill."""

    rows: NDArray[np.int64]
    """Ascending."""
    own: tuple[str, ...]
    """The columns that its rows fill and those of hardly any other type, the fullest first."""
    share: NDArray[np.float64]
    """Of its rows, those that fill each column."""


def filled_cells(table: pa.Table) -> NDArray[np.bool_]:
    """Say of each cell whether anything stands in it: neither null nor an empty text."""
    found = np.empty((len(table), table.num_columns), dtype=np.bool_)
    for at, column in enumerate(table.columns):
        there = column.is_valid()
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            there = pc.and_(there, pc.fill_null(pc.not_equal(column, ""), fill_value=False))
        found[:, at] = there.to_numpy()
    return found


def find_patterns(filled: NDArray[np.bool_], names: Sequence[str], fewest: int = FEWEST_ROWS) -> list[Pattern]:
    """Return the types of rows; none if they are all of one.

    Parameters
    ----------
    filled
        By row and column, whether anything stands there.
    names
        Of the columns.
    fewest
        Rows of a type.

    Examples
    --------
    >>> people = np.tile([True, True, False, False], (200, 1))
    >>> firms = np.tile([True, False, True, True], (100, 1))
    >>> [(len(found.rows), found.own) for found in find_patterns(np.concatenate([people, firms]), ["a", "b", "c", "d"])]
    [(200, ('b',)), (100, ('c', 'd'))]
    >>> find_patterns(np.random.default_rng(0).random((300, 4)) < 0.5, ["a", "b", "c", "d"])
    []
    """
    if len(filled) < 2 * fewest or filled.shape[1] < 2:
        return []
    marks = np.packbits(filled, axis=1)
    _, first, group, count = np.unique(
        np.ascontiguousarray(marks).view(f"V{marks.shape[1]}").ravel(),
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    shapes, weight = filled[first].astype(np.float64), count.astype(np.float64)
    exclusive = _exclusive(shapes, weight)
    anchors = _anchors(exclusive, weight @ shapes, fewest)
    if len(anchors) < 2:
        return []
    speaks = shapes[:, exclusive.any(axis=1)].any(axis=1)
    types = _assigned(shapes, weight * speaks, shapes[:, anchors])
    types[~speaks] = np.bincount(types, weight * speaks).argmax()  # what fills no such column may be of any type
    types = _parted(shapes, weight, types, fewest)
    if types.max(initial=0) == 0:
        return []
    share = _shares(shapes, weight, types)
    of_row = types[group.ravel()]
    order = np.argsort([np.flatnonzero(of_row == t)[0] for t in range(len(share))])
    return [Pattern(np.flatnonzero(of_row == t), _own_names(share, int(t), names), share[t]) for t in order]


def _exclusive(shapes: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Say of each two columns whether hardly a row fills both, though by chance many would."""
    both = shapes.T @ (weight[:, None] * shapes)
    alone = np.diag(both)
    chance = np.outer(alone, alone) / weight.sum()
    seldom = both <= HARDLY * np.minimum.outer(alone, alone)
    return np.asarray(seldom & (chance >= _BY_CHANCE * np.maximum(both, 1.0)))


def _anchors(exclusive: NDArray[np.bool_], n_filled: NDArray[np.float64], fewest: int) -> list[int]:
    """Return columns that are exclusive of each other, the fullest first."""
    found: list[int] = []
    for column in np.argsort(-n_filled, kind="stable").tolist():
        has_partner = exclusive[column].any() and n_filled[column] >= fewest
        if has_partner and all(exclusive[column, other] for other in found):
            found.append(column)
    return found


def _assigned(
    shapes: NDArray[np.float64], weight: NDArray[np.float64], marked: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Return the type of each pattern: first that of the one anchor it fills, then that its columns speak for."""
    clear = marked.sum(axis=1) == 1
    belongs = np.where(clear[:, None], marked, 0.0)
    types = np.full(len(shapes), -1, dtype=np.int64)
    for _ in range(_ROUNDS):
        size = weight @ belongs
        rate = (belongs.T @ (weight[:, None] * shapes) + 0.5) / (size[:, None] + 1.0)
        odds = shapes @ np.log(rate).T + (1.0 - shapes) @ np.log1p(-rate).T + np.log(size + 1.0)
        before, types = types, odds.argmax(axis=1)
        if np.array_equal(before, types):
            break
        belongs = np.eye(len(size))[types]
    return types


def _parted(
    shapes: NDArray[np.float64], weight: NDArray[np.float64], types: NDArray[np.int64], fewest: int
) -> NDArray[np.int64]:
    """Put types together that do not part clearly, and small ones with the one that is most like them."""
    while True:
        types = np.unique(types, return_inverse=True)[1].ravel()
        share, size = _shares(shapes, weight, types), np.bincount(types, weight)
        if len(share) < 2:
            return types
        if size.min() < fewest:
            small = int(size.argmin())
            like = -np.abs(share - share[small]).sum(axis=1)
            like[small] = -np.inf
            types = np.where(types == small, int(like.argmax()), types)
            continue
        doubtful = _doubtful(shapes, weight, types, share)
        if doubtful is None:
            return types
        types = np.where(types == doubtful[1], doubtful[0], types)


def _doubtful(
    shapes: NDArray[np.float64], weight: NDArray[np.float64], types: NDArray[np.int64], share: NDArray[np.float64]
) -> tuple[int, int] | None:
    """Return the two types that part least, if they do not part clearly."""
    least, found = _NEARLY_ALL, None
    for one in range(len(share)):
        for other in range(len(share)):
            here = types == one
            own = share[other] <= HARDLY
            fills = (shapes[here][:, own].any(axis=1) * weight[here]).sum() / weight[here].sum()
            if one != other and fills < least:
                least, found = fills, (min(one, other), max(one, other))
    return found


def _shares(shapes: NDArray[np.float64], weight: NDArray[np.float64], types: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return by type and column the share of rows that fill it."""
    belongs = np.eye(int(types.max(initial=0)) + 1)[types] * weight[:, None]
    return (belongs.T @ shapes) / belongs.sum(axis=0)[:, None]


def _own_names(share: NDArray[np.float64], t: int, names: Sequence[str]) -> tuple[str, ...]:
    others = np.delete(share, t, axis=0).max(axis=0)
    own = np.flatnonzero((others <= HARDLY) & (share[t] > HARDLY))
    return tuple(names[c] for c in own[np.argsort(-share[t][own], kind="stable")])
