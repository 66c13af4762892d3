"""Canopies: which pairs of records are worth comparing, without comparing all and without rules to write.

Every record is a bag of features: the value of each field, the tokens and character trigrams inside it, and each pair
of values of two short fields together. A feature that few records share says much: it weighs (log n/df)². A feature
that more than `hot` records share is left out (and counted: nothing is dropped in silence); the pairs of values stand
in for such values, since a common surname and a common city together are rare again. Each record's canopy is the k
records that share the greatest weight with it.

Cost: the sum over features of df², at most `hot` a feature and record; memory, the features of all records.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.distinct import distinct
from onoma.numerics.memory import give_back
from onoma.numerics.parts import n_threads
from onoma.progress import SILENT, Progress
from onoma.resolve.blocking._canopies_kernels import (
    BY_SIZE,
    cosines,
    count_features,
    entries_of_pairs,
    entries_of_values,
    fill_rows,
    invert,
    nearest,
    rows_of_values,
)
from onoma.resolve.fields.field import FieldData

__all__ = [
    "Candidates",
    "CanopySettings",
    "find_candidates",
    "find_near",
    "inverted_lists",
    "pair_similarity",
    "pairs_within_blocks",
    "weights_by_size",
    "with_pairs",
]

BULKY = ("text", "set", "vector", "geo", "number")
"""Kinds whose whole values are too various to be paired with others."""
_CHUNK, _FEW = 4096, 512
"""Records whose neighbours are found at a time: of all, and of some."""
_WORTH_THREADS = 100_000
"""Entries from which on threads pay to put them in their places."""
_Entries = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], int]
"""Entries (records, features), how many records each feature has, and how many features were too common."""
_Block = tuple[NDArray[np.unsignedinteger], NDArray[np.int32], NDArray[np.int32], int]
"""The same, with how many entries each record has."""


@dataclass(frozen=True, kw_only=True)
class CanopySettings:
    """How far to look."""

    neighbours: int | None = None
    """Neighbours of each record; None: 20, up to 100 for small tables, down to 10 from 100,000 records on."""
    hot: int | None = None
    """A feature of more records is left out; None: 200, up to 2,000 for small tables, down to 50 for large ones."""

    def resolved(self, n: int) -> tuple[int, int]:
        """Return the numbers for a table of n records."""
        large = min(100_000 / max(n, 1), 1.0)
        k = self.neighbours or int(np.clip(20 * (20_000 / max(n, 1)) ** 0.5, max(20 * large**0.5, 10), 100))
        hot = self.hot or int(np.clip(2_000_000 / max(n, 1), max(200 * large, 50), 2_000))
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
    n_let_go: int = 0
    """Pairs that were compared and are not among these any more."""

    def __len__(self) -> int:
        return len(self.a) + self.n_let_go

    def only(self, a: NDArray[np.int32], b: NDArray[np.int32]) -> "Candidates":
        """Return these of the pairs; the others are let go."""
        return replace(self, a=a, b=b, n_let_go=len(self) - len(a))


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
    n = len(fields[0].codes)
    found, n_hot = _near_keys(fields, source, block, apart, settings or CanopySettings(), progress)
    keys = distinct(np.concatenate(found) if found else np.zeros(0, dtype=np.int64))
    del found  # keys are many: what is no longer needed makes room
    a, b = (keys // n).astype(np.int32), (keys % n).astype(np.int32)
    met = np.zeros(n, dtype=np.bool_)
    met[a] = met[b] = True
    return Candidates(a, b, n_hot, n - int(np.count_nonzero(met)))


def _near_keys(
    fields: Sequence[FieldData],
    source: NDArray[np.int32] | None,
    block: NDArray[np.int32] | None,
    apart: int,
    settings: CanopySettings,
    progress: Progress,
) -> tuple[list[NDArray[np.int64]], int]:
    """Return the keys a·n + b (a < b) of each record with its nearest, in parts, and how many features were hot."""
    n = len(fields[0].codes)
    k, hot = settings.resolved(n)
    offsets, features, frequency, n_hot = _bags(fields, n, hot)
    n_features = len(frequency)
    del frequency
    give_back(n)
    lists = inverted_lists(offsets, features, n_features)
    weights = weights_by_size(n, hot)
    none = np.zeros(0, dtype=np.int32)
    source, block = (none if source is None else source), (none if block is None else block)
    apart = apart if len(source) else 0

    # A small table is parted, too, among threads; neighbours do not depend on it.
    chunk = min(_CHUNK, max(_FEW, -(-n // (2 * n_threads()))))

    def part(first: int) -> NDArray[np.int64]:
        last = min(first + chunk, n)
        i, j = nearest(first, last, offsets, features, weights, BY_SIZE, *lists, source, block, apart, k)
        return np.minimum(i, j) * np.int64(n) + np.maximum(i, j)

    found: list[NDArray[np.int64]] = []
    with progress.task("canopies", total=n, unit="records") as task, ThreadPoolExecutor(n_threads()) as pool:
        for keys in pool.map(part, range(0, n, chunk)):
            found.append(keys)
            task.advance(min(chunk, n - chunk * (len(found) - 1)))
    return found, n_hot


def find_near(
    fields: Sequence[FieldData],
    n: int,
    *,
    source: NDArray[np.int32] | None = None,
    block: NDArray[np.int32] | None = None,
    apart: int = 0,
    settings: CanopySettings | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the pairs of each record from the n-th on with its nearest among the first n: these, and those.

    The arguments are those of `find_candidates`; canopies are as wide as those of n records.
    """
    k, hot = (settings or CanopySettings()).resolved(n)
    total = len(fields[0].codes)
    offsets, features, frequency, _ = _bags(fields, total, hot)
    lists = inverted_lists(offsets, features, len(frequency))
    weights = weights_by_size(total, hot)
    none = np.zeros(0, dtype=np.int32)
    source, block = (none if source is None else source), (none if block is None else block)
    apart = apart if len(source) else 0

    def part(first: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        bounds = first, min(first + _FEW, total)
        return nearest(*bounds, offsets, features, weights, BY_SIZE, *lists, source, block, apart, k)

    with ThreadPoolExecutor(n_threads()) as pool:
        found = list(pool.map(part, range(n, total, _FEW)))
    mine, near = (np.concatenate([none, *(each[side] for each in found)]) for side in (0, 1))
    inside = near < n
    return near[inside].astype(np.int32), mine[inside].astype(np.int32)


def with_pairs(candidates: Candidates, extra: NDArray[np.int64] | None, n: int) -> Candidates:
    """Return the candidates of n records and some more pairs, given as keys a·n + b with a < b."""
    if extra is None or len(extra) == 0:
        return candidates
    keys = distinct(np.concatenate([candidates.a.astype(np.int64) * n + candidates.b, extra]))
    return replace(candidates, a=(keys // n).astype(np.int32), b=(keys % n).astype(np.int32))


def pairs_within_blocks(block: NDArray[np.int32]) -> Candidates:
    """Return every pair of records of one block."""
    n = len(block)
    order = np.argsort(block, kind="stable")
    sizes = np.bincount(block)
    starts = np.cumsum(sizes) - sizes
    keys = []
    for start, size in zip(starts, sizes, strict=True):
        members = np.sort(order[start : start + size])
        one, other = np.triu_indices(size, 1)
        keys.append(members[one].astype(np.int64) * n + members[other])
    every = np.sort(np.concatenate(keys))
    alone = int(np.count_nonzero(sizes == 1))
    return Candidates((every // n).astype(np.int32), (every % n).astype(np.int32), 0, alone)


def pair_similarity(fields: Sequence[FieldData], a: NDArray[np.int32], b: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the cosine of the features of two records, for each pair; all features count, the common ones little."""
    n = len(fields[0].codes)
    offsets, features, frequency, _ = _bags(fields, n, n)
    return cosines(a, b, offsets, features, np.log(n / frequency) ** 2)


def _bags(
    fields: Sequence[FieldData], n: int, hot: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], int]:
    """Return the features of all records (offsets, ids), how many have each, and how many were too common."""
    threads = n_threads()
    with ThreadPoolExecutor(threads) as pool:
        short = [field for field in fields if field.kind not in BULKY]
        lists = list(pool.map(lambda field: rows_of_values(field.codes, len(field.counts)), short))
        blocks = list(pool.map(partial(_made, n), _blocks(fields, short, lists, hot)))
        del lists
        offsets = np.zeros(n + 1, dtype=np.int64)
        for counts, _, _, _ in blocks:
            offsets[1:] += counts
        np.cumsum(offsets, out=offsets)
        features = np.empty(offsets[-1], dtype=np.int32)
        place, n_features, n_hot = offsets[:-1].copy(), 0, 0
        known = [np.zeros(0, dtype=np.int32)]
        borders = [n * part // threads for part in range(threads + 1)]
        while blocks:
            counts, ids, frequency, too_common = blocks.pop(0)  # the memory of a block is free when it is packed
            rows = np.repeat(np.arange(n, dtype=np.int32), counts)
            if len(rows) < _WORTH_THREADS:
                fill_rows(rows, ids, n_features, place, features)
            else:
                ends = np.searchsorted(rows, borders).tolist()  # rows ascend, so that threads have records of their own
                parts = [slice(*each) for each in itertools.pairwise(ends)]
                done = [pool.submit(fill_rows, rows[each], ids[each], n_features, place, features) for each in parts]
                for each in done:
                    each.result()
            known.append(frequency)
            n_features += len(frequency)
            n_hot += too_common
    return offsets, features, np.concatenate(known), n_hot


def weights_by_size(n: int, hot: int) -> NDArray[np.float32]:
    """Return what features of none, one, two … of n records weigh, up to those of so many that they are hot."""
    found = np.zeros(min(n, hot) + 1, dtype=np.float32)
    found[1:] = np.log(n / np.arange(1, len(found))) ** 2
    return found


def _made(n: int, make: Callable[[], _Entries]) -> _Block:
    """Make entries; how many each record has takes less room than to whom each belongs."""
    rows, features, frequency, too_common = make()
    counts = np.bincount(rows, minlength=n)
    return counts.astype(np.min_scalar_type(int(counts.max(initial=0)))), features, frequency, too_common


def _inner(field: FieldData, hot: int) -> _Entries:
    """Return the entries of what is inside a field's values."""
    inner = field.features()
    return entries_of_values(field.codes, inner.offsets, inner.ids, field.counts, len(inner), hot)


def inverted_lists(
    offsets: NDArray[np.int64], features: NDArray[np.int32], n_features: int, threads: int | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return for each feature the records that have it, ascending."""
    inverted_offsets, threads = count_features(features, n_features), threads or n_threads()
    inverted = np.empty(len(features), dtype=np.int32)
    borders = [n_features * part // threads for part in range(threads + 1)]
    with ThreadPoolExecutor(threads) as pool:
        work = [
            pool.submit(invert, offsets, features, inverted_offsets, *each, inverted)
            for each in itertools.pairwise(borders)
        ]
        for each in work:
            each.result()
    return inverted_offsets, inverted


def _blocks(
    fields: Sequence[FieldData],
    short: Sequence[FieldData],
    lists: Sequence[tuple[NDArray[np.int64], NDArray[np.int32]]],
    hot: int,
) -> Iterator[Callable[[], _Entries]]:
    """Yield what makes the entries of each field's values, of what is inside them, and of pairs of short values.

    `lists` are the records of each value of the short fields.
    """
    for field in fields:
        whole = np.arange(len(field.values) + 1)
        values = whole[:-1].astype(np.int32)
        yield partial(entries_of_values, field.codes, whole, values, field.counts, len(values), hot)
        yield partial(_inner, field, hot)
    for f, g in itertools.combinations(range(len(short)), 2):
        # Lists of the field with more values are shorter, and values of the other are fewer to count.
        one, other = (f, g) if len(short[f].counts) >= len(short[g].counts) else (g, f)
        mine, theirs = short[one], short[other]
        yield partial(entries_of_pairs, *lists[one], mine.counts, theirs.codes, theirs.counts, hot)
