"""Lists of names as soft evidence: which tokens stand in a listed phrase, and how often a word has a capital.

A gazetteer holds hashes, not strings: 32 bits a phrase, so that one in some 60,000 phrases that are not listed seems to
be. What it says is a feature among others, and its weight is learnt. Two parts:

* *phrases* of several kinds (first names, family names, cities…); for each kind the longest phrase is marked;
* *words* with levels, such as how often the word begins with a capital within sentences of Wikipedia.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from onoma.text._words_kernels import build_table
from onoma.text.clusters import simple_words
from onoma.text.names._names_kernels import find_phrases, phrase_keys, word_levels
from onoma.text.words import word_keys

__all__ = ["Gazetteer"]

_LONGEST = 6
"""Words in a phrase that is looked for."""


@dataclass(frozen=True, eq=False)
class Gazetteer:
    """Phrases by kind, and words by level."""

    kinds: tuple[str, ...]
    keys: NDArray[np.uint32]
    """Of phrases, sorted."""
    bits: NDArray[np.uint16]
    """The kinds of each phrase, one bit each."""
    levels: tuple[str, ...]
    word_keys: NDArray[np.uint32]
    word_levels: NDArray[np.uint8]
    """Words × levels; 0: unknown."""

    @classmethod
    def of(cls, phrases: Mapping[str, list[str]], levels: Mapping[str, Mapping[str, int]]) -> "Gazetteer":
        """Make a gazetteer of lists of phrases by kind, and of words with a number from 1 to 255 by level."""
        kinds: dict[str, int] = {}
        for number, listed in enumerate(phrases.values()):
            for phrase in listed:
                kinds[phrase] = kinds.get(phrase, 0) | 1 << number
        split = {phrase: simple_words(phrase) for phrase in kinds}
        split = {phrase: words for phrase, words in split.items() if 0 < len(words) <= _LONGEST}
        ptr = np.concatenate([[0], np.cumsum([len(words) for words in split.values()])]).astype(np.int64)
        found = phrase_keys(word_keys([word for words in split.values() for word in words]), ptr)
        keys, place = np.unique(found, return_inverse=True)
        bits = np.zeros(len(keys), np.uint16)
        np.bitwise_or.at(bits, place, np.array([kinds[phrase] for phrase in split], np.uint16))
        words = list(dict.fromkeys(word for listed in levels.values() for word in listed))
        values = np.array([[listed.get(word, 0) for listed in levels.values()] for word in words], np.uint8)
        own, first = np.unique(word_keys(words), return_index=True)
        return cls(tuple(phrases), keys, bits, tuple(levels), own, values.reshape(len(words), len(levels))[first])

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns that `attributes` gives."""
        return (*(f"in_{kind}" for kind in self.kinds), *(f"level_{level}" for level in self.levels), "gazetteer")

    @cached_property
    def _places(self) -> NDArray[np.int32]:
        return np.asarray(build_table(self.keys))

    @cached_property
    def _word_places(self) -> NDArray[np.int32]:
        return np.asarray(build_table(self.word_keys))

    def attributes(
        self, lower: NDArray[np.uint32], is_open: NDArray[np.bool_], sentences: NDArray[np.int32]
    ) -> NDArray[np.uint32]:
        """Return tokens × `columns`.

        Parameters
        ----------
        lower
            The key of each token's word.
        is_open
            Where a phrase may begin and end: words with a capital, say.
        sentences
            Sentence s is the tokens from sentences[s] to before sentences[s + 1].
        """
        n_kinds, n_levels = len(self.kinds), len(self.levels)
        out = np.zeros((len(lower), n_kinds + n_levels + 1), np.uint32)
        found = np.zeros((len(lower), n_kinds), np.uint32)
        find_phrases(lower, is_open, sentences, self._places, self.keys, self.bits, _LONGEST, found)
        out[:, :n_kinds] = found
        out[:, n_kinds : n_kinds + n_levels] = word_levels(lower, self._word_places, self.word_keys, self.word_levels)
        for k in range(n_kinds):
            out[:, -1] = out[:, -1] * np.uint32(5) + found[:, k]
        return out

    def header(self) -> dict[str, tuple[str, ...]]:
        """Return what a file's header needs."""
        return {"kinds": self.kinds, "levels": self.levels}

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return what a file needs to hold; sorted keys as differences, which pack well."""
        return {
            "phrase_keys": np.diff(self.keys, prepend=np.uint32(0)),
            "phrase_bits": self.bits,
            "word_keys": np.diff(self.word_keys, prepend=np.uint32(0)),
            "word_levels": np.ascontiguousarray(self.word_levels.T),
        }

    @classmethod
    def load(cls, header: Mapping[str, tuple[str, ...]], arrays: Mapping[str, NDArray[np.generic]]) -> "Gazetteer":
        """Make the gazetteer that `header` and `arrays` came from."""
        return cls(
            tuple(header["kinds"]),
            np.cumsum(arrays["phrase_keys"], dtype=np.uint32),
            arrays["phrase_bits"].astype(np.uint16),
            tuple(header["levels"]),
            np.cumsum(arrays["word_keys"], dtype=np.uint32),
            np.ascontiguousarray(arrays["word_levels"].T).astype(np.uint8),
        )
