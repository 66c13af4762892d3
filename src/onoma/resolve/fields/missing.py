"""Missing values in disguise: found by form and by frequency, reported, and treated as missing.

By form: texts that say "nothing here" (nan, n/a, unknown, -, 0000-00-00, 9999999, a telephone of one digit).
By frequency, cautiously: a value that looks like a default (a first of January, nought among prices) *and* is far more
frequent than the others support; and in a column whose values hardly repeat (telephones, e-mail addresses, identifiers)
a value that does so ten times as often as any other. A frequent town, name or category is never lost.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.resolve.fields.lexicon import STAND_INS

__all__ = ["DisguisedMissing", "all_by_form", "bare_years", "by_form", "by_frequency"]

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
_BARE_STAND_INS = frozenset(re.sub(_SIGNS, "", word) for word in (*STAND_INS, "na", "nat"))
_BARE_SUSPECTS = "^(?:" + "|".join(f"{digit}*" for digit in range(10)) + ")$|1900|1753|0001|9999"


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
    if kind in ("code", "date") and _ONE_DIGIT.fullmatch(re.sub(r"[\W_]+", "", word)):
        return "repeats one digit"
    return None


def all_by_form(texts: Sequence[str], kind: str) -> list[str | None]:
    """Say the same of many raw values.

    Only those are looked at closely whose letters and digits alone are suspect, or that have others than ASCII's.

    Examples
    --------
    >>> all_by_form(["Ada", "n / a", "(999) 999-9999"], "code")
    [None, None, 'repeats one digit']
    """
    if len(texts) <= _FEW:
        return [by_form(text, kind) for text in texts]
    raw = pa.array(texts, pa.string())
    bare = pc.replace_substring_regex(pc.ascii_lower(raw), _SIGNS, "")
    suspect = pc.or_(pc.is_in(bare, pa.array(sorted(_BARE_STAND_INS))), pc.match_substring_regex(bare, _BARE_SUSPECTS))
    suspect = pc.or_(suspect, pc.invert(pc.string_is_ascii(raw)))
    found: list[str | None] = [None] * len(texts)
    for i in np.flatnonzero(suspect.to_numpy(zero_copy_only=False)).tolist():
        found[i] = by_form(texts[i], kind)
    return found


def _says_na(written: str, kind: str) -> bool:
    """NA and NaT are missing values as programs write them; Na and Nat are people."""
    return written in ("NA", "NaT") or (kind not in ("person", "set", "text") and written.casefold() in ("na", "nat"))


def by_frequency(values: list[str], counts: NDArray[np.int64], kind: str) -> dict[int, str]:
    """Return the codes of normalised values too frequent to be real, with the reason."""
    if len(values) < _FEWEST:
        return {}
    if kind == "number":
        return _numbers(np.array([float(value) for value in values]), counts)
    if kind not in ("date", "code"):
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
        elif kind == "code" and n_records < 3 * len(values) and n > _TIMES * most:
            found[code] = f"is in {n:,} records, and other values are in {most:,} at most"
    return found


def bare_years(values: list[str], counts: NDArray[np.int64]) -> list[str] | None:
    """Return dates with every first of January as a bare year, where far too many dates are on that day; else None.

    Registers often write 1 January where only the year is known. One date in 365 is on it by chance.
    """
    whole = np.array([bool(_WHOLE_DATE.fullmatch(value)) for value in values], np.bool_)
    first = np.array([bool(_FIRST_OF_JANUARY.fullmatch(value)) for value in values], np.bool_)
    n_first, n_whole = counts[first].sum(), counts[whole].sum()
    if n_first < 20 or n_first < _TIMES * n_whole / 365:
        return None
    return [value[:4] + "-00-00" if on_it else value for value, on_it in zip(values, first.tolist(), strict=True)]


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
