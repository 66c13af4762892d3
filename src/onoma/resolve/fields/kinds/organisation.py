"""Names of organisations: companies, institutes, restaurants. Legal forms and small words weigh nothing."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.fields.bags import Bags, alike_words, cut
from onoma.resolve.fields.features import Features, FeaturesBuilder, trigrams
from onoma.resolve.fields.field import Codes, Levels
from onoma.resolve.fields.lexicon import LEGAL_FORMS, ORGANISATION_WORDS, SMALL_WORDS
from onoma.resolve.fields.packed.texts import MORE, Texts
from onoma.resolve.fields.writing import fold, number_texts

__all__ = ["Organisation", "OrganisationComparison"]

_CUTS = (0.95, 0.85, 0.75, 0.65, 0.50, 0.35, 0.20)


class Organisation:
    """Names of companies, institutes and the like."""

    name = "organisation"

    def normalise(self, raw: Sequence[str]) -> list[str]:
        """Write abbreviations out and join single letters (N.V. is nv)."""
        return [_write(text) for text in raw]

    def prepare(self, values: Sequence[str], counts: NDArray[np.int64]) -> "OrganisationComparison":
        """Make bags of the words that count."""
        return OrganisationComparison(values, counts)


def _write(text: str) -> str:
    words: list[str] = []
    after_letter = False
    for word in fold(text.replace("&", " and ")).split():
        if len(word) == 1 and after_letter:
            words[-1] += word
        else:
            words.append(ORGANISATION_WORDS.get(word, word))
        after_letter = len(word) == 1 and word.isalpha()
    return " ".join(words)


def _core(value: str) -> list[str]:
    words = value.split()
    return [word for word in words if word not in LEGAL_FORMS and word not in SMALL_WORDS] or words


class OrganisationComparison:
    """Names of organisations compared by the words that count, softly."""

    levels = ("equal", "same name", "one slip", "acronym", *(f"≥ {bound:.2f}" for bound in _CUTS), "alike", "different")

    def __init__(self, values: Sequence[str], counts: NDArray[np.int64]) -> None:
        self._values = values
        self._cores = [_core(value) for value in values]
        self._written = [" ".join(core) for core in self._cores]
        self._texts = Texts(self._written)
        self._bags = Bags.build(self._cores, counts)
        self._alike = alike_words(self._bags.words)
        self._same = number_texts("".join(core) for core in self._cores)
        acronyms = [_acronym(core) for core in self._cores]
        texts = number_texts(["".join(core) for core in self._cores] + acronyms)
        self._joined, self._acronym = texts[: len(values)], texts[len(values) :]
        self._has_acronym = np.array([bool(text) for text in acronyms], np.bool_)

    def compare(self, a: Codes, b: Codes) -> Levels:
        """Return the level of each pair."""
        cosine = self._bags.soft_cosines(a, b, self._alike)
        winkler = self._texts.winkler(a, b)
        slips = np.full(len(a), MORE, np.int8)
        near = np.flatnonzero(winkler >= 0.7)
        slips[near] = self._texts.slips(a[near], b[near])
        short = self._has_acronym[a] & (self._acronym[a] == self._joined[b])
        short |= self._has_acronym[b] & (self._acronym[b] == self._joined[a])
        longest = np.maximum(self._texts.lengths[a], self._texts.lengths[b])
        level = cut(cosine, _CUTS, first=4)
        last = len(self.levels) - 1
        level = np.where((level == last - 1) & (winkler < 0.8), last, level)
        level = np.where((winkler >= 0.94) & (longest >= 6), np.minimum(level, 5), level)
        level = np.where(short, np.minimum(level, 3), level)
        level = np.where((slips <= 1) & (longest >= 5), 2, level)
        return np.where(self._same[a] == self._same[b], 1, level).astype(np.int8)

    def features(self) -> Features:
        """Return the value, its words and trigrams, and its acronym."""
        builder = FeaturesBuilder(len(self._values))
        builder.add_values(self._values)
        builder.add_rows("token", self._bags.row_ids(), self._bags.ids.astype(np.int64), self._bags.words)
        builder.add_rows("trigram", *trigrams([text[:60] for text in self._written]))
        builder.add("key", (["".join(core), _acronym(core)] for core in self._cores))
        return builder.build()


def _acronym(core: Sequence[str]) -> str:
    return "".join(word[0] for word in core) if len(core) >= 3 else ""
