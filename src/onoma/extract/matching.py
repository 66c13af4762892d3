"""Where constraints fire: dictionaries, patterns and regular expressions found in texts.

Words are compared without case and without punctuation at their ends. A dictionary is a look-up by first word, so its
size costs memory but no time; a pattern is tried where its rarest given word stands.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from onoma.extract.constraints import SLOT, Constraint, LabelSet
from onoma.extract.tokens import Text

__all__ = ["Fire", "find_fires", "normal"]

_ENDS = re.compile(r"^[^\w#|*{}]+|[^\w#|*{}]+$")
_NUMBER = re.compile(r"^\d[\d.,:]*$|^(one|two|three|four|five|six|seven|eight|nine|ten|\d+(am|pm|th|st|nd|rd))$")


class Fire(NamedTuple):
    """One occurrence of a constraint in a text.

    Attributes
    ----------
    constraint, entry
        Its number, and the number of the word in a dictionary.
    start, lengths
        The token, counted within the text, where the segment starts, and how long it may be. With several starts
        (a slot whose end is given) `ends_at` is set and the segment ends before it.
    label
        The label meant; -1: any of the constraint's.
    is_token
        Whether it speaks of one token, whatever the segment around it.
    """

    constraint: int
    entry: int
    start: int
    lengths: tuple[int, ...]
    label: int
    is_token: bool
    ends_at: int = -1

    def segments(self) -> list[tuple[int, int]]:
        """Return the segments (start, length) that would satisfy it."""
        if self.ends_at >= 0:
            return [(self.ends_at - d, d) for d in self.lengths if self.ends_at - d >= 0]
        return [(self.start, d) for d in self.lengths]


def normal(token: str) -> str:
    """Return a token as constraints compare it.

    Examples
    --------
    >>> normal("(Proc."), normal("&")
    ('proc', '&')
    """
    return _ENDS.sub("", token).lower() or token.lower()


def find_fires(texts: Sequence[Text], constraints: Sequence[Constraint], labels: LabelSet) -> list[list[Fire]]:
    """Return the occurrences in each text."""
    entries = _Dictionary(constraints)
    patterns = [_Pattern(number, each, labels) for number, each in enumerate(constraints) if each.kind == "pattern"]
    tests = [
        (number, re.compile(each.regex) if each.kind == "token" else re.compile(re.escape(each.token) + r"\Z"))
        for number, each in enumerate(constraints)
        if each.kind in ("token", "separator")
    ]
    other = labels.other_id
    known: dict[str, tuple[str, list[int]]] = {}
    found = []
    for text in texts:
        words, fires = [], list[Fire]()
        for i, token in enumerate(text.tokens):
            if token not in known:
                known[token] = normal(token), [number for number, test in tests if test.match(token)]
            word, hits = known[token]
            words.append(word)
            for number in hits:
                fires.append(
                    Fire(number, 0, i, (1,), other if constraints[number].kind == "separator" else -1, is_token=True)
                )
        fires += entries.find(words)
        for pattern in patterns:
            fires += pattern.find(words)
        found.append(fires)
    return found


class _Dictionary:
    """All dictionaries as one look-up by first word."""

    def __init__(self, constraints: Sequence[Constraint]) -> None:
        self.by_first: dict[str, list[tuple[tuple[str, ...], int, int]]] = {}
        for number, each in enumerate(constraints):
            for entry, phrase in enumerate(each.words):
                words = tuple(normal(word) for word in re.findall(r"[^\s]+", phrase))
                if words:
                    self.by_first.setdefault(words[0], []).append((words, number, entry))

    def find(self, words: Sequence[str]) -> Iterator[Fire]:
        for i, word in enumerate(words):
            for phrase, number, entry in self.by_first.get(word, ()):
                n = len(phrase)
                if n == 1:
                    yield Fire(number, entry, i, (1,), -1, is_token=True)
                elif tuple(words[i : i + n]) == phrase:
                    yield Fire(number, entry, i, (n,), -1, is_token=False)


@dataclass(frozen=True)
class _Element:
    """One word of a pattern: any of some words, a number (#), anything (*)."""

    words: frozenset[str]

    def fits(self, word: str) -> bool:
        return word in self.words or "*" in self.words or ("#" in self.words and _NUMBER.match(word) is not None)


class _Pattern:
    """Words around one slot."""

    def __init__(self, number: int, constraint: Constraint, labels: LabelSet) -> None:
        (slot,) = SLOT.finditer(constraint.pattern)
        self.number, self.longest = number, max(constraint.longest, 1)
        self.label = labels.find(slot[1], constraint.name)
        self.before = _elements(constraint.pattern[: slot.start()])
        self.inside = _elements(slot[2] or "")
        self.after = _elements(constraint.pattern[slot.end() :])

    def find(self, words: Sequence[str]) -> Iterator[Fire]:
        n = len(words)
        for i in range(n):
            if not self.before and self.after and not self.inside:
                # The slot comes first: its end is given by what follows.
                if _fit(self.after, words, i) and i > 0:
                    yield Fire(
                        self.number,
                        0,
                        i,
                        tuple(range(1, min(self.longest, i) + 1)),
                        self.label,
                        is_token=False,
                        ends_at=i,
                    )
                continue
            if not _fit(self.before, words, i):
                continue
            start = i + len(self.before)
            if self.inside:
                if _fit(self.inside, words, start) and _fit(self.after, words, start + len(self.inside)):
                    yield Fire(self.number, 0, start, (len(self.inside),), self.label, is_token=False)
            else:
                lengths = [
                    d for d in range(1, self.longest + 1) if start + d <= n and _fit(self.after, words, start + d)
                ]
                if lengths:
                    # With words after the slot the nearest of them closes it.
                    yield Fire(
                        self.number, 0, start, tuple(lengths[: 1 if self.after else None]), self.label, is_token=False
                    )


def _elements(text: str) -> list[_Element]:
    return [_Element(frozenset(normal(word) for word in part.split("|"))) for part in text.split()]


def _fit(elements: Sequence[_Element], words: Sequence[str], at: int) -> bool:
    return at + len(elements) <= len(words) and all(element.fits(words[at + i]) for i, element in enumerate(elements))
