r"""Tokens with their places in the text.

Two ways to cut: ``"words"`` at white space alone (``1992.`` is one token, as in most address and citation data), and
``"marks"`` where punctuation is a token of its own (``1992`` and ``.``).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from onoma.errors import SettingsError

__all__ = ["Style", "Text", "tokenise"]

Style = Literal["words", "marks"]
_PATTERNS = {"words": re.compile(r"\S+"), "marks": re.compile(r"\w+|[^\w\s]")}


@dataclass(frozen=True)
class Text:
    """One text: its tokens and where they stand in it.

    Examples
    --------
    >>> text = tokenise("pp. 5-9", "marks")
    >>> text.tokens, text.starts, text.cut(0, 2)
    (('pp', '.', '5', '-', '9'), (0, 2, 4, 5, 6), 'pp.')
    """

    source: str
    tokens: tuple[str, ...]
    starts: tuple[int, ...]

    @classmethod
    def of_tokens(cls, tokens: Sequence[str]) -> "Text":
        """Return a text whose tokens are given, joined by blanks."""
        starts, at = [], 0
        for token in tokens:
            starts.append(at)
            at += len(token) + 1
        return cls(" ".join(tokens), tuple(tokens), tuple(starts))

    def __len__(self) -> int:
        return len(self.tokens)

    def bounds(self, start: int, end: int) -> tuple[int, int]:
        """Return the characters that the tokens start:end take up."""
        return self.starts[start], self.starts[end - 1] + len(self.tokens[end - 1])

    def cut(self, start: int, end: int) -> str:
        """Return the text of the tokens start:end."""
        first, last = self.bounds(start, end)
        return self.source[first:last]


def tokenise(source: str, style: Style = "words") -> Text:
    """Cut a text into tokens."""
    if style not in _PATTERNS:
        raise SettingsError(f"the way to cut tokens is {style!r}; allowed are 'words' and 'marks'")
    found = list(_PATTERNS[style].finditer(source))
    return Text(source, tuple(match[0] for match in found), tuple(match.start() for match in found))
