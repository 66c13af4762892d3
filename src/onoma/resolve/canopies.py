"""Canopies: which pairs of records are worth comparing, without comparing all and without rules to write.

Every record is a bag of features: the value of each field, the tokens and character trigrams inside it, and each pair
of values of two short fields together. A feature that few records share says much: it weighs (log n/df)². A feature
that more than `hot` records share is left out (and counted: nothing is dropped in silence); the pairs of values stand
in for such values, since a common surname and a common city together are rare again. Each record's canopy is the k
records that share the greatest weight with it.

Cost: the sum over features of df², at most `hot` a feature and record; memory, the features of all records.
"""

import itertools
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.progress import SILENT, Progress
from onoma.resolve._canopies_kernels import cosines, invert, nearest
from onoma.resolve.fields.field import FieldData

__all__ = ["Candidates", "CanopySettings", "find_candidates", "pair_similarity"]

BULKY = ("text", "set", "vector", "geo", "number")
"""Kinds whose whole values are too various to be paired with others."""
_CHUNK = 4096


@dataclass(frozen=True, kw_only=True)
class CanopySettings:
    """How far to look."""

    neighbours: int | None = None
    """Neighbours of each record; None: 20 for large tables, up to 100 for small ones."""
    hot: int | None = None
    """A feature of more records than this is left out; None: 200 for large tables, all records for small ones."""
    threads: int = 2

    def resolved(self, n: int) -> tuple[int, int]:
        """Return the numbers for a table of n records."""
        k = self.neighbours or int(np.clip(20 * (20_000 / max(n, 1)) ** 0.5, 20, 100))
        hot = self.hot or int(np.clip(2_000_000 / max(n, 1), 200, 2_000))
        return min(k, max(n - 1, 1)), hot


@dataclass(frozen=True, eq=False)
class Candidates:
    """Pairs of records, each once with a < b, in order."""

    a: NDArray[np.int32]
    b: NDArray[np.int32]
    n_hot: int
    """Features left out because too many records share them."""
    n_alone: int
    """Records that share no feature with any other."""

    def __len__(self) -> int:
        return len(self.a)


def find_candidates(
    fields: Sequence[FieldData],
    *,
    source: NDArray[np.int32] | None = None,
    block: NDArray[np.int32] | None = None,
    apart: int = 0,
    settings: CanopySettings | None = None,
    progress: Progress = SILENT,
) -> Candidates:
    """Find the candidate pairs of a table.

    Parameters
    ----------
    fields
        The prepared fields.
    source, apart
        The source of each record; `apart` 1 looks for pairs of different sources only, -1 of the same only, 0 of any.
    block
        Records of different blocks are never compared.
    """
    settings = settings or CanopySettings()
    n = len(fields[0].codes)
    k, hot = settings.resolved(n)
    offsets, features, weights, n_hot = _bags(fields, n, hot)
    inverted_offsets, inverted = invert(offsets, features, len(weights))
    zeros = np.zeros(n, dtype=np.int32)
    source, block = (zeros if source is None else source), (zeros if block is None else block)

    def part(first: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        last = min(first + _CHUNK, n)
        return nearest(first, last, offsets, features, weights, inverted_offsets, inverted, source, block, apart, k)

    found = []
    with progress.task("canopies", total=n, unit="records") as task, ThreadPoolExecutor(settings.threads) as pool:
        for pairs in pool.map(part, range(0, n, _CHUNK)):
            found.append(pairs)
            task.advance(min(_CHUNK, n - _CHUNK * (len(found) - 1)))
    i, j = (np.concatenate([pairs[side] for pairs in found]).astype(np.int64) for side in (0, 1))
    keys = np.unique(np.minimum(i, j) * n + np.maximum(i, j))
    n_alone = n - len(np.unique(np.concatenate([i, j])))
    return Candidates((keys // n).astype(np.int32), (keys % n).astype(np.int32), n_hot, n_alone)


def pair_similarity(fields: Sequence[FieldData], a: NDArray[np.int32], b: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the cosine of the features of two records, for each pair; all features count, the common ones little."""
    n = len(fields[0].codes)
    offsets, features, weights, _ = _bags(fields, n, n)
    return cosines(a, b, offsets, features, weights)


def _bags(
    fields: Sequence[FieldData], n: int, hot: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64], int]:
    """Return the features of all records (offsets, ids), the weight of each feature, and how many were too common."""
    rows: list[NDArray[np.int32]] = []
    ids: list[NDArray[np.int32]] = []
    weights: list[NDArray[np.float64]] = []
    n_features = n_hot = 0
    for row, code, n_dropped in itertools.chain(_of_fields(fields, hot), _of_pairs(fields)):
        frequency = np.bincount(code) if len(code) else np.zeros(0, dtype=np.int64)
        n_hot += n_dropped + int(np.count_nonzero(frequency > hot))
        good = (frequency > 1) & (frequency <= hot)
        number = np.cumsum(good) - 1 + n_features
        kept = good[code]
        rows.append(row[kept].astype(np.int32))
        ids.append(number[code[kept]].astype(np.int32))
        weights.append(np.log(n / frequency[good]) ** 2)
        n_features += int(good.sum())
    row, feature = np.concatenate(rows), np.concatenate(ids)
    order = np.lexsort((feature, row))
    offsets = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(row, minlength=n), out=offsets[1:])
    return offsets, feature[order], np.concatenate(weights), n_hot


def _of_fields(fields: Sequence[FieldData], hot: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], int]]:
    """Yield (records, feature codes, too common features left out): a field's values, then what is inside them."""
    for field in fields:
        present = np.flatnonzero(field.codes >= 0)
        codes = field.codes[present].astype(np.int64)
        yield present, codes, 0
        inner = field.features()
        if len(inner.ids) == 0:
            continue
        # Counted by value first: what is too common is never spelt out record by record.
        lengths = np.diff(inner.offsets)
        frequency = np.bincount(inner.ids, np.repeat(field.counts, lengths))
        useful = (frequency[inner.ids] > 1) & (frequency[inner.ids] <= hot)
        offsets = np.concatenate([[0], np.cumsum(useful)])[inner.offsets]
        kept = inner.ids[useful].astype(np.int64)
        sizes = np.diff(offsets)[codes]
        places = np.arange(sizes.sum()) + np.repeat(offsets[codes] - (np.cumsum(sizes) - sizes), sizes)
        yield np.repeat(present, sizes), kept[places], int(np.count_nonzero(frequency > hot))


def _of_pairs(fields: Sequence[FieldData]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], int]]:
    """Yield (records, feature codes, 0) for each pair of values of two short fields."""
    short = [field for field in fields if field.kind not in BULKY]
    for one, other in itertools.combinations(short, 2):
        present = np.flatnonzero((one.codes >= 0) & (other.codes >= 0))
        keys = one.codes[present].astype(np.int64) * len(other.values) + other.codes[present]
        _, codes = np.unique(keys, return_inverse=True)
        yield present, codes.astype(np.int64), 0
