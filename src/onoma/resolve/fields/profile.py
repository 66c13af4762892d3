"""What a column looks like: the few figures from which its kind is inferred."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from onoma.corpus.simulate.names import provider
from onoma.resolve.fields.elements import split_elements, splitter_of, strong_delimiters
from onoma.resolve.fields.kinds.date import read_date
from onoma.resolve.fields.kinds.geo import read_point
from onoma.resolve.fields.lexicon import LEGAL_FORMS
from onoma.resolve.fields.names import nickname_table
from onoma.resolve.fields.writing import fold

__all__ = ["Profile", "name_words", "profile_column"]

_SAMPLE = 2_000  # distinct values looked at, evenly spread
_LOOKED_AT = 500
"""Characters of a value that are looked at: what a longer one is, its beginning says."""
_LOCALES = ("en_US", "en_GB", "en_IN", "de_DE", "fr_FR", "es_ES", "it_IT", "nl_NL", "pl_PL", "sv_SE", "pt_BR")
_NUMBER = re.compile(r"\W{0,4}\d[\d.,]*(?:e[-+]?\d+)?\s*[^\W\d_%]{0,8}\W{0,2}", re.IGNORECASE)
_INTEGER = re.compile(r"\d+")
_DECIMAL = re.compile(r"\W*\d+[.,]\d+\W*")
_OPAQUE = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}|[0-9a-f]{24,}", re.IGNORECASE)
_YEAR = re.compile(r"\W*(?:1[5-9]|20)\d\d\W*")
_STREET = re.compile(
    r"\b(?:street|st|road|rd|avenue|ave|blvd|lane|ln|drive|dr|court|ct|place|crescent|way|strasse|straße|rue|via|hwy)\b\.?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Profile:
    """Figures about a column's distinct values; shares are of a sample of them.

    Parameters
    ----------
    n_records, n_filled, n_distinct
        Records, records with a value, distinct values.
    top_share
        The share of the most frequent value among filled records.
    length, words
        Mean characters and words of a value.
    digits
        Share of values with a digit.
    spaced
        Share of values of more than one word.
    number, integer, decimal, year, date, point, opaque, email
        Share of values that can be read as each.
    fixed_length
        Share of the commonest length.
    given, family
        Share of values with a word from a list of given names, of surnames.
    legal, street
        Share of values with a legal form, with a word for a street.
    strong
        The strong delimiters in use.
    elements
        Mean number of elements when split as a list.
    """

    n_records: int
    n_filled: int
    n_distinct: int
    top_share: float
    length: float
    words: float
    digits: float
    spaced: float
    number: float
    integer: float
    decimal: float
    year: float
    date: float
    point: float
    opaque: float
    email: float
    fixed_length: float
    given: float
    family: float
    legal: float
    street: float
    strong: tuple[str, ...]
    elements: float

    @property
    def distinct_share(self) -> float:
        """Distinct values per filled record."""
        return self.n_distinct / max(self.n_filled, 1)


def name_words(column: str) -> tuple[str, ...]:
    """Return the words of a column's name.

    Examples
    --------
    >>> name_words("dateOfBirth"), name_words("fname_c1")
    (('date', 'of', 'birth'), ('fname', 'c1'))
    """
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", column)
    return tuple(fold(apart).split())


@cache
def _given_names() -> frozenset[str]:
    return _listed("first_names", "first_names_female", "first_names_male") | frozenset(nickname_table())


@cache
def _surnames() -> frozenset[str]:
    return _listed("last_names")


def _listed(*lists: str) -> frozenset[str]:
    """Return the words of Faker's lists of names in several countries."""
    found = (name for locale in _LOCALES for kind in lists for name in getattr(provider("person", locale), kind, ()))
    return frozenset(word for name in found for word in fold(name).split() if len(word) > 2)


def profile_column(values: Sequence[str], n_records: int, n_filled: int, top_count: int) -> Profile:
    """Look at the distinct raw values of a column."""
    step = max(1, len(values) // _SAMPLE)
    sample = [text.strip()[:_LOOKED_AT] for text in values[::step]] or [""]
    folded = [fold(text).split() for text in sample]
    strong = strong_delimiters(sample)
    splitter = splitter_of(strong)
    lengths = [len(text) for text in sample]
    given, family = _given_names(), _surnames()

    def share(test: Callable[[str], object]) -> float:
        return sum(1 for text in sample if test(text)) / len(sample)

    def share_of_words(words: frozenset[str]) -> float:
        return sum(1 for found in folded if not words.isdisjoint(found)) / len(sample)

    return Profile(
        n_records=n_records,
        n_filled=n_filled,
        n_distinct=len(values),
        top_share=top_count / max(n_filled, 1),
        length=sum(lengths) / len(sample),
        words=sum(map(len, folded)) / len(sample),
        digits=share(lambda text: any(sign.isdigit() for sign in text)),
        spaced=sum(1 for found in folded if len(found) > 1) / len(sample),
        number=share(_NUMBER.fullmatch),
        integer=share(_INTEGER.fullmatch),
        decimal=share(_DECIMAL.fullmatch),
        year=share(_YEAR.fullmatch),
        date=share(lambda text: len(text) >= 6 and read_date(text)),
        point=share(lambda text: "." in text and read_point(text)),
        opaque=share(_OPAQUE.fullmatch),
        email=share(lambda text: re.fullmatch(r"[^@\s]+@[^@\s]+", text)),
        fixed_length=max(map(lengths.count, set(lengths))) / len(sample),
        given=share_of_words(given),
        family=share_of_words(family),
        legal=share_of_words(LEGAL_FORMS - {"co", "as", "se", "sa", "sp", "spa", "ag", "sl", "ab"}),
        street=share(_STREET.search),
        strong=strong,
        elements=sum(len(split_elements(text, splitter)) for text in sample) / len(sample),
    )
