"""Canopies of new records: which of many old records they may be the same as.

The features are those of `canopies.py`. Those inside values (words, trigrams, keys) are kept as 32 bits each for every
distinct value, without the ones that are far too common; which values a record has, is kept as codes. To find the
neighbours of a few new records, all of that is passed over once with a table of the features of the new ones at hand: a
few nanoseconds a feature, where making them again would cost a thousand times as much. Then neighbours are ranked as in
a first run, by the weight of what is shared.
"""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.fingerprints import text_fingerprints
from onoma.numerics.distinct import distinct
from onoma.resolve.blocking._canopies_kernels import BY_SIZE, count_rows, entries_of_values, fill_rows, nearest
from onoma.resolve.blocking._index_kernels import entries_of_new_pairs, known_features, make_table
from onoma.resolve.blocking.canopies import BULKY, CanopySettings, inverted_lists, weights_by_size
from onoma.resolve.fields.features import Features
from onoma.resolve.fields.field import FieldData

__all__ = ["FieldIndex", "Segment", "find_neighbours", "make_segment"]

_MARGIN = 2
"""A feature of more than this many times the records that make it too common is not kept: it stays too common."""


class Segment(NamedTuple):
    """The features of some values of a field, one value after the other."""

    offsets: NDArray[np.int64]
    ids: NDArray[np.uint32]


class FieldIndex(NamedTuple):
    """A field of old and new records."""

    kind: str
    codes: NDArray[np.int32]
    """The value of each record, old ones first; -1: missing."""
    segment: Segment
    """The features of each value."""


_Entries = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32] | NDArray[np.int64]]
"""Records, features, and how many records each feature has."""


def make_segment(field: FieldData, *, hot: int) -> Segment:
    """Return the features inside the values of a field that are worth keeping."""
    features = field.features()
    ids = feature_ids(features)
    lengths = np.diff(features.offsets)
    frequency = np.bincount(features.ids, np.repeat(field.counts, lengths), minlength=len(features))
    keep = frequency[features.ids] <= _MARGIN * hot
    kept = np.concatenate([[0], np.cumsum(keep)])
    return Segment(kept[features.offsets], ids[features.ids][keep])


def feature_ids(features: Features) -> NDArray[np.uint32]:
    """Return 32 bits for each feature, by its sort and its text."""
    found = text_fingerprints(features.texts)
    return ((found + features.sorts.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)).astype(
        np.uint32
    )


def find_neighbours(
    fields: Sequence[FieldIndex], first: int, *, settings: CanopySettings
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the pairs of a new record (those from the first on) with its nearest others: one, other, one > …, once."""
    n = len(fields[0].codes)
    k, hot = settings.resolved(n)
    blocks: list[_Entries] = []
    for field in fields:
        blocks += _value_blocks(field, first, hot)
    short = [field for field in fields if field.kind not in BULKY]
    for one, other in itertools.combinations(short, 2):
        blocks.append(entries_of_new_pairs(one.codes, other.codes, first, len(other.segment.offsets), hot))
    offsets, features, n_features = _pack(blocks, n)
    none = np.zeros(0, dtype=np.int32)
    index = inverted_lists(offsets, features, n_features)
    i, j = nearest(first, n, offsets, features, weights_by_size(n, hot), BY_SIZE, *index, none, none, 0, k)
    keys = distinct(np.minimum(i, j).astype(np.int64) * n + np.maximum(i, j))
    return (keys // n).astype(np.int32), (keys % n).astype(np.int32)


def _value_blocks(field: FieldIndex, first: int, hot: int) -> list[_Entries]:
    """Return the entries of whole values, and of the features inside them, that new records have."""
    n_values = len(field.segment.offsets) - 1
    counts = np.bincount(field.codes[field.codes >= 0], minlength=n_values).astype(np.int64)
    new = np.unique(field.codes[first:])
    new = new[new >= 0]
    here = np.zeros(n_values, dtype=np.int64)
    here[new] = 1
    whole = np.concatenate([[0], np.cumsum(here)])
    numbers = np.arange(len(new), dtype=np.int32)
    found: list[_Entries] = [entries_of_values(field.codes, whole, numbers, counts, len(new), hot)[:3]]
    offsets, ids = field.segment
    inside = np.concatenate([np.zeros(0, np.int64), *(ids[offsets[v] : offsets[v + 1]].astype(np.int64) for v in new)])
    if len(inside):
        slots, number, _, n_features = make_table(inside)
        shared = known_features(offsets, ids, slots, number)
        found.append(entries_of_values(field.codes, *shared, counts, n_features, hot)[:3])
    return found


def _pack(blocks: list[_Entries], n: int) -> tuple[NDArray[np.int64], NDArray[np.int32], int]:
    """Return the features of all records (offsets, ids), and how many there are."""
    offsets = np.zeros(n + 1, dtype=np.int64)
    for rows, _, _ in blocks:
        count_rows(rows, offsets)
    np.cumsum(offsets, out=offsets)
    features = np.empty(offsets[-1], dtype=np.int32)
    place, n_features = offsets[:-1].copy(), 0
    for rows, ids, frequency in blocks:
        fill_rows(rows, ids, n_features, place, features)
        n_features += len(frequency)
    return offsets, features, n_features
