"""Columns made ready for trees: names as words, bags of words, canopies, and who shares a word with whom."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.errors import DataError
from onoma.resolve.fields.bags import Alike, slips
from onoma.resolve.fields.names import nickname_pairs
from onoma.resolve.models.hierarchical._bags_kernels import Mentions
from onoma.resolve.models.hierarchical.trees import BagScores
from onoma.resolve.models.hierarchical.whole_names import NameColumn

__all__ = ["BagColumn", "NameColumn", "Shard", "TreeColumns", "TreeTable"]

_MOST_WORDS = 4
_SHARD = 50_000
"""Mentions in a shard, if canopies allow."""
_LONGEST_LIST = 2000


@dataclass(frozen=True, eq=False)
class BagColumn:
    """The words of each row, each once.

    Examples
    --------
    >>> bags = BagColumn.of_texts(pa.array(["b a b", None, "a"]))
    >>> bags.offsets.tolist(), bags.ids.tolist(), bags.words.to_pylist()
    ([0, 2, 2, 3], [0, 1, 1], ['b', 'a'])
    """

    offsets: NDArray[np.int64]
    ids: NDArray[np.int32]
    words: pa.Array

    @classmethod
    def of_texts(cls, texts: pa.Array | pa.ChunkedArray, *, by: str = " ") -> "BagColumn":
        """Make bags of texts whose words are apart by some sign."""
        if isinstance(texts, pa.ChunkedArray):
            texts = texts.combine_chunks()
        return cls.of_lists(pc.split_pattern(texts, by))

    @classmethod
    def of_lists(cls, lists: pa.ListArray) -> "BagColumn":
        """Make bags of lists of words; empty words and nulls are left out."""
        row = pc.list_parent_indices(lists).to_numpy(zero_copy_only=False).astype(np.int64)
        encoded = pc.dictionary_encode(lists.flatten())
        words = encoded.dictionary
        code = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False).astype(np.int64)
        empty = np.flatnonzero(np.asarray(pc.equal(words, "")))
        kept = (code >= 0) & ~np.isin(code, empty)
        n_words = max(len(words), 1)
        pairs = np.unique(row[kept] * n_words + code[kept])
        offsets = np.zeros(len(lists) + 1, np.int64)
        np.cumsum(np.bincount(pairs // n_words, minlength=len(lists)), out=offsets[1:])
        return cls(offsets, (pairs % n_words).astype(np.int32), words)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many rows have each word."""
        return np.bincount(self.ids, minlength=len(self.words))

    def take(self, rows: NDArray[np.int64]) -> "BagColumn":
        """Return the bags of some rows."""
        lengths = np.diff(self.offsets)[rows]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        inside = np.arange(int(offsets[-1])) - np.repeat(offsets[:-1], lengths)
        return BagColumn(offsets, self.ids[np.repeat(self.offsets[rows], lengths) + inside], self.words)


@dataclass(frozen=True, eq=False)
class TreeColumns:
    """What is known of mentions: canopies, names, bags of words."""

    canopy: NDArray[np.int64]
    names: Sequence[NameColumn]
    """A given name and a family name; or one name; or none."""
    bags: Sequence[BagColumn]
    kinds: Sequence[BagScores]
    """What each field scores where nothing can be learnt; a field with `exclusive` keeps entities apart."""
    linking: Sequence[bool]
    """Fields whose words bring mentions side by side."""

    def take(self, rows: NDArray[np.int64]) -> "TreeColumns":
        """Return what is known of some mentions."""
        names, bags = [each.take(rows) for each in self.names], [each.take(rows) for each in self.bags]
        return replace(self, canopy=self.canopy[rows], names=names, bags=bags)


@dataclass(frozen=True, eq=False)
class Shard:
    """Some canopies' mentions, in the order of canopies."""

    rows: NDArray[np.int64]
    """Which rows of the table they are."""
    canopies: NDArray[np.int64]
    mentions: Mentions


