"""Comparing candidate pairs field by field, and what strangers look like."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.rng import stream
from onoma.progress import SILENT, Progress
from onoma.resolve.fields.field import FieldData

__all__ = ["compare_records", "log_shares", "random_pairs"]


def compare_records(
    fields: Sequence[FieldData], a: NDArray[np.int32], b: NDArray[np.int32], *, progress: Progress = SILENT
) -> NDArray[np.int8]:
    """Return the level of each pair of records (row) in each field (column); -1 where a value is missing."""
    levels = np.full((len(a), len(fields)), -1, dtype=np.int8)
    with progress.task("comparing", total=len(fields), unit="fields") as task:
        for f, field in enumerate(fields):
            one, other = field.codes[a], field.codes[b]
            present = np.flatnonzero((one >= 0) & (other >= 0))
            levels[present, f] = field.compare(one[present], other[present])
            task.advance(1)
    return levels


def log_shares(fields: Sequence[FieldData], a: NDArray[np.int32], levels: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return, where two records share a value, the log of the share of records that have it; 0 elsewhere."""
    log_share = np.zeros(levels.shape, dtype=np.float32)
    for f, field in enumerate(fields):
        if len(field.counts) == 0:
            continue
        share = field.counts / field.counts.sum()
        equal = np.flatnonzero(levels[:, f] == 0)
        log_share[equal, f] = np.log(share[field.codes[a[equal]]])
    return log_share


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
    keys = np.unique(np.minimum(one, other)[good].astype(np.int64) * n + np.maximum(one, other)[good])
    if avoid is not None and len(avoid):
        place = np.minimum(np.searchsorted(avoid, keys), len(avoid) - 1)
        keys = keys[avoid[place] != keys]
    return (keys // n).astype(np.int32), (keys % n).astype(np.int32)
