"""Dates: whole ones, months or bare years, in many ways of writing.

A date is written `YYYY-MM-DD`, with `00` for a part that is not given. Whether 03/04/1990 is in March or April is asked
of the whole column: one value that can be read in one way only decides. So it is with days as spreadsheets count them
(36526 is 2000-01-01): five figures are no other form of a date; fewer are such days where most of the column are.
"""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.resolve.fields._pairs_kernels import distinct_keys
from onoma.resolve.fields.features import Features, FeaturesBuilder
from onoma.resolve.fields.field import Codes, Levels
from onoma.resolve.fields.kinds._levels_kernels import date_levels
from onoma.resolve.fields.packed.texts import ArrowTexts, Texts, arrow_of, bytes_of, plain
from onoma.resolve.fields.writing import fold

__all__ = ["Date", "DateComparison", "YearComparison", "read_date", "read_serial", "reads_day_first"]

Parts = NDArray[np.int32]
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_TIME = re.compile(r"[T ]\d{1,2}:\d{2}.*$")
_FIGURE, _NUMBERS = re.compile(r"\d"), re.compile(r"\d+")
_WORDS = re.compile(r"[a-z]{3,9}")
_BESIDE, _MOST_BESIDE = re.compile(r"[^\W\d_]+"), 5
"""Words, and how many may stand in a date, the month among them (*Tuesday, the 17th of September 1965*): more are a
text that ends with a year, a reference say."""
_PLAIN = re.compile(r"\D*(\d{1,4})(?:[-/. ,]+(\d{1,2})(?:[-/. ,]+(\d{1,4}))?)?\W*")
_COMPACT = re.compile(r"(1[0-9]{3}|20[0-9]{2})(\d{2})(\d{2})")
_SERIAL = re.compile(r"(\d{1,5})(?:\.\d*)?")
_DAY_NOUGHT = date(1899, 12, 30)  # by which 61 is 1900-03-01; before it, spreadsheets count a day that never was
_LAST_SERIAL = 73_050  # the end of 2099
_BARE = 0.8  # share of bare years that makes a column one of years
_CENTURY = 30  # 29 is 2029, 30 is 1930
_KEYS = np.arange(4) * 10_000_000
"""What tells keys apart that are years, days and months, years and months, years and days."""
_DAYS = (0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def reads_day_first(raw: Sequence[str]) -> bool:
    """Say whether a column writes 31/12/1990 (the default) rather than 12/31/1990."""
    votes = [0, 0]
    for text in raw:
        found = re.match(r"\s*(\d{1,2})[-/.](\d{1,2})[-/.]\d{2,4}", text)
        if found:
            first, second = int(found[1]), int(found[2])
            votes[0] += first > 12 >= second
            votes[1] += second > 12 >= first
    return votes[0] >= votes[1]


@lru_cache(maxsize=4_096)  # who asks about one record reads the same few dates beside it each time
def read_date(text: str, *, day_first: bool = True) -> str:
    """Return a date as `YYYY-MM-DD`, `00` for a part not given; an empty text where it cannot be read as one.

    Examples
    --------
    >>> read_date("19561231"), read_date("31/12/56"), read_date("Dec. 31, 1956"), read_date("(1956).")
    ('1956-12-31', '1956-12-31', '1956-12-31', '1956-00-00')
    >>> read_date("12/31/1956"), read_date("03/04/1956", day_first=False), read_date("to appear")
    ('1956-12-31', '1956-03-04', '')
    >>> read_date("Tuesday, the 17th of September 1965"), read_date("A theory of record linkage. JASA, 1969")
    ('1965-09-17', '')
    """
    if not _FIGURE.search(text):
        return ""
    text = _TIME.sub("", text.strip().lower())
    compact = _COMPACT.fullmatch(text)
    if compact:
        return _write(int(compact[1]), int(compact[2]), int(compact[3]))
    if len(_BESIDE.findall(text)) > _MOST_BESIDE:
        return ""
    word = next((word[:3] for word in _WORDS.findall(text) if word[:3] in _MONTHS), None)
    if word is not None:
        return _from_words(_MONTHS.index(word) + 1, [int(number) for number in _NUMBERS.findall(text)])
    plain = _PLAIN.fullmatch(text)
    if not plain:
        return ""
    parts = [part for part in plain.groups() if part is not None]
    return _from_parts(parts, day_first=day_first)


def read_serial(text: str, *, fewest: int = 10_000) -> str:
    """Return the date that a spreadsheet means by a number of days, times cut off; an empty text where it is none.

    Parameters
    ----------
    fewest
        Days; 10,000 is in May 1927, and fewer could be a year.

    Examples
    --------
    >>> read_serial("36526"), read_serial("36526.5"), read_serial("1984"), read_serial("99999")
    ('2000-01-01', '2000-01-01', '', '')
    """
    found = _SERIAL.fullmatch(text.strip())
    days = int(found[1]) if found else 0
    return (_DAY_NOUGHT + timedelta(days)).isoformat() if fewest <= days <= _LAST_SERIAL else ""


def _from_words(month: int, numbers: list[int]) -> str:
    years = [number for number in numbers if number > 31]
    days = [number for number in numbers if 1 <= number <= 31]
    if years:
        return _write(_year(years[0]), month, days[0] if days else 0)
    return _write(_year(days[1]), month, days[0]) if len(days) == 2 else ""


def _from_parts(parts: list[str], *, day_first: bool) -> str:
    numbers = [int(part) for part in parts]
    if len(parts) == 1:
        return _write(numbers[0], 0, 0) if len(parts[0]) == 4 else ""
    if len(parts[0]) >= 3:  # year first
        return _write(numbers[0], numbers[1], numbers[2] if len(parts) == 3 else 0)
    if len(parts) == 2:
        return ""
    day, month = (numbers[0], numbers[1]) if day_first else (numbers[1], numbers[0])
    if month > 12 >= day:
        day, month = month, day
    return _write(_year(numbers[2]) if len(parts[2]) <= 2 else numbers[2], month, day)


def _year(number: int) -> int:
    return number + (2000 if number < _CENTURY else 1900) if number < 100 else number


def _write(year: int, month: int, day: int) -> str:
    fits = 1000 <= year <= 2200 and 0 <= month <= 12 and 0 <= day <= _DAYS[month]
    return f"{year:04}-{month:02}-{day:02}" if fits else ""


class Date:
    """Dates, whole or in part."""

    name = "date"

    def normalise(self, raw: Sequence[str]) -> Sequence[str]:
        """Write as `YYYY-MM-DD`; what cannot be read as a date stays a folded text."""
        if not isinstance(raw, ArrowTexts):
            return _written(raw, len(raw))
        # What is written so already is nothing else: no day as spreadsheets count them, and no day before its month.
        rest = ~_fits(*_parts(raw).T)
        written = pa.array(_written(raw.array.filter(pa.array(rest)).to_pylist(), len(raw)), raw.array.type)
        return ArrowTexts(pc.replace_with_mask(raw.array, pa.array(rest), written))

    def prepare(self, values: Sequence[str], counts: NDArray[np.int64]) -> "DateComparison | YearComparison":
        """Take dates apart into year, month and day."""
        del counts
        bare = pc.sum(pc.ends_with(arrow_of(values), "-00-00")).as_py() or 0
        return YearComparison(values) if bare >= _BARE * len(values) else DateComparison(values)


def _written(raw: Sequence[str], n: int) -> list[str]:
    """Write dates of a column of n."""
    day_first = reads_day_first(raw)
    serials = [read_serial(text) for text in raw]
    if 2 * sum(map(bool, serials)) > n:
        serials = [read_serial(text, fewest=61) for text in raw]
    return [
        serial or read_date(text, day_first=day_first) or fold(text) for text, serial in zip(raw, serials, strict=True)
    ]


class DateComparison:
    """Dates compared part by part, digit by digit and by their distance."""

    levels = (
        "equal",
        "day and month swapped",
        "one digit",
        "no conflict",
        "two parts agree",
        "two digits",
        "within ten days",
        "same year",
        "year off by one",
        "years near",
        "different",
    )

    def __init__(self, values: Sequence[str]) -> None:
        self._values = values
        self._digits = _digits(values)
        self._parts = _parts(values)
        year, month, day = self._parts.T
        self._days = np.where(day > 0, year * 365.25 + month * 30.44 + day, np.nan)

    def compare(self, a: Codes, b: Codes) -> Levels:
        """Return the level of each pair."""
        digits = self._digits
        written = (digits.letters, digits.offsets, digits.tallies)
        return date_levels(plain(a), plain(b), self._parts, self._days, *written)

    def features(self) -> Features:
        """Return the date, its year, and its day and month (in either order)."""
        builder = FeaturesBuilder(len(self._values))
        builder.add_values(self._values)
        _add_keys(builder, self._parts)
        return builder.build()


class YearComparison:
    """Bare years compared by their distance, then by their digits."""

    levels = ("equal", "off by one", "off by two or three", "one digit", "different")

    def __init__(self, values: Sequence[str]) -> None:
        self._values = values
        self._digits = _digits(values)
        self._years = _parts(values)[:, 0].copy()

    def compare(self, a: Codes, b: Codes) -> Levels:
        """Return the level of each pair."""
        given = (self._years[a] > 0) & (self._years[b] > 0)
        years = np.where(given, np.abs(self._years[a] - self._years[b]), 9999)
        slips = self._digits.slips(a, b)
        return np.select([years == 1, years <= 3, slips <= 1], [1, 2, 3], 4).astype(np.int8)

    def features(self) -> Features:
        """Return the year."""
        builder = FeaturesBuilder(len(self._values))
        builder.add_values(self._values)
        return builder.build()


def _is_whole(values: Sequence[str]) -> NDArray[np.bool_]:
    """Return which texts are written as `YYYY-MM-DD`."""
    found = pc.match_substring_regex(arrow_of(values), "^[0-9]{4}-[0-9]{2}-[0-9]{2}$")
    return np.asarray(found.to_numpy(zero_copy_only=False), dtype=np.bool_)


def _parts(values: Sequence[str]) -> NDArray[np.int32]:
    """Return year, month and day of each text that is written so; noughts of others."""
    found = np.zeros((len(values), 3), np.int32)
    whole = _is_whole(values)
    data, offsets = bytes_of(values)
    figures = data[offsets[:-1][whole][:, None] + np.arange(10)].astype(np.int32) - ord("0")
    for part, (first, end) in enumerate(((0, 4), (5, 7), (8, 10))):
        found[whole, part] = figures[:, first:end] @ 10 ** np.arange(end - first)[::-1]
    return found


def _fits(year: Parts, month: Parts, day: Parts) -> NDArray[np.bool_]:
    """Return which are in the calendar, as `_write` has it."""
    months = np.minimum(month, 12)
    return (year >= 1000) & (year <= 2200) & (month <= 12) & (day <= np.array(_DAYS)[months])


def _digits(values: Sequence[str]) -> Texts:
    """Return the figures of each date that are given."""
    found = arrow_of(values)
    for sign in ("-00", "-", " "):
        found = pc.replace_substring(found, sign, "")
    return Texts(ArrowTexts(found))


def _add_keys(builder: FeaturesBuilder, parts: NDArray[np.int32]) -> None:
    """Add to the features of each date its year, its day and month in either order, its year with each of them."""
    year, month, day = parts.astype(np.int64).T
    low, high = np.minimum(month, day), np.maximum(month, day)
    keys = np.stack([year, 100 * low + high, 100 * year + month, 100 * year + day], axis=1) + _KEYS
    given = np.stack([year > 0, *[day > 0] * 3], axis=1)
    rows = np.broadcast_to(np.arange(len(parts), dtype=np.int32)[:, None], given.shape)[given]
    known, ids = distinct_keys(keys[given], int(given.sum()).bit_length() + 1)
    builder.add_unwritten("key", rows, ids, len(known), lambda: [_key(key) for key in known.tolist()])


def _key(key: int) -> str:
    """Return a key as it is written."""
    kind, number = divmod(key, _KEYS[1])
    first, second = divmod(number, 100)
    if kind == 0:
        return f"{number:04}"
    return (f"{first:02}+{second:02}", f"{first:04}-{second:02}", f"{first:04}--{second:02}")[kind - 1]
