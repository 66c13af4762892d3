"""Counts of n-grams in one small file, for models that are shipped.

Logarithms are rounded to 255 values each (the means of equal shares of those seen, so that frequent values are kept
best), sizes of buckets take the place of where they begin, and all is compressed: 6 bytes an n-gram in place of 9. In
memory it is the same model.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onoma.correct.ngrams import Ngrams, Order
from onoma.errors import DataError
from onoma.learning.packing import joined, load_arrays, parted, save_arrays

__all__ = ["load_packed", "save_packed"]

_LEVELS = 255
_KIND = "correct/ngrams"


def save_packed(ngrams: Ngrams, path: str | Path) -> None:
    """Write a model as one file."""
    arrays: dict[str, NDArray[Any]] = {"words": joined(ngrams.words)}
    for n, order in enumerate(ngrams.orders, start=1):
        arrays[f"{n}-sizes"] = np.diff(order.offsets).astype(np.uint8)
        if arrays[f"{n}-sizes"].sum(dtype=np.int64) != len(order.prints):
            raise DataError("has a bucket of more than 255 n-grams: it cannot be packed")
        arrays[f"{n}-prints"], arrays[f"{n}-counts"] = order.prints, order.counts
        for name in ("log_p", "log_backoff"):
            arrays[f"{n}-{name}"], arrays[f"{n}-{name}-of"] = _rounded(getattr(order, name))
    save_arrays(path, _KIND, {"order": ngrams.order}, arrays)


def load_packed(path: str | Path) -> Ngrams:
    """Read a model that is one file."""
    facts, arrays = load_arrays(path, _KIND)
    orders = []
    for n in range(1, facts["order"] + 1):
        offsets = np.zeros(len(arrays[f"{n}-sizes"]) + 1, np.uint32)
        np.cumsum(arrays[f"{n}-sizes"], out=offsets[1:])
        log_p, log_backoff = (
            np.take(arrays[f"{n}-{name}-of"], arrays[f"{n}-{name}"]) for name in ("log_p", "log_backoff")
        )
        orders.append(Order(offsets, arrays[f"{n}-prints"], arrays[f"{n}-counts"], log_p, log_backoff))
    return Ngrams(parted(arrays["words"]), tuple(orders))


def _rounded(values: NDArray[np.int16]) -> tuple[NDArray[np.uint8], NDArray[np.int16]]:
    """Return for each value which level stands for it, and the levels."""
    different, counts = np.unique(values, return_counts=True)
    if len(different) > _LEVELS:
        share = np.minimum((np.cumsum(counts) - counts) * _LEVELS // counts.sum(), _LEVELS - 1)
        level = np.unique(share, return_inverse=True)[1]
        means = np.bincount(level, different * counts) / np.bincount(level, counts)
        levels = np.rint(means).astype(np.int16)
    else:
        level, levels = np.arange(len(different)), different.astype(np.int16)
    return level[np.searchsorted(different, values)].astype(np.uint8), levels
