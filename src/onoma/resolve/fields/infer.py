"""Which kind a column is, from its content, with its name as a hint, and the reason.

Rules are tried in order; the first that speaks decides. What is no evidence comes first (answers, ids, row numbers,
where a record came from, constants), then what has a form of its own (points, dates, numbers, codes, lists), then
words. What words are, their letters say (`wording`): the kind with the greatest evidence e, the mean over values of
log P(kind | value), where

* a name that speaks for a kind adds to it as much as values do that fit it 4 times as well, and more where values are
  few (their mean is uncertain by about 1.2/√n);
* names of people must lead by 0.5: nearly every word is somebody's surname, so unknown words look like names (where
  names are written in ideographs, no word is);
* with no kind above -1.6 (a probability of one in five) the words are unknown ones: names of things.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from onoma.resolve.fields.lexicon import listed
from onoma.resolve.fields.profile import Profile, name_words

__all__ = ["Inferred", "infer_kind", "infer_words", "is_constant"]


class Inferred(NamedTuple):
    """A kind, and why."""

    kind: str
    reason: str


_ONE_VALUE, _NEARLY_ONE = "it has one value only", " of its values are one and the same"
Rule = Callable[[tuple[str, ...], Profile], Inferred | None]

_ANSWER = listed("""
    cluster gold truth duplicateof matchid
