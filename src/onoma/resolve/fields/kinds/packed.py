"""Texts packed side by side and as numbered words, compared without a Python object in the loop."""

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.resolve.fields._pairs_kernels import distinct_keys
from onoma.resolve.fields.features import FeaturesBuilder
from onoma.resolve.fields.field import Codes
from onoma.resolve.fields.kinds._packed_kernels import (
    begins_or_ends,
    cross_words,
    hash_words,
    letter_masks,
    slips_upto_two,
    winkler_similarities,
)

__all__ = ["MORE", "Texts", "Words", "plain"]

MORE = 3
"""Stands for any number of slips above two."""
_FEW = 300  # texts


class Texts:
    """Distinct texts, as letters.

    Parameters
    ----------
    values
        The texts.

    Examples
    --------
    >>> texts = Texts(["martha", "marhta", "marta", "smith"])
    >>> a, b = np.array([0, 0, 0], np.int32), np.array([1, 2, 3], np.int32)
    >>> texts.slips(a, b).tolist()
    [1, 1, 3]
    >>> texts.winkler(a, b).round(3).tolist()
    [0.9610000252723694, 0.9670000076293945, 0.699999988079071]
    """

    def __init__(self, values: Sequence[str]) -> None:
        self.lengths = np.fromiter(map(len, values), np.int32, count=len(values))
        """How many letters each has."""
        self.longest = int(self.lengths.max(initial=1))
        """How many the longest has; at least 1."""
        self.offsets = np.zeros(len(values) + 1, np.int64)
        """Where each begins among the letters, and where the last ends."""
        np.cumsum(self.lengths, out=self.offsets[1:])
        points = np.frombuffer("".join(values).encode("utf-32-le"), np.uint32)
        # Beyond the first plane letters are numbered anew among the surrogates, which are none.
        far = points > 0xFFFF
        self.letters = points.astype(np.uint16)
        if far.any():
            self.letters[far] = 0xD800 + np.unique(points[far], return_inverse=True)[1] % 0x800

    @cached_property
    def masks(self) -> NDArray[np.uint64]:
        """Which letters each has, as bits."""
        return letter_masks(self.letters, self.offsets)

    def slips(self, a: Codes, b: Codes) -> NDArray[np.int8]:
        """Return for each pair the letters wrong, missing, extra or swapped with the next: 0, 1, 2, or `MORE`."""
        return slips_upto_two(plain(a), plain(b), self.letters, self.offsets)

    def winkler(self, a: Codes, b: Codes) -> NDArray[np.float32]:
        """Return the Jaro–Winkler similarity of each pair."""
        return winkler_similarities(plain(a), plain(b), self.letters, self.offsets, self.longest)

    def is_within(self, a: Codes, b: Codes) -> NDArray[np.bool_]:
        """Return for each pair whether the longer text begins or ends with the shorter."""
        return begins_or_ends(plain(a), plain(b), self.letters, self.offsets)


class Words:
    """The words of texts in which one space stands between words, none before or after, in order.

    Parameters
    ----------
    values
        The texts.

    Attributes
    ----------
    words
        Each word once.

    Examples
    --------
    >>> words = Words(["12 main street", "street 12 main", "12 mainstreet"])
    >>> words.sorted().tolist(), words.joined().tolist()
    ([0, 0, 0], [0, 1, 0])
    """

    def __init__(self, values: Sequence[str]) -> None:
        self._offsets, self._ids, self.words = _few_words(values) if len(values) < _FEW else _many_words(values)
        self._texts = Texts(self.words)
        self._order = np.empty(len(self.words), np.int32)
        self._order[sorted(range(len(self.words)), key=self.words.__getitem__)] = np.arange(len(self.words))

    def marked(self, is_marked: Callable[[str], bool]) -> NDArray[np.bool_]:
        """Return for each word what is said of it."""
        return np.fromiter(map(is_marked, self.words), np.bool_, count=len(self.words))

    def joined(self) -> NDArray[np.int32]:
        """Return a number for each text without its spaces: equal ones for equal texts."""
        return _numbered(self._hashes(None, in_order=False, apart=False))[0]

    def sorted(self) -> NDArray[np.int32]:
        """Return a number for the words of each text, sorted and joined."""
        return _numbered(self._hashes(None, in_order=True, apart=False))[0]

    def set_of(self, used: NDArray[np.bool_]) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """Return a number for those words of each text that are marked, sorted; and whether it has any."""
        if not used.any():
            n = len(self._offsets) - 1
            return np.zeros(n, np.int32), np.zeros(n, np.bool_)
        return _numbered(self._hashes(used, in_order=True, apart=True))

    def add_pairs(self, builder: FeaturesBuilder, marked: NDArray[np.bool_], most: int) -> None:
        """Add as keys each of the first marked words, so many, with every word that is not."""
        rows, pairs = cross_words(self._offsets, self._ids, marked, most)
        keys, ids = distinct_keys(pairs, len(pairs).bit_length() + 1)

        def write() -> list[str]:
            n = len(self.words)
            return [f"{self.words[key // n]} {self.words[key % n]}" for key in keys.tolist()]

        builder.add_unwritten("key", rows, ids, len(keys), write)

    def _hashes(self, used: NDArray[np.bool_] | None, *, in_order: bool, apart: bool) -> NDArray[np.uint64]:
        order = self._order if in_order else np.zeros(len(self.words), np.int32)
        used = np.ones(len(self.words), np.bool_) if used is None else used
        return hash_words(self._offsets, self._ids, order, used, apart, self._texts.letters, self._texts.offsets)


def _few_words(values: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int32], list[str]]:
    """Return what `_many_words` returns, done before Arrow begins."""
    known: dict[str, int] = {}
    rows = [[known.setdefault(word, len(known)) for word in text.split(" ")] for text in values]
    offsets = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    return offsets, np.array([i for row in rows for i in row], np.int32), list(known)


def _many_words(values: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int32], list[str]]:
    """Return the words of texts, one text after the other: where each begins, which they are, each once."""
    lists = pc.split_pattern(pa.array(values, pa.string()), " ")
    encoded = lists.flatten().dictionary_encode()
    ids = np.array(encoded.indices.to_numpy(zero_copy_only=False), np.int32)
    return lists.offsets.to_numpy().astype(np.int64), ids, encoded.dictionary.to_pylist()


def _numbered(hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    return np.unique(hashes, return_inverse=True)[1].astype(np.int32), hashes != 0


def plain(codes: Codes) -> Codes:
    """Return codes as kernels are compiled for: of 32 bits, one after the other, not locked."""
    return np.require(codes, np.int32, ["C", "W"])
