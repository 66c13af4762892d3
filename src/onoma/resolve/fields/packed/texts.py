"""Many texts side by side in memory, as Arrow holds them and as letters: without an object for each."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import cast, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.resolve.fields.packed._texts_kernels import (
    begins_or_ends,
    letter_masks,
    letter_tallies,
    slips_upto_two,
    winkler_similarities,
)

__all__ = ["MORE", "ArrowTexts", "Codes", "Texts", "arrow_of", "bytes_of", "from_bytes", "plain", "split_words"]

Codes = NDArray[np.int32]
_SURROGATES = 0xD800
MORE = 3
"""Stands for any number of slips above two."""

_AT_ONCE = 4_096
_FEW = 300  # texts: so many are worked on one by one before Arrow has begun
Bytes = tuple[NDArray[np.uint8], NDArray[np.int64]]
"""The bytes of texts, one after the other, and where each begins (the end of the last at the end)."""


class ArrowTexts(Sequence[str]):
    """Texts packed as Arrow packs them: as objects they take four times the room, and each is worked on by itself.

    Parameters
    ----------
    texts
        Texts, or an array of them, none missing.

    Examples
    --------
    >>> texts = ArrowTexts(["one", "two"])
    >>> texts[1], list(texts), texts[:1], texts.take(np.array([1]))[0]
    ('two', ['one', 'two'], ['one'], 'two')
    """

    def __init__(self, texts: Sequence[str] | pa.Array) -> None:
        self.array = texts if isinstance(texts, pa.Array) else pa.array(texts, pa.large_string())

    def __len__(self) -> int:
        return len(self.array)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        found = self.array[at]
        return cast("list[str]", found.to_pylist()) if isinstance(at, slice) else cast("str", found.as_py())

    def __iter__(self) -> Iterator[str]:
        for first in range(0, len(self.array), _AT_ONCE):
            yield from self.array[first : first + _AT_ONCE].to_pylist()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ArrowTexts):
            return bool(self.array.equals(other.array.cast(self.array.type)))
        return isinstance(other, Sequence) and len(self) == len(other) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # as that of a list

    def take(self, places: NDArray[np.integer]) -> "ArrowTexts":
        """Return some of the texts."""
        return ArrowTexts(self.array.take(pa.array(places)))


def arrow_of(texts: Sequence[str]) -> pa.Array:
    """Return texts as Arrow has them."""
    return texts.array if isinstance(texts, ArrowTexts) else pa.array(texts, pa.string())


def bytes_of(texts: Sequence[str]) -> Bytes:
    """Return the bytes of texts (UTF-8), and where each begins.

    Examples
    --------
    >>> data, offsets = bytes_of(["ab", "", "c"])
    >>> data.tobytes(), offsets.tolist()
    (b'abc', [0, 2, 2, 3])
    """
    array = arrow_of(texts)
    if len(array) == 0:
        return np.empty(0, np.uint8), np.zeros(1, np.int64)
    _, ends, letters = array.buffers()
    wide = np.int64 if pa.types.is_large_string(array.type) else np.int32
    offsets = np.frombuffer(ends, wide)[array.offset : array.offset + len(array) + 1].astype(np.int64)
    data = np.empty(0, np.uint8) if letters is None else np.frombuffer(letters, np.uint8)[offsets[0] : offsets[-1]]
    return data, offsets - offsets[0]


def from_bytes(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> pa.Array:
    """Return the texts of which these are the bytes."""
    return pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(data))


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

    _far: NDArray[np.uint32] = np.empty(0, np.uint32)

    def __init__(self, values: Sequence[str]) -> None:
        data, offsets = bytes_of(values)
        if data.max(initial=0) < 0x80:
            self.offsets = offsets
            """Where each begins among the letters, and where the last ends."""
            self.letters = data.astype(np.uint16)
            """As code points; beyond the first plane they are numbered anew among the surrogates, which are none."""
        else:
            points = np.frombuffer(data.tobytes().decode().encode("utf-32-le"), np.uint32)
            self.letters = points.astype(np.uint16)
            # A text has as many letters as it has bytes that begin one.
            begun = np.concatenate([[0], np.cumsum((data & 0xC0) != 0x80)])
            self.offsets = begun[offsets].astype(np.int64)
            far = points > 0xFFFF
            if far.any():
                self._far, number = np.unique(points[far], return_inverse=True)
                self.letters[far] = _SURROGATES + number % 0x800

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        """How many letters each has."""
        return np.diff(self.offsets).astype(np.int32)

    @cached_property
    def longest(self) -> int:
        """How many the longest has; at least 1."""
        return int(self.lengths.max(initial=1))

    @cached_property
    def masks(self) -> NDArray[np.uint64]:
        """Which letters each has, as bits."""
        return letter_masks(self.letters, self.offsets)

    @cached_property
    def tallies(self) -> NDArray[np.uint64]:
        """How often each has which letters, as bits."""
        return letter_tallies(self.letters, self.offsets)

    @property
    def firsts(self) -> NDArray[np.int32]:
        """The first letter of each; none is empty."""
        return self.letters[self.offsets[:-1]].astype(np.int32)

    def sign(self, letter: int) -> str:
        """Return a letter as it is written."""
        is_far = letter >= _SURROGATES and letter - _SURROGATES < min(len(self._far), 0x800)
        return chr(int(self._far[letter - _SURROGATES]) if is_far else letter)

    def slips(self, a: Codes, b: Codes) -> NDArray[np.int8]:
        """Return for each pair the letters wrong, missing, extra or swapped with the next: 0, 1, 2, or `MORE`."""
        return slips_upto_two(plain(a), plain(b), self.letters, self.offsets)

    def winkler(self, a: Codes, b: Codes) -> NDArray[np.float32]:
        """Return the Jaro–Winkler similarity of each pair."""
        return winkler_similarities(plain(a), plain(b), self.letters, self.offsets, self.longest)

    def is_within(self, a: Codes, b: Codes) -> NDArray[np.bool_]:
        """Return for each pair whether the longer text begins or ends with the shorter."""
        return begins_or_ends(plain(a), plain(b), self.letters, self.offsets)


def plain(codes: Codes) -> Codes:
    """Return codes as kernels are compiled for: of 32 bits, one after the other, not locked."""
    return np.require(codes, np.int32, ["C", "W"])


def split_words(values: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int32], Sequence[str]]:
    """Return the words of texts in which one space stands between words, in order: where each text's begin, and which.

    Words are numbered as they come; each is there once.

    Examples
    --------
    >>> offsets, ids, words = split_words(["a b", "b"])
    >>> offsets.tolist(), ids.tolist(), words
    ([0, 2, 3], [0, 1, 1], ['a', 'b'])
    """
    return _few_words(values) if len(values) < _FEW else _many_words(values)


def _few_words(values: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int32], list[str]]:
    """Return what `_many_words` returns, done before Arrow begins."""
    known: dict[str, int] = {}
    rows = [[known.setdefault(word, len(known)) for word in text.split(" ")] for text in values]
    offsets = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    return offsets, np.array([i for row in rows for i in row], np.int32), list(known)


def _many_words(values: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int32], list[str]]:
    lists = pc.split_pattern(arrow_of(values), " ")
    encoded = lists.flatten().dictionary_encode()
    ids = np.array(encoded.indices.to_numpy(zero_copy_only=False), np.int32)
    return lists.offsets.to_numpy().astype(np.int64), ids, encoded.dictionary.to_pylist()
