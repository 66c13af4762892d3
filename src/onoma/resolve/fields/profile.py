"""What a column looks like: the few figures from which its kind is inferred.

Figures are of a sample of distinct values, drawn by the square root of how often each occurs: by how often alone, one
town could speak for all; each once, the slips would (in a column of a hundred names and a thousand misspelt ones).
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.fields.elements import split_elements, splitter_of, strong_delimiters
from onoma.resolve.fields.kinds.date import read_date, read_serial
from onoma.resolve.fields.kinds.geo import read_point
from onoma.resolve.fields.lexicon import LEGAL_FORMS
from onoma.resolve.fields.wording import shipped_wording
from onoma.resolve.fields.writing import fold

__all__ = ["Profile", "name_words", "profile_column"]

_SAMPLE = 1_000
_READ = 400
"""Values whose letters are looked at."""
_LOOKED_AT = 500
"""Characters of a value that are looked at: what a longer one is, its beginning says."""
_NUMBER = re.compile(r"\W{0,4}\d[\d.,]*(?:e[-+]?\d+)?\s*[^\W\d_%]{0,8}\W{0,2}", re.IGNORECASE)
_INTEGER = re.compile(r"\d+")
_DECIMAL = re.compile(r"\W*\d+[.,]\d+\W*")
_OPAQUE = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}|[0-9a-f]{24,}", re.IGNORECASE)
_YEAR = re.compile(r"\W*(?:1[5-9]|20)\d\d[a-z]?\W*", re.IGNORECASE)
_DATED = re.compile(r"\d{4}[-/.]\d\d?[-/.]\d\d?(?:[ T].*)?|\d\d?[-/.]\d\d?[-/.]\d{4}")
_PHONE = re.compile(r"(?=(?:\D*\d){7})[\d\s()/.+x-]+")
_WEB = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_FRACTION = re.compile(r"\d\.\d")
_STREET = re.compile(
    r"\b(?:street|st|road|rd|avenue|ave|blvd|lane|ln|drive|dr|court|ct|place|crescent|way|strasse|straße|rue|via|hwy)\b\.?",
    re.IGNORECASE,
)
_STRAY = 0.25
"""Part of the values up to which figures have strayed into a column of words. A tenth of rows of another table were a
sixth of the different values (arXiv authors); in a column of months and pages that slipped by one, half are figures."""
_COUNTED = 1_000
"""Different whole numbers from which on a range without gaps is a counter's: measurements of so many leave gaps."""


