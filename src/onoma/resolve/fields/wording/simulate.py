"""Simulated values of each class, to learn from: names of people, organisations and places, and text, worldwide.

All material is Faker's lists (names, towns, countries, words, trades, legal forms of some sixty countries) and the few
lists below (what organisations and streets are called), put together the way such values are written. A sixth of the
values get a slip. Values of one class are drawn by country first, so that no country's writing prevails.
"""

import importlib
import pkgutil
import string
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from faker.providers.date_time import Provider as World
from faker.providers.geo import Provider as Globe
from faker.providers.person import Provider as People

from onoma.numerics.rng import stream
from onoma.resolve.fields.lexicon import ADDRESS_WORDS, LEGAL_FORMS, ORGANISATION_WORDS
from onoma.resolve.fields.wording.model import CLASSES

__all__ = ["locales", "simulate_values"]

_SLIPS = 1 / 6
_ENGLISH = 1 / 2
"""The share of values whose words are English: most tables are, and Faker's longest lists."""


def _listed(text: str) -> list[str]:
    return text.split()


_BODIES = _listed("""
    university institute college school academy department faculty laboratory center centre hospital clinic bank
    council association society federation union league foundation committee commission agency authority
    ministry office board bureau group partners holdings industries systems solutions services technologies
    international electronics motors pharmaceuticals airlines insurance press publishing publishers books
    records studios entertainment pictures brewery brewing company restaurant cafe grill bistro bar hotel inn
    museum library church club team alliance coalition network chamber trust fund school district county city
    state district court police fire consulting manufacturing trading export import textile garments foods farms
    market store stores shop supply energy power oil gas mining steel chemical chemicals construction
    engineering design research development healthcare medical center child care preschool head start elementary
    nursery universitat universite universidad universita hochschule institut klinik krankenhaus verein stiftung
    gesellschaft bundesamt ecole hopital laboratoire societe compagnie facultad hospital ministerio empresa
    azienda istituto ospedale uniwersytet politechnika fabrika sirketi sanayi ticaret
""")
_CLUBS = _listed("""
    fc cf sc ac as afc bc sv vfb vfl tsv us ud cd rcd sk fk nk hnk bk if ff kv rc ssc united city rovers town
""")
_FIELDS = _listed("""
    physics chemistry biology mathematics medicine law economics history engineering computer science psychology
    education agriculture nursing art music business statistics geology philosophy sociology public health
    technology electrical mechanical civil theoretical applied molecular
""")
_SHORT = _listed("""
    univ. u. inst. lab. natl. tech. coll. dept. acad. sch. hosp. polytechnic
""")
_OF = ("of", "for", "de", "für", "di", "of the")
_PARTS = _listed("""
    lake park beach hills heights springs valley creek island bay village grove point harbor falls ridge center
    junction mountain river wood green cross bridge ford
""")
_BEFORE = _listed("""
    north south east west new old upper lower saint san santa el la los las port fort mount great little
""")
_GOODS = _listed("""
    black white silver digital wireless portable camera battery case cable charger adapter keyboard mouse
    printer laptop notebook phone speaker headphones tv led lcd hd usb memory card drive software edition
    professional premium deluxe pack kit set replacement series edition vol version men women kids shoes shirt
    watch room suite bed king queen double view ale stout lager porter
""")
_PAPERS = _listed("""
    a the on an towards introduction analysis study method methods model models learning system systems approach
    theory using design algorithm algorithms data database networks efficient adaptive distributed parallel
    performance evaluation optimal query processing management applications proceedings journal conference
    international annual symposium workshop transactions letters review report love night story day time girl
    boy man woman life dead world song dance live remix feat blues heart king house last first great secret
    journey guide history
""")
_SEATS = _listed("""
    省 市 县 縣 府 州 区 區 镇 鎮 村 町 郡 道 廳 시 군 구 도 읍
""")
"""What a place is, in scripts in which its name ends so."""
_LANGUAGES = list(People.language_names)


class _Country:
    """Faker's lists of one country, as far as it has them."""

    def __init__(self, locale: str) -> None:
        self.given = _lists(locale, "person", "first_names")
        self.family = _lists(locale, "person", "last_names")
        self.given = self.given or _lists(locale, "person", "first_names_female", "first_names_male")
        self.family = self.family or _lists(locale, "person", "last_names_female", "last_names_male")
        self.roman = _lists(locale, "person", "first_romanized_names", "last_romanized_names")
        self.places = _lists(
            locale, "address", "cities", "city_names", "towns", "districts", "counties", "departments", "villages"
        )
        self.regions = _lists(locale, "address", "states", "regions", "provinces", "countries", "prefectures")
        self.streets = _lists(locale, "address", "street_suffixes", "street_prefixes", "street_suffixes_long")
        self.firms = _lists(locale, "company", "large_companies", "company_prefixes")
        self.forms = _lists(locale, "company", "company_suffixes", "company_types", "company_categories")
        self.words = _lists(locale, "lorem", "word_list")
        self.trades = _lists(locale, "job", "jobs")
        self.seated = any("\u3040" <= sign <= "\ud7a3" for name in self.family[:5] for sign in name)


