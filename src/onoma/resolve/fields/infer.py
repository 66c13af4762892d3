"""Which kind a column is, from its name and its content, with the reason.

Rules are tried in order; the first that speaks decides. What is no evidence comes first (answers, ids, row numbers,
where a record came from, constants), then what has a form of its own (points, dates, numbers, codes, lists), then
words: names, organisations, places, categories, text.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

from onoma.resolve.fields.lexicon import listed
from onoma.resolve.fields.profile import Profile, name_words

__all__ = ["Inferred", "infer_kind"]


class Inferred(NamedTuple):
    """A kind, and why."""

    kind: str
    reason: str


Rule = Callable[[tuple[str, ...], Profile], Inferred | None]

_ANSWER = listed("""
    cluster entity gold truth label labels duplicateof matchid
""")
_ID = listed("""
    id ids uuid guid uid key rowid rownum index idx serial
""")
_REAL_ID = listed("""
    soc sec ssn social tax vat national passport licence license isbn issn doi orcid ean upc nhs
""")
_SOURCE = listed("""
    source party dataset database provenance filename file origin
""")
_GEO = listed("""
    geo geometry point coordinates coordinate latlon latlng location
""")
_DATE = listed("""
    date dob born birth birthday birthdate died death time timestamp year yr by
""")
_CODE = listed("""
    phone phones telephone tel mobile cell fax zip zipcode postcode postal plz email mail ssn soc isbn issn
    doi orcid sku ean upc gtin asin vat passport modelno model number no nr pages page volume vol issue code
""")
_NUMBER = listed("""
    price amount cost salary income weight shipweight height width length size quantity qty count total area
    age score
""")
_SET = listed("""
    author authors coauthor coauthors editor editors inventors tags tag keywords keyword actors cast classes
    members contributors artists genres subjects topics
""")
_PERSON = listed("""
    firstname lastname surname forename givenname familyname fullname middlename maidenname fname lname mname
    first last given family forenames surnames person inventor maiden middle
""")
_ORGANISATION = listed("""
    organisation organization org company employer manufacturer brand publisher institution institute
    affiliation agency assignee vendor supplier firm business corporation university school department site
    restaurant hotel
""")
_PLACE = listed("""
    address addr street city town suburb county state province country region neighborhood neighbourhood place
    village district locality municipality birthplace
""")
_TEXT = listed("""
    title description abstract note notes comment comments summary text context body content details venue
    journal booktitle tracks dimensions
""")
_CATEGORY = listed("""
    gender sex status month day bm bd type class category
