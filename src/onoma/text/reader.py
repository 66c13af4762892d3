"""Reading sentences: from words to numbers that say what each token is in its sentence.

A word is a vector learnt from plain text, joined to the sum of learnt vectors of what is known of it: its ends and
shape, its clusters, what dictionaries and open text say of it. Two recurrent layers then read the sentence in both
directions; tags are read off the second (`tagger`), and the parser has a third of its own (`syntax.parser`).

What a token becomes depends on its sentence alone, to the last bit (`learning.neural.storage`). A sentence of
more than `LONGEST` tokens is read in pieces, so that time and memory stay in proportion to the text.

Cost: some 200,000 multiplications a token for each layer of 256 units; those of the first are made once for each
different word of a batch.
"""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from onoma.learning.neural.gated import run_gated
from onoma.learning.neural.storage import ByteMatrix, ByteTable
from onoma.text._reader_kernels import feature_keys
from onoma.text._words_kernels import build_table, look_up_all
from onoma.text.tokens import Tokens
from onoma.text.words import COLUMNS, USAGE_COLUMNS, WordTable, attributes_of

__all__ = [
    "LONGEST", "N_WORD_FEATURES", "Inputs", "Reader", "Reading", "bent", "features_of", "leaky", "pieces_of",
    "read_weights", "stored_weights",
]  # fmt: skip

LONGEST = 250
"""Tokens read as one piece."""
_TOGETHER, _GROUP = 8192, 1024
"""Tokens whose words are looked up together, and tokens read at once: what is held in memory."""
_ALL = (*COLUMNS, *USAGE_COLUMNS)
N_WORD_FEATURES = 2
"""The first features are the word itself, as written and in small letters."""
_WORD, _LOWER, _SUFFIX, _FLAGS = (_ALL.index(name) for name in ("word", "lower", "suffix4", "flags"))
READER_MATRICES = ("into", "layer0", "layer1")
READER_NUMBERS = ("into_bias", "bias0", "peep0", "bias1", "peep1")
"""The weights of a reader: those of products, and the others."""


