"""Sets: co-authors, tags, classes. Compared by the elements they share, rare ones weighing more.

Elements meet when they are equal, or softly when they may be two ways of writing one name ("A. Gupta", "Ajay Gupta").
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.fields.bags import COSINE_CUTS, Alike, Bags, cosine_names, cut, sharing, slips
from onoma.resolve.fields.elements import split_elements, splitter_of, strong_delimiters
from onoma.resolve.fields.features import Features, FeaturesBuilder
from onoma.resolve.fields.field import Codes, Levels
from onoma.resolve.fields.names import NameWords
from onoma.resolve.fields.writing import number_texts

__all__ = ["Set", "SetComparison", "alike_elements"]

_HOT = 200  # elements that share a word and an initial: among more, an initial tells too little


class Set:
    """Several elements in one value."""

    name = "set"

    def normalise(self, raw: Sequence[str]) -> list[str]:
        """Write the elements in one order, apart by `; `."""
        splitter = splitter_of(strong_delimiters(raw))
        return ["; ".join(sorted(split_elements(text, splitter))) for text in raw]

    def prepare(self, values: Sequence[str], counts: NDArray[np.int64]) -> "SetComparison":
        """Make bags of elements, and find the elements that are alike."""
        return SetComparison(values, Bags.build((value.split("; ") for value in values), counts))


class SetComparison:
    """Sets compared by the soft cosine of their elements."""

    levels = cosine_names(COSINE_CUTS)

    def __init__(self, values: Sequence[str], bags: Bags) -> None:
        self._values = values
        self._bags = bags
        self._alike = alike_elements(bags.words)

    def compare(self, a: Codes, b: Codes) -> Levels:
        """Return the level of each pair."""
        return cut(self._bags.soft_cosines(a, b, self._alike), COSINE_CUTS)

    def features(self) -> Features:
        """Return the value, its elements, and of each element a word with an initial."""
        builder = FeaturesBuilder(len(self._values))
        builder.add_values(self._values)
        builder.add_rows("token", self._bags.row_ids(), self._bags.ids.astype(np.int64), self._bags.words)
        keys = {element: _keys(element) for element in self._bags.words}
        builder.add("key", ([key for e in value.split("; ") for key in keys[e]] for value in self._values))
        return builder.build()


def _keys(element: str) -> list[str]:
    """Return each longer word with the initial of another."""
    words = element.split()
    if not 2 <= len(words) <= 6:
        return []
    keys = [f"{word} {other[0]}." for word in words if len(word) > 1 for other in words if other != word]
    return list(dict.fromkeys(keys))


def alike_elements(elements: Sequence[str]) -> Alike:
    """Return the elements that may be two ways of writing one: initials, nicknames, a name left out, one slip."""
    keys = [_keys(element) for element in elements]
    rows = np.repeat(np.arange(len(elements)), [len(found) for found in keys])
    a, b = sharing(number_texts(key for found in keys for key in found), rows, hot=_HOT)
    words = NameWords(elements, np.ones(len(elements), np.int64))
    met = words.align(a.astype(np.int32), b.astype(np.int32))
    conditions = [
        met.complete & (met.slip == 0),
        met.complete,
        met.within & (met.whole > 1) & (met.slip == 0),
        met.within & (met.slip == 0),
    ]
    similarity = np.select(conditions, [0.95, 0.85, 0.85, 0.7], 0.0).astype(np.float32)
    near = similarity > 0
    joined = [element.replace(" ", "") for element in elements]
    slip_a, slip_b, slip_similarity = slips(joined)
    return Alike.build(
        len(elements),
        np.concatenate([a[near], slip_a]),
        np.concatenate([b[near], slip_b]),
        np.concatenate([similarity[near], slip_similarity]),
    )