@dataclass(frozen=True)
class Profile:
    """Figures about a column's distinct values; shares are of a sample of them.

    Parameters
    ----------
    n_records, n_filled, n_distinct
        Records, records with a value, distinct values.
    top_share
        The share of the most frequent value among filled records.
    once
        The share of distinct values that one record has.
    length, words, tokens
        Mean characters, words and parts between blanks of a value.
    digits
        Share of values with a digit.
    spaced
        Share of values of more than one word.
    number, integer, decimal, year, date, dated, serial, point, opaque, email, web, phone
        Share of values that can be read as each; `dated` has the form of a date, if not of one in the calendar;
        `serial` is a day as spreadsheets count them.
    counter
        Its values are whole numbers that fill their range, as a counter's do.
    fixed_length, two_lengths
        Share of the commonest length, of the two commonest. Numbers that were given out (ids) have one or two lengths,
        for nine of ten have as many digits as the last, or one less; quantities have many.
    ideographs
        Share of values in scripts that write a name in two or three signs.
    legal, street
        Share of values with a legal form, with a word for a street.
    strong
        The strong delimiters in use.
    elements
        Mean number of elements when split as a list.
    listed
        Share of values with three elements or more.
    sample
        Some of the values.
    """

    n_records: int
    n_filled: int
    n_distinct: int
    top_share: float
    once: float
    length: float
    words: float
    tokens: float
    digits: float
    spaced: float
    number: float
    integer: float
    decimal: float
    year: float
    date: float
    dated: float
    serial: float
    point: float
    opaque: float
    email: float
    web: float
    phone: float
    counter: bool
    fixed_length: float
    two_lengths: float
    ideographs: float
    legal: float
    street: float
    strong: tuple[str, ...]
    elements: float
    listed: float
    sample: tuple[str, ...]

    @cached_property
    def wording(self) -> dict[str, float]:
        """The evidence that its values are names of people, organisations, places, or text: mean log probabilities."""
        worded = _worded(self.sample)
        return shipped_wording().evidence(worded[:: max(1, len(worded) // _READ)])

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """Its elements when split as a list."""
        splitter = splitter_of(self.strong)
        return tuple(element for text in self.sample for element in split_elements(text, splitter))

    @cached_property
    def wording_of_parts(self) -> dict[str, float]:
        """The same evidence of its elements."""
        return shipped_wording().evidence(self.parts[:: max(1, len(self.parts) // _READ)])

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


def profile_column(values: Sequence[str], counts: NDArray[np.int64], n_records: int) -> Profile:
    """Look at the distinct raw values of a column.

    Parameters
    ----------
    values, counts
        The distinct values, and how many records have each.
    n_records
        All records, those without a value too.
    """
    sample = [text.strip()[:_LOOKED_AT] for text in _drawn(values, counts)] or [""]
    folded = [fold(text).split() for text in sample]
    strong = strong_delimiters(sample)
    splitter = splitter_of(strong)
    lengths = [len(text) for text in sample]
    often = sorted(map(lengths.count, set(lengths)), reverse=True)
    elements = [len(split_elements(text, splitter)) for text in sample]

    def share(test: Callable[[str], object]) -> float:
        return sum(1 for text in sample if test(text)) / len(sample)

    def share_of_words(words: frozenset[str]) -> float:
        return sum(1 for found in folded if not words.isdisjoint(found)) / len(sample)

    integer = share(_INTEGER.fullmatch)
    return Profile(
        n_records=n_records,
        n_filled=int(counts.sum()),
        n_distinct=len(values),
        top_share=int(counts.max(initial=0)) / max(int(counts.sum()), 1),
        once=float((counts == 1).mean()) if len(counts) else 0.0,
        length=sum(lengths) / len(sample),
        words=sum(map(len, folded)) / len(sample),
        tokens=sum(len(text.split()) for text in sample) / len(sample),
        digits=share(lambda text: any(sign.isdigit() for sign in text)),
        spaced=sum(1 for found in folded if len(found) > 1) / len(sample),
        number=share(_NUMBER.fullmatch),
        integer=integer,
        decimal=share(_DECIMAL.fullmatch),
        year=share(_YEAR.fullmatch),
        date=share(lambda text: len(text) >= 6 and read_date(text)),
        dated=share(_DATED.fullmatch),
        serial=share(read_serial),
        point=share(lambda text: _FRACTION.search(text) and read_point(text)),
        opaque=share(_OPAQUE.fullmatch),
        email=share(lambda text: re.fullmatch(r"[^@\s]+@[^@\s]+", text)),
        web=share(_WEB.fullmatch),
        phone=share(_PHONE.fullmatch),
        counter=integer == 1 and _counts_up(values),
        fixed_length=often[0] / len(sample),
        two_lengths=sum(often[:2]) / len(sample),
        ideographs=share(lambda text: any("\u3040" <= sign <= "\ud7a3" for sign in text)),
        legal=share_of_words(LEGAL_FORMS - {"co", "as", "se", "sa", "sp", "spa", "ag", "sl", "ab"}),
        street=share(_STREET.search),
        strong=strong,
        elements=sum(elements) / len(sample),
        listed=sum(1 for n in elements if n >= 3) / len(sample),
        sample=tuple(sample),
    )


def _drawn(values: Sequence[str], counts: NDArray[np.int64]) -> list[str]:
    """Return a sample of values, evenly spread over the square roots of their counts; few values are all there."""
    if len(values) <= _SAMPLE:
        times = np.sqrt(counts / max(int(counts.max(initial=1)), 1)) * _SAMPLE / max(len(values), 1)
        return [
            text for text, n in zip(values, np.maximum(times, 1).astype(int).tolist(), strict=True) for _ in range(n)
        ]
    total = np.cumsum(np.sqrt(counts))
    places = np.searchsorted(total, (np.arange(_SAMPLE) + 0.5) / _SAMPLE * total[-1])
    return [values[i] for i in places.tolist()]


def _worded(values: Sequence[str]) -> Sequence[str]:
    """Return the values with letters, where few have none: figures that strayed among names are no kind of name."""
    found = [text for text in values if any(sign.isalpha() for sign in text)]
    return found if len(found) >= (1.0 - _STRAY) * len(values) else values


def _counts_up(values: Sequence[str]) -> bool:
    if len(values) < _COUNTED or any(not text.isdecimal() or len(text) > 12 for text in values):
        return False
    numbers = np.array([int(text) for text in values])
    return int(numbers.max() - numbers.min()) < 1.5 * len(values)
