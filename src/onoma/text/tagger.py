"""Part-of-speech tags (UPOS and XPOS) and morphology, read off the states of a `Reader`.

A token has a joint tag, such as `VERB|VBD`: both tag sets help each other and never disagree. Its features of Universal
Dependencies (number, person, tense…) are chosen among those that were seen with its joint tag.

Cost: that of the reader; some 80,000 multiplications a token besides.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from onoma.learning.neural.storage import ByteMatrix
from onoma.learning.packing import load_arrays, save_arrays
from onoma.text.reader import Reader
from onoma.text.tokens import Tokens
from onoma.text.words import WordTable

__all__ = ["Tagger", "Tags"]


@dataclass(frozen=True, eq=False)
class Tags:
    """What a tagger found, coded: names are the tagger's."""

    upos: NDArray[np.int32]
    xpos: NDArray[np.int32]
    feats: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Tagger:
    """Tags tokens."""

    reader: Reader
    classes: tuple[str, ...]
    """Joint tags."""
    feats_names: tuple[str, ...]
    """Names of the codes of morphological features."""
    seen: NDArray[np.bool_]
    """Joint tags × features: which were seen together."""
    matrix: ByteMatrix
    """Units × (joint tags, features)."""
    bias: NDArray[np.float32]

    @cached_property
    def upos_names(self) -> tuple[str, ...]:
        """Names of the UPOS codes."""
        return tuple(sorted({name.split("|", 1)[0] for name in self.classes}))

    @cached_property
    def xpos_names(self) -> tuple[str, ...]:
        """Names of the XPOS codes."""
        return tuple(sorted({name.split("|", 1)[1] for name in self.classes}))

    @cached_property
    def _parts(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        pairs = [name.split("|", 1) for name in self.classes]
        upos = np.array([self.upos_names.index(pair[0]) for pair in pairs], np.int32)
        return upos, np.array([self.xpos_names.index(pair[1]) for pair in pairs], np.int32)

    @cached_property
    def _unseen(self) -> NDArray[np.float32]:
        return np.where(self.seen, np.float32(0), np.float32(-1e9))

    def tag(self, tokens: Tokens) -> Tags:
        """Return the tags of each token."""
        tags = self.nothing_yet(len(tokens))
        for reading in self.reader.read(tokens):
            self.tag_states(reading.first, reading.states, tags)
        return tags

    @staticmethod
    def nothing_yet(n: int) -> Tags:
        """Return room for the tags of n tokens."""
        return Tags(*(np.zeros(n, np.int32) for _ in range(3)))

    def tag_states(self, first: int, states: NDArray[np.float32], tags: Tags) -> None:
        """Write the tags of tokens that were read, from the first on."""
        upos, xpos = self._parts
        scores = self.matrix.times(states) + self.bias
        joint = scores[:, : len(self.classes)].argmax(axis=1)
        place = slice(first, first + len(states))
        tags.upos[place], tags.xpos[place] = upos[joint], xpos[joint]
        tags.feats[place] = (scores[:, len(self.classes) :] + self._unseen[joint]).argmax(axis=1)

    def save(self, path: str | Path) -> None:
        """Write to one `.npz`; the table of words is kept in its own file."""
        facts = {"classes": list(self.classes), "feats": list(self.feats_names)}
        own = {"seen": np.packbits(self.seen, axis=1)} | self.matrix.stored("tags") | {"tags_bias": self.bias}
        save_arrays(path, "text/tagger", facts, self.reader.stored() | own)

    @classmethod
    def load(cls, path: str | Path, words: WordTable) -> "Tagger":
        """Read what `save` wrote."""
        facts, arrays = load_arrays(path, "text/tagger")
        feats = tuple(facts["feats"])
        seen = np.unpackbits(arrays["seen"], axis=1, count=len(feats)).astype(np.bool_)
        matrix, bias = ByteMatrix.load("tags", arrays), arrays["tags_bias"]
        return cls(Reader.load(arrays, words), tuple(facts["classes"]), feats, seen, matrix, bias)
