"""Names with the frequencies of real ones: Faker's lists, nicknames, and an invented tail.

The lists are Faker's, with its census weights where it has them. Unweighted lists get Zipf's law, in their own order
unless that is the alphabet's. Behind the listed names stands a tail of invented ones (`letters.py`), so that rare
surnames are as many as in life.

Faker's thousand American surnames are normalised to one: Smith has 2.17 %. In the census of 2000 it has 0.881 %, so the
thousand cover 40.6 % of the population. The tail carries the rest by Zipf's law with exponent one from rank 1,000 to
150,000, about the number of surnames that the census found a hundred times or more.
"""

import importlib
import itertools
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from nicknames import name_triplets
from numpy.typing import NDArray

from onoma.corpus.simulate.letters import LetterModel
from onoma.numerics.rng import stream

__all__ = [
    "Pool",
    "american_given",
    "american_nicknames",
    "american_surnames",
    "concatenate",
    "pool_of",
    "provider",
    "scrambled",
    "with_tail",
]

LISTED_SHARE = 0.406
N_SURNAMES = 150_000
BLENDED = ("en_IE", "en_GB", "de_DE", "it_IT", "es_ES", "pl_PL", "nl_NL", "en_IN", "hr_HR", "sv_SE", "fr_FR", "en_NZ")


@dataclass(frozen=True, eq=False)
class Pool:
    """Strings and how often each is drawn."""

    values: pa.Array
    weights: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.values)

    def draw(self, rng: np.random.Generator, n: int) -> NDArray[np.int32]:
        """Return the positions of n draws."""
        cumulative = np.cumsum(self.weights)
        picks = np.searchsorted(cumulative[:-1], rng.random(n) * cumulative[-1], side="right")
        return picks.astype(np.int32)

    def tempered(self, power: float) -> "Pool":
        """Return the pool with weights raised to a power: 0 makes all alike, above 1 the frequent more frequent."""
        return self if power == 1 else Pool(self.values, self.weights**power)


def provider(kind: str, locale: str) -> type[Any]:
    """Return one of Faker's providers: a class whose attributes are its lists."""
    found: type[Any] = importlib.import_module(f"faker.providers.{kind}.{locale}").Provider
    return found


def scrambled(words: Sequence[str]) -> list[str]:
    """Return the words in an order that has nothing to do with the alphabet, always the same."""
    return sorted(words, key=lambda word: (zlib.crc32(word.encode()), word))


def pool_of(listed: Mapping[str, float] | Sequence[str], *, exponent: float = 0.8) -> Pool:
    """Return a pool of a list: its own weights, or Zipf's law where it has none. Entries with odd signs are dropped."""
    words = [word for word in dict.fromkeys(listed) if all(sign.isalpha() or sign in " -'’." for sign in word)]
    if isinstance(listed, Mapping):
        return Pool(pa.array(words), np.array([listed[word] for word in words], dtype=np.float64))
    in_order = sum(a <= b for a, b in itertools.pairwise(words))
    if in_order > 0.65 * len(words):
        words = scrambled(words)
    return Pool(pa.array(words), np.arange(1.0, len(words) + 1) ** -exponent)


def concatenate(pools: Sequence[Pool], shares: Sequence[float]) -> Pool:
    """Return one pool in which each of the given ones has its share."""
    values = pa.concat_arrays([pool.values for pool in pools])
    weights = [pool.weights / pool.weights.sum() * share for pool, share in zip(pools, shares, strict=True)]
    return Pool(values, np.concatenate(weights))


def with_tail(listed: Pool, *, share: float, n: int, key: str) -> Pool:
    """Return a pool in which invented names like the listed ones take a share of all draws, by Zipf's law."""
    words = listed.values.to_pylist()
    invented = LetterModel.of(words).invent(stream(0, "names", key), n, known=words)
    tail = Pool(pc.utf8_capitalize(invented), 1.0 / (len(words) + np.arange(1.0, len(invented) + 1)))
    return concatenate([listed, tail], [1 - share, share])


@cache
def american_surnames() -> Pool:
    """Return the surnames of the United States: Faker's thousand, those of other countries, invented ones."""
    listed = pool_of(provider("person", "en_US").last_names)
    known = set(listed.values.to_pylist())
    others = {name for locale in BLENDED for name in _surnames(locale) if name.isascii() and name.isalpha()}
    blended = scrambled(sorted(others - known))
    words = [*listed.values.to_pylist(), *blended]
    n = N_SURNAMES - len(words)
    invented = LetterModel.of(words).invent(stream(0, "names", "american"), n, known=words)
    values = pa.concat_arrays([pa.array(blended), pc.utf8_capitalize(invented)])
    tail = Pool(values, 1.0 / (len(listed) + np.arange(1.0, len(values) + 1)))
    return concatenate([listed, tail], [LISTED_SHARE, 1 - LISTED_SHARE])


@cache
def american_given() -> tuple[Pool, int]:
    """Return given names, women's first, and how many of them are women's: nine tenths by census, a listed tail."""
    halves = []
    for kind in ("first_names_female", "first_names_male"):
        weighted = pool_of(getattr(provider("person", "en_US"), kind))
        known = set(weighted.values.to_pylist())
        rare = pool_of(
            [name for name in getattr(provider("person", "en"), kind) if name not in known and name.isalpha()]
        )
        halves.append(concatenate([weighted, rare], [0.9, 0.1]))
    return concatenate(halves, [0.5, 0.5]), len(halves[0])


@cache
def american_nicknames() -> tuple[pa.Array, NDArray[np.int32]]:
    """Return `nicknames_of` the names of `american_given`."""
    return nicknames_of(american_given()[0].values)


def nicknames_of(names: pa.Array) -> tuple[pa.Array, NDArray[np.int32]]:
    """Return nicknames (capitalised), and for each name the position of the one it goes by, or -1.

    Where a name has several, the name itself decides: a fixed choice that looks arbitrary.
    """
    forms: dict[str, list[str]] = {}
    for triplet in name_triplets():
        if triplet.relationship == "has_nickname" and triplet.name2.isalpha():
            forms.setdefault(triplet.name1, []).append(triplet.name2)
    chosen = [_one_of(name, forms.get(name.lower(), [])) for name in names.to_pylist()]
    encoded = pc.dictionary_encode(pa.array(chosen, pa.string()))
    codes = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False).astype(np.int32)
    return pc.utf8_capitalize(encoded.dictionary), codes


def _one_of(name: str, forms: list[str]) -> str | None:
    # The shortest three: "Bill, Will, Willy" rather than "Bela".
    short = sorted(set(forms), key=lambda form: (len(form), form))[:3]
    return short[zlib.crc32(name.encode()) % len(short)] if short else None


def _surnames(locale: str) -> Sequence[str]:
    person = provider("person", locale)
    listed = getattr(person, "unisex_last_names", None) or person.last_names
    return list(listed)
