"""Texts as numbered words, compared without a Python object in the loop."""

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.resolve.fields._pairs_kernels import distinct_keys
from onoma.resolve.fields.features import FeaturesBuilder
from onoma.resolve.fields.kinds._packed_kernels import cross_words, hash_name_keys, hash_words
from onoma.resolve.fields.packed.texts import Texts, arrow_of, split_words

__all__ = ["Words"]


class Words:
    """The words of texts in which one space stands between words, none before or after, in order.

    Parameters
    ----------
    values
        The texts.
    worded
        What `split_words` says of them, where that is known.

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

    def __init__(
        self,
        values: Sequence[str],
        worded: tuple[NDArray[np.int64], NDArray[np.int32], Sequence[str]] | None = None,
    ) -> None:
        self.offsets, self.ids, self.words = split_words(values) if worded is None else worded
        self._texts = Texts(self.words)
        self._order = np.empty(len(self.words), np.int32)
        self._order[np.asarray(pc.sort_indices(arrow_of(self.words)))] = np.arange(len(self.words))

    def marked(self, is_marked: Callable[[str], bool], *, first: str = "", last: str = "") -> NDArray[np.bool_]:
        """Return for each word what is said of it; it is not asked of words that it cannot be said of.

        Parameters
        ----------
        first, last
            The letters of ASCII that such a word begins and ends with; none: all do.
        """
        letters, begin, end = self._texts.letters, self._texts.offsets[:-1], self._texts.offsets[1:]
        some = np.flatnonzero(end > begin)
        if first:
            some = some[_are_among(letters[begin[some]], first)]
        if last:
            some = some[_are_among(letters[end[some] - 1], last)]
        found = np.zeros(len(self.words), np.bool_)
        found[some] = [is_marked(self.words[i]) for i in some.tolist()]
        return found

    def joined(self) -> NDArray[np.int32]:
        """Return a number for each text without its spaces: equal ones for equal texts."""
        return _numbered(self._hashes(None, in_order=False, apart=False))[0]

    def sorted(self) -> NDArray[np.int32]:
        """Return a number for the words of each text, sorted and joined."""
        return _numbered(self._hashes(None, in_order=True, apart=False))[0]

    def set_of(self, used: NDArray[np.bool_]) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """Return a number for those words of each text that are marked, sorted; and whether it has any."""
        if not used.any():
            n = len(self.offsets) - 1
            return np.zeros(n, np.int32), np.zeros(n, np.bool_)
        return _numbered(self._hashes(used, in_order=True, apart=True))

    def add_pairs(self, builder: FeaturesBuilder, marked: NDArray[np.bool_], most: int) -> None:
        """Add as keys each of the first marked words, so many, with every word that is not."""
        rows, pairs = cross_words(self.offsets, self.ids, marked, most)
        keys, ids = distinct_keys(pairs, len(pairs).bit_length() + 1)

        def write() -> list[str]:
            n = len(self.words)
            return [f"{self.words[key // n]} {self.words[key % n]}" for key in keys.tolist()]

        builder.add_unwritten("key", rows, ids, len(keys), write)

    def add_name_keys(self, builder: FeaturesBuilder, write: Callable[[], list[str]]) -> None:
        """Add the keys of names; `write` writes all of them, by first appearance, if somebody reads them."""
        rows, found = hash_name_keys(self.offsets, self.ids, self._order, self._texts.letters, self._texts.offsets)
        keys, ids = distinct_keys(found, len(found).bit_length() + 1)
        builder.add_unwritten("key", rows, ids, len(keys), write)

    def _hashes(self, used: NDArray[np.bool_] | None, *, in_order: bool, apart: bool) -> NDArray[np.uint64]:
        order = self._order if in_order else np.zeros(len(self.words), np.int32)
        used = np.ones(len(self.words), np.bool_) if used is None else used
        return hash_words(self.offsets, self.ids, order, used, apart, self._texts.letters, self._texts.offsets)


def _are_among(letters: NDArray[np.uint16], some: str) -> NDArray[np.bool_]:
    """Say which letters are among some, or not of ASCII."""
    found = np.ones(129, np.bool_)
    found[:128] = [chr(letter) in some for letter in range(128)]
    return found[np.minimum(letters, 128)]


def _numbered(hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    numbers = distinct_keys(hashes.view(np.int64), len(hashes).bit_length() + 1)[1]
    return numbers.astype(np.int32), hashes != 0
