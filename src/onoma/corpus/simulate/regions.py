"""The names of the world's authors: regions with their own given names and surnames, in Latin letters.

Chinese and Korean surnames are few and Faker lists them in their own script. Chinese ones come from its romanised list,
the ten most frequent at their own weights. Korean is romanised here as Unicode names its syllables, except for the four
surnames that nobody spells that way. Given names of both are pairs of syllables.
"""

import unicodedata
from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.corpus.simulate.names import (
    Pool,
    american_given,
    american_nicknames,
    american_surnames,
    pool_of,
    provider,
    with_tail,
)

__all__ = ["Region", "WorldNames", "world_names"]

SHARES = {
    "american": 0.30,
    "chinese": 0.19,
    "indian": 0.08,
    "german": 0.08,
    "italian": 0.06,
    "spanish": 0.06,
    "french": 0.06,
    "japanese": 0.05,
    "korean": 0.03,
    "dutch": 0.03,
    "swedish": 0.02,
    "portuguese": 0.02,
    "turkish": 0.01,
    "finnish": 0.01,
}
"""Roughly the mix of an international bibliography; the sum is one."""

LOCALES = {
    "indian": ("en_IN", 3_000),
    "german": ("de_DE", 12_000),
    "italian": ("it_IT", 12_000),
    "spanish": ("es_CL", 4_000),
    "french": ("fr_FR", 12_000),
    "dutch": ("nl_NL", 8_000),
    "swedish": ("sv_SE", 5_000),
    "portuguese": ("pt_BR", 2_000),
    "turkish": ("tr_TR", 3_000),
    "finnish": ("fi_FI", 5_000),
}
"""Faker's locale, and how many invented surnames stand behind its list."""

TEN_HAN = {
    "王": "Wang",
    "李": "Li",
    "张": "Zhang",
    "刘": "Liu",
    "陈": "Chen",
    "杨": "Yang",
    "黄": "Huang",
    "吴": "Wu",
    "赵": "Zhao",
    "周": "Zhou",
}
AS_SPELT = {"김": "Kim", "이": "Lee", "박": "Park", "최": "Choi"}


@dataclass(frozen=True, eq=False)
class Region:
    """Surnames and given names that go together."""

    name: str
    share: float
    surnames: Pool
    given: Pool


@dataclass(frozen=True, eq=False)
class WorldNames:
    """All regions in one numbering: a code names a string wherever it comes from."""

    regions: tuple[Region, ...]
    surnames: pa.Array
    given: pa.Array
    nicknames: pa.Array
    nickname_of: NDArray[np.int32]

    def draw(
        self, rng: np.random.Generator, region: NDArray[np.integer], *, power: float
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """Return surname, given and middle name of one person for each region code given."""
        surname, given, middle = (np.empty(len(region), dtype=np.int32) for _ in range(3))
        surnames_before = given_before = 0
        for code, place in enumerate(self.regions):
            here = np.flatnonzero(region == code)
            surname[here] = place.surnames.tempered(power).draw(rng, len(here)) + surnames_before
            given[here] = place.given.tempered(power).draw(rng, len(here)) + given_before
            middle[here] = place.given.tempered(power).draw(rng, len(here)) + given_before
            surnames_before += len(place.surnames)
            given_before += len(place.given)
        return surname, given, middle


@cache
def world_names() -> WorldNames:
    """Build all regions (about a second, once)."""
    regions = tuple(Region(name, share, *_pools(name)) for name, share in SHARES.items())
    given = pa.concat_arrays([region.given.values for region in regions])
    surnames = pa.concat_arrays([region.surnames.values for region in regions])
    # Nicknames are English; elsewhere "Maria" is not "Mary".
    forms, codes = american_nicknames()
    everywhere = np.full(len(given), -1, dtype=np.int32)
    everywhere[: len(codes)] = codes
    return WorldNames(regions, surnames, given, forms, everywhere)


def _pools(name: str) -> tuple[Pool, Pool]:
    if name == "american":
        return american_surnames(), american_given()[0]
    if name == "chinese":
        return _chinese()
    if name == "korean":
        return _korean()
    if name == "japanese":
        person = provider("person", "ja_JP")
        listed = pool_of(person.last_romanized_names)
        given = pool_of(person.first_romanized_names)
        surnames = with_tail(listed, share=0.7, n=4_000, key="japanese surnames")
        return surnames, with_tail(given, share=0.6, n=800, key="japanese given")
    locale, n_invented = LOCALES[name]
    person = provider("person", locale)
    women, men = (pool_of(getattr(person, f"first_names_{kind}")) for kind in ("female", "male"))
    given = Pool(pa.concat_arrays([women.values, men.values]), np.concatenate([women.weights, men.weights]))
    listed = pool_of(person.last_names)
    return with_tail(listed, share=0.5, n=n_invented, key=name), given


def _chinese() -> tuple[Pool, Pool]:
    person = provider("person", "zh_CN")
    weights = dict(person.last_names)
    romanised = list(person.last_romanized_names)
    top = {TEN_HAN[han]: weights[han] for han in TEN_HAN}
    rest = pool_of([name for name in romanised if name not in top]).values.to_pylist()
    profile = sorted((weight for han, weight in weights.items() if han not in TEN_HAN), reverse=True)
    surnames = pool_of(top | dict(zip(rest, profile, strict=False)))
    listed = list(person.first_romanized_names)
    syllables = pool_of([name for name in dict.fromkeys([*listed, *romanised]) if len(name) <= 5])
    return surnames, _syllable_pairs(syllables, syllables, alone=0.3)


def _korean() -> tuple[Pool, Pool]:
    person = provider("person", "ko_KR")
    weights: dict[str, float] = {}
    for hangul, weight in person.last_names.items():
        name = AS_SPELT.get(hangul, _romanised(hangul))
        weights[name] = weights.get(name, 0.0) + weight
    given = [name for name in person.first_names if len(name) == 2]
    first, second = (pool_of([_romanised(name[i]) for name in given]) for i in (0, 1))
    return pool_of(weights), _syllable_pairs(first, second, alone=0.0)


def _syllable_pairs(first: Pool, second: Pool, *, alone: float) -> Pool:
    """Return `Xiao-Ming` for each pair of syllables, and a share of single ones."""
    a, b = np.divmod(np.arange(len(first) * len(second)), len(second))
    pairs = pc.binary_join_element_wise(first.values.take(pa.array(a)), second.values.take(pa.array(b)), "-")
    weights = first.weights[a] * second.weights[b]
    if not alone:
        return Pool(pairs, weights)
    single = first.weights / first.weights.sum() * alone / (1 - alone) * weights.sum()
    return Pool(pa.concat_arrays([first.values, pairs]), np.concatenate([single, weights]))


def _romanised(hangul: str) -> str:
    """Return a Hangul word in Latin letters: every syllable has its sound in its Unicode name."""
    return "".join(unicodedata.name(block).removeprefix("HANGUL SYLLABLE ") for block in hangul).capitalize()
