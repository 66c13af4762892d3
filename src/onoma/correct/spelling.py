"""Misspellings: which words are none, and which words they may stand for.

A word is known where an open lexicon or native text has it often enough. For an unknown one, words at one or two
strokes (optimal string alignment: a letter put, left out, changed, or two swapped) are candidates, nearest and most
frequent first, and two words written as one. Words that native text always writes with a capital, or never, are
known with it.

Cost: a new word is compared with the words of its length and first letters: about a millisecond, remembered.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

from onoma.correct.words import fold
from onoma.errors import DataError
from onoma.learning.packing import joined, load_arrays, parted, save_arrays

__all__ = ["Speller", "is_doubled", "load_speller", "make_speller", "save_speller"]

_KIND = "correct/words"
_MOST = 5
_LEAST_LETTERS = 3
_COMMON = 30
"""A joined or split word must be used as often as this to be offered."""
_SHORT = 5
"""Words of fewer letters are not two strokes from anything."""
_SEEN, _SEEN_CAPITAL = 5, 8
"""A word that no dictionary has is known where native text has it so often: of 435 such words that look like a frequent
one, none of 100 that we read is a slip (*terroir*, *surjective*, *inflaton*), and slips as frequent as *recieve* and
*goverment* are seen less often in 24 M words. How a word is capitalised is known from its eighth time on."""
_OFTEN = 60
"""A word that no dictionary has must be as frequent as this to be what a misspelling stands for."""
_ALWAYS, _SMALL = 0.97, 0.95
_TAKES_LY = ("al", "ive", "ous", "ful", "less", "ing", "ed", "ish")
"""Endings of adjectives that take *-ly* without a change of letters (those in *-ic* take *-ally*): *cognitively*."""
_PREFIXES = (
    "re", "un", "non", "pre", "over", "under", "anti", "multi", "micro", "super", "sub", "inter", "cyber", "hyper",
    "bio", "geo", "tele", "auto", "semi", "post", "pseudo", "neuro",
)  # fmt: skip
_SUFFIXES = ("able", "less", "like", "wise", "ness")
_PARTS = frozenset(
    (*_PREFIXES, *_SUFFIXES, "de", "co", "ex", "ing", "ed", "er", "al", "ly", "ment", "ful", "ism", "ist", "ish")
)
"""What is part of a word rather than one of two that were written as one: *view-able*, *de-duplicate*."""
_DOUBLED, _VOWELS = re.compile(r"(.)\1+"), re.compile("[aeiou]")
_LONG_STEM = 5
"""Letters that a word with a prefix must have behind it: *un-till* and *pre-form* are slips."""


@dataclass
class Speller:
    """Known words with their counts in native text, and how they are written.

    Parameters
    ----------
    counts
        Known words in small letters, and how often native text uses each.
    capitals
        Words that are written with capitals, and how.
    small
        Words that are hardly ever written with one within a sentence.
    rare
        Words that only native text has, and seldom: known, but offered to nobody.
    """

    counts: Mapping[str, int]
    capitals: Mapping[str, str]
    small: frozenset[str] = frozenset()
    rare: frozenset[str] = frozenset()
    _memory: dict[str, Sequence[tuple[str, float]]] = field(default_factory=dict, repr=False)

    def knows(self, word: str) -> bool:
        """Return whether a word is no misspelling."""
        return (
            word in self.counts
            or not word.isalpha()
            or len(word) < _LEAST_LETTERS
            or not word.isascii()
            or self._is_derived(word)
        )  # fmt: skip

    def _is_derived(self, word: str) -> bool:
        """Return whether a word is a known one with a beginning or an ending that any such word may take."""
        if word.endswith("ically") and word[:-4] in self.counts:
            return True
        if word.endswith("ly") and word[:-2].endswith(_TAKES_LY) and word[:-2] in self.counts:
            return True
        ending = next((each for each in _SUFFIXES if word.endswith(each)), "")
        stem = word[: -len(ending)] if ending else ""
        if len(stem) >= _LEAST_LETTERS and stem[-1] != "y" and self.is_common(stem):
            return True
        return any(
            word.startswith(prefix) and len(word) - len(prefix) >= _LONG_STEM and self.is_common(word[len(prefix) :])
            for prefix in _PREFIXES
        )

    def cased(self, word: str) -> str:
        """Return how a word is written where it is always written with capitals, else nothing."""
        return self.capitals.get(word, "")

    def is_small(self, word: str) -> bool:
        """Return whether a word is hardly ever written with a capital within a sentence."""
        return word in self.small

    def is_common(self, word: str) -> bool:
        """Return whether native text uses a word often."""
        return self.counts.get(word, 0) >= _COMMON

    def corrections(self, word: str) -> Sequence[tuple[str, float]]:
        """Return what a misspelling may stand for, with a nearness: log frequency less strokes."""
        known = self._memory.get(word)
        if known is None:
            known = self._memory[word] = self._find(word)
        return known

    @cached_property
    def _by_start(self) -> Mapping[tuple[str, int], list[str]]:
        found: dict[tuple[str, int], list[str]] = defaultdict(list)
        for word in self.counts:
            if word.isalpha() and word not in self.rare:
                found[word[0], len(word)].append(word)
        return found

    def _find(self, word: str) -> Sequence[tuple[str, float]]:
        strokes = 1 if len(word) < _SHORT else 2
        near: dict[str, int] = {}
        starts = {word[0], word[1]} if len(word) > 1 else {word[0]}
        for first in starts:
            for length in range(len(word) - strokes, len(word) + strokes + 1):
                pool = self._by_start.get((first, length), ())
                for other, distance, _ in extract(word, pool, scorer=OSA.distance, score_cutoff=strokes, limit=20):
                    near[other] = int(distance)
        found = [
            (other, self._nearness(other, strokes) + _ease(word, other) - 0.5 * (other[0] != word[0]))
            for other, strokes in near.items()
        ]
        found += self._halves(word)
        return tuple(sorted(found, key=lambda pair: (-pair[1], pair[0]))[:_MOST])

    def _nearness(self, word: str, strokes: int) -> float:
        return math.log10(self.counts[word] + 1) / 2 - 1.5 * strokes

    def _halves(self, word: str) -> list[tuple[str, float]]:
        cuts = ((word[:k], word[k:]) for k in range(1, len(word)))
        good = [
            (f"{a} {b}", math.log10(1 + min(self.counts[a], self.counts[b])) / 2 - 2.0)
            for a, b in cuts
            if self.is_common(a) and self.is_common(b) and (len(a) > 1 or a == "a") and len(b) > 1
            if a not in _PARTS and b not in _PARTS
        ]
        return sorted(good, key=lambda pair: -pair[1])[:1]


def is_doubled(word: str, other: str) -> bool:
    """Return whether two words differ in letters that are doubled or not, and in nothing else.

    Examples
    --------
    >>> is_doubled("usefull", "useful"), is_doubled("usefull", "usefully")
    (True, False)
    """
    return _DOUBLED.sub(r"\1", word) == _DOUBLED.sub(r"\1", other)


def _ease(word: str, other: str) -> float:
    """Return how much likelier a slip is than most: letters doubled, swapped or left out, vowels mistaken.

    Of 429 unknown words in development essays, 300 have their correction among those found; it comes first for 257
    without this and for 268 with it (other weights: 266 to 271).

    Examples
    --------
    >>> _ease("carefull", "careful"), _ease("carefull", "carefully"), _ease("becase", "became")
    (0.5, 0.0, -0.5)
    """
    mine, theirs = (_DOUBLED.sub(r"\1", each) for each in (word, other))
    is_near = _VOWELS.sub("", mine) == _VOWELS.sub("", theirs) or sorted(word) == sorted(other)
    ease = 1.0 if mine == theirs else 0.5 * is_near
    return ease + 0.5 * (len(other) > len(word)) - 0.5


def make_speller(sentences: Iterable[Sequence[str]], dictionary: Iterable[str]) -> Speller:
    """Learn known words and how they are written.

    Parameters
    ----------
    sentences
        Native text, tokenised, as written.
    dictionary
        Words that are known however rare they are in native text.
    """
    counts: Counter[str] = Counter()
    inner: Counter[str] = Counter()
    for words in sentences:
        counts.update(words[:1])
        inner.update(words[1:])
    total: Counter[str] = Counter()
    written: dict[str, Counter[str]] = defaultdict(Counter)
    for source, is_inner in ((counts, False), (inner, True)):
        for word, n in source.items():
            small = fold(word)
            total[small] += n
            if is_inner:
                written[small][word] += n
    listed = dict.fromkeys(fold(word) for word in dictionary)  # in order: the stored file must not depend on hashes
    known = {word: n for word, n in total.items() if word in listed or _is_known(word, n)}
    known |= {word: 0 for word in listed if word not in known and word.isalpha()}
    capitals, small_ones = {}, []
    for word in known:
        best, share = _usual(written.get(word, Counter()))
        if not word.isalpha() or not best:
            continue
        if share >= _ALWAYS and best != word and sum(written[word].values()) >= _SEEN_CAPITAL:
            capitals[word] = best
        elif written[word][word] >= _SMALL * sum(written[word].values()):
            small_ones.append(word)
    capitals["i"] = "I"
    rare = frozenset(word for word, n in known.items() if n < _OFTEN and word not in listed)
    return Speller(known, capitals, frozenset(small_ones), rare)


def _is_known(word: str, n: int) -> bool:
    return n >= _SEEN and any(c.isalpha() for c in word)


def _usual(written: Counter[str]) -> tuple[str, float]:
    if not written:
        return "", 0.0
    ((best, n),) = written.most_common(1)
    return best, n / written.total()


_ANYHOW, _IN_SMALL, _WITH_CAPITALS, _RARE = 0, 1, 2, 4
"""How a word is written, and (added) that it is rare."""


def save_speller(speller: Speller, path: str | Path) -> None:
    """Write a speller: words, counts, and how each is written."""
    capitals = [word for word in speller.counts if word in speller.capitals]
    how = [
        (_WITH_CAPITALS if word in speller.capitals else _IN_SMALL if word in speller.small else _ANYHOW)
        + _RARE * (word in speller.rare)
        for word in speller.counts
    ]
    arrays: dict[str, NDArray[Any]] = {
        "words": joined(speller.counts),
        "counts": np.array(list(speller.counts.values()), np.uint32),
        "how": np.array(how, np.uint8),
        "capitals": joined(speller.capitals[word] for word in capitals),
    }
    save_arrays(path, _KIND, {}, arrays)


def load_speller(path: str | Path) -> Speller:
    """Read a speller."""
    _, arrays = load_arrays(path, _KIND)
    words, capitals = parted(arrays["words"]), parted(arrays["capitals"])
    how, is_rare = arrays["how"] % _RARE, arrays["how"] >= _RARE
    written = list(compress(words, (how == _WITH_CAPITALS).tolist()))
    if not len(words) == len(how) == len(arrays["counts"]) or len(written) != len(capitals):
        raise DataError("is damaged: its words and counts do not fit together", file=path)
    small = frozenset(compress(words, (how == _IN_SMALL).tolist()))
    rare = frozenset(compress(words, is_rare.tolist()))
    counts = dict(zip(words, arrays["counts"].tolist(), strict=True))
    return Speller(counts, dict(zip(written, capitals, strict=True)), small, rare)
