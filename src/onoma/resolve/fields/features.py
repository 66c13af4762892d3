"""Blocking features: what two similar values are likely to share.

A value's features are ids local to its field, in CSR form. Each has a sort (what it is) and a text (for reports).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.distinct import distinct
from onoma.resolve.fields._features_kernels import count_entries, count_trigrams, place_entries
from onoma.resolve.fields.packed._texts_kernels import padded_letters
from onoma.resolve.fields.packed.texts import Texts, bytes_of

__all__ = ["SORTS", "Features", "FeaturesBuilder", "trigrams"]

SORTS = ("value", "token", "trigram", "key")
"""What a feature can be: the whole value, a word of it, three letters in a row, or something derived from it."""

Numbers = NDArray[np.int32] | NDArray[np.int64]
_ALPHABET = 200
"""Letters up to which each possible trigram has a place in memory."""


@dataclass(frozen=True, eq=False)
class Features:
    """The blocking features of each distinct value of a field.

    Parameters
    ----------
    offsets
        Where each value's ids begin, and the end of the last (`n_values + 1`).
    ids
        Feature ids, each at most once per value.
    sorts
        What each feature is: an index into `SORTS`.
    texts
        Each feature as people would write it.
    """

    offsets: NDArray[np.int64]
    ids: NDArray[np.int32]
    sorts: NDArray[np.int8]
    texts: Sequence[str]

    def __len__(self) -> int:
        return len(self.sorts)


class _Texts(Sequence[str]):
    """Texts of several sorts of features, one behind the other, written when somebody reads them: canopies do not.

    Parameters
    ----------
    parts
        Who writes each sort's texts.
    n
        How many there are.
    """

    def __init__(self, parts: Sequence[Callable[[], Sequence[str]]], n: int) -> None:
        self._parts, self._n = parts, n

    @cached_property
    def _written(self) -> list[str]:
        return [text for write in self._parts for text in write()]

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        return self._written[at]


class FeaturesBuilder:
    """Gathers features sort by sort, then puts them in CSR form.

    Examples
    --------
    >>> builder = FeaturesBuilder(2)
    >>> builder.add("token", [["ann", "lee"], ["lee"]])
    >>> features = builder.build()
    >>> [features.texts[i] for i in features.ids[features.offsets[1] : features.offsets[2]]]
    ['lee']
    """

    def __init__(self, n_values: int) -> None:
        self._n_values = n_values
        self._rows: list[NDArray[np.int32]] = []
        self._ids: list[NDArray[np.int32]] = []
        self._sorts: list[NDArray[np.int8]] = []
        self._texts: list[Callable[[], Sequence[str]]] = []
        self._n = 0

    def add(self, sort: str, texts: Iterable[Iterable[str]]) -> None:
        """Add features of one sort, given as texts per value."""
        known: dict[str, int] = {}
        rows: list[int] = []
        ids: list[int] = []
        for row, found in enumerate(texts):
            for text in dict.fromkeys(found):
                if text:
                    rows.append(row)
                    ids.append(known.setdefault(text, len(known)))
        self.add_rows(sort, np.array(rows, np.int32), np.array(ids, np.int32), list(known))

    def add_values(self, values: Sequence[str]) -> None:
        """Add each value, all of them different, as its own feature."""
        every = np.arange(len(values), dtype=np.int32)
        if all(values) if isinstance(values, list) else np.diff(bytes_of(values)[1]).min(initial=1) > 0:
            self.add_rows("value", every, every, values)
        else:
            self.add("value", ([value] for value in values))

    def add_rows(self, sort: str, rows: Numbers, ids: Numbers, texts: Sequence[str]) -> None:
        """Add features of one sort, given as (value, feature) pairs, none twice."""
        self.add_unwritten(sort, rows, ids, len(texts), lambda: texts)

    def add_unwritten(
        self,
        sort: str,
        rows: Numbers,
        ids: Numbers,
        n: int,
        write: Callable[[], Sequence[str]],
    ) -> None:
        """Add the same where the texts, so many, are yet to be written."""
        # There are tens of millions of them in a large table: half the room, half the time.
        self._rows.append(rows.astype(np.int32, copy=False))
        self._ids.append((ids + self._n).astype(np.int32, copy=False))
        self._sorts.append(np.full(n, SORTS.index(sort), np.int8))
        self._texts.append(write)
        self._n += n

    def build(self) -> Features:
        """Return the features of all values."""
        offsets = np.zeros(self._n_values + 1, dtype=np.int64)
        for rows in self._rows:
            count_entries(rows, offsets)
        np.cumsum(offsets, out=offsets)
        place, grouped = offsets[:-1].copy(), np.empty(offsets[-1], dtype=np.int32)
        for rows, ids in zip(self._rows, self._ids, strict=True):
            place_entries(rows, ids, place, grouped)
        sorts = np.concatenate([np.empty(0, np.int8), *self._sorts])
        return Features(offsets, grouped, sorts, _Texts(self._texts, self._n))


def trigrams(values: Sequence[str] | Texts, most: int = 1 << 30) -> tuple[Numbers, Numbers, Sequence[str]]:
    """Return the distinct character trigrams of each value as (value, trigram) pairs, and the trigrams.

    A value is padded with one space on each side, so that how it begins and ends counts.

    Parameters
    ----------
    most
        Letters of a value that are looked at.

    Examples
    --------
    >>> rows, ids, texts = trigrams(["ab", "b"])
    >>> list(texts)
    [' ab', ' b ', 'ab ']
    >>> rows.tolist(), ids.tolist()
    ([0, 0, 1], [0, 2, 1])
    """
    packed = values if isinstance(values, Texts) else Texts(values)
    if len(packed.offsets) == 1:
        return np.empty(0, np.int32), np.empty(0, np.int32), []
    there = np.bincount(packed.letters, minlength=33) > 0
    there[32] = True
    letters = np.flatnonzero(there)
    n = len(letters)
    small: NDArray[Any] = np.zeros(1 << 16, np.uint8 if n <= _ALPHABET else np.uint16)
    small[letters] = np.arange(n)
    padded, offsets = padded_letters(packed.letters, packed.offsets, small, most)
    rows: Numbers
    ids: Numbers
    if n <= _ALPHABET:
        rows, ids, grams = count_trigrams(padded, offsets, n)
    else:
        rows, ids, grams = _sorted_trigrams(padded.astype(np.int64), offsets, n)
    alphabet = [packed.sign(letter) for letter in letters.tolist()]

    def write() -> list[str]:
        return [alphabet[g // (n * n)] + alphabet[g // n % n] + alphabet[g % n] for g in grams.tolist()]

    return rows, ids, _Texts([write], len(grams))


def _sorted_trigrams(
    letters: NDArray[np.int64], offsets: NDArray[np.int64], n: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The same by sorting, for alphabets whose trigrams are too many to have a place each."""
    row = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    within = np.flatnonzero(row[2:] == row[:-2]) if len(row) > 2 else np.empty(0, np.int64)
    gram = (letters[within] * n + letters[within + 1]) * n + letters[within + 2]
    grams, ids = np.unique(gram, return_inverse=True)
    pairs = distinct(row[within] * max(len(grams), 1) + ids)
    return pairs // max(len(grams), 1), pairs % max(len(grams), 1), grams
