"""Personal names as words: titles, nicknames, initials, and how the words of two names meet."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from nicknames import name_triplets
from numpy.typing import NDArray

from onoma.resolve.fields._names_kernels import align_names
from onoma.resolve.fields.bags import Alike, Bags, slips
from onoma.resolve.fields.lexicon import TITLES
from onoma.resolve.fields.packed.texts import ArrowTexts, Texts, arrow_of
from onoma.resolve.fields.writing import fold, fold_packed

__all__ = ["Alignment", "NameWords", "nickname_pairs", "nickname_table", "write_name", "write_names"]

_FAMILY_FIRST = re.compile(r"\s*([^,\d]{1,40}),\s*([^,\d]{1,40})\s*")
_FEW = 300  # words
_MOST_GIVEN = 3  # words after the comma: more are an epithet ("Clifford, 1st Baron Clifford of Chudleigh")


def write_name(text: str) -> str:
    """Write a name as given name, then family name, without titles.

    Examples
    --------
    >>> write_name("O'Brien, Dr. Mary Ann")
    'mary ann obrien'
    >>> write_name("DR. J.-P. Müller Jr.")
    'j p muller'
    """
    turned = _FAMILY_FIRST.fullmatch(text)
    if turned and len(turned[2].split()) <= _MOST_GIVEN and len(turned[1].split()) <= _MOST_GIVEN:
        text = f"{turned[2]} {turned[1]}"
    words = fold(text).split()
    kept = [word for word in words if word not in TITLES]
    return " ".join(kept or words)


def write_names(texts: Sequence[str]) -> Sequence[str]:
    """Write many names so; most need no more than to be folded."""
    if not isinstance(texts, ArrowTexts):
        return [write_name(text) for text in texts]
    return fold_packed(texts, write_name, words=TITLES, commas=True)


@cache
def nickname_table() -> dict[str, frozenset[str]]:
    """Return for each given name the names it may be short for or be shortened to."""
    table: dict[str, set[str]] = {}
    for name, _, other in name_triplets():
        table.setdefault(name.casefold(), set()).add(other.casefold())
        table.setdefault(other.casefold(), set()).add(name.casefold())
    return {name: frozenset(others) for name, others in table.items()}


def nickname_pairs(words: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of words that are one name and its nickname, or two nicknames of one name."""
    place = _places_of(nickname_table(), words)
    found = set()
    for word, i in place.items():
        for other in _nicknames_of(word):
            j = place.get(other, i)
            if j != i:
                found.add((min(i, j), max(i, j)))
    pairs = np.array(sorted(found), np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


@cache
def _nicknames_of(word: str) -> frozenset[str]:
    """Return the names that are one name with a word: short for it, what it is short for, and short for the same."""
    table = nickname_table()
    others = table.get(word, frozenset())
    siblings = (
        third for other in others for third in table.get(other, ()) if len(other) > max(len(word), len(third))
    )  # of one long name; two long names with one nickname (Alexander, Alexandra) are not alike
    return others.union(siblings)


def _places_of(table: Mapping[str, object], words: Sequence[str]) -> dict[str, int]:
    """Return where those of the words stand that a table knows, in their order."""
    if len(words) < _FEW:
        return {word: i for i, word in enumerate(words) if word in table}
    known = np.flatnonzero(pc.is_in(arrow_of(words), pa.array(table, pa.string())))
    return {words[i]: i for i in known.tolist()}


class Alignment:
    """How the words of pairs of names meet: one count per pair and way of meeting."""

    def __init__(self, counts: NDArray[np.int8]) -> None:
        columns = counts.T
        self.equal, self.nickname, self.initial, self.slip, self.left_a, self.left_b, self.whole = columns

    @property
    def complete(self) -> NDArray[np.bool_]:
        """Every word met another."""
        return (self.left_a == 0) & (self.left_b == 0)

    @property
    def within(self) -> NDArray[np.bool_]:
        """Every word of one of the two names met another."""
        return (self.left_a == 0) | (self.left_b == 0)


class NameWords:
    """The words of distinct names, ready to be aligned.

    Parameters
    ----------
    values
        Names written by `write_name`.
    counts
        The number of records of each.
    words
        Their words, as `split_words` gives them, where they are known.
    """

    def __init__(
        self,
        values: Sequence[str],
        counts: NDArray[np.int64],
        words: tuple[NDArray[np.int64], NDArray[np.int32], Sequence[str]] | None = None,
    ) -> None:
        self.bags = Bags.of_texts(values, counts) if words is None else Bags.of_words(*words, counts)
        known = self.bags.words
        texts = Texts(known)
        a, b = nickname_pairs(known)
        nicknames = Alike.build(len(known), a, b, np.ones(len(a), np.float32))
        slipped = Alike.build(len(known), *slips(known))
        related = (nicknames.offsets, nicknames.ids, slipped.offsets, slipped.ids)
        self.tables = (self.bags.offsets, self.bags.ids, texts.firsts, texts.lengths, *related)
        """What kernels align names by: words, their first letters and lengths, and which are related."""

    def align(self, a: NDArray[np.int32], b: NDArray[np.int32]) -> Alignment:
        """Put the words of each pair of names side by side."""
        return Alignment(align_names(a, b, *self.tables))
