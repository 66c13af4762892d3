"""Tokens and sentences as arrays: offsets into the text, so that the text is always recovered from them.

Offsets count code points, as Python's `str` does: `text[start:end]` is the token. A *sentence* is a run of tokens:
sentence i is `starts[sentences[i]:sentences[i + 1]]`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Tokens"]


@dataclass(frozen=True, eq=False)
class Tokens:
    """A text cut into tokens and sentences."""

    codes: NDArray[np.uint32]
    """The text, one code point each."""
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    sentences: NDArray[np.int32]
    """Sentence i is the tokens from `sentences[i]` to before `sentences[i + 1]`."""

    @classmethod
    def of_words(cls, sentences: Sequence[Sequence[str]]) -> "Tokens":
        """Return tokens given as words (gold tokens, other tools' tokens); the text is the words joined by blanks."""
        words = [word for sentence in sentences for word in sentence]
        lengths = np.fromiter((len(word) for word in words), np.int32, len(words))
        ends = np.cumsum(lengths + 1, dtype=np.int32) - 1
        sizes = np.fromiter((len(sentence) for sentence in sentences), np.int32, len(sentences))
        return cls(
            codes_of(" ".join(words)),
            (ends - lengths).astype(np.int32),
            ends.astype(np.int32),
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
        )

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def text(self) -> str:
        """The whole text."""
        return self.codes.tobytes().decode("utf-32-le", "surrogatepass")

    def words(self) -> list[str]:
        """Return each token as written."""
        text = self.text
        return [text[a:b] for a, b in zip(self.starts.tolist(), self.ends.tolist(), strict=True)]


def codes_of(text: str) -> NDArray[np.uint32]:
    """Return a text's code points."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.dtype("<u4")).astype(np.uint32, copy=False)
