"""Names as words: their numbers, their classes, and how words of two names are related."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from onoma.resolve.fields.lexicon import LEGAL_FORMS, SMALL_WORDS, TITLES
from onoma.resolve.fields.names import nickname_pairs
from onoma.resolve.names._mutation_kernels import (
    FIRST,
    LAST,
    LETTER,
    MIDDLE,
    NUMBER,
    ONLY,
    SMALL,
    relate_words,
    unequal_words,
)
from onoma.resolve.names.romanise import name_words
from onoma.resolve.names.transducer import Alphabet, Strings

__all__ = ["Links", "WordedNames", "link_words"]

_SMALL = TITLES | SMALL_WORDS | LEGAL_FORMS
_ALIKE = 0.5
"""Words less alike are not slips of each other."""


@dataclass(frozen=True, eq=False)
class WordedNames:
    """Distinct names as numbered words."""

    texts: Sequence[str]
    words: Sequence[str]
    offsets: NDArray[np.int64]
    ids: NDArray[np.int32]
    joined: NDArray[np.int32]
    """For each place, the word that it and the next make without the space; -1 if no name has it."""
    classes: NDArray[np.int8]
    comma: NDArray[np.bool_]

    @classmethod
    def of(cls, texts: Sequence[str]) -> "WordedNames":
        """Read names into words."""
        numbers: dict[str, int] = {}
        lists = [name_words(text) for text in texts]
        ids = [[numbers.setdefault(word, len(numbers)) for word in words] for words in lists]
        joined, classes = [], []
        for words in lists:
            pairs = [numbers.get(one + other, -1) for one, other in pairwise(words)]
            joined += [*pairs, -1] if words else []
            classes += _classes(words)
        lengths = [len(words) for words in lists]
        return cls(
            texts,
            list(numbers),
            np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            np.array([number for row in ids for number in row], dtype=np.int32),
            np.array(joined, dtype=np.int32),
            np.array(classes, dtype=np.int8),
            np.array(["," in text for text in texts], dtype=np.bool_),
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """The number of words of each name."""
        return np.diff(self.offsets)

    @cached_property
    def alphabet(self) -> Alphabet:
        """The letters of all words."""
        return Alphabet(self.words)

    @cached_property
    def strings(self) -> Strings:
        """All words as letters."""
        return Strings.of(self.words, self.alphabet)

    @cached_property
    def owner(self) -> NDArray[np.int32]:
        """The name of each place."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.lengths)


def _classes(words: Sequence[str]) -> list[int]:
    found = []
    for place, word in enumerate(words):
        if any(letter.isdigit() for letter in word):
            found.append(NUMBER)
        elif len(word) == 1 and word.isascii():
            found.append(LETTER)
        elif word in _SMALL:
            found.append(SMALL)
        elif len(words) == 1:
            found.append(ONLY)
        else:
            found.append(FIRST if place == 0 else LAST if place == len(words) - 1 else MIDDLE)
    return found


@dataclass(frozen=True, eq=False)
class Links:
    """Pairs of unequal words that may descend from each other, and where pairs of names have them."""

    a: NDArray[np.int32]
    b: NDArray[np.int32]
    initial: NDArray[np.bool_]
    nickname: NDArray[np.bool_]
    slip: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    extended: NDArray[np.bool_]
    starts: NDArray[np.int64]
    """Where the block of each pair of names begins."""
    at: NDArray[np.int32]
    """For each word of the parent and each of the child, the link (-1: none)."""

    def __len__(self) -> int:
        return len(self.a)


def link_words(names: WordedNames, parents: NDArray[np.int32], children: NDArray[np.int32]) -> Links:
    """Relate the words of pairs of names."""
    n = len(names.words)
    starts, keys = unequal_words(parents, children, names.offsets, names.ids, n)
    distinct, place = np.unique(keys, return_inverse=True)
    skip = int(len(distinct) > 0 and distinct[0] == -1)
    a, b = (distinct[skip:] // max(n, 1)).astype(np.int32), (distinct[skip:] % max(n, 1)).astype(np.int32)
    lengths = np.diff(names.strings.offsets)
    begins = relate_words(a, b, names.strings.offsets, names.strings.points)
    one, other = nickname_pairs(names.words)
    nicknames = np.unique(np.concatenate([one * n + other, other * n + one]))
    nickname = np.isin(distinct[skip:], nicknames)
    initial = (begins == 1) & (lengths[b] == 1)
    truncated, extended = (begins == 1) & (lengths[b] > 1), begins == 2
    words = np.array(names.words, dtype=object)
    close = np.zeros(len(a), dtype=np.bool_)
    tried = np.flatnonzero((np.minimum(lengths[a], lengths[b]) > 1) & (np.abs(lengths[a] - lengths[b]) < 8))
    if len(tried):
        similarity = process.cpdist(
            words[a[tried]].tolist(),
            words[b[tried]].tolist(),
            scorer=Levenshtein.normalized_similarity,
            dtype=np.float32,
        )
        close[tried] = similarity >= _ALIKE
    useful = initial | nickname | truncated | extended | close
    number = np.full(len(distinct), -1, dtype=np.int32)
    number[skip:][useful] = np.arange(np.count_nonzero(useful), dtype=np.int32)
    return Links(
        a[useful],
        b[useful],
        initial[useful],
        nickname[useful],
        close[useful],
        truncated[useful],
        extended[useful],
        starts,
        number[place],
    )
