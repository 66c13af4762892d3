"""Columns that belong together: latitude with longitude, a list of names with the name it was found under."""

import re
from collections.abc import Sequence

import numpy as np

from onoma.resolve.fields.columns import TextColumn
from onoma.resolve.fields.elements import JOINT, split_elements, splitter_of, strong_delimiters
from onoma.resolve.fields.field import Codes
from onoma.resolve.fields.kinds.geo import read_point
from onoma.resolve.fields.lexicon import listed
from onoma.resolve.fields.names import write_name
from onoma.resolve.fields.profile import name_words

__all__ = ["find_points", "join_points", "points_by_values", "without_own_name"]

_NUMBER = re.compile(r"[-+]?\d{1,3}(?:\.\d+)?")
_LATITUDE = listed("lat latitude")
_LONGITUDE = listed("lon lng long longitude")
_POINTS = 0.8  # share of pairs that must be places on the globe
_OWN = 0.8  # share of records whose list holds their own name: below it, the name is there by chance


_COORDINATE = re.compile(r"[-+]?\d{1,3}\.\d{3,}")
"""Degrees to three places: two places (a kilometre) name no place, and amounts of money have two."""
_PRECISE = 0.5  # share of values written so: trailing noughts are often left out


def points_by_values(columns: Sequence[TextColumn]) -> tuple[str, str] | None:
    """Return the one pair of columns whose values are latitudes and longitudes, filled in the same records.

    Longitudes are told by values beyond 90 degrees; without such, the first column is taken for the latitude.
    """
    found = [each for each in columns if _are_degrees(each)]
    if len(found) != 2:
        return None
    first, second = found
    together = (first.codes >= 0) & (second.codes >= 0)
    if together.sum() < 0.99 * ((first.codes >= 0) | (second.codes >= 0)).sum():
        return None
    widest = [max(abs(float(text)) for text in each.raw) for each in found]
    if min(widest) > 90:
        return None
    return (second.name, first.name) if widest[0] > 90 else (first.name, second.name)


def _are_degrees(column: TextColumn) -> bool:
    if len(column.raw) < 2 or not all(_NUMBER.fullmatch(text) for text in column.raw):
        return False
    precise = sum(1 for text in column.raw if _COORDINATE.fullmatch(text))
    return precise >= _PRECISE * len(column.raw) and max(abs(float(text)) for text in column.raw) <= 180


def find_points(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of columns that hold latitudes and longitudes by their names.

    Examples
    --------
    >>> find_points(["name", "lat", "lng", "shop_latitude", "shop_longitude"])
    [('lat', 'lng'), ('shop_latitude', 'shop_longitude')]
    """
    longitudes = {}
    for name in names:
        words = frozenset(name_words(name))
        if words & _LONGITUDE:
            longitudes[words - _LONGITUDE] = name
    rest = [(name, frozenset(name_words(name))) for name in names]
    pairs = ((name, longitudes.get(words - _LATITUDE)) for name, words in rest if words & _LATITUDE)
    return [(name, other) for name, other in pairs if other is not None]


def join_points(latitude: TextColumn, longitude: TextColumn) -> TextColumn | None:
    """Return two columns as one of points; None where they are no places on the globe."""
    raw, codes = _pairs(latitude, longitude)
    texts = [f"{latitude.raw[i]}, {longitude.raw[j]}" for i, j in raw]
    if sum(read_point(text) is not None for text in texts) < _POINTS * len(texts) or not texts:
        return None
    columns = (latitude.name, longitude.name)
    return TextColumn(" + ".join(columns), columns, texts, codes)


def without_own_name(lists: TextColumn, names: TextColumn) -> TextColumn | None:
    """Return lists of names without the name each record is about; None where most records do not hold it.

    A paper's authors include the author in question. Left in, the list would repeat the other column, and its rare
    elements, the co-authors, would count for less.
    """
    pairs, codes = _pairs(lists, names)
    splitter = splitter_of(strong_delimiters(lists.raw))
    elements = [split_elements(text, splitter) for text in lists.raw]
    owners = [write_name(text) for text in names.raw]
    held = np.array([owners[j] in elements[i] for i, j in pairs], np.bool_)
    if not pairs or held[codes[codes >= 0]].mean() < _OWN:
        return None
    left = [JOINT.join(element for element in elements[i] if element != owners[j]) for i, j in pairs]
    alone = np.flatnonzero((lists.codes >= 0) & (names.codes < 0))  # records without a name keep their list
    whole, place = np.unique(lists.codes[alone], return_inverse=True)
    codes[alone] = len(left) + place
    left += [JOINT.join(elements[i]) for i in whole.tolist()]
    return TextColumn(lists.name, lists.columns, left, codes)


def _pairs(first: TextColumn, second: TextColumn) -> tuple[list[tuple[int, int]], Codes]:
    """Return the distinct pairs of texts of two columns, and each record's (-1 where either is missing)."""
    both = np.flatnonzero((first.codes >= 0) & (second.codes >= 0))
    keys = first.codes[both].astype(np.int64) * max(len(second.raw), 1) + second.codes[both]
    distinct, place = np.unique(keys, return_inverse=True)
    codes = np.full(len(first.codes), -1, np.int32)
    codes[both] = place
    n = max(len(second.raw), 1)
    return [(key // n, key % n) for key in distinct.tolist()], codes
