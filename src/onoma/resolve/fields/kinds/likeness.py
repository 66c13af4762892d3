"""Likeness: what it means, anywhere, that two names or titles are alike.

Where one column says all there is to say, nothing in the table can tell how its copies differ from its strangers: there
is no second field to check the first by. What is learnt here is learnt elsewhere. A pair of values is described by
signs that mean the same in any domain: the bits of the words they share (a word that df of n records have is worth
log2 n/df), as a part of log2 n, of the shorter value and of both; the bits left on each side (one side left over is an
elaboration, both are a contradiction); whether figures contradict; how alike the strings are, whole, sorted and as
trigrams; whether they begin and end with the same word. A sum of small decision trees (gradient boosting) gives the log
odds that the pair is one thing. No tree may turn a sign around: more shared never speaks against a pair, more left over
never for it, whatever one table would have it. The trees were grown on columns of names and titles of many labelled
tables, each counted alike (`python -m benchmarks.train_likeness`); what leaving one table out says of them is in
`benchmarks/results/likeness.json`.

The log odds are cut into levels, so that a likeness is a comparison like any other.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import distance

from onoma.resolve.fields.bags import Bags, alike_words
from onoma.resolve.fields.features import Features, FeaturesBuilder, trigrams
from onoma.resolve.fields.field import Codes, Levels
from onoma.resolve.fields.kinds._likeness_kernels import shared_and_left, sum_trees
from onoma.resolve.fields.kinds.text import words_of
from onoma.resolve.fields.writing import element_wise, fold_all

__all__ = [
    "DIRECTIONS",
    "FILE",
    "LARGEST",
    "SIGNS",
    "Likeness",
    "LikenessComparison",
    "LikenessModel",
    "Trees",
    "likeness_model",
]

Floats = NDArray[np.float64]
SIGNS = (
    "cosine",
    "shared",
    "contained",
    "overlap",
    "left on both",
    "left on one",
    "rare left on both",
    "figure on both",
    "figure on one",
    "shorter",
    "string",
    "sorted string",
    "trigrams",
    "first word",
    "last word",
    "words",
    "lengths",
    "letters",
)
"""What a pair of values is described by; bits are parts of log2 n."""
DIRECTIONS = (1, 1, 1, 1, -1, -1, -1, -1, -1, 0, 1, 1, 1, 1, 1, 0, 0, 0)
"""Whether more of a sign may speak for a pair only (1), against it only (-1), or both."""
CUTS = (6.0, 5.0, 4.0, 3.5, 3.0, 2.5, 2.0, 1.5, 1.0, 0.5, 0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -5.0, -6.0)
"""Log odds at which levels are cut."""
_SPREAD, _WORTH = 0.5, 500.0
"""How much the log odds of a match among candidates are expected to differ from table to table, and the pairs that a
table's candidates are worth in saying so. Mean F1 with the table left out (an earlier set of trees) was .533 with a
spread of .5, .521 without any, .499 with 1, .442 with 2."""
_BY_SIZE, LARGEST = 0.5, 6_000
"""By how much those log odds fall where a table is e times as large, and the records of the largest that taught it. On
parts of 300 records, the table left out, mean F1 was .637 without, .649 with .25, .665 with .5, .667 with .75; on the
tables .556, .556, .553, .549. On nine lists of 5,000 to 20,000, candidates counted in a part, .516 with .5, .480 with
1; counted in the whole .429."""
_WORDS, _MOST_WORDS, _BY_WORDS, _SMALL = 4.5, 15.0, 2.0, 2_000
"""Words of a value from which on, up to which, and by how much for e times as many, the log odds are greater than those
learnt: long values share little by chance, and their copies differ in more places than those of names, which are most
of what was learnt from. And records below which log odds fall by 1 where a table is e times as large, not by
`_BY_SIZE`: there are as many more strangers as records. F1 of pairs, mean over 58 columns at 300, 900 and 3,000 records
with trees learnt without the table: .553 without both, .640 with (names and titles .650 → .670, rows put together .289
→ .616, columns that nothing was learnt from .599 → .638). Chosen without the table, among 180 settings, 43 of 44 tables
choose these two for words."""
FILE = "likeness.npz"
_LOOKED_AT = 160
"""Letters of a value that are compared as a string."""


@dataclass(frozen=True, eq=False)
class Trees:
    """Decision trees, one after another.

    Parameters
    ----------
    starts
        Where the nodes of each tree begin, and the end of the last.
    sign
        The sign that a node asks for; -1 at a leaf.
    threshold
        A pair with at most this much of it goes left.
    left, right
        The nodes below, within the tree.
    value
        What a leaf adds.
    """

    starts: NDArray[np.int64]
    sign: NDArray[np.int64]
    threshold: Floats
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    value: Floats

    def sums(self, signs: Floats) -> Floats:
        """Return what all trees add, for each row of signs."""
        return sum_trees(signs, self.starts, self.sign, self.threshold, self.left, self.right, self.value)


@dataclass(frozen=True, eq=False)
class LikenessModel:
    """The log odds that two values are of one thing, learnt from other tables."""

    intercept: float
    trees: Trees
    equal: float
    """Log odds of two equal values that nobody else has."""
    common: float
    """What they lose for each factor e by which the value is more common than that."""
    share: float
    """The share of the same among pairs that differ, where it was learnt."""
    levels: Floats
    """How pairs that differ fall on the levels after the first: the same (first row) and others."""
    records: float
    """Of a table that it was learnt from, in the geometric mean."""

    def log_odds(self, signs: Floats) -> Floats:
        """Return the log odds of pairs that differ, by their signs."""
        return self.intercept + self.trees.sums(signs)

    def level_log_odds(self) -> Floats:
        """Return the log odds of each level; the first is that of equal values."""
        edges = np.array([CUTS[0] + 1.0, *CUTS, CUTS[-1] - 2.0])
        return np.append(self.equal, (edges[:-1] + edges[1:]) / 2)

    def shift(self, counts: NDArray[np.int64], n_records: int, words: float = _WORDS) -> float:
        """Return by how much the log odds of pairs that differ are greater here than where they were learnt.

        Tables differ in how many of their candidates are the same; what the same look like, and what others do,
        differs less. With m and u these two, and s the share where they were learnt, the shift d makes

            Σ_levels n · log(p m + (1 - p) u) - (d - d₀)² / 2σ²,   logit p = logit s + d

        greatest. Candidates share records and are not independent: they count as `_WORTH` pairs at most. And tables
        differ in m and u, too: hence the prior, by which a table without a single match is not read as full of them.
        Its mean d₀ falls with the logarithm of the records: the larger a table, the more strangers are as alike as
        copies are, while a record has as many copies as before. For the same reason the candidates of a large table
        look more alike than those of the tables learnt from, whoever they are: they have to be counted in a part of it.
        That values are long, and that a table is small, come on top (`_WORDS`).

        Parameters
        ----------
        counts
            Pairs at each level after the first, in the table or in `LARGEST` of its records.
        n_records
            Records of the table.
        words
            Words of a value, in the mean.
        """
        from scipy.special import expit, logit  # slow to load, and few tables need it

        n = float(counts.sum())
        if n == 0.0:
            return 0.0
        worth = counts * (min(n, _WORTH) / n)
        shifts = np.arange(-4.0, 4.01, 0.05)
        p = expit(logit(self.share) + shifts)[:, None]
        expected = _BY_SIZE * np.log(self.records / max(n_records, 2))
        fit = np.log(p * self.levels[0] + (1.0 - p) * self.levels[1]) @ worth
        fit -= (shifts - expected) ** 2 / (2.0 * _SPREAD**2)
        small = (1.0 - _BY_SIZE) * np.log(max(_SMALL / max(n_records, 2), 1.0))
        return float(shifts[fit.argmax()] + self.by_words(words) + small)

    def by_words(self, words: float) -> float:
        """Return by how much log odds are greater for values of so many words, in the mean."""
        return float(_BY_WORDS * np.log(np.clip(words, _WORDS, _MOST_WORDS) / _WORDS))

    def save(self, path: Path) -> None:
        """Write the model: a record of arrays, nothing that runs."""
        curve = np.array([self.intercept, self.equal, self.common, self.share, self.records])
        np.savez_compressed(path, curve=curve, levels=self.levels, **asdict(self.trees))


@cache
def likeness_model() -> LikenessModel:
    """Return the model that comes with Onoma."""
    place = files("onoma.resolve.fields.kinds") / FILE
    with place.open("rb") as file, np.load(file, allow_pickle=False) as kept:
        intercept, equal, common, share, records = kept["curve"].tolist()
        trees = Trees(**{each.name: kept[each.name] for each in fields(Trees)})
        return LikenessModel(intercept, trees, equal, common, share, kept["levels"], records)


class Likeness:
    """Names and titles whose likeness is all there is to go by."""

    name = "likeness"

    def normalise(self, raw: Sequence[str]) -> Sequence[str]:
        """Write in small letters, without accents and punctuation."""
        return fold_all(raw)

    def prepare(self, values: Sequence[str], counts: NDArray[np.int64]) -> "LikenessComparison":
        """Make bags of words, and know how rare each word is."""
        return LikenessComparison(values, counts)


class LikenessComparison:
    """Values compared by how alike they are, as other tables have taught it."""

    levels = ("equal", *(f"log odds ≥ {cut:g}" for cut in CUTS), "different")

    def __init__(self, values: Sequence[str], counts: NDArray[np.int64]) -> None:
        self._values = values
        self._bags = Bags.build((words_of(value) for value in values), counts)
        self._alike = alike_words(self._bags.words)
        n = max(int(counts.sum()), 2)
        lengths = np.diff(self._bags.offsets)
        frequency = np.bincount(self._bags.ids, np.repeat(counts, lengths), minlength=len(self._bags.words))
        self._scale = float(np.log2(n))
        # What a word is worth is how many *others* have it.
        self._bits = np.clip(np.log2(n / np.maximum(frequency - 1.0, 0.5)), 0.05, self._scale + 1.0)
        self._digit = np.array([any(sign.isdigit() for sign in word) for word in self._bags.words], np.bool_)
        self._table = np.array([value[:_LOOKED_AT] for value in values], dtype=object)
        words = [value.split() for value in values]
        self._sorted = np.array([" ".join(sorted(each))[:_LOOKED_AT] for each in words], dtype=object)
        self._trigrams = Bags.of_trigrams([value[:_LOOKED_AT] for value in values], counts)
        self._ends = tuple(_numbered([each[at] if each else "" for each in words]) for at in (0, -1))
        self._n_words = np.array([len(each) for each in words], np.float64)
        self._n_letters = np.array([len(value) for value in values], np.float64)

    def signs(self, a: Codes, b: Codes) -> Floats:
        """Return what each pair of values is described by."""
        bags, alike = self._bags, self._alike
        found = shared_and_left(
            a, b, bags.offsets, bags.ids, self._bits, self._digit, alike.offsets, alike.ids, alike.similarity
        )
        shared, cosine, left_less, left_more, rare, figures, figure, shorter, _ = found.T
        strings = [
            element_wise(table, a, b, distance.Indel.normalized_similarity) for table in (self._table, self._sorted)
        ]
        overlap = shared / np.maximum(shared + left_less + left_more, 1e-9)
        parts = [bits / self._scale for bits in (left_less, left_more, rare, figures, figure, shorter)]
        contained = shared / np.maximum(shorter, 1e-9)
        ends = [(end[a] == end[b]).astype(np.float64) for end in self._ends]
        short, long = (
            np.minimum(self._n_letters[a], self._n_letters[b]),
            np.maximum(self._n_letters[a], self._n_letters[b]),
        )
        shape = [np.minimum(self._n_words[a], self._n_words[b]), short / np.maximum(long, 1.0), short]
        return np.stack(
            [
                *(cosine, shared / self._scale, contained, overlap, *parts, *strings),
                *(self._trigrams.cosines(a, b).astype(np.float64), *ends, *shape),
            ],
            axis=1,
        )

    def compare(self, a: Codes, b: Codes) -> Levels:
        """Return the level of each pair."""
        log_odds = likeness_model().log_odds(self.signs(a, b))
        return (1 + np.searchsorted(-np.array(CUTS), -log_odds, side="left")).astype(np.int8)

    def features(self) -> Features:
        """Return the value, its words and its trigrams."""
        builder = FeaturesBuilder(len(self._values))
        builder.add_values(self._values)
        builder.add_rows("token", self._bags.row_ids(), self._bags.ids.astype(np.int64), self._bags.words)
        builder.add_rows("trigram", *trigrams([value[:60] for value in self._values]))
        return builder.build()


def _numbered(words: Sequence[str]) -> NDArray[np.int64]:
    """Return words as numbers, equal ones alike."""
    known: dict[str, int] = {}
    return np.array([known.setdefault(word, len(known)) for word in words], np.int64)
