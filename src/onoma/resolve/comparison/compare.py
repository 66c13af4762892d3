"""Comparing candidate pairs field by field, and what strangers look like."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.numerics.distinct import distinct, without
from onoma.numerics.parts import in_parts, n_threads
from onoma.numerics.rng import stream
from onoma.progress import SILENT, Progress
from onoma.resolve.comparison._weights_kernels import fill_shares
from onoma.resolve.fields._pairs_kernels import different_values
from onoma.resolve.fields.field import FieldData, places_among
from onoma.resolve.fields.packed.texts import arrow_of
from onoma.resolve.fields.telling.lone import bits_shared

__all__ = ["MANY_PAIRS", "LazyShares", "compare_records", "log_shares", "random_pairs", "shares_of_values"]

MANY_PAIRS = 300_000
"""Candidate pairs from which on a part of them is learnt from, and less is kept of them."""
_FEW = 300  # values
_AT_ONCE = 65_536

_WORTH_THREADS = 30_000
"""Pairs from which on threads pay."""
_OWN = 1.5
"""Of the records that have a value, those that say nothing of how many strangers do: the one it was seen in, and a half
taken off. With 1, 1.25, 1.5 and 1.75 pairwise F1 of 114 tables (28 labelled ones with columns left out) is .769, .770,
.773 and .774 in the mean, with none .758."""
_ENOUGH = 3.0
"""What all fields say of a pair, in units of log2 n, from which on nothing is taken off. Two single out one pair of
all, and the third leaves room for values that differ. Of the 28 tables with all columns, restaurants lose .02 where it
is always taken off, for those of one hotel share address and telephone; so none does (.902 in the mean, as before)."""
_PART = 500_000
"""Pairs that are compared at a time: what the fields need of memory in between is that of so many."""


def compare_records(
    fields: Sequence[FieldData], a: NDArray[np.int32], b: NDArray[np.int32], *, progress: Progress = SILENT
) -> NDArray[np.int8]:
    """Return the level of each pair of records (row) in each field (column); -1 where a value is missing."""
    levels = np.empty((len(a), len(fields)), dtype=np.int8)
    codes = [np.require(each.codes, np.int32, ["C", "W"]) for each in fields]

    def compare(first: int, end: int) -> int:
        one, other = (np.require(side[first:end], np.int32, ["C", "W"]) for side in (a, b))
        for f, field in enumerate(fields):
            column = levels[first:end, f]
            where, low, high = different_values(codes[f], one, other, column)
            column[where] = field.compare_different(low, high)
        return end - first

    if len(a) <= min(_WORTH_THREADS, _PART // 2):
        compare(0, len(a))
        return levels
    n_parts = -(-len(a) // _PART) * 2
    bounds = [len(a) * part // n_parts for part in range(n_parts + 1)]
    with progress.task("comparing", total=len(a), unit="pairs") as task, ThreadPoolExecutor(n_threads()) as pool:
        for done in pool.map(compare, bounds[:-1], bounds[1:]):
            task.advance(done)
    return levels


class LazyShares:
    """What `log_shares` returns, worked out where it is asked for.

    Of millions of pairs it is asked two or three times, and takes more room than all else that is known about them.

    Parameters
    ----------
    fields
        The prepared fields.
    a
        One record of each pair.
    levels
        The level of each pair in each field.
    """

    def __init__(self, fields: Sequence[FieldData], a: NDArray[np.int32], levels: NDArray[np.int8]) -> None:
        self._tables = _tables(fields)
        self._a, self._levels = a, levels

    @property
    def shape(self) -> tuple[int, ...]:
        """Pairs and fields."""
        return self._levels.shape

    def __len__(self) -> int:
        return len(self._a)

    def of(self, a: NDArray[np.int32], levels: NDArray[np.int8]) -> "LazyShares":
        """Return those of other pairs of the same records, to be worked out where they are asked for."""
        found = object.__new__(LazyShares)
        found._tables, found._a, found._levels = self._tables, a, levels
        return found

    def __getitem__(self, pairs: Any) -> NDArray[np.float32]:  # noqa: ANN401 (as an array: one pair, a slice or some)
        levels, a = self._levels[pairs], self._a[pairs]
        found = np.zeros(levels.shape, dtype=np.float32)
        _fill(self._tables, np.atleast_1d(a), np.atleast_2d(levels), np.atleast_2d(found))
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:  # noqa: ANN401, FBT001
        return self[:] if dtype is None else self[:].astype(dtype, copy=False)


def log_shares(fields: Sequence[FieldData], a: NDArray[np.int32], levels: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return, where two records share a value, the log of the share of records that have it; 0 elsewhere.

    A full name that is a bare given name is as common as that given name is in its own column.
    """
    log_share = np.zeros(levels.shape, dtype=np.float32)
    tables = _tables(fields)

    def fill(first: int, end: int) -> None:
        _fill(tables, a[first:end], levels[first:end], log_share[first:end])

    in_parts(len(a), fill)
    return log_share


