"""What a character is: letter, digit, blank, sign; and its small form. Tables filled as characters are met.

One entry for each of Unicode's 1,114,112 code points, filled on first sight: a text of English fills a hundred.
"""

import unicodedata

import numpy as np
from numpy.typing import NDArray

__all__ = ["BLANK", "CASED_LOWER", "CASED_UPPER", "DIGIT", "LETTER", "LINE", "SIGN", "tables_for"]

BLANK, LINE, DIGIT, CASED_LOWER, CASED_UPPER, LETTER, SIGN, MARK = 1, 2, 3, 4, 5, 6, 7, 8
"""Blank; line end; decimal digit; small, capital, other letter; anything else; a mark joined to what is before it."""
_LINES = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
_CLASS = np.zeros(0x110000, np.uint8)
_LOWER = np.zeros(0x110000, np.uint32)


def tables_for(codes: NDArray[np.uint32]) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """Return the tables of classes and of small forms, filled for every code point given."""
    unseen = codes[_CLASS[codes] == 0]
    for code in np.unique(unseen).tolist():
        letter = chr(code)
        lower = letter.lower()
        _LOWER[code] = ord(lower) if len(lower) == 1 else code
        _CLASS[code] = _class_of(letter)
    return _CLASS, _LOWER


def _class_of(letter: str) -> int:
    if letter.isspace():
        return LINE if letter in _LINES else BLANK
    category = unicodedata.category(letter)
    if category[0] == "M" or letter in "\u200d\ufe0f":
        return MARK
    if category == "Nd":
        return DIGIT
    if category[0] == "L":
        return CASED_UPPER if category in ("Lu", "Lt") else CASED_LOWER if category == "Ll" else LETTER
    return SIGN
