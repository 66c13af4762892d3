"""What a column looks like: the few figures from which its kind is inferred.

Figures are of a sample of distinct values, drawn by the square root of how often each occurs: by how often alone, one
town could speak for all; each once, the slips would (in a column of a hundred names and a thousand misspelt ones).
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.fields.elements import may_part, split_elements, splitter_of, strong_delimiters
from onoma.resolve.fields.kinds.date import read_date, read_serial
from onoma.resolve.fields.kinds.geo import read_point
from onoma.resolve.fields.kinds.serial import series_of
from onoma.resolve.fields.lexicon import LEGAL_FORMS
from onoma.resolve.fields.packed.texts import ArrowTexts
from onoma.resolve.fields.wording import shipped_wording
from onoma.resolve.fields.writing import fold

__all__ = ["Profile", "name_words"]

_SAMPLE = 1_000
_READ = 400
"""Values whose letters are looked at."""
_LOOKED_AT = 500
"""Characters of a value that are looked at: what a longer one is, its beginning says."""
_NUMBER = re.compile(r"\W{0,4}\d[\d.,]*(?:e[-+]?\d+)?\s*[^\W\d_%]{0,8}\W{0,2}", re.IGNORECASE)
_FIGURE = re.compile(r"\d")
_INTEGER = re.compile(r"\d+")
_DECIMAL = re.compile(r"\W*\d+[.,]\d+\W*")
_OPAQUE = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}|[0-9a-f]{24,}", re.IGNORECASE)
_YEAR = re.compile(r"\W*(?:1[5-9]|20)\d\d[a-z]?\W*", re.IGNORECASE)
_DATED = re.compile(r"\d{4}[-/.]\d\d?[-/.]\d\d?(?:[ T].*)?|\d\d?[-/.]\d\d?[-/.]\d{4}")
_PHONE = re.compile(r"(?=(?:\D*\d){7})[\d\s()/.+x-]+")
_WEB = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_FRACTION = re.compile(r"\d\.\d")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
_LEGAL = LEGAL_FORMS - {"co", "as", "se", "sa", "sp", "spa", "ag", "sl", "ab"}
_STREET = re.compile(
    r"\b(?:street|st|road|rd|avenue|ave|blvd|lane|ln|drive|dr|court|ct|place|crescent|way|strasse|straße|rue|via|hwy)\b\.?",
    re.IGNORECASE,
)
_STRAY = 0.25
"""Part of the values up to which figures have strayed into a column of words. A tenth of rows of another table were a
sixth of the different values (arXiv authors); in a column of months and pages that slipped by one, half are figures."""
_CALENDAR = 84
"""Months times weekdays: so many different texts may stand beside the figures of dates."""
_CALENDAR_WORDS = 40
"""Months and weekdays, written out and short, are 38 words."""
_COUNTED = 1_000
"""Different whole numbers from which on a range without gaps is a counter's: measurements of so many leave gaps."""