def _lists(locale: str, kind: str, *names: str) -> list[str]:
    try:
        provider: Any = importlib.import_module(f"faker.providers.{kind}.{locale}").Provider
    except ModuleNotFoundError:
        return []
    found = [entry for name in names for entry in _flat(vars(provider).get(name, ()))]
    return list(dict.fromkeys(entry for entry in found if entry and "{" not in entry))[:3000]


def _flat(entries: object) -> list[str]:
    if not isinstance(entries, (tuple, list, dict)):
        return []
    return [entry if isinstance(entry, str) else entry[-1] for entry in entries if isinstance(entry, (str, tuple))]


@cache
def locales() -> tuple[str, ...]:
    """Return the countries with names of people, as Faker calls them."""
    package = importlib.import_module("faker.providers.person")
    found = sorted(each.name for each in pkgutil.iter_modules(package.__path__) if "_" in each.name)
    return tuple(found)


@cache
def _country(locale: str) -> _Country:
    return _Country(locale)


class _Draw:
    """Draws values; `at` is the country at hand."""

    def __init__(self, rng: np.random.Generator, known: Sequence[str]) -> None:
        self.rng = rng
        self.known = [_country(each) for each in known]
        self.english = _country("en_US")
        self.towns = [entry[2] for entry in Globe.land_coords] + [each.capital for each in World.countries]
        self.states = [each.name for each in World.countries]
        self.codes = [code for each in World.countries for code in (each.alpha_2_code, each.alpha_3_code)]
        self.streets = list(dict.fromkeys([*ADDRESS_WORDS.values(), *ADDRESS_WORDS]))[:80]
        self.legal, self.short = sorted(LEGAL_FORMS), sorted(ORGANISATION_WORDS)
        self.at = self.english

    def one(self, entries: Sequence[str], *others: Sequence[str]) -> str:
        for each in (entries, *others):
            if each:
                return str(each[int(self.rng.integers(len(each)))])
        return "x"

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def some(self, entries: Sequence[str], low: int, high: int) -> str:
        return " ".join(self.one(entries) for _ in range(int(self.rng.integers(low, high + 1))))

    def person(self) -> str:
        given, family = self.one(self.at.given, self.english.given), self.one(self.at.family, self.english.family)
        if self.at.roman and self.chance(0.5):
            given, family = self.one(self.at.roman), self.one(self.at.roman)
        dot = "." if self.chance(0.7) else ""
        middle = f"{self.one(string.ascii_uppercase)}{dot}" if self.chance(0.3) else ""
        if self.chance(0.25):
            given = f"{given[0]}{dot}"
        elif self.chance(0.15):
            middle = self.one(self.at.given, self.english.given)
        forms = (
            f"{given} {middle} {family}",
            f"{given} {family}",
            f"{family}, {given} {middle}",
            f"{family} {given}",
            family if len(given) <= 2 and given.isascii() else given,
            family,
            family,
            f"{given}{middle}{family}" if given.endswith(".") else f"{given} {family}",
        )
        # In scripts without spaces a name is one word.
        if not family.isascii() and len(family) <= 2 and len(given) <= 2:
            return family + given
        return " ".join(self.one(forms).split())

    def place(self) -> str:
        if self.at.seated and self.chance(0.7):
            return self.seat() if self.chance(0.6) else f"{self.seat()} {self.seat()}"
        town = self.one(self.at.places, self.towns) if self.chance(0.6) else self.one(self.towns)
        if self.chance(0.12):
            town = f"{self.one(self.at.family, self.english.family)} {self.one(_PARTS)}"
        elif self.chance(0.1):
            town = f"{self.one(_BEFORE)} {self.one(self.at.family, [town])}"
        region = self.one(self.at.regions, self.states) if self.chance(0.6) else self.one(self.states)
        road = self.one(self.at.family, self.english.family) if self.chance(0.6) else self.one(self.english.words)
        road = (
            f"{road} {self.one(self.streets)}" if self.chance(0.8) else f"{self.one(self.at.streets, ['rue'])} {road}"
        )
        number = str(int(self.rng.integers(1, 3000)))
        forms = (
            town,
            town,
            town,
            region,
            f"{town}, {region}",
            f"{town} {region}",
            f"{number} {road}",
            f"{road} {number}",
            road,
            road,
            f"{number} {road}, {town}",
            f"{number} {road} {town} {region}",
            f"{town}, {self.one(self.codes)}",
            self.one(self.codes),
        )
        return self.one(forms)

    def seat(self) -> str:
        """Return a place named as such: two signs and what it is."""
        signs = "".join(self.at.family + self.at.given + self.at.places)
        return self.one(signs) + self.one([self.one(signs), ""]) + self.one(_SEATS)

    def organisation(self) -> str:
        town = self.one(self.at.places, self.towns) if self.chance(0.5) else self.one(self.towns)
        family = self.one(self.at.family, self.english.family)
        word = self.one(self.english.words) if self.chance(0.5) else self.one(self.at.words, self.english.words)
        body, form = self.one(_BODIES), self.one(self.legal)
        local = self.one(self.at.forms, [form])
        firm = self.one(self.at.firms, [f"{word}{self.one(['tech', 'soft', 'corp', 'com', ''])}"])
        subject = self.some(_FIELDS, 1, 2)
        forms = (
            f"{body} of {town}",
            f"{town} {body}",
            f"{body} {self.one(_OF)} {subject}",
            f"{body} {self.one(_OF)} {subject}, {self.one(_BODIES)} of {town}",
            f"{self.one(['dept.', 'department', 'school', 'institute'])} of {subject}, {town} {self.one(_SHORT[:2])}",
            f"{self.one(_CLUBS)} {town}",
            f"{town} {self.one(_CLUBS)}",
            f"{family} {form}",
            f"{family} & {self.one(self.at.family, self.english.family)} {form}",
            f"{word} {body} {form}",
            f"{word} {self.one(_GOODS)} {body}",
            f"{family} {body}",
            f"{firm} {local}",
            f"{local} {firm}",
            f"{firm}",
            f"{self.some(_BODIES, 2, 2)}",
            f"{town} {subject} {body}",
            f"{word} {self.one(self.short)}",
            f"{town} {self.one(_SHORT)}",
            f"{town}, {self.one(_SHORT)} {self.one(_SHORT)}",
            f"{self.some(_BODIES, 1, 2)} {town} {self.some(_BODIES, 1, 2)} {form}",
            self.coined(),
            self.coined(),
            f"{self.coined()} {self.one([body, form, *_GOODS])}",
        )
        return self.one(forms)

    def coined(self) -> str:
        """Return a word that is none yet, as brands are: the beginning of one and the end of another."""
        one, other = self.one(self.at.words, self.english.words), self.one(self.english.words)
        return one[: int(self.rng.integers(2, 6))] + other[-int(self.rng.integers(2, 6)) :]

    def text(self) -> str:
        own = self.at.words or self.english.words
        word = self.one(own)
        code = "".join(
            self.one(string.ascii_lowercase + string.digits * 2) for _ in range(int(self.rng.integers(3, 8)))
        )
        forms = (
            self.some(own, 2, 9),
            self.some(own, 6, 14),
            self.some(own, 1, 3),
            self.some(_PAPERS, 3, 6) + " " + self.some(own, 1, 3),
            f"the {word} of {self.one(own)}",
            f"the {word}",
            f"{word} {self.some(_GOODS, 2, 6)} {code}",
            f"{self.some(_GOODS, 1, 3)} {code}",
            f"{self.some(_PAPERS, 1, 3)} {word} ({self.one(_PAPERS)})",
            self.one(self.at.trades, self.english.words),
            self.one(_LANGUAGES),
            f"{self.some(_PAPERS, 1, 2)} {self.one(_OF)} {self.some(_FIELDS, 1, 2)}",
        )
        return self.one(forms)


