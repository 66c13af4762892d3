"""Places: addresses, streets, towns. Word by word, abbreviations written out, numbers apart from words."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import distance

from onoma.resolve.fields.bags import Bags, alike_words
from onoma.resolve.fields.features import Features, FeaturesBuilder, trigrams
from onoma.resolve.fields.field import Codes, Levels
from onoma.resolve.fields.lexicon import ADDRESS_WORDS
from onoma.resolve.fields.writing import element_wise, fold_all, number_texts

__all__ = ["Place", "PlaceComparison"]

_CUTS = (0.85, 0.70, 0.50, 0.30)
_ORDINAL = re.compile(r"[0-9]+(?:st|nd|rd|th)")


class Place:
    """Addresses, streets and towns."""

    name = "place"

    def normalise(self, raw: Sequence[str]) -> list[str]:
        """Write abbreviations out."""
        return [" ".join([ADDRESS_WORDS.get(word, word) for word in text.split(" ")]) for text in fold_all(raw)]

    def prepare(self, values: list[str], counts: NDArray[np.int64]) -> "PlaceComparison":
        """Make bags of words, and set the numbers apart."""
        return PlaceComparison(values, counts, len(values))

    def prepare_first(self, values: list[str], counts: NDArray[np.int64], n: int) -> "PlaceComparison":
        """Let the others say how common words are, and nothing else."""
        return PlaceComparison(values, counts, n)


class PlaceComparison:
    """Places compared by their words, softly. Two addresses whose numbers conflict are different, however near."""

    levels = (
        "equal",
        "same words",
        "one slip",
        "close",
        "≥ 0.85",
        "≥ 0.70",
        "≥ 0.50",
        "≥ 0.30",
        "different",
    )

    def __init__(self, values: list[str], counts: NDArray[np.int64], n: int) -> None:
        self._bags = Bags.of_texts(values, counts)
        n_words = int(self._bags.ids[: self._bags.offsets[n]].max(initial=-1)) + 1  # they are numbered as they come
        self._alike = alike_words(self._bags.words[:n_words], n_words=len(self._bags.words))
        self._values = values = values[:n]
        self._table = np.array(values, dtype=object)
        words = [value.split() for value in values]
        self._sorted = number_texts("".join(sorted(each)) for each in words)
        self._joined = number_texts("".join(each) for each in words)
        numbers = [[word for word in each if word[0].isdigit()] for each in words]
        self._numbers = [_numbers(numbers, is_ordinal=is_ordinal) for is_ordinal in (False, True)]

    def compare(self, a: Codes, b: Codes) -> Levels:
        """Return the level of each pair."""
        cosine = self._bags.soft_cosines(a, b, self._alike)
        winkler = element_wise(self._table, a, b, distance.JaroWinkler.similarity, score_cutoff=0.7)
        slips = np.full(len(a), 9, np.float32)
        near = np.flatnonzero(winkler >= 0.7)
        slips[near] = element_wise(self._table, a[near], b[near], distance.OSA.distance, score_cutoff=2)
        same = (self._sorted[a] == self._sorted[b]) | (self._joined[a] == self._joined[b])
        conflict = np.zeros(len(a), np.bool_)
        for number, has_number in self._numbers:
            conflict |= has_number[a] & has_number[b] & (number[a] != number[b])
        conditions = [
            same,
            (slips == 1) & ~conflict,
            (winkler >= 0.94) & ~conflict,
            (cosine >= _CUTS[0]) & ~conflict,
            ((cosine >= _CUTS[1]) | (winkler >= 0.88)) & ~conflict,
            (cosine >= _CUTS[2]) & ~conflict,
            (cosine >= _CUTS[3]) & ~conflict,
        ]
        return np.select(conditions, range(1, 8), 8).astype(np.int8)

    def features(self) -> Features:
        """Return the value, its words and trigrams, and its number with each word."""
        builder = FeaturesBuilder(len(self._values))
        builder.add_values(self._values)
        builder.add_rows("token", self._bags.row_ids(), self._bags.ids.astype(np.int64), self._bags.words)
        builder.add_rows("trigram", *trigrams(self._values))
        builder.add("key", (_keys(value) for value in self._values))
        return builder.build()


def _numbers(numbers: Sequence[list[str]], *, is_ordinal: bool) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return a number for each value's set of words that begin with digits, and whether it has any.

    Streets are counted (`54th`), houses numbered: an address may leave out between which streets a house stands.
    """
    texts = [
        " ".join(sorted([word for word in each if bool(_ORDINAL.fullmatch(word)) == is_ordinal])) if each else ""
        for each in numbers
    ]
    return number_texts(texts), np.array([bool(text) for text in texts], np.bool_)


def _keys(value: str) -> list[str]:
    words = value.split()
    numbers = [word for word in words if word[0].isdigit()][:2]
    return [f"{number} {word}" for number in numbers for word in words if not word[0].isdigit()]
