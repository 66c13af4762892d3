"""Names of people: whole names, or a column of given names or surnames.

Titles and order are put aside ("Surname, Given" is turned round). Words of two names meet when they are equal, a name
and its nickname, an initial and a name that begins with it, or one slip apart; whole strings are compared by
Jaro–Winkler similarity and the number of slips.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.fields.features import Features, FeaturesBuilder, trigrams
from onoma.resolve.fields.field import Codes, Levels
from onoma.resolve.fields.kinds._levels_kernels import name_levels
from onoma.resolve.fields.kinds.packed import Words
from onoma.resolve.fields.names import NameWords, write_names
from onoma.resolve.fields.packed.texts import Texts, plain

__all__ = ["Person", "PersonComparison", "skeleton"]

_FEW = 300  # names: so many are taken apart one by one before a kernel is loaded


@lru_cache(maxsize=1 << 16)  # words recur from name to name, and the checks ask for all of them again
def skeleton(word: str) -> str:
    """Return the first letter and the later consonants, doubles once: spellings that sound alike often share it.

    Examples
    --------
    >>> skeleton("meyer"), skeleton("maier"), skeleton("philippa")
    ('mr', 'mr', 'plp')
    """
    word = word.replace("ph", "p").replace("ck", "k").replace("th", "t").replace("dt", "t")
    kept = word[:1]
    for letter in word[1:]:
        if letter not in "aeiouyhw" and letter != kept[-1]:
            kept += letter
    return kept


class Person:
    """Names of people."""

    name = "person"
    is_alone = True
    """Two values are compared by themselves, whatever others there are."""

    def normalise(self, raw: Sequence[str]) -> Sequence[str]:
        """Write given names first, without titles."""
        return write_names(raw)

    def prepare(self, values: Sequence[str], counts: NDArray[np.int64]) -> "PersonComparison":
        """Take names apart into words."""
        return PersonComparison(values, counts)

    def prepare_first(self, values: Sequence[str], counts: NDArray[np.int64], n: int) -> "PersonComparison":
        """Leave out all others: two values are compared by themselves."""
        return self.prepare(values[:n], counts[:n])


class PersonComparison:
    """Names compared word by word and as strings."""

    levels = (
        "equal",
        "same words",
        "nickname",
        "initials",
        "one slip",
        "close",
        "part left out",
        "similar",
        "a word shared",
        "alike",
        "different",
    )

    def __init__(self, values: Sequence[str], counts: NDArray[np.int64]) -> None:
        self._values = values
        self._texts = Texts(values)
        self._written = written = Words(values)
        self._words = NameWords(values, counts, (written.offsets, written.ids, written.words))
        self._sorted, self._joined = written.sorted(), written.joined()

    def compare(self, a: Codes, b: Codes) -> Levels:
        """Return the level of each pair."""
        texts = self._texts
        letters = (texts.letters, texts.offsets, texts.masks, texts.tallies, texts.longest)
        packed: tuple[Any, ...] = (self._sorted, self._joined, *letters, *self._words.tables)
        return name_levels(plain(a), plain(b), *packed)

    def features(self) -> Features:
        """Return the value, its words, trigrams, and keys: sorted words, skeletons, a word with an initial."""
        builder = FeaturesBuilder(len(self._values))
        builder.add_values(self._values)
        bags = self._words.bags
        builder.add_rows("token", bags.row_ids(), bags.ids, bags.words)
        builder.add_rows("trigram", *trigrams(self._texts))
        if len(self._values) < _FEW:
            builder.add("key", map(_keys, self._values))
        else:
            self._written.add_name_keys(builder, lambda: list(_every_key(self._values)))
        return builder.build()


def _every_key(values: Sequence[str]) -> dict[str, None]:
    """Return the keys of all names, by first appearance."""
    return dict.fromkeys(key for value in values for key in _keys(value) if key)


def _keys(value: str) -> list[str]:
    """Return the keys of a name; the kernel `hash_name_keys` says the same of many."""
    words = sorted(set(value.split()))
    if len(words) == 1:
        return ["~" + skeleton(words[0])]
    keys = [" ".join(words)]
    for word in words:
        if len(word) > 1:
            keys.append("~" + skeleton(word))
            keys.extend(f"{word} {other[0]}." for other in words if other != word)
    return keys
