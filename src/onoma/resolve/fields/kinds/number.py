"""Numbers: prices, sizes, amounts, with or without a unit. Compared by their relative difference."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.fields.bags import cut
from onoma.resolve.fields.features import Features, FeaturesBuilder
from onoma.resolve.fields.field import Codes, Levels

__all__ = ["Number", "NumberComparison", "read_number"]

_NUMBER = re.compile(r"[-+]?(?:\d[\d.,'’  ]*\d|\d)(?:[eE][-+]?\d+)?")
_CLOSENESS = (0.999, 0.98, 0.90, 0.70, 0.50)


def read_number(text: str) -> float:
    """Return the first number in a text, whatever its separators; NaN where there is none.

    Examples
    --------
    >>> read_number("$1,234.50"), read_number("1.234,50 €"), read_number("12 lb"), read_number("-3,5")
    (1234.5, 1234.5, 12.0, -3.5)
    >>> read_number("1,234"), read_number("free")
    (1234.0, nan)
    """
    found = _NUMBER.search(text)
    if not found:
        return float("nan")
    digits = re.sub(r"['’  ]", "", found[0])
    comma, point = digits.rfind(","), digits.rfind(".")
    if comma >= 0 and point >= 0:
        decimal = max(comma, point)
        digits = re.sub(r"[.,]", "", digits[:decimal]) + "." + digits[decimal + 1 :]
    elif comma >= 0:
        thousands = re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+", digits)
        digits = digits.replace(",", "" if thousands or digits.count(",") > 1 else ".")
    elif digits.count(".") > 1:
        digits = digits.replace(".", "")
    return float(digits)


class Number:
    """Quantities."""

    name = "number"

    def normalise(self, raw: Sequence[str]) -> list[str]:
        """Write the first number in one way; a text without one is missing."""
        return [_write(read_number(text)) for text in raw]

    def prepare(self, values: Sequence[str], counts: NDArray[np.int64]) -> "NumberComparison":
        """Turn texts into numbers."""
        del counts
        return NumberComparison(values)


def _write(number: float) -> str:
    return "" if number != number else f"{number:.12g}"


class NumberComparison:
    """Numbers compared by 1 - |x - y| / max(|x|, |y|)."""

    levels = ("equal", "0.1 % apart", "2 % apart", "10 % apart", "30 % apart", "half as much", "different")

    def __init__(self, values: Sequence[str]) -> None:
        self._values = values
        self._numbers = np.array([float(value) for value in values], np.float64)

    def compare(self, a: Codes, b: Codes) -> Levels:
        """Return the level of each pair."""
        x, y = self._numbers[a], self._numbers[b]
        largest = np.maximum(np.maximum(np.abs(x), np.abs(y)), np.finfo(np.float64).tiny)
        return cut((1 - np.abs(x - y) / largest).astype(np.float32), _CLOSENESS)

    def features(self) -> Features:
        """Return the number, and the 5 % wide bands it lies in (two, so that near numbers share one)."""
        builder = FeaturesBuilder(len(self._values))
        builder.add_values(self._values)
        builder.add("key", (_bands(number) for number in self._numbers.tolist()))
        return builder.build()


def _bands(number: float) -> list[str]:
    if number == 0 or not np.isfinite(number):
        return []
    band = np.log(abs(number)) / np.log(1.05)
    sign = "-" if number < 0 else ""
    return [f"{sign}band {int(np.floor(band))}", f"{sign}band {int(np.floor(band)) + 1}"]
