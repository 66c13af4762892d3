"""New values that look like a field's own: of other things, of a sibling, or of a copy.

A thing that is not in the table has, in most fields, values that are there already: there are many Smiths. How often is
what Good and Turing's rule says, told here by leaving one out: a row is drawn, and its value is kept with the chance
(e - 1)/e, where e is the number of entities that have it; otherwise the new thing's value is one that nobody has, and
it is composed of parts of several (words, halves of words, a year and a day).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.distinct import distinct
from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.kinds import KINDS
from onoma.resolve.fields.kinds.serial import CODES

__all__ = ["Values"]

Codes = NDArray[np.int64]
WORDED = ("person", "organisation", "place", "text", "set", "likeness", "category")
"""Kinds whose values are words."""
_FEW_WORDS = 3
"""Values of more words are composed of runs of one or two."""
_TRIES = 4


class Values:
    """The values of a field, and new ones, numbered behind them.

    Parameters
    ----------
    field
        The field.
    labels
        The entity of each record.
    rng
        Draws.
    """

    def __init__(self, field: FieldData, labels: NDArray[np.int64], rng: np.random.Generator) -> None:
        self.field, self._rng = field, rng
        self._between = "; " if field.kind == "set" else " "
        self._drawn: list[int] = field.codes[field.codes >= 0].tolist()  # numbers of Python's own are sooner at hand
        self._entities: list[int] = _entities_with(field, labels).tolist()
        self._new: dict[str, int] = {}
        self._texts: list[str] = []
        self._known: dict[str, int] | None = None
        self._held: dict[str, int] | None = None
        module = type(field.comparison).__module__
        self.is_open = field.kind in KINDS and module.startswith("onoma.resolve.fields.kinds")
        """New values can be compared: the comparison is that of the kind, and not learnt from the old ones."""

    def text(self, code: int) -> str:
        """Return the value of a code."""
        n = len(self.field.values)
        return self.field.values[code] if code < n else self._texts[code - n]

    def of_another(self) -> int:
        """Draw the value of a thing that is not in the table."""
        code = self._any_code()
        held = self._entities[code]
        if not self.is_open or self._rng.random() * held < held - 1:
            return code
        return self._composed(code)

    def of_sibling(self, one: int, other: int) -> int:
        """Draw the value of another member of a group: words that two members share stay, others are redrawn."""
        words, shared = self._words(one), set(self._words(other))
        if self.field.kind not in WORDED or not self.is_open or len(words) < 2 or not shared & set(words):
            return self.of_another()
        return self._number([word if word in shared else self._any_word() for word in words], one)

    def changed(self, before: int, after: int, code: int) -> int:
        """Return a value changed as another one was, from `before` to `after`."""
        if not self.is_open:
            return after
        if self.field.kind not in WORDED:
            return self._characters_changed(before, after, code)
        one, other = self._words(before), self._words(after)
        gone, come = _twins(one, other)
        if len(gone) == len(one) and not come:
            return self.of_another()
        known = {*one, *come.values()}
        added = [word for word in other if word not in known]
        return self._number(self._words_changed(gone, come, added, self._words(code)), code)

    def extended(self, codes: Codes) -> FieldData:
        """Return the field with more records behind its own; how frequent values are is still told of its own."""
        whole = np.concatenate([self.field.codes, codes]).astype(np.int32)
        if not self._new:
            return replace(self.field, codes=whole)
        values = [*self.field.values, *self._texts]
        counts = np.concatenate([self.field.counts, np.ones(len(self._new), dtype=np.int64)])
        things = self.field.things
        return replace(
            self.field,
            values=values,
            examples=[*self.field.examples, *self._texts],
            codes=whole,
            counts=counts,
            comparison=KINDS[self.field.kind].prepare(values, counts),
            things=None if things is None else np.concatenate([things, np.ones(len(self._new))]),
        )

    def _any_code(self) -> int:
        """Draw the value of a record that has one."""
        return self._drawn[self._rng.integers(len(self._drawn))]

    def _words(self, code: int) -> list[str]:
        return self.text(code).split(self._between)

    def _any_value(self) -> list[str]:
        return self.field.values[self._any_code()].split(self._between)

    def _any_word(self) -> str:
        words = self._any_value()
        return self._word_of_another(words[self._rng.integers(len(words))])

    def _word_of_another(self, word: str) -> str:
        """Return a word as another thing may have it: one that a single entity has is new, and so is composed."""
        held = self._holders().get(word, 1)
        if self._rng.random() * held < held - 1:
            return word
        words = self._any_value()
        other = words[self._rng.integers(len(words))]
        return " ".join((word[: (len(word) + 1) // 2] + other[len(other) // 2 :]).split())

    def _holders(self) -> dict[str, int]:
        """Return how many entities have each word, about: those of the values that have it."""
        if self._held is None:
            self._held = {}
            for value, entities in zip(self.field.values, self._entities, strict=True):
                for word in set(value.split(self._between)):
                    self._held[word] = self._held.get(word, 0) + entities
        return self._held

    def _number(self, words: Sequence[str], otherwise: int) -> int:
        """Return the code of a value made of words; that of another where none are left."""
        words = [word for word in words if word.strip()]
        return self._code(self._between.join(sorted(set(words)) if self.field.kind == "set" else words), otherwise)

    def _code(self, text: str, otherwise: int) -> int:
        if not text:
            return otherwise
        if self._known is None:
            self._known = {value: code for code, value in enumerate(self.field.values)}
        if text in self._known:
            return self._known[text]
        if text not in self._new:
            self._new[text] = len(self.field.values) + len(self._new)
            self._texts.append(text)
        return self._new[text]

    def _composed(self, code: int) -> int:
        """Compose a value that nobody has; the drawn one where that does not succeed."""
        for _ in range(_TRIES):
            made = self._compose(code)
            if made >= len(self.field.values):
                return made
        return code

    def _compose(self, code: int) -> int:
        kind, value = self.field.kind, self.field.values[code]
        if kind in WORDED:
            return self._number(self._composed_words(value), code)
        other = self.field.values[self._any_code()]
        if kind == "date" and len(value) == len(other):
            return self._code(value[:4] + other[4:], code)
        if kind in CODES:
            return self._code(value[: len(value) // 2] + other[len(other) // 2 :], code)
        if kind == "geo":
            return self._code(f"{value.split(',')[0]},{other.split(',')[1]}", code)
        return code

    def _composed_words(self, value: str) -> list[str]:
        words = value.split(self._between)
        if len(words) == 1:
            other = self._any_value()[-1]
            return [" ".join((value[: (len(value) + 1) // 2] + other[len(other) // 2 :]).split())]
        made: list[str] = []
        at = 0
        while at < len(words):
            run = int(self._rng.integers(1, 3)) if len(words) > _FEW_WORDS else 1
            source = words if at == 0 and len(words) <= _FEW_WORDS else self._any_value()
            start = at * len(source) // len(words)
            made += [self._word_of_another(word) for word in source[start : start + run]]
            at += run
        return made

    def _words_changed(
        self, gone: Sequence[str], come: dict[str, str], added: Sequence[str], mine: Sequence[str]
    ) -> list[str]:
        """Return words of which as many are left out, written otherwise and added as in the example."""
        words = list(mine)
        n_left = len(words)
        for at, left in zip(self._rng.permutation(len(words)).tolist(), gone, strict=False):
            if left in come:
                words[at] = _changed_like(words[at], left, come[left])
            elif n_left > 1:
                words[at] = ""
                n_left -= 1
        for word in added:
            words.insert(int(self._rng.integers(len(words) + 1)), word)
        return words

    def _characters_changed(self, before: int, after: int, code: int) -> int:
        one, other, mine = self.text(before), self.text(after), self.text(code)
        if self.field.kind in ("number", "geo"):
            return self._moved(one, other, mine, code)
        if len(one) == len(other) == len(mine):
            made = "".join(new if old != new else own for old, new, own in zip(one, other, mine, strict=True))
            return self._code(made, code)
        return self._code(_changed_like(mine, one, other), code) if _are_akin(one, other) else self.of_another()

    def _moved(self, one: str, other: str, mine: str, otherwise: int) -> int:
        """Return a number, or a point, as far from it as another one is from a third."""
        parts = zip(one.split(","), other.split(","), mine.split(","), strict=True)
        moved = [float(own) + float(new) - float(old) for old, new, own in parts]
        text = ",".join(f"{each:.12g}" for each in moved)
        return self._code(KINDS[self.field.kind].normalise([text])[0], otherwise)


def _entities_with(field: FieldData, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many entities have each value."""
    n, filled = int(labels.max(initial=0)) + 1, field.codes >= 0
    keys = distinct(field.codes[filled].astype(np.int64) * n + labels[filled])
    return np.bincount(keys // n, minlength=len(field.values))


def _twins(one: Sequence[str], other: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return the words of one value that the other has not, and for those of them that it writes otherwise, how.

    A word that is written otherwise keeps its first letter here, so that long texts are looked at but once.
    """
    mine, theirs = set(one), set(other)
    new: dict[str, list[str]] = {}
    for word in other:
        if word and word not in mine:
            new.setdefault(word[0], []).append(word)
    gone, twins = [word for word in one if word not in theirs], {}
    for word in gone:
        near = new.get(word[:1], [])
        twin = next((each for each in near if _are_akin(word, each)), None)
        if twin is not None:
            twins[word] = twin
            near.remove(twin)
    return gone, twins


def _are_akin(one: str, other: str) -> bool:
    """Say whether a word is written otherwise, and not another one: shortened, or at least half of it unchanged."""
    if one.startswith(other) or other.startswith(one):
        return True
    same = sum(a == b for a, b in zip(one, other, strict=False))
    back = sum(a == b for a, b in zip(reversed(one), reversed(other), strict=False))
    return 2 * max(same, back, _prefix(one, other) + _prefix(one[::-1], other[::-1])) >= max(len(one), len(other))


def _prefix(one: str, other: str) -> int:
    n = 0
    while n < min(len(one), len(other)) and one[n] == other[n]:
        n += 1
    return n


def _changed_like(word: str, before: str, after: str) -> str:
    """Change a word as another one was: what stood between the parts that stayed is put at the like place."""
    front = _prefix(before, after)
    back = min(_prefix(before[::-1], after[::-1]), min(len(before), len(after)) - front)
    gone, come = len(before) - front - back, after[front : len(after) - back]
    at = min(round(front * len(word) / max(len(before), 1)), len(word))
    return " ".join((word[:at] + come + word[at + gone :]).split()) if gone or come else word
