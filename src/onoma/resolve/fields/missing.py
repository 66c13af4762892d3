"""Missing values in disguise: found by form and by frequency, reported, and treated as missing.

By form: texts that say "nothing here" (nan, n/a, unknown, -, 0000-00-00, 9999999, a telephone of one digit).
By frequency, cautiously: a value that looks like a default (a first of January, nought among prices) *and* is far more
frequent than the others support; and in a column whose values hardly repeat (telephones, e-mail addresses, identifiers)
a value that does so ten times as often as any other, unless its records say the same elsewhere, too: the pages of a
paper that everybody cites are no placeholder. A frequent town, name or category is never lost.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.resolve.fields.kinds.serial import CODES
from onoma.resolve.fields.lexicon import STAND_INS
from onoma.resolve.fields.packed._writing_kernels import hash_bytes, suspect_bytes
from onoma.resolve.fields.packed.texts import ArrowTexts, arrow_of, bytes_of

__all__ = ["DisguisedMissing", "all_by_form", "bare_years", "by_form", "by_frequency", "says_one_thing", "suspects"]

_PLACEHOLDER_DATES = re.compile(
    r"(?:1900|1753|0001|9999)-?0?1-?0?1(?:[ t].*)?|0?1[/.]0?1[/.](?:1900|0001)|9999-?12-?31(?:[ t].*)?"
    r"|(?:31/12|12/31|31\.12\.)/?9999"
)
_FIRST_OF_JANUARY = re.compile(r"\d{4}-01-01")
_WHOLE_DATE = re.compile(r"\d{4}-(?!00)\d\d-(?!00)\d\d")
_ONE_DIGIT = re.compile(r"(\d)\1{4,}")
_FIVE_FIGURES = re.compile(r"[1-6]{5}")
_NINES = (-1.0, 99.0, 999.0, 9999.0, 99999.0, 999999.0)
_FEWEST = 20  # different values: among fewer, none is too frequent
_SHARE = 0.005
_TIMES = 10
_FEW = 64  # texts: so many are looked at one by one before Arrow has begun


_SIGNS = "[^0-9a-z]+"


class DisguisedMissing(NamedTuple):
    """A value that stands for a missing one.

    Parameters
    ----------
    column
        Where.
    value
        As it is written.
    n_records
        In how many records.
    why
        What gave it away.
    """

    column: str
    value: str
    n_records: int
    why: str


def by_form(text: str, kind: str) -> str | None:
    """Say why a raw value stands for a missing one, or None where it does not.

    Examples
    --------
    >>> by_form(" N/A ", "text"), by_form("1900-01-01", "date"), by_form("Nathan", "person")
    ("says 'N/A'", 'is a placeholder date', None)
    >>> by_form("999999999", "code"), by_form("0", "category")
    ('repeats one digit', None)

    NA is missing; Na is a name.

    >>> by_form("NA", "person"), by_form("Na", "person")
    ("says 'NA'", None)
    """
    written = " ".join(text.split())
    word = written.casefold()
    if word in STAND_INS or word.strip("()[]<>'\"") in STAND_INS or _says_na(written, kind):
        return f"says {written!r}"
    if kind == "date" and _PLACEHOLDER_DATES.fullmatch(word):
        return "is a placeholder date"
    if kind == "date" and _FIVE_FIGURES.fullmatch(word):  # a day as spreadsheets count them
        return None
    if kind in (*CODES, "date") and _ONE_DIGIT.fullmatch(re.sub(r"[\W_]+", "", word)):
        return "repeats one digit"
    return None


def suspects(texts: Sequence[str]) -> NDArray[np.int64]:
    """Return the raw values that may stand for missing ones: only these need be looked at closely.

    Their letters and digits alone are suspect, or they have others than ASCII's.
    """
    if len(texts) <= _FEW:
        return np.arange(len(texts))
    return np.flatnonzero(suspect_bytes(*bytes_of(texts), _bare_stand_ins()))


@cache
def _bare_stand_ins() -> NDArray[np.uint64]:
    """Return the hashes of what stands for nothing, letters and figures alone."""
    bare = {re.sub(_SIGNS, "", word) for word in (*STAND_INS, "na", "nat")}
    return np.sort(hash_bytes(*bytes_of(sorted(bare))))


def all_by_form(texts: Sequence[str], kind: str, among: NDArray[np.int64] | None = None) -> dict[int, str]:
    """Say the same of many raw values: for each that stands for a missing one, why.

    Parameters
    ----------
    among
        The `suspects` among them, where they are known.

    Examples
    --------
    >>> all_by_form(["Ada", "n / a", "(999) 999-9999"], "code")
    {2: 'repeats one digit'}
    """
    said = ((i, by_form(texts[i], kind)) for i in (suspects(texts) if among is None else among).tolist())
    return {i: reason for i, reason in said if reason is not None}


def _says_na(written: str, kind: str) -> bool:
    """NA and NaT are missing values as programs write them; Na and Nat are people."""
    return written in ("NA", "NaT") or (kind not in ("person", "set", "text") and written.casefold() in ("na", "nat"))


def by_frequency(values: Sequence[str], counts: NDArray[np.int64], kind: str) -> dict[int, str]:
    """Return the codes of normalised values too frequent to be real, with the reason."""
    if len(values) < _FEWEST:
        return {}
    if kind == "number":
        return _numbers(np.array([float(value) for value in values]), counts)
    if kind not in ("date", *CODES):
        return {}
    n_records = int(counts.sum())
    order = np.argsort(-counts, kind="stable")
    others = counts[order[3:]]
    most = int(others.max(initial=0))
    typical = float(np.median(others[:10]))
    found = {}
    for code in order[:3].tolist():
        n = int(counts[code])
        if n < max(5, _SHARE * n_records):
            continue
        if kind == "date" and _FIRST_OF_JANUARY.fullmatch(values[code]) and n > max(5 * typical, 2 * most):
            found[code] = f"is a first of January in {n:,} records, and other dates are in {most:,} at most"
        elif kind in CODES and n_records < 3 * len(values) and n > _TIMES * most:
            found[code] = f"is in {n:,} records, and other values are in {most:,} at most"
    return found


def says_one_thing(records: NDArray[np.bool_], others: Sequence[NDArray[np.int32]]) -> bool:
    """Say whether records that share a value are of one thing: two of them often agree elsewhere, others hardly ever.

    Those that share a placeholder are any records.

    Parameters
    ----------
    records
        Which records have the value.
    others
        The values of each record in the other columns, as numbers; -1: none.

    Examples
    --------
    >>> title = np.array([0, 0, 0, 0, 1, 2, 3, 4, 5, 6], np.int32)
    >>> bool(says_one_thing(title == 0, [title])), bool(says_one_thing(np.arange(10) % 2 == 0, [title]))
    (True, False)
    """
    agreement = ((_agreement(codes[records]), _agreement(codes[~records])) for codes in others)
    return any(here > max(_TIMES * elsewhere, 1 / _TIMES) for here, elsewhere in agreement)


def _agreement(codes: NDArray[np.int32]) -> float:
    """Return how often two records that have a value have the same one."""
    counts = np.bincount(codes[codes >= 0]).astype(np.float64)
    n = counts.sum()
    return float((counts * (counts - 1.0)).sum() / max(n * (n - 1.0), 1.0))


def bare_years(values: Sequence[str], counts: NDArray[np.int64]) -> Sequence[str] | None:
    """Return dates with every first of January as a bare year, where far too many dates are on that day; else None.

    Registers often write 1 January where only the year is known. One date in 365 is on it by chance.
    """
    dates = arrow_of(values)
    first = _matching(dates, r"^[0-9]{4}-01-01$")
    n_first = counts[first].sum()
    if n_first < 20:
        return None
    whole = _matching(dates, r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$") & ~_matching(dates, "-00")
    if n_first < _TIMES * counts[whole].sum() / 365:
        return None
    years = pc.utf8_slice_codeunits(dates, 0, 4)
    bare = pc.binary_join_element_wise(years, pa.scalar("00-00", dates.type), pa.scalar("-", dates.type))
    return ArrowTexts(pc.if_else(pa.array(first), bare, dates))


def _matching(texts: pa.Array, form: str) -> NDArray[np.bool_]:
    return np.asarray(pc.match_substring_regex(texts, form).to_numpy(zero_copy_only=False), dtype=np.bool_)


def _numbers(numbers: NDArray[np.float64], counts: NDArray[np.int64]) -> dict[int, str]:
    """Find noughts among prices and the like (nothing else near nought), and nines far above all other numbers."""
    n_records = counts.sum()
    found = {}
    for code in np.flatnonzero((counts >= max(5, _SHARE * n_records)) & np.isin(numbers, (0.0, *_NINES))).tolist():
        others, weights = np.delete(numbers, code), np.delete(counts, code)
        near_nought = weights[others <= 1].sum() / weights.sum()
        if numbers[code] == 0 and near_nought < 0.02:
            found[code] = (
                f"is nought in {counts[code]:,} records, and {1 - near_nought:.0%} of the others are above one"
            )
        elif numbers[code] == -1 and others.min() >= 0:
            found[code] = f"is -1 in {counts[code]:,} records, and no other number is negative"
        elif numbers[code] > 2 * others.max():
            found[code] = f"is {numbers[code]:g} in {counts[code]:,} records, and no other is half as much"
    return found
