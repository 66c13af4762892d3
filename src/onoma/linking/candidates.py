"""Candidates for a name: entries with that alias, one written a little differently, a part of it, or its initials.

Names are looked up by level, the surest first: as written (5), folded (case, accents and punctuation aside: 4), bare
(titles before a name, genitives' endings and old spellings aside: 3), words of one inside the other (2), initials (1),
and letters alike (0: trigrams, then the ratio of equal letters). The index holds numbers, not objects: hashes of folded
names and words, and trigrams in buckets.

Old print and its scans are met half-way: a word that was broken at the end of a line is made whole; "M. Gladstone" is
Gladstone, "Bismarcks" Bismarck and "Oesterreich" Österreich.
"""

import re
import unicodedata
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from onoma.linking._index_kernels import share_trigrams
from onoma.linking.entities import EntityList

__all__ = ["BARE", "EXACT", "FOLDED", "FUZZY", "INITIALS", "PARTIAL", "AliasIndex", "Candidates", "fold"]

FUZZY, INITIALS, PARTIAL, BARE, FOLDED, EXACT = range(6)
"""How a name was found."""
_BUCKETS = 1 << 16
_PLAIN = re.compile(r"[^\w]+")
_BROKEN = re.compile(r"[\u00ac\u00ad]\s*")
"""How scans mark a word that goes on in the next line."""
_FEW = 50
"""Aliases that a word may have to bring candidates: "the", "city" and "John" bring none."""
_LONG = 5
"""Letters of a word that is looked up by itself when the scan may have spoilt it, or without a genitive's s."""
_OF_LAST = 0.6
"""What the likeness of the last word is worth, where the words before it are titles or first names."""
_OF_BARE = 0.95
"""The likeness of names that are equal when bare."""
_BEFORE = frozenset((
    "mr", "mrs", "ms", "miss", "dr", "prof", "sir", "lord", "lady", "king", "queen", "prince", "princess", "emperor",
    "count", "earl", "duke", "baron", "general", "marshal", "colonel", "captain", "major", "president", "senator",
    "minister", "chancellor", "governor", "judge", "bishop", "pope", "saint", "the", "m", "mm", "mme", "mlle",
    "monsieur", "madame", "mademoiselle", "messieurs", "abbe", "roi", "reine", "empereur", "imperatrice", "comte",
    "comtesse", "duc", "duchesse", "marquis", "baronne", "marechal", "amiral", "capitaine", "commandant", "ministre",
    "chancelier", "depute", "docteur", "professeur", "le", "la", "les", "l", "du", "de", "d", "herr", "herrn", "hr",
    "hrn", "frau", "fraulein", "konig", "konigin", "konigs", "kaiser", "kaisers", "kaiserin", "prinz", "prinzen",
    "prinzessin", "furst", "fursten", "graf", "grafen", "grafin", "herzog", "freiherr", "freiherrn", "marschall",
    "oberst", "hauptmann", "prasident", "prasidenten", "ministerprasident", "bundesrat", "bundesrath", "reichskanzler",
    "kanzler", "professor", "doktor", "papst", "der", "die", "das", "den", "dem", "des", "von", "v", "kung", "konung",
    "drottning", "furste", "greve", "friherre", "herra", "rouva", "keisari", "kuningas",
))  # fmt: skip
"""Titles, offices and articles that stand before names in English, French, German, Swedish and Finnish, folded."""
_SPELT = re.compile(r"(?<=[aou])e(?=[^aeiou])|(?<=t)h")
"""What older spelling writes and newer does not: Oesterreich, Rath."""


@lru_cache(maxsize=1 << 16)
def fold(name: str) -> str:
    """Return a name without case, accents and punctuation.

    Examples
    --------
    >>> fold("São-Paulo's  F.C.")
    'sao paulo s f c'
    >>> fold("Deutsch¬ land")
    'deutschland'
    """
    if not name.isascii():
        name = unicodedata.normalize("NFKD", _BROKEN.sub("", name))
        name = "".join(each for each in name if not unicodedata.combining(each))
    return _PLAIN.sub(" ", name.casefold()).strip()


@lru_cache(maxsize=1 << 16)
def _bare(folded: str) -> str:
    """Return a folded name without titles before it, endings (-s, -es, -e) and old spellings; no name is nothing.

    Examples
    --------
    >>> _bare("m gladstone"), _bare("general de gaulle"), _bare("bismarcks"), _bare("oesterreich")
    ('gladston', 'gaull', 'bismarck', 'osterreich')
    """
    words = folded.split()
    while len(words) > 1 and words[0] in _BEFORE:
        words = words[1:]
    return _SPELT.sub("", " ".join(_ending(word) for word in words))