def shares_of_values(
    fields: Sequence[FieldData], a: NDArray[np.int32], levels: NDArray[np.int8]
) -> NDArray[np.float32] | LazyShares:
    """Return what `log_shares` does, of very many pairs to be worked out where it is asked for."""
    return LazyShares(fields, a, levels) if len(a) > MANY_PAIRS else log_shares(fields, a, levels)


def _fill(
    tables: Sequence[tuple[NDArray[np.int32], NDArray[np.float32]]],
    a: NDArray[np.int32],
    levels: NDArray[np.int8],
    found: NDArray[np.float32],
) -> None:
    """Fill the shares of pairs that are equal in a field."""
    for first in range(0, len(a), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        for f, (codes, known) in enumerate(tables):
            fill_shares(codes, known, a[part], levels[part], f, found[part])


def _tables(fields: Sequence[FieldData]) -> list[tuple[NDArray[np.int32], NDArray[np.float32]]]:
    """Return for each field the value of each record, and the log of the share of records with each value."""
    found = []
    shares = _shares(fields)
    for f, field in enumerate(fields):
        share = shares[f]
        if field.kind == "person" and len(field.counts):
            others = [(each, shares[g]) for g, each in enumerate(fields) if g != f and each.kind == "person"]
            share = _commonest(field, share, others)
        with np.errstate(divide="ignore"):  # a value that no record has any more
            known = np.log(share).astype(np.float32)
        found.append((np.require(field.codes, np.int32, ["C", "W"]), known))
    return found


def _shares(fields: Sequence[FieldData]) -> list[NDArray[np.float64]]:
    """Return for each field the share of records that a stranger has each value with.

    Of c records that have a value two are those compared, and one of them is the stranger: c - 1 others have it, less
    what is to be taken off for values that are there because they were seen (absolute discounting). So a number that
    two rows have and no other says more than 2 / n. But where many fields say who it is, values that few have are
    shared by what belongs together, too (address and telephone, by all in one house), and fields are weighed as if they
    were not: there c in n is the more careful reading, and enough.
    """
    n = max((int(each.counts.sum()) for each in fields), default=0)
    said = sum(bits_shared(each, n) for each in fields) / np.log2(max(n, 2))
    off = _OWN * float(np.clip(_ENOUGH - said, 0.0, 1.0))
    least = 2.0 - _OWN
    counts = [each.counts if each.things is None else each.things for each in fields]
    return [np.maximum(each - off, np.minimum(each, least)) / max(each.sum(), 1) for each in counts]


def _commonest(
    field: FieldData, share: NDArray[np.float64], others: Sequence[tuple[FieldData, NDArray[np.float64]]]
) -> NDArray[np.float64]:
    """Return the greatest share that each incomplete value of a field has in any field; of others, its own."""
    if len(field.values) < _FEW:  # done before Arrow begins
        words = np.array([text.count(" ") + 1 for text in field.values])
    else:
        words = pc.count_substring(arrow_of(field.values), " ").to_numpy() + 1
    incomplete = words < np.round(np.average(words, weights=field.counts))
    if not incomplete.any():
        return share
    for other, theirs in others:
        place = places_among(field.values, other.values)
        share = np.where(incomplete & (place >= 0), np.maximum(share, theirs[place]), share)
    return share


def random_pairs(
    n: int,
    n_wanted: int,
    *,
    seed: int,
    source: NDArray[np.int32] | None = None,
    block: NDArray[np.int32] | None = None,
    apart: int = 0,
    avoid: NDArray[np.int64] | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Draw random pairs of records, of different sources and the same block as asked, none among those to avoid.

    Parameters
    ----------
    n
        Records.
    n_wanted
        About how many pairs.
    avoid
        Sorted keys a·n + b (a < b) of pairs to leave out.
    """
    rng = stream(seed, "strangers")
    if block is None:
        one, other = rng.integers(0, n, (2, n_wanted))
    else:
        # Both from one block: the second is drawn among the others of the first's block, so all pairs are alike.
        order = np.argsort(block, kind="stable")
        sizes = np.bincount(block)
        starts = np.cumsum(sizes) - sizes
        place = np.empty(n, dtype=np.int64)
        place[order] = np.arange(n) - starts[block[order]]
        others = sizes[block] - 1
        if not others.any():
            return np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32)
        one = rng.choice(n, n_wanted, p=others / others.sum())
        on = 1 + (rng.random(n_wanted) * others[one]).astype(np.int64)
        other = order[starts[block[one]] + (place[one] + on) % sizes[block[one]]]
    good = one != other
    if apart and source is not None:
        good &= (source[one] != source[other]) == (apart == 1)
    keys = distinct(np.minimum(one, other)[good].astype(np.int64) * n + np.maximum(one, other)[good])
    if avoid is not None and len(avoid):
        keys = without(keys, avoid)
    return (keys // n).astype(np.int32), (keys % n).astype(np.int32)