""")
_ANSWER_IF_IDS = listed("""
    label labels entity
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
_DAY = listed("""
    date dob born birth birthday birthdate died death
""")
_CODE = listed("""
    phone phones telephone tel mobile cell fax zip zipcode postcode postal plz email mail ssn soc isbn issn
    doi orcid sku ean upc gtin asin vat passport modelno model number no nr pages page volume vol issue code
""")
_NO_THING = listed("""
    phone phones telephone tel mobile cell fax zip zipcode postcode postal plz email mail pages page volume vol issue
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
_CLOSED = listed("""
    gender sex
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
    found = next(found for rule in _RULES if (found := rule(words, profile)) is not None)
    return _in_series(words, profile, found) if found.kind == "code" else found


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
        return Inferred("ignore", _ONE_VALUE)
    if p.top_share >= 0.995 and p.n_filled >= 200:
        return Inferred("ignore", f"{p.top_share:.1%}{_NEARLY_ONE}")
    if _ANSWER & set(words) or (_ANSWER_IF_IDS & set(words) and (last in _ID or _are_ids(p))):
        return Inferred("ignore", "its name says that it holds the answer")
    if last in _ID and not _REAL_ID & set(words):
        return Inferred("ignore", "its name says that it holds ids, which are no evidence")
    if _SOURCE & set(words):
        return Inferred("ignore", "its name says where a record came from, not what it is about")
    return _opaque(words, p)


def _are_ids(p: Profile) -> bool:
    """Numbers or codes: a label in words is a name."""
    return p.integer >= 0.9 or p.opaque >= 0.5 or (p.digits >= 0.9 and p.tokens <= 1.1)


def _opaque(words: tuple[str, ...], p: Profile) -> Inferred | None:
    if p.opaque >= 0.9:
        return Inferred("ignore", "its values are opaque ids")
    if _are_days(words, p):
        return None
    every = p.n_distinct == p.n_filled == p.n_records > 20
    if p.integer == 1 and every and p.fixed_length < 0.95:
        return Inferred("ignore", "its values are different whole numbers, as row numbers are")
    if _named(words, _CODE | _NUMBER | _DATE):
        return None
    if p.counter:
        return Inferred("ignore", "its values are whole numbers without gaps, as a counter gives them")
    if every and p.digits >= 0.95 and p.tokens <= 1.05 and _formed(p) < 0.5:
        return Inferred("ignore", "its values are codes, another one in every record, as ids are")
    return None


def _formed(p: Profile) -> float:
    """Return the greatest share of values that have one of the forms known."""
    return max(p.number, p.date, p.email, p.web, p.phone, p.point)


def _are_days(words: tuple[str, ...], p: Profile) -> bool:
    """Figures under the name of a date are days as spreadsheets count them: most of five figures, few years."""
    return bool(_named(words, _DAY)) and not _named(words, _CODE | _NUMBER) and p.serial > 0.5 and p.number >= 0.5


def _forms(words: tuple[str, ...], p: Profile) -> Inferred | None:
    if p.point >= 0.8:
        return Inferred("geo", f"{p.point:.0%} of its values are pairs of latitude and longitude")
    if p.email >= 0.5:
        return Inferred("code", f"{p.email:.0%} of its values are e-mail addresses")
    if p.web >= 0.5:
        return Inferred("code", f"{p.web:.0%} of its values are web addresses")
    if p.date >= 0.8 and p.beside < 0.5 and not _named(words, _CODE):
        return Inferred("date", f"{p.date:.0%} of its values can be read as dates")
    if p.dated >= 0.8 and p.date >= 0.5 and not _named(words, _CODE):
        return Inferred("date", f"{p.dated:.0%} of its values are written as dates")
    if p.year >= 0.8 and not _named(words, _CODE | _NUMBER):
        return Inferred("date", f"{p.year:.0%} of its values are years")
    if _are_days(words, p):
        hint = _named(words, _DAY)
        return Inferred("date", f"its name says {hint!r}, and its values are days as spreadsheets count them")
    hint = _named(words, _DATE)
    if hint and p.date + p.year >= 0.5 and p.beside < 0.5:
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
    if p.phone >= 0.8 and p.integer < 0.5:
        return Inferred("code", f"{p.phone:.0%} of its values are written as telephone numbers")
    if p.number >= 0.8:
        assigned = p.length >= 5 and p.two_lengths >= 0.9 and p.distinct_share >= 0.5
        if p.decimal >= 0.3 or (p.integer >= 0.8 and p.fixed_length < 0.7 and not assigned):
            return Inferred("number", f"{p.number:.0%} of its values are numbers")
        return Inferred("code", f"its values are figures of {'about ' if assigned else ''}one length")
    if p.digits >= 0.8 and p.tokens <= 2.2 and p.length <= 30 and p.elements < 1.5:
        return Inferred("code", f"{p.digits:.0%} of its values have digits, and they are short")
    return None


def _in_series(words: tuple[str, ...], p: Profile, code: Inferred) -> Inferred:
    """Tell codes in series, whose neighbours are other things, from such as are misspelt (`kinds/serial.py`).

    They name things, so that few share one. Lines, areas and addresses have neighbours, too, but name no thing.
    """
    formed = max(p.email, p.web, p.phone) >= 0.5
    if formed or _named(words, _NO_THING) or 2 * p.n_distinct < p.n_filled:
        return code
    near, again = p.series
    if near < max(again, _SOME_NEAR):
        return code
    return Inferred("serial", f"{code.reason}; {near:.0%} have a neighbour one sign away, {again:.0%} come again")


def _lists(words: tuple[str, ...], p: Profile) -> Inferred | None:
    hint = _named(words, _SET)
    if hint and p.elements >= 1.3:
        return Inferred("set", f"its name says {hint!r}, and a value has {p.elements:.1f} elements on average")
    if p.strong and p.elements >= 1.3 and p.words / p.elements <= 5:
        signs = " ".join(repr(sign) for sign in p.strong if sign.isprintable()) or "their own delimiter"
        return Inferred("set", f"a value has {p.elements:.1f} elements on average, parted by {signs}")
    if not p.strong and p.listed >= 0.1 and p.elements >= 1.5 and p.words / p.elements <= 5:
        return _listed_by_commas(p)
    return None


def _listed_by_commas(p: Profile) -> Inferred | None:
    """Commas and `and` part the elements of a list where these are names of people, or come again and again."""
    evidence, whole = p.wording_of_parts, p.wording
    best = max(evidence, key=lambda kind: evidence[kind])
    of_people = max(whole["person"], evidence["person"]) >= _SURE and best == "person"
    if of_people and p.words / p.elements >= 1.5:
        return Inferred("set", f"a value holds {p.elements:.1f} names of people on average")
    if best not in ("person", "place") and len(set(p.parts)) <= 0.1 * len(p.parts):
        return Inferred("set", f"a value has {p.elements:.1f} elements on average, which come again and again")
    return None


def is_constant(reason: str) -> bool:
    """Say whether a column is no evidence because (nearly) all records with a value have one and the same."""
    return reason == _ONE_VALUE or reason.endswith(_NEARLY_ONE)


def infer_words(column: str, values: Sequence[str]) -> str:
    """Return what sort of words values are, however few and however often they come: a person, a place, a text…

    Examples
    --------
    >>> infer_words("last", ["Yamazaki"]), infer_words("city", ["Los Angeles"])
    ('person', 'place')
    """
    profile = Profile(values, np.ones(len(values), dtype=np.int64), len(values))
    found = _words(name_words(column), profile)
    return "text" if found is None else found.kind


def _words(words: tuple[str, ...], p: Profile) -> Inferred | None:
    evidence = {kind: value for kind, value in p.wording.items() if p.words <= _MOST_WORDS[kind]}
    if "person" in evidence and p.ideographs < 0.5:
        evidence["person"] -= _LEAD
    hinted, hint = _hint(words, p)
    if hinted in evidence:
        evidence[hinted] += _HINT + 2.4 / max(len(p.sample), 1) ** 0.5
    best = max(evidence, key=lambda kind: evidence[kind])
    closed = p.n_distinct <= 40 and p.distinct_share < 0.1 and p.words <= 2.5 and _is_closed(p)
    if (called := _named(words, _CLOSED)) and not closed and p.n_distinct <= 40 and 2 * p.n_distinct < p.n_filled:
        return Inferred("category", f"its name says {called!r}, and it has {p.n_distinct} different values")
    named = p.n_distinct >= 10 or (best == "person" and (hinted == best or p.words >= _WHOLE))
    if closed and not (best in ("person", "organisation") and evidence[best] >= _SURE and named):
        return Inferred("category", f"it has {p.n_distinct} different values")
    if best == hinted:
        return Inferred(best, f"its name says {hint!r}")
    if p.words <= 8 and p.legal >= 0.1 and "organisation" in evidence:
        return Inferred("organisation", f"{p.legal:.0%} of its values have a legal form (Inc., GmbH…)")
    if evidence[best] < _UNKNOWN:
        return _unknown(words, p)
    return Inferred(best, f"its values read as {_READS[best]}")


def _is_closed(p: Profile) -> bool:
    """Few values are one record's alone, as slips and ever new values are, or hardly any record has such a value."""
    return p.once <= 0.2 or p.once * p.n_distinct <= max(1.0, _ACCIDENTS * p.n_filled)


def _hint(words: tuple[str, ...], p: Profile) -> tuple[str, str]:
    """Return the kind of words that the column's name speaks for, and its word."""
    for kind, hints in (("text", _TEXT), ("person", _PERSON), ("place", _PLACE), ("organisation", _ORGANISATION)):
        found = _named(words, hints)
        if found and (kind != "text" or p.words >= 2) and (kind != "person" or p.legal < 0.1):
            return kind, found
    return "", ""


def _unknown(words: tuple[str, ...], p: Profile) -> Inferred:
    """Words of no known kind: names of things where they hardly repeat, else terms."""
    if p.words <= 4 and ("name" in words or p.distinct_share >= 0.1):
        return Inferred("organisation", "its values are short names of neither people nor places")
    return Inferred("text", f"its values are words, {p.words:.1f} on average")


_SOME_NEAR = 0.2
"""The least part of codes in series that have a neighbour one sign away: fewer have one by chance."""
_HINT = 1.5
_LEAD = 0.5
_UNKNOWN = -1.6
_SURE = -1.2
_ACCIDENTS = 0.001
"""The part of the records up to which values that no other record has say nothing of the list they are from: of eleven
scripts of 4,900 place names three are one name's."""
_WHOLE = 1.5
"""Words of a value, on average, from which on names are whole: however few, they are no closed list."""
_MOST_WORDS = {"person": 6, "organisation": 8, "place": 12, "text": float("inf")}
"""Words of a value, on average, above which a kind's way of comparing is not for it."""
_READS = {
    "person": "names of people",
    "organisation": "names of organisations",
    "place": "places",
    "text": "text",
}
_RULES: tuple[Rule, ...] = (_no_evidence, _forms, _lists, _words)