class Reading(NamedTuple):
    """Some whole sentences, read."""

    first: int
    """Their first token."""
    sentences: NDArray[np.int32]
    """Where each begins, counted from the first token, and the end of the last."""
    states: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Inputs:
    """Which features and which words have vectors: row i of a table is that of key i."""

    keys: NDArray[np.uint32]
    word_keys: NDArray[np.uint32]

    @cached_property
    def _places(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        return build_table(self.keys), build_table(self.word_keys)

    def find(self, attributes: NDArray[np.uint32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return rows of the tables: tokens × features, and tokens × 1 for the word; -1 for none."""
        places, word_places = self._places
        keys = feature_keys(attributes)
        rows = look_up_all(places, self.keys, keys.reshape(-1)).reshape(keys.shape)
        return rows, look_up_all(word_places, self.word_keys, attributes[:, _LOWER])[:, None]


@dataclass(frozen=True, eq=False)
class Reader:
    """Reads tokens."""

    words: WordTable
    inputs: Inputs
    features: ByteTable
    vectors: ByteTable
    matrices: Mapping[str, ByteMatrix]
    numbers: Mapping[str, NDArray[np.float32]]

    @cached_property
    def mark(self) -> int:
        """Tells readers apart: a parser works with the one it was trained with."""
        return zlib.crc32(self.matrices["layer1"].values.astype(np.int8).tobytes())

    def read(self, tokens: Tokens) -> Iterator[Reading]:
        """Read all sentences, some at a time; on one core until the last of them, what is done in between, too."""
        attributes = attributes_of(tokens, self.words, usage=True)
        bounds, _ = pieces_of(tokens.sentences)
        with _linear_algebra().limit(limits=1, user_api="blas"):
            for start, end in _runs(bounds, _TOGETHER):
                yield from self._run(attributes, bounds, start, end)

    def _run(
        self, attributes: NDArray[np.uint32], bounds: NDArray[np.int32], start: int, end: int
    ) -> Iterator[Reading]:
        """Read the pieces from one place to another, whose words are looked up together."""
        begin = int(bounds[start])
        types, type_of = _types(attributes[begin : bounds[end]])
        words, u = self._words(attributes[begin + types])
        for a, b in _runs(bounds[start : end + 1], _GROUP):
            first, last = int(bounds[start + a]), int(bounds[start + b])
            which = type_of[first - begin : last - begin]
            sentences = (bounds[start + a : start + b + 1] - first).astype(np.int32)
            states = run_gated(sentences, words[which], u[which], self.numbers["bias0"], self.numbers["peep0"]).h
            product = self.matrices["layer1"].times(states)
            states = run_gated(sentences, states, product, self.numbers["bias1"], self.numbers["peep1"]).h
            yield Reading(first, sentences, states)

    def _words(self, attributes: NDArray[np.uint32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the vector of each word, and its product with the first layer's weights."""
        rows, word_rows = self.inputs.find(attributes)
        width = self.features.values.shape[1]
        given = np.zeros((len(rows), len(self.matrices["into"].values)), np.float32)
        self.features.sums(rows, given[:, :width])
        self.vectors.sums(word_rows, given[:, width:])
        words = bent(self.matrices["into"].times(given) + self.numbers["into_bias"])
        return words, self.matrices["layer0"].times(words)

    def stored(self) -> dict[str, NDArray[Any]]:
        """Return what a file holds; the table of words is kept in its own file."""
        keys = {"keys": self.inputs.keys, "word_keys": self.inputs.word_keys}
        tables = self.features.stored("features") | self.vectors.stored("vectors")
        return keys | tables | stored_weights(self.matrices, self.numbers)

    @classmethod
    def load(cls, arrays: Mapping[str, NDArray[Any]], words: WordTable) -> "Reader":
        """Return what `stored` gave."""
        inputs = Inputs(arrays["keys"], arrays["word_keys"])
        tables = ByteTable.load("features", arrays), ByteTable.load("vectors", arrays)
        return cls(words, inputs, *tables, *read_weights(arrays, READER_MATRICES, READER_NUMBERS))


@cache
def _linear_algebra() -> ThreadpoolController:
    """Return what says how many cores multiply: for matrices as small as these, several only wait for each other."""
    return ThreadpoolController()


def stored_weights(
    matrices: Mapping[str, ByteMatrix], numbers: Mapping[str, NDArray[np.float32]]
) -> dict[str, NDArray[Any]]:
    """Return weights as a file holds them."""
    out: dict[str, NDArray[Any]] = dict(numbers)
    for name, matrix in matrices.items():
        out |= matrix.stored(name)
    return out


def read_weights(
    arrays: Mapping[str, NDArray[Any]], matrices: Sequence[str], numbers: Sequence[str]
) -> tuple[dict[str, ByteMatrix], dict[str, NDArray[np.float32]]]:
    """Return the weights of these names that `stored_weights` gave."""
    return {name: ByteMatrix.load(name, arrays) for name in matrices}, {name: arrays[name] for name in numbers}


def features_of(attributes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the keys of what is known of each token: tokens × features."""
    return np.asarray(feature_keys(attributes))


def bent(x: NDArray[Any]) -> NDArray[Any]:
    """Return x / sqrt(1 + x²): between -1 and 1, without an exponential."""
    return np.asarray(x / np.sqrt(1 + x * x))


def leaky(x: NDArray[Any]) -> NDArray[Any]:
    """Return x, a tenth of it where it is below 0."""
    return np.maximum(x, x.dtype.type(0.1) * x)


def pieces_of(sentences: NDArray[np.int32]) -> tuple[NDArray[np.int32], bool]:
    """Return sentences with long ones cut, and whether none was."""
    sizes = np.diff(sentences)
    if not len(sizes) or sizes.max() <= LONGEST:
        return sentences, True
    parts = [np.arange(a, b, LONGEST) for a, b in pairwise(sentences.tolist())]
    return np.append(np.concatenate(parts), sentences[-1]).astype(np.int32), False


def _runs(bounds: NDArray[np.int32], size: int) -> Iterator[tuple[int, int]]:
    """Yield runs of sentences of about so many tokens: the first, and the one after the last."""
    start = 0
    while start < len(bounds) - 1:
        end = int(np.searchsorted(bounds, bounds[start] + size, "right")) - 1
        end = max(end, start + 1)
        yield start, end
        start = end


def _types(attributes: NDArray[np.uint32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a token of each different word (as written, and whether it begins a sentence), and the word of each."""
    wide = attributes[:, [_WORD, _SUFFIX, _FLAGS]].astype(np.uint64)
    keys = (wide[:, 0] | wide[:, 1] << np.uint64(32)) ^ wide[:, 2] * np.uint64(0x9E3779B97F4A7C15)
    _, types, type_of = np.unique(keys, return_index=True, return_inverse=True)
    return types, type_of
