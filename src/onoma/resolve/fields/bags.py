"""Bags of words with idf weights, and words that are alike.

A word t that occurs in df of n records weighs idf(t) = ln(n / df) + 0.1: rare words decide. Two bags are compared by
the cosine of their weights,

    cos(x, y) = Σ_{t in both} idf(t)² / (|x| · |y|),

or softly: a word of x that y lacks may meet an alike word of y (a typing slip, a nickname), and then adds
alike(s, t) · idf(s) · idf(t) (Cohen, Ravikumar and Fienberg 2003, with alike words found beforehand, so that no strings
are compared pair by pair).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.distinct import distinct
from onoma.resolve.fields._bags_kernels import bag_cosines, deletion_hashes, letters_alone, soft_cosines
from onoma.resolve.fields.features import trigrams
from onoma.resolve.fields.packed._texts_kernels import distinct_within
from onoma.resolve.fields.packed.texts import Texts, bytes_of, split_words

__all__ = ["COSINE_CUTS", "Alike", "Bags", "alike_words", "cosine_names", "cut", "no_alike", "sharing", "slips"]

COSINE_CUTS = (0.95, 0.85, 0.75, 0.65, 0.55, 0.48, 0.41, 0.35, 0.30, 0.25, 0.20, 0.16, 0.12, 0.08, 0.04)
"""Where cosines are cut into levels: wide where matches are, fine where matches and others mix."""

_SO_FEW = 32  # words
_SHORTEST, _LONGEST = 4, 40
"""Letters of words that slips are looked for in: shorter ones are too short to say, longer ones are no words."""
_HOT = 64  # words that share one deletion: beyond this many the form says nothing


@dataclass(frozen=True, eq=False)
class Bags:
    """A bag of words for each distinct value, in CSR form.

    Parameters
    ----------
    offsets, ids
        The words of each value, each once, ascending.
    words
        The vocabulary.
    idf
        The weight of each word.
    norms
        The length of each value's vector of weights.
    """

    offsets: NDArray[np.int64]
    ids: NDArray[np.int32]
    words: Sequence[str]
    idf: NDArray[np.float64]
    norms: NDArray[np.float64]

    @classmethod
    def build(cls, words: Iterable[Iterable[str]], counts: NDArray[np.int64]) -> "Bags":
        """Make bags of each value's words; `counts` are the records of each value."""
        known: dict[str, int] = {}
        rows = [sorted({known.setdefault(word, len(known)) for word in bag}) for bag in words]
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum([len(row) for row in rows], out=offsets[1:])
        ids = np.fromiter((i for row in rows for i in row), np.int32, count=int(offsets[-1]))
        return cls._weighed(offsets, ids, list(known), counts)

    @classmethod
    def of_texts(cls, texts: Sequence[str], counts: NDArray[np.int64]) -> "Bags":
        """Make bags of the words of texts in which one space stands between words, none before or after."""
        return cls.of_words(*split_words(texts), counts)

    @classmethod
    def of_words(
        cls, offsets: NDArray[np.int64], ids: NDArray[np.int32], words: Sequence[str], counts: NDArray[np.int64]
    ) -> "Bags":
        """Make bags of numbered words, one value after the other: what `split_words` gives."""
        return cls._weighed(*distinct_within(offsets, ids), words, counts)

    @classmethod
    def of_trigrams(cls, values: Sequence[str], counts: NDArray[np.int64]) -> "Bags":
        """Make bags of the character trigrams of values."""
        rows, ids, texts = trigrams(values)
        order = np.lexsort((ids, rows))
        offsets = np.zeros(len(values) + 1, np.int64)
        np.cumsum(np.bincount(rows, minlength=len(values)), out=offsets[1:])
        return cls._weighed(offsets, ids[order].astype(np.int32), texts, counts)

    @classmethod
    def _weighed(
        cls, offsets: NDArray[np.int64], ids: NDArray[np.int32], words: Sequence[str], counts: NDArray[np.int64]
    ) -> "Bags":
        lengths = np.diff(offsets)
        frequency = np.bincount(ids, np.repeat(counts, lengths), minlength=len(words))
        idf = np.log(max(int(counts.sum()), 1) / np.maximum(frequency, 1)) + 0.1
        squares = np.concatenate([[0.0], np.cumsum(idf[ids] ** 2)])
        norms = np.sqrt(np.maximum(squares[offsets[1:]] - squares[offsets[:-1]], 0.0))
        return cls(offsets, ids, words, idf, norms)

    def row_ids(self) -> NDArray[np.int32]:
        """Return the value of each entry of `ids`."""
        return np.repeat(np.arange(len(self.norms), dtype=np.int32), np.diff(self.offsets))

    def cosines(self, a: NDArray[np.int32], b: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the cosine of each pair of values."""
        return bag_cosines(a, b, self.offsets, self.ids, self.idf, self.norms)

    def soft_cosines(self, a: NDArray[np.int32], b: NDArray[np.int32], alike: "Alike") -> NDArray[np.float32]:
        """Return the soft cosine of each pair of values."""
        return soft_cosines(
            a, b, self.offsets, self.ids, self.idf, self.norms, alike.offsets, alike.ids, alike.similarity
        )


@dataclass(frozen=True, eq=False)
class Alike:
    """Words that are alike, both ways: for each word the others (ascending) and how alike they are (0 to 1)."""

    offsets: NDArray[np.int64]
    ids: NDArray[np.int32]
    similarity: NDArray[np.float32]

    @classmethod
    def build(
        cls, n_words: int, a: NDArray[np.int64], b: NDArray[np.int64], similarity: NDArray[np.float32]
    ) -> "Alike":
        """Make it from pairs of different words; of a pair given twice the most alike counts."""
        first, second = np.concatenate([a, b]), np.concatenate([b, a])
        value = np.concatenate([similarity, similarity]).astype(np.float32)
        order = np.lexsort((-value, second, first))
        first, second, value = first[order], second[order], value[order]
        new = np.ones(len(first), np.bool_)
        new[1:] = (first[1:] != first[:-1]) | (second[1:] != second[:-1])
        offsets = np.zeros(n_words + 1, np.int64)
        np.cumsum(np.bincount(first[new], minlength=n_words), out=offsets[1:])
        return cls(offsets, second[new].astype(np.int32), value[new])


def no_alike(n_words: int) -> Alike:
    """Return the relation in which no two words are alike."""
    none = np.empty(0, np.int64)
    return Alike.build(n_words, none, none, np.empty(0, np.float32))


def slips(words: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """Return the pairs of words one slip apart (a letter missing, extra, wrong or swapped with the next).

    Two such words become the same by deleting at most one letter from each; that finds them, comparing them confirms.
    Words of fewer than four letters are too short to say, numbers mean something else when a digit differs.
    """
    texts = Texts(words)
    chosen = _worth_slips(words, texts)
    if len(chosen) < 2:
        nothing = np.empty(0, np.int64)
        return nothing, nothing, np.empty(0, np.float32)
    if len(chosen) <= _SO_FEW:  # all with all
        one, other = np.triu_indices(len(chosen), 1)
        a, b = chosen[one], chosen[other]
    else:
        hashes, rows = deletion_hashes(texts.letters, texts.offsets, chosen)
        a, b = sharing(hashes, rows, hot=_HOT)
    near = texts.slips(a.astype(np.int32), b.astype(np.int32)) == 1
    a, b = a[near], b[near]
    longest = np.maximum(texts.lengths[a], texts.lengths[b])
    return a, b, (1 - 1 / np.maximum(longest, 1)).astype(np.float32)


def _worth_slips(words: Sequence[str], texts: Texts) -> NDArray[np.int64]:
    """Return the words of letters alone, neither too short nor too long."""
    found = (texts.lengths >= _SHORTEST) & (texts.lengths <= _LONGEST) & letters_alone(texts.letters, texts.offsets)
    foreign = np.flatnonzero(found & (texts.lengths != np.diff(bytes_of(words)[1])))
    found[foreign] = [words[i].isalpha() for i in foreign.tolist()]
    return np.flatnonzero(found)


def sharing(
    keys: NDArray[np.uint64] | NDArray[np.int32], rows: NDArray[np.int64], *, hot: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of rows with a common key, each once, leaving out keys of more than `hot` rows."""
    order = np.argsort(keys)  # all rows of a key are paired, in whatever order
    keys, rows = keys[order], rows[order]
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    sizes = np.diff(np.append(starts, len(keys)))
    keep = (sizes > 1) & (sizes <= hot)
    pairs = []
    for step in range(1, int(sizes[keep].max(initial=1))):
        here = np.concatenate([[0], np.cumsum(np.maximum(sizes[keep] - step, 0))])
        at = np.repeat(starts[keep], np.maximum(sizes[keep] - step, 0))
        at = at + np.arange(here[-1]) - np.repeat(here[:-1], np.maximum(sizes[keep] - step, 0))
        first, second = rows[at], rows[at + step]
        differ = first != second
        pairs.append(np.minimum(first, second)[differ] * (1 << 32) + np.maximum(first, second)[differ])
    found = distinct(np.concatenate(pairs)) if pairs else np.empty(0, np.int64)
    return found >> 32, found & ((1 << 32) - 1)


def alike_words(
    words: Sequence[str],
    *more: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]],
    n_words: int | None = None,
) -> Alike:
    """Return the words one slip apart, with further pairs of alike words (nicknames, abbreviations).

    `n_words`: how many words there are, if these are only the first of them.
    """
    found = [slips(words), *more]
    a, b, similarity = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return Alike.build(len(words) if n_words is None else n_words, a, b, similarity)


def cut(similarity: NDArray[np.float32], cuts: Sequence[float], first: int = 1) -> NDArray[np.int8]:
    """Return `first` where the similarity reaches the first cut, `first + 1` where the second, and so on."""
    ascending = np.array(cuts[::-1], np.float32)
    reached = np.searchsorted(ascending, similarity, side="right")
    return (first + len(cuts) - reached).astype(np.int8)


def cosine_names(cuts: Sequence[float]) -> tuple[str, ...]:
    """Return the names of levels cut from a similarity, between `equal` and `different`."""
    return ("equal", *(f"≥ {bound:.2f}" for bound in cuts), "different")
