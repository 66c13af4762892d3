"""Comparing candidate pairs field by field, and what strangers look like."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.distinct import distinct
from onoma.numerics.parts import n_threads
from onoma.numerics.rng import stream
from onoma.progress import SILENT, Progress
from onoma.resolve.fields._pairs_kernels import different_values
from onoma.resolve.fields.field import FieldData

__all__ = ["compare_records", "random_pairs"]

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

    if len(a) <= _PART // 2:
        compare(0, len(a))
        return levels
    n_parts = -(-len(a) // _PART) * 2
    bounds = [len(a) * part // n_parts for part in range(n_parts + 1)]
    with progress.task("comparing", total=len(a), unit="pairs") as task, ThreadPoolExecutor(n_threads()) as pool:
        for done in pool.map(compare, bounds[:-1], bounds[1:]):
            task.advance(done)
    return levels


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
        place = np.minimum(np.searchsorted(avoid, keys), len(avoid) - 1)
        keys = keys[avoid[place] != keys]
    return (keys // n).astype(np.int32), (keys % n).astype(np.int32)