def _ending(word: str) -> str:
    """Return a word without the ending of a genitive, or an e that one language has and another has not (Irlande)."""
    if len(word) > _LONG and word.endswith("es"):
        return word[:-2]
    return word[:-1] if len(word) >= _LONG and word[-1] in "es" else word


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidates of some names: those of name i are rows `offsets[i]:offsets[i + 1]`, best first."""

    offsets: NDArray[np.int64]
    entries: NDArray[np.int32]
    levels: NDArray[np.int8]
    likeness: NDArray[np.float32]
    """Of the name and the alias, up to 1."""
    priors: NDArray[np.float32]
    """The share of the alias that means the entry."""
    weights: NDArray[np.float32]
    """The alias' weight in all."""

    def of(self, i: int) -> slice:
        """Return the rows of a name."""
        return slice(int(self.offsets[i]), int(self.offsets[i + 1]))


class AliasIndex:
    """Finds candidates.

    Examples
    --------
    >>> entities = EntityList.build([("Ada Lovelace", "Q7259", 5), ("Ada County", "Q1", 1), ("Ada", "Q2", 1)])
    >>> index = AliasIndex(entities)
    >>> found = index.find(["ADA LOVELACE", "Lovelace", "Ada Lovelacc", "AL"])
    >>> [entities.entries[found.entries[found.offsets[i]]] for i in range(4)]
    ['Q7259', 'Q7259', 'Q7259', 'Q7259']
    """

    def __init__(self, entities: EntityList) -> None:
        self.entities = entities
        folded = [fold(alias) for alias in entities.aliases]
        everyone = range(len(folded))
        self._folded = _Postings([(_hash(name), at) for at, name in zip(everyone, folded, strict=True) if name])
        self._bare = _Postings([(_hash(_bare(name)), at) for at, name in zip(everyone, folded, strict=True) if name])
        self._words = _Postings([(_hash(word), at) for at, name in enumerate(folded) for word in set(name.split())])
        self._initials = _Postings([(_hash(short), at) for at, name in enumerate(folded) if (short := _initials(name))])
        grams = [_trigrams(name) for name in folded]
        self._lengths = np.array([len(each) for each in grams], np.int32)
        owner = np.repeat(np.arange(len(grams), dtype=np.int32), self._lengths)
        flat = np.concatenate([np.zeros(0, np.int32), *grams])
        order = np.argsort(flat, kind="stable")
        self._postings = owner[order]
        self._offsets = np.searchsorted(flat[order], np.arange(_BUCKETS + 1)).astype(np.int64)
        self._counts = np.zeros(len(grams), np.int32)
        self._totals = np.add.reduceat(entities.weights, entities.offsets[:-1]) if len(grams) else np.zeros(0)

    @cached_property
    def nbytes(self) -> int:
        """Bytes of the index, without the names themselves."""
        arrays = (self._lengths, self._postings, self._offsets, self._counts, self._totals)
        return sum(each.nbytes for each in arrays) + sum(
            each.keys.nbytes + each.items.nbytes for each in (self._folded, self._bare, self._words, self._initials)
        )

    def find(
        self, names: Sequence[str], *, most: int = 10, least: float = 0.75, fuzzy: bool = True, beside: bool = False
    ) -> Candidates:
        """Return the candidates of names.

        Parameters
        ----------
        most
            Candidates for each name, at most.
        least
            How alike letters have to be.
        fuzzy
            Whether names that have no alias as they are written are looked up by words, initials and letters.
        beside
            Whether all others are, too: a name that is listed for one thing may be a shorter or foreign one of another.
        """
        rows: list[tuple[list[tuple[int, int, float, float, float]], int]] = []
        known: dict[str, list[tuple[int, int, float, float, float]]] = {}
        for name in names:
            if name not in known:
                known[name] = self._ranked(self._aliases(name, least=least, fuzzy=fuzzy, beside=beside), most)
            rows.append((known[name], len(known[name])))
        flat = [row for some, _ in rows for row in some]
        columns = list(zip(*flat, strict=True)) if flat else [(), (), (), (), ()]
        kinds = (np.int32, np.int8, np.float32, np.float32, np.float32)
        arrays = [np.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
        return Candidates(np.concatenate([[0], np.cumsum([n for _, n in rows])]).astype(np.int64), *arrays)

    def _aliases(self, name: str, *, least: float, fuzzy: bool, beside: bool) -> list[tuple[int, int, float]]:
        """Return aliases like a name: number, level, likeness."""
        name = " ".join(name.split())
        plain = fold(name)
        aliases = self.entities.aliases
        found = [(at, EXACT if aliases[at] == name else FOLDED, 1.0) for at in self._folded.of(_hash(plain))]
        found = [each for each in found if fold(aliases[each[0]]) == plain]
        if not fuzzy or not plain or (found and not beside):
            return found
        words = plain.split()
        found += self._stripped(plain, {at for at, _, _ in found})
        found += self._partial(words)
        if len(words) == 1 and 2 <= len(plain) <= 6 and name.isupper():
            found += [(at, INITIALS, 0.5) for at in self._initials.of(_hash(plain))]
        elif len(words) > 1:
            found += [(at, INITIALS, 0.5) for at in self._folded.of(_hash(_initials(plain))) if aliases[at].isupper()]
            if len(words[-1]) >= _LONG:
                found += [(at, FUZZY, _OF_LAST * ratio) for at, _, ratio in self._alike(words[-1], least)]
        return found + self._alike(plain, least)

    def _stripped(self, plain: str, known: set[int]) -> list[tuple[int, int, float]]:
        """Return aliases that are this name but for titles, endings and spelling."""
        wanted = _bare(plain)
        some = [at for at in self._bare.of(_hash(wanted)) if at not in known]
        return [(at, BARE, _OF_BARE) for at in some if _bare(fold(self.entities.aliases[at])) == wanted]

    def _partial(self, words: Sequence[str]) -> list[tuple[int, int, float]]:
        """Return aliases that hold all words, or have none besides, or share a telling last word."""
        mine = {*words, *(word[:-1] for word in words if len(word) >= _LONG and word.endswith("s"))}
        lists = [(word, self._words.of(_hash(word))) for word in sorted(mine)]
        telling = {word for word, some in lists if 0 < len(some) <= _FEW}
        last = {word for word in telling if words[-1] in (word, f"{word}s") and len(word) > 3}
        found = []
        for at in sorted({at for word, some in lists if word in telling for at in some}):
            theirs = fold(self.entities.aliases[at]).split()
            shared = mine & set(theirs)
            if shared >= set(theirs) or len(shared) == len(words) or shared & last or theirs[-1] in shared & telling:
                found.append((at, PARTIAL, min(1.0, len(shared) / (len(words) + len(theirs) - len(shared)))))
        return found

    def _alike(self, plain: str, least: float) -> list[tuple[int, int, float]]:
        near, scores = np.zeros(24, np.int32), np.zeros(24, np.float32)
        grams = _trigrams(plain)
        n = share_trigrams(grams, self._offsets, self._postings, self._lengths, self._counts, near, scores, 0.34)
        ratios = ((int(at), fuzz.ratio(plain, fold(self.entities.aliases[at])) / 100.0) for at in near[:n])
        return [(at, FUZZY, ratio) for at, ratio in ratios if ratio >= least]

    def _ranked(
        self, aliases: Sequence[tuple[int, int, float]], most: int
    ) -> list[tuple[int, int, float, float, float]]:
        """Return the entries of aliases, each by its best alias: entry, level, likeness, prior, weight of the alias."""
        best: dict[int, tuple[int, int, float, float, float]] = {}
        entities = self.entities
        for alias, level, likeness in aliases:
            total = float(self._totals[alias])
            inside = slice(int(entities.offsets[alias]), int(entities.offsets[alias + 1]))
            pairs = zip(entities.targets[inside][:most].tolist(), entities.weights[inside][:most].tolist(), strict=True)
            for entry, weight in pairs:
                row = (entry, level, likeness, weight / total, total)
                if entry not in best or _rank(row) > _rank(best[entry]):
                    best[entry] = row
        return sorted(best.values(), key=lambda row: (*(-each for each in _rank(row)), row[0]))[:most]


def _rank(row: tuple[int, int, float, float, float]) -> tuple[float, float]:
    """Return what candidates are sorted by: names as written first, then likeness and prior together."""
    _, level, likeness, prior, weight = row
    return float(level >= BARE), likeness * prior * min(1.0, weight + 0.5)


class _Postings:
    """Numbers by hash, as two sorted arrays."""

    def __init__(self, pairs: Sequence[tuple[int, int]]) -> None:
        keys = np.array([key for key, _ in pairs], np.uint32)
        items = np.array([item for _, item in pairs], np.int32)
        order = np.lexsort((items, keys))
        self.keys, self.items = keys[order], items[order]

    def of(self, key: int) -> list[int]:
        """Return the numbers of a hash."""
        wanted = np.uint32(key)
        first = int(np.searchsorted(self.keys, wanted))
        last = int(np.searchsorted(self.keys, wanted, side="right"))
        found: list[int] = self.items[first:last].tolist()
        return found


def _hash(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def _initials(folded: str) -> str:
    words = folded.split()
    return "".join(word[0] for word in words) if len(words) > 1 else ""


def _trigrams(folded: str) -> NDArray[np.int32]:
    padded = f"  {folded} "
    grams = {_hash(padded[at : at + 3]) % _BUCKETS for at in range(len(padded) - 2)}
    return np.array(sorted(grams), np.int32)