""")


def infer_kind(column: str, profile: Profile) -> Inferred:
    """Return the kind of a column and the reason, one sentence for people.

    Parameters
    ----------
    column
        Its name.
    profile
        What its values look like.
    """
    words = name_words(column)
    return next(found for rule in _RULES if (found := rule(words, profile)) is not None)


def _named(words: tuple[str, ...], hints: frozenset[str]) -> str | None:
    """Return the word of the name that is a hint; two words in a row count as one too (first name)."""
    for word in (*words, *(a + b for a, b in pairwise(words))):
        if word in hints:
            return word
    return None


def _no_evidence(words: tuple[str, ...], p: Profile) -> Inferred | None:
    last = words[-1] if words else ""
    if p.n_filled == 0:
        return Inferred("ignore", "it is empty")
    if p.n_distinct == 1:
        return Inferred("ignore", "it has one value only")
    if p.top_share >= 0.995 and p.n_filled >= 200:
        return Inferred("ignore", f"{p.top_share:.1%} of its values are one and the same")
    if _ANSWER & set(words):
        return Inferred("ignore", "its name says that it holds the answer")
    if last in _ID and not _REAL_ID & set(words):
        return Inferred("ignore", "its name says that it holds ids, which are no evidence")
    if _SOURCE & set(words):
        return Inferred("ignore", "its name says where a record came from, not what it is about")
    return _opaque(p)


def _opaque(p: Profile) -> Inferred | None:
    if p.opaque >= 0.9:
        return Inferred("ignore", "its values are opaque ids")
    if p.integer == 1 and p.n_distinct == p.n_filled == p.n_records > 20 and p.fixed_length < 0.95:
        return Inferred("ignore", "its values are different whole numbers, as row numbers are")
    return None


def _forms(words: tuple[str, ...], p: Profile) -> Inferred | None:
    if p.point >= 0.8:
        return Inferred("geo", f"{p.point:.0%} of its values are pairs of latitude and longitude")
    if p.email >= 0.5:
        return Inferred("code", f"{p.email:.0%} of its values are e-mail addresses")
    if p.date >= 0.8 and not _named(words, _CODE):
        return Inferred("date", f"{p.date:.0%} of its values can be read as dates")
    if p.year >= 0.8 and (p.year >= 0.97 or _named(words, _DATE)) and not _named(words, _CODE):
        return Inferred("date", f"{p.year:.0%} of its values are years")
    hint = _named(words, _DATE)
    if hint and p.date + p.year >= 0.5:
        return Inferred("date", f"its name says {hint!r}, and most of its values can be read as dates")
    return _figures(words, p)


def _figures(words: tuple[str, ...], p: Profile) -> Inferred | None:
    hint = _named(words, _NUMBER)
    if hint and p.number >= 0.6:
        return Inferred("number", f"its name says {hint!r}, and {p.number:.0%} of its values are numbers")
    if p.n_distinct <= 64 and p.distinct_share < 0.1 and p.integer >= 0.9 and p.length <= 2:
        return Inferred("category", f"it has {p.n_distinct} different whole numbers")
    hint = _named(words, _CODE)
    if hint and p.digits >= 0.5 and p.words <= 4:
        return Inferred("code", f"its name says {hint!r}, and its values have digits")
    if p.number >= 0.8:
        if p.decimal >= 0.3 or (p.integer >= 0.8 and p.fixed_length < 0.7):
            return Inferred("number", f"{p.number:.0%} of its values are numbers")
        return Inferred("code", "its values are figures of one length")
    if p.digits >= 0.8 and p.words <= 2.5 and p.length <= 30 and p.elements < 1.5:
        return Inferred("code", f"{p.digits:.0%} of its values have digits, and they are short")
    return None


def _lists(words: tuple[str, ...], p: Profile) -> Inferred | None:
    hint = _named(words, _SET)
    if hint and p.elements >= 1.3:
        return Inferred("set", f"its name says {hint!r}, and a value has {p.elements:.1f} elements on average")
    if p.strong and p.elements >= 1.5 and p.words / p.elements <= 5:
        signs = " ".join(repr(sign) for sign in p.strong if sign.isprintable()) or "their own delimiter"
        return Inferred("set", f"a value has {p.elements:.1f} elements on average, parted by {signs}")
    return None


def _words(words: tuple[str, ...], p: Profile) -> Inferred | None:
    hint = _named(words, _TEXT)
    if hint and p.words >= 2:
        return Inferred("text", f"its name says {hint!r}")
    hint = _named(words, _PERSON)
    if hint and p.digits <= 0.2 and p.words <= 6 and p.legal < 0.1:
        return Inferred("person", f"its name says {hint!r}")
    hint = _named(words, _PLACE)
    if hint and p.words <= 12:
        return Inferred("place", f"its name says {hint!r}")
    hint = _named(words, _ORGANISATION)
    if hint and p.words <= 8:
        return Inferred("organisation", f"its name says {hint!r}")
    return _content(words, p)


def _content(words: tuple[str, ...], p: Profile) -> Inferred | None:
    if p.n_distinct <= 40 and p.distinct_share < 0.1 and p.words <= 2.5:
        return Inferred("category", f"it has {p.n_distinct} different values")
    if p.words <= 4 and p.digits <= 0.05 and p.given >= 0.4:
        return Inferred("person", f"{p.given:.0%} of its values hold a known given name")
    if p.words <= 1.5 and p.digits <= 0.05 and p.family >= 0.4:
        return Inferred("person", f"{p.family:.0%} of its values are known surnames")
    if p.words <= 8 and p.legal >= 0.1:
        return Inferred("organisation", f"{p.legal:.0%} of its values have a legal form (Inc., GmbH…)")
    if p.words <= 12 and p.street >= 0.3 and p.digits >= 0.3:
        return Inferred("place", f"{p.street:.0%} of its values name a street")
    if "name" in words and p.words <= 4:
        return Inferred("organisation", "its name says 'name', and its values are no names of people")
    return None


def _rest(words: tuple[str, ...], p: Profile) -> Inferred | None:
    del words
    return Inferred("text", f"its values are words, {p.words:.1f} on average")


_RULES: tuple[Rule, ...] = (_no_evidence, _forms, _lists, _words, _rest)