def simulate_values(n: int, *, seed: int = 0, known: Sequence[str] | None = None) -> tuple[list[str], list[int]]:
    """Return n values of each class, and the classes' numbers.

    Parameters
    ----------
    n
        How many of each.
    known
        The countries to draw from; all if not given.

    Examples
    --------
    >>> values, classes = simulate_values(2, seed=1, known=["en_GB"])
    >>> len(values), classes
    (8, [0, 0, 1, 1, 2, 2, 3, 3])
    """
    rng = stream(seed, "wording")
    draw = _Draw(rng, known or locales())
    makers: dict[str, Callable[[], str]] = {
        "person": draw.person,
        "organisation": draw.organisation,
        "place": draw.place,
        "text": draw.text,
    }
    values: list[str] = []
    for name in CLASSES:
        for _ in range(n):
            english = draw.english in draw.known and draw.chance(_ENGLISH)
            draw.at = draw.english if english else draw.known[int(rng.integers(len(draw.known)))]
            made = makers[name]()
            values.append(_slipped(made, rng) if draw.chance(_SLIPS) else made)
    return values, [k for k in range(len(CLASSES)) for _ in range(n)]


def _slipped(value: str, rng: np.random.Generator) -> str:
    """Leave out a letter, put one in, or swap two."""
    at, kind = int(rng.integers(max(len(value) - 1, 1))), int(rng.integers(3))
    if kind == 0:
        return value[:at] + value[at + 1 :] or value
    if kind == 1:
        return value[:at] + chr(97 + int(rng.integers(26))) + value[at:]
    return value[:at] + value[at + 1 : at + 2] + value[at : at + 1] + value[at + 2 :]