class TreeTable:
    """A table as trees need it.

    Parameters
    ----------
    canopy
        The canopy of each row.
    names
        Names; the first word of each is its most important one.
    bags
        Fields of words.
    alphas
        By field, α of the evidence.
    linking
        By field, whether rows that share one of its words are put side by side.
    root_scores
        By name and form, what an entity of that name scores for being one; default, nothing.
    n_rows
        How many rows of the whole table each row stands for; default, itself alone.
    """

    def __init__(
        self,
        canopy: NDArray[np.int64],
        names: Sequence[NameColumn],
        bags: Sequence[BagColumn],
        *,
        alphas: Sequence[float],
        linking: Sequence[bool],
        root_scores: Sequence[NDArray[np.float32] | None] | None = None,
        n_rows: NDArray[np.int64] | None = None,
    ) -> None:
        lengths = {len(canopy), *(len(each.codes) for each in names), *(len(each.offsets) - 1 for each in bags)}
        if len(lengths) > 1:
            raise DataError(f"columns have {sorted(lengths)} rows; all must have the same number")
        self.names, self.bags = list(names), list(bags)
        self._linking = np.array(linking, np.bool_)
        self._n_rows = np.ones(len(canopy), np.int64) if n_rows is None else n_rows
        self._order = np.argsort(canopy, kind="stable")
        sizes = np.bincount(canopy)
        sizes = sizes[sizes > 0]
        self._starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self._weigh_words(alphas)
        self._spell_names(root_scores)
        self._join_words()

    def __len__(self) -> int:
        return len(self._order)

    def _weigh_words(self, alphas: Sequence[float]) -> None:
        fields, weights = [], []
        for f, (bags, alpha) in enumerate(zip(self.bags, alphas, strict=True)):
            n_rows = np.repeat(self._n_rows, np.diff(bags.offsets))
            counts = np.maximum(np.bincount(bags.ids, n_rows, minlength=len(bags.words)), 1)
            share = counts / max(int(counts.sum()), 1)
            idf = np.log(max(int(self._n_rows.sum()), 1) / counts) + 0.1
            fields.append(np.full(len(counts), f, np.int8))
            weights.append(np.stack([idf * idf, alpha * share, -np.log(share)], axis=1).astype(np.float32))
        self._field = np.concatenate([np.zeros(0, np.int8), *fields])
        self._weights = np.concatenate([np.zeros((0, 3), np.float32), *weights])

    def _spell_names(self, root_scores: Sequence[NDArray[np.float32] | None] | None) -> None:
        """Take the forms of all names apart into words, number the words, and rank the forms."""
        known: dict[str, int] = {}
        spelt: dict[str, int] = {}
        rows, ranks = [], []
        for name, column in enumerate(self.names):
            known_rows = column.codes >= 0
            counts = np.bincount(column.codes[known_rows], self._n_rows[known_rows], minlength=len(column.forms))
            by_count = np.argsort(np.argsort(counts, kind="stable"), kind="stable")
            for text, place in zip(column.forms.to_pylist(), by_count.tolist(), strict=True):
                words = text.split()[:_MOST_WORDS]
                ids = [known.setdefault(word, len(known)) for word in words]
                joined = spelt.setdefault(f"{name} {text.replace(' ', '')}", len(spelt))
                rows.append([name, joined, *ids, *[-1] * (_MOST_WORDS - len(ids))])
                full = [len(word) > 1 for word in words]
                ranks.append((full[0], sum(full), len(words), place))
        self._form_words = np.array(rows, np.int32).reshape(-1, 2 + _MOST_WORDS)
        order = sorted(range(len(ranks)), key=lambda form: (ranks[form], form))
        self._form_rank = np.empty(len(ranks), np.int32)
        self._form_rank[order] = np.arange(len(ranks), dtype=np.int32)
        scores = root_scores or [None] * len(self.names)
        parts = [
            np.zeros(len(column.forms), np.float32) if given is None else given
            for column, given in zip(self.names, scores, strict=True)
        ]
        self._form_root = np.concatenate([np.zeros(0, np.float32), *parts]).astype(np.float32)
        words = list(known)
        self._letters = np.array([ord(w[0]) if len(w) == 1 else -1 - ord(w[0]) for w in words], np.int32)
        a, b = nickname_pairs(words)
        slip_a, slip_b, _ = slips(words)
        one, other = np.concatenate([a, slip_a]), np.concatenate([b, slip_b])
        self._alike = Alike.build(len(words), one, other, np.ones(len(one), np.float32))

    def _join_words(self) -> None:
        """Lay all fields' words of a row side by side, rows in the order of canopies."""
        n, n_fields = len(self), len(self.bags)
        lengths = np.stack([np.diff(bags.offsets) for bags in self.bags], axis=1) if n_fields else np.zeros((n, 0), int)
        lengths = lengths[self._order]
        ends = np.cumsum(lengths.ravel()).reshape(n, n_fields) if n_fields else np.zeros((n, 0), np.int64)
        self._offsets = np.concatenate([[0], ends[:, -1]]) if n_fields else np.zeros(n + 1, np.int64)
        self._words = np.empty(int(self._offsets[-1]), np.int32)
        base = 0
        for f, bags in enumerate(self.bags):
            mine = lengths[:, f]
            total = int(mine.sum())
            inside = np.arange(total) - np.repeat(np.cumsum(mine) - mine, mine)
            source = np.repeat(bags.offsets[self._order], mine) + inside
            self._words[np.repeat(ends[:, f] - mine, mine) + inside] = bags.ids[source] + base
            base += len(bags.words)
        n_forms = np.cumsum([0, *(len(column.forms) for column in self.names)])
        columns = [
            np.where(column.codes >= 0, column.codes + first, -1)[self._order]
            for column, first in zip(self.names, n_forms, strict=False)
        ]
        self._forms = np.stack(columns, axis=1).astype(np.int32) if columns else np.zeros((n, 0), np.int32)

    def shards(self) -> list[Shard]:
        """Return the table in parts of whole canopies; what they are depends on the table alone."""
        n_canopies = len(self._starts) - 1
        place = np.minimum(self._starts[:-1] // _SHARD, len(self) // _SHARD)
        cuts = [0, *(np.flatnonzero(np.diff(place)) + 1).tolist(), n_canopies]
        return [self._shard(first, end) for first, end in itertools.pairwise(cuts) if first < end]

    def _shard(self, first: int, end: int) -> Shard:
        low, high = int(self._starts[first]), int(self._starts[end])
        starts = self._starts[first : end + 1] - low
        offsets = self._offsets[low : high + 1] - self._offsets[low]
        words = self._words[self._offsets[low] : self._offsets[high]]
        mentions = Mentions(
            offsets,
            words,
            self._forms[low:high],
            self._n_rows[self._order[low:high]].astype(np.int32),
            self._field,
            self._weights,
            self._form_words,
            self._form_rank,
            self._form_root,
            self._letters,
            self._alike.offsets,
            self._alike.ids,
            *self._lists(starts, offsets, words, self._forms[low:high]),
        )
        return Shard(self._order[low:high], starts, mentions)

    def _lists(
        self, starts: NDArray[np.int64], offsets: NDArray[np.int64], words: NDArray[np.int32], forms: NDArray[np.int32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
        """Return by mention the lists of mentions of its canopy that share a word, or the first name's form."""
        n = len(offsets) - 1
        row = np.repeat(np.arange(n), np.diff(offsets))
        used = self._linking[self._field[words]]
        row, key = row[used], words[used].astype(np.int64)
        if forms.shape[1]:
            named = np.flatnonzero(forms[:, 0] >= 0)
            row = np.concatenate([row, named])
            key = np.concatenate([key, len(self._field) + forms[named, 0].astype(np.int64)])
        canopy = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        key += canopy[row] * (len(self._field) + len(self._form_rank) + 1)
        order = np.lexsort((row, key))
        key, row = key[order], row[order]
        new = np.concatenate([[True], key[1:] != key[:-1]]) if len(key) else np.zeros(0, np.bool_)
        group = np.cumsum(new) - 1
        sizes = np.bincount(group, minlength=0)
        kept = (sizes[group] > 1) & (sizes[group] <= _LONGEST_LIST) if len(group) else np.zeros(0, np.bool_)
        row, group = row[kept], group[kept]
        _, group = np.unique(group, return_inverse=True)
        list_offsets = np.concatenate([[0], np.cumsum(np.bincount(group, minlength=0))]).astype(np.int64)
        by_row = np.argsort(row, kind="stable")
        link_offsets = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n))]).astype(np.int64)
        return link_offsets, group[by_row].astype(np.int32), list_offsets, row.astype(np.int32)
