"""A letter model: invents words that look like those of a list.

The chance of a letter depends on the two before it (a Markov chain over a–z and the word's end), counted over the list.
Faker lists about a thousand surnames of a country; a real country has a hundred times more, nearly all rare. The model
supplies that long tail, and the rare words of titles and texts. Invention is array work: all words grow one letter at a
time together.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

__all__ = ["LetterModel"]

LETTERS = 27  # the end of a word, then a–z
LONGEST = 14


@dataclass(frozen=True, eq=False)
class LetterModel:
    """Cumulative chances of the next letter, a row for each pair of letters before it."""

    cumulative: NDArray[np.float32]

    @classmethod
    def of(cls, words: Iterable[str]) -> "LetterModel":
        """Count the letters of those words that are plain a–z."""
        counts = np.zeros((LETTERS * LETTERS, LETTERS))
        for word in words:
            if not (word.isascii() and word.isalpha()):
                continue
            codes = [0, 0, *(ord(letter) - 96 for letter in word.lower()), 0]
            for before, last, following in zip(codes, codes[1:], codes[2:], strict=False):
                counts[before * LETTERS + last, following] += 1
        # A pair never seen ends the word.
        counts[counts.sum(1) == 0, 0] = 1
        return cls((np.cumsum(counts, 1) / counts.sum(1, keepdims=True)).astype(np.float32))

    def invent(self, rng: np.random.Generator, n: int, *, known: Iterable[str] = (), shortest: int = 4) -> pa.Array:
        """Return n different words in lower case, none of them known, likelier ones earlier.

        A list of very few words cannot make many; the result is shorter when 20 rounds do not find enough.
        """
        found = np.empty(0, dtype=f"S{LONGEST}")
        avoid = np.array(sorted({word.lower().encode() for word in known if word.isascii()}) or [b""])
        for _ in range(20):
            drawn = self._draw(rng, n, shortest)
            drawn = np.concatenate([found, drawn[~np.isin(drawn, avoid)]])
            _, first = np.unique(drawn, return_index=True)
            found = drawn[np.sort(first)]
            if len(found) >= n:
                break
        return pc.cast(pa.array(found[:n], pa.binary()), pa.string())

    def _draw(self, rng: np.random.Generator, n: int, shortest: int) -> NDArray[np.bytes_]:
        words = np.zeros((n, LONGEST), dtype=np.uint8)
        before, last = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        growing = np.arange(n)
        for position in range(LONGEST):
            row = self.cumulative[before * LETTERS + last]
            following = np.minimum((rng.random((len(growing), 1), dtype=np.float32) >= row).sum(1), LETTERS - 1)
            words[growing, position] = np.where(following > 0, following + 96, 0)
            alive = following > 0
            growing, before, last = growing[alive], last[alive], following[alive]
        words = np.delete(words, growing, axis=0)  # no end found: not a word
        long_enough = words[:, shortest - 1] > 0
        return np.ascontiguousarray(words[long_enough]).view(f"S{LONGEST}").ravel()
