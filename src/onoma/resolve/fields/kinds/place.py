"""Places: addresses, streets, towns. Word by word, abbreviations written out, numbers apart from words."""

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.resolve.fields.bags import Bags, alike_words
from onoma.resolve.fields.features import Features, FeaturesBuilder, trigrams
from onoma.resolve.fields.field import Codes, Levels
from onoma.resolve.fields.kinds._levels_kernels import place_levels
from onoma.resolve.fields.kinds.packed import Words
from onoma.resolve.fields.lexicon import ADDRESS_WORDS
from onoma.resolve.fields.packed.texts import ArrowTexts, Texts, arrow_of, plain, split_words
from onoma.resolve.fields.writing import fold_all

__all__ = ["Place", "PlaceComparison"]

_CUTS = np.array([0.85, 0.70, 0.50, 0.30], np.float32)
_NUMBERS = 2  # of an address that are joined with its words
_DIGITS = "0123456789"
_ORDINAL = re.compile(r"[0-9]+(?:st|nd|rd|th)")


class Place:
    """Addresses, streets and towns."""

    name = "place"

    def normalise(self, raw: Sequence[str]) -> Sequence[str]:
        """Write abbreviations out."""
        folded = fold_all(raw)
        if not isinstance(raw, ArrowTexts):
            return [" ".join([ADDRESS_WORDS.get(word, word) for word in text.split(" ")]) for text in folded]
        lists = pc.split_pattern(arrow_of(folded), " ")
        words = lists.flatten().dictionary_encode()
        known = pa.array([ADDRESS_WORDS.get(word, word) for word in words.dictionary.to_pylist()], pa.large_string())
        out = type(lists).from_arrays(lists.offsets, known.take(words.indices))
        return ArrowTexts(pc.binary_join(out, pa.scalar(" ", known.type)))

    def prepare(self, values: Sequence[str], counts: NDArray[np.int64]) -> "PlaceComparison":
        """Make bags of words, and set the numbers apart."""
        return PlaceComparison(values, counts, len(values))

    def prepare_first(self, values: Sequence[str], counts: NDArray[np.int64], n: int) -> "PlaceComparison":
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

    def __init__(self, values: Sequence[str], counts: NDArray[np.int64], n: int) -> None:
        worded = split_words(values)
        self._bags = Bags.of_words(*worded, counts)
        n_words = int(self._bags.ids[: self._bags.offsets[n]].max(initial=-1)) + 1  # they are numbered as they come
        self._alike = alike_words(self._bags.words[:n_words], n_words=len(self._bags.words))
        self._values = values = values if n == len(values) else values[:n]
        self._texts = Texts(values)
        self._words = words = Words(values, worded if n == len(worded[0]) - 1 else None)
        self._sorted, self._joined = words.sorted(), words.joined()
        self._is_number = words.marked(lambda word: word[:1].isdigit(), first=_DIGITS)
        # Streets are counted (`54th`), houses numbered: an address may leave out between which streets a house stands.
        is_ordinal = words.marked(lambda word: bool(_ORDINAL.fullmatch(word)), first=_DIGITS, last="tdh")
        self._numbers = [words.set_of(self._is_number & ~is_ordinal), words.set_of(self._is_number & is_ordinal)]

    def compare(self, a: Codes, b: Codes) -> Levels:
        """Return the level of each pair."""
        same = (self._sorted[a] == self._sorted[b]) | (self._joined[a] == self._joined[b])
        different = len(self.levels) - 1
        levels = np.where(same, 1, different).astype(np.int8)
        conflict = np.zeros(len(a), np.bool_)
        for number, has_number in self._numbers:
            conflict |= has_number[a] & has_number[b] & (number[a] != number[b])
        # Most strangers live at another number, and of them no more need be known.
        open_ = np.flatnonzero(~same & ~conflict)
        levels[open_] = self._compare_words(a[open_], b[open_])
        return levels

    def _compare_words(self, a: Codes, b: Codes) -> Levels:
        """Return the levels of pairs whose numbers do not conflict, and whose words are not the same."""
        texts, bags, alike = self._texts, self._bags, self._alike
        return place_levels(
            plain(a),
            plain(b),
            texts.letters,
            texts.offsets,
            texts.masks,
            texts.tallies,
            texts.longest,
            _CUTS,
            bags.offsets,
            bags.ids,
            bags.idf,
            bags.norms,
            alike.offsets,
            alike.ids,
            alike.similarity,
        )

    def features(self) -> Features:
        """Return the value, its words and trigrams, and its number with each word."""
        builder = FeaturesBuilder(len(self._values))
        builder.add_values(self._values)
        builder.add_rows("token", self._bags.row_ids(), self._bags.ids, self._bags.words)
        builder.add_rows("trigram", *trigrams(self._texts))
        self._words.add_pairs(builder, self._is_number, _NUMBERS)
        return builder.build()