class Profile:
    """Figures about a column's distinct values, each worked out when it is asked for; shares are of a sample of them.

    Parameters
    ----------
    values, counts
        The distinct values, and how many records have each.
    n_records
        All records, those without a value too.
    """

    def __init__(self, values: Sequence[str], counts: NDArray[np.int64], n_records: int) -> None:
        self._values, self._counts = values, counts
        self.n_records = n_records
        self.n_filled = int(counts.sum())
        """Records with a value."""
        self.n_distinct = len(values)
        self.sample = tuple(text.strip()[:_LOOKED_AT] for text in _drawn(values, counts)) or ("",)
        """Some of the values."""

    @cached_property
    def series(self) -> tuple[float, float]:
        """Of records, those whose value has a neighbour one sign away, and those whose value comes again."""
        return series_of(self._values, self._counts)

    def _share(self, test: Callable[[str], object]) -> float:
        return sum(1 for text in self.sample if test(text)) / len(self.sample)

    @cached_property
    def _folded(self) -> list[list[str]]:
        return [fold(text).split() for text in self.sample]

    @cached_property
    def _lengths(self) -> list[int]:
        return [len(text) for text in self.sample]

    @cached_property
    def _often(self) -> list[int]:
        return sorted(Counter(self._lengths).values(), reverse=True)

    @cached_property
    def _n_elements(self) -> list[int]:
        """How many elements each value has when split as a list; without a sign between, one of any words."""
        splitter = splitter_of(self.strong)
        return [
            bool(words) if splitter is None and not may_part(text) else len(split_elements(text, splitter))
            for text, words in zip(self.sample, self._folded, strict=True)
        ]

    @property
    def top_share(self) -> float:
        """The share of the most frequent value among filled records."""
        return int(self._counts.max(initial=0)) / max(self.n_filled, 1)

    @property
    def once(self) -> float:
        """The share of distinct values that one record has."""
        return float((self._counts == 1).mean()) if len(self._counts) else 0.0

    @cached_property
    def length(self) -> float:
        """Mean characters of a value."""
        return sum(self._lengths) / len(self.sample)

    @cached_property
    def words(self) -> float:
        """Mean words of a value."""
        return sum(map(len, self._folded)) / len(self.sample)

    @cached_property
    def tokens(self) -> float:
        """Mean parts between blanks of a value."""
        return sum(len(text.split()) for text in self.sample) / len(self.sample)

    @cached_property
    def digits(self) -> float:
        """Share of values with a digit."""
        return self._share(_has_digit)

    @cached_property
    def spaced(self) -> float:
        """Share of values of more than one word."""
        return sum(1 for found in self._folded if len(found) > 1) / len(self.sample)

    @cached_property
    def number(self) -> float:
        """Share of values that can be read as numbers."""
        return self._share(_NUMBER.fullmatch)

    @cached_property
    def integer(self) -> float:
        """The same, as whole numbers."""
        return self._share(_INTEGER.fullmatch)

    @cached_property
    def decimal(self) -> float:
        """The same, as numbers with decimals."""
        return self._share(_DECIMAL.fullmatch)

    @cached_property
    def year(self) -> float:
        """The same, as years."""
        return self._share(_YEAR.fullmatch)

    @cached_property
    def date(self) -> float:
        """The same, as dates."""
        return self._share(lambda text: len(text) >= 6 and read_date(text))

    @cached_property
    def beside(self) -> float:
        """Share of values with words that no other has, where these are more than months and weekdays can be."""
        stand = [[word for word in words if word.isalpha()] for words in self._folded]
        found = {" ".join(words) for words in stand if words}
        is_more = len(found) > _CALENDAR or len({word for words in stand for word in words}) > _CALENDAR_WORDS
        return len(found) / len(set(self.sample)) if is_more else 0.0

    @cached_property
    def dated(self) -> float:
        """Share of values that have the form of a date, if not of one in the calendar."""
        return self._share(_DATED.fullmatch)

    @cached_property
    def serial(self) -> float:
        """Share of values that are days as spreadsheets count them."""
        return self._share(read_serial)

    @cached_property
    def point(self) -> float:
        """Share of values that are a latitude and a longitude."""
        return self._share(lambda text: _FRACTION.search(text) and read_point(text))

    @cached_property
    def opaque(self) -> float:
        """Share of values that are ids as machines make them."""
        return self._share(_OPAQUE.fullmatch)

    @cached_property
    def email(self) -> float:
        """Share of values that are e-mail addresses."""
        return self._share(_EMAIL.fullmatch)

    @cached_property
    def web(self) -> float:
        """Share of values that are web addresses."""
        return self._share(_WEB.fullmatch)

    @cached_property
    def phone(self) -> float:
        """Share of values that are written as telephone numbers."""
        return self._share(_PHONE.fullmatch)

    @cached_property
    def counter(self) -> bool:
        """Whether its values are whole numbers that fill their range, as a counter's do."""
        return self.integer == 1 and _counts_up(self._values)

    @property
    def fixed_length(self) -> float:
        """Share of the commonest length.

        Numbers that were given out (ids) have one or two lengths, for nine of ten have as many digits as the last, or
        one less; quantities have many.
        """
        return self._often[0] / len(self.sample)

    @property
    def two_lengths(self) -> float:
        """Share of the two commonest lengths."""
        return sum(self._often[:2]) / len(self.sample)

    @cached_property
    def ideographs(self) -> float:
        """Share of values in scripts that write a name in two or three signs."""
        return self._share(lambda text: not text.isascii() and any("\u3040" <= sign <= "\ud7a3" for sign in text))

    @cached_property
    def legal(self) -> float:
        """Share of values with a legal form."""
        return sum(1 for found in self._folded if not _LEGAL.isdisjoint(found)) / len(self.sample)

    @cached_property
    def street(self) -> float:
        """Share of values with a word for a street."""
        return self._share(_STREET.search)

    @cached_property
    def strong(self) -> tuple[str, ...]:
        """The strong delimiters in use."""
        return strong_delimiters(self.sample)

    @cached_property
    def elements(self) -> float:
        """Mean number of elements when split as a list."""
        return sum(self._n_elements) / len(self.sample)

    @cached_property
    def listed(self) -> float:
        """Share of values with three elements or more."""
        return sum(1 for n in self._n_elements if n >= 3) / len(self.sample)

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


def _drawn(values: Sequence[str], counts: NDArray[np.int64]) -> list[str]:
    """Return a sample of values, evenly spread over the square roots of their counts; few values are all there."""
    if len(values) <= _SAMPLE:
        times = np.sqrt(counts / max(int(counts.max(initial=1)), 1)) * _SAMPLE / max(len(values), 1)
        return [
            text for text, n in zip(values, np.maximum(times, 1).astype(int).tolist(), strict=True) for _ in range(n)
        ]
    total = np.cumsum(np.sqrt(counts))
    places = np.searchsorted(total, (np.arange(_SAMPLE) + 0.5) / _SAMPLE * total[-1])
    return list(values.take(places)) if isinstance(values, ArrowTexts) else [values[i] for i in places.tolist()]


def _has_digit(text: str) -> bool:
    """Say whether a text has a digit; those that are no figures (²) are looked for where a text is not plain."""
    return bool(_FIGURE.search(text)) or (not text.isascii() and any(sign.isdigit() for sign in text))


def _worded(values: Sequence[str]) -> Sequence[str]:
    """Return the values with letters, where few have none: figures that strayed among names are no kind of name."""
    found = [text for text in values if any(sign.isalpha() for sign in text)]
    return found if len(found) >= (1.0 - _STRAY) * len(values) else values


def _counts_up(values: Sequence[str]) -> bool:
    if len(values) < _COUNTED or any(not text.isdecimal() or len(text) > 12 for text in values):
        return False
    numbers = np.array([int(text) for text in values])
    return int(numbers.max() - numbers.min()) < 1.5 * len(values)
