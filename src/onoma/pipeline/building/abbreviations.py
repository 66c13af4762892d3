"""Abbreviations that a text explains itself: "the Food Standards Agency (FSA)" names one thing twice.

After Schwartz and Hearst ("A simple algorithm for identifying abbreviation definitions in biomedical text", PSB 2003),
for names: the letters in brackets have to be the first letters of the capitalised words before them, in order, all of
them; small words between may be left out.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from onoma.coref.document import Document

__all__ = ["Explained", "explained", "with_explained"]

_SHORTEST, _LONGEST = 2, 8
"""Letters of an abbreviation."""
_BETWEEN = frozenset(("of", "for", "and", "the", "on", "in", "to", "de", "&", "-", "'s", "’s", "'", "’"))
"""What a name may have between the words that count."""


class Explained(NamedTuple):
    """A name and its abbreviation: first and last token of each, the last not included."""

    long: tuple[int, int]
    short: tuple[int, int]


def explained(words: Sequence[str], sentences: Sequence[int]) -> list[Explained]:
    """Return the abbreviations that a text explains.

    Examples
    --------
    >>> text = "The Food Standards Agency ( FSA ) and Bath ( UK ) met the World Health Organization ( W.H.O. ) ."
    >>> words = text.split()
    >>> [(" ".join(words[slice(*each.long)]), words[each.short[0]]) for each in explained(words, [0] * len(words))]
    [('Food Standards Agency', 'FSA'), ('World Health Organization', 'W.H.O.')]
    """
    found = []
    for at in range(1, len(words) - 2):
        if words[at] == "(" and words[at + 2] == ")" and sentences[at - 1] == sentences[at + 1]:
            letters = words[at + 1].replace(".", "")
            if _SHORTEST <= len(letters) <= _LONGEST and letters.isalpha() and letters.isupper():
                start = _start(words, sentences, at, letters)
                if start is not None:
                    found.append(Explained((start, at), (at + 1, at + 2)))
    return found


def _start(words: Sequence[str], sentences: Sequence[int], end: int, letters: str) -> int | None:
    """Return where the name before a bracket begins whose words have these first letters."""
    left = len(letters)
    at = end
    while at and left and sentences[at - 1] == sentences[end]:
        at -= 1
        if words[at][:1].upper() == letters[left - 1] and words[at][:1].isupper():
            left -= 1
        elif words[at].lower() not in _BETWEEN:
            return None
    return at if not left and end - at > 1 else None


def with_explained(document: Document) -> Document:
    """Return a document among whose names are those that it explains, whole, with their abbreviations."""
    pairs = explained(document.words, document.sentences.tolist())
    if not pairs:
        return document
    kinds = {(start, end): kind for start, end, kind in document.names}
    names = list(document.names)
    for long, short in pairs:
        inside = [kind for start, end, kind in names if start < long[1] and long[0] < end]
        kind = kinds.get(short) or (inside[-1] if inside else "ORG")
        names = [each for each in names if each[1] <= long[0] or each[0] >= short[1]]
        names += [(*long, kind), (*short, kind)]
    return replace(document, names=sorted(names))
