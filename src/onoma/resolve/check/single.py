"""Is the whole table one thing? Rows of one person or product alone, each miswritten in its own way.

Weights cannot tell: what all rows share says nothing of two of them. But here every column has one value that very many
rows have, and where a column has many values, as names have, nearly all of them are that one with a slip or two. In a
table of different things some column tells them apart: its most frequent value is that of few rows, and others are no
slips of it.

Or what names things, a title, a firm's or a person's whole name, is nearly the same in nearly all rows, as likeness has
it, in every such column, and whatever else there is has one value that very many rows have: the citations of one paper,
the filings of one firm. Lists (of authors, of classes) are then of the occasion. People beside whom others are listed
are not told so, for many authors have one name, nor are those whose given names are letters. Columns in which all rows
say the same are no evidence and not compared, but if they are somebody's whole name, all rows are his: what categories
beside it say is then of the occasion, too.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.check.values import WORDED
from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.infer import infer_words
from onoma.resolve.fields.kinds.likeness import LikenessComparison, likeness_model
from onoma.resolve.fields.telling.addresses import is_address

__all__ = ["is_alike_everywhere", "is_one_thing"]

LETTERS = 8
"""Letters of a value to each slip after the first."""
MANY = 0.05
"""Different values, as a part of the rows: a column with fewer may be a category."""
FREQUENT, NEARLY_ALL = 0.4, 0.9
"""Of the rows of a column, those that have its most frequent value; of those of a column with many values, the ones
that have it or a slip of it."""
NAMING = ("person", "organisation", "text", "likeness")
"""Kinds of what names a thing."""
WHOLE = 2
"""Words from which on a name is whole."""
FILLED = 0.5
"""Of the rows, those that have a value: a column with fewer is not asked."""


def is_one_thing(fields: Sequence[FieldData], constant: Mapping[str, str] = MappingProxyType({})) -> bool:
    """Say whether all rows are of one thing: misspelt in every column alike, or named alike, however it is put.

    Parameters
    ----------
    constant
        The columns in which (nearly) all rows have one value, and that value.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from onoma.resolve.fields.prepare import prepare_fields
    >>> name = "Katherine Montgomery"
    >>> spelt = [name] * 40 + [name[:i] + letter + name[i + 1 :] for i in range(8) for letter in "aeiou"]
    >>> family = [f"{first} Montgomery" for first in ("Ann", "Robert", "Li", "Yasmin") for _ in range(10)]
    >>> [is_one_thing(prepare_fields(pa.table({"name": each})).fields) for each in (spelt, family)]
    [True, False]
    """
    return is_alike_everywhere(fields) or _is_named_alike(fields, of_one=_is_whole_name(constant))


def is_alike_everywhere(fields: Sequence[FieldData]) -> bool:
    """Say whether every column has one value, up to slips, and some column of words would tell things apart."""
    named = False
    for field in fields:
        counts, usual, there = _counted(field)
        if not len(there):
            continue
        if not _is_alike(field, counts, usual, there):
            return False
        named |= field.kind in WORDED and len(there) >= MANY * len(field.codes)
    return named


def _is_alike(field: FieldData, counts: NDArray[np.int64], usual: int, there: NDArray[np.int64]) -> bool:
    """Say whether very many rows have one value, and of a column with many values nearly all that or a slip of it."""
    if counts[usual] < FREQUENT * counts.sum():
        return False
    if len(there) < MANY * len(field.codes):
        return True
    slips = [each for each in there.tolist() if _is_slip(str(field.values[each]), str(field.values[usual]))]
    return bool(counts[slips].sum() >= NEARLY_ALL * counts.sum())


def _is_whole_name(constant: Mapping[str, str]) -> bool:
    """Say whether what all rows have in common is a person's whole name: two words of it that are no letters."""
    people = [column for column, value in constant.items() if infer_words(column, [value]) == "person"]
    words = [word for column in people for word in constant[column].split()]
    return sum(len(word.strip(".,")) > 1 for word in words) >= WHOLE


def _is_named_alike(fields: Sequence[FieldData], *, of_one: bool) -> bool:
    lists = any(field.kind == "set" for field in fields)
    named = of_one and not lists
    for field in fields:
        counts, usual, there = _counted(field)
        filled = counts.sum() / max(len(field.codes), 1)
        if field.kind == "set" or filled < FILLED or (of_one and field.kind == "category"):
            continue
        if counts[usual] < FREQUENT * counts.sum():
            return False
        if field.kind not in NAMING or is_address(field):
            if not _is_alike(field, counts, usual, there):
                return False
            continue
        if counts[there[_akin(field, usual, there)]].sum() < NEARLY_ALL * counts.sum():
            return False
        words = str(field.values[usual]).split()
        of_person = field.people or field.kind == "person"
        told = not of_person or (not lists and all(len(word) > 1 for word in words))
        named |= told and filled >= NEARLY_ALL and len(words) >= WHOLE
    return named


def _counted(field: FieldData) -> tuple[NDArray[np.int64], int, NDArray[np.int64]]:
    """Return the rows of each value, the most frequent one, and those that any row has."""
    counts = np.bincount(field.codes[field.codes >= 0], minlength=1)
    return counts, int(counts.argmax()), np.flatnonzero(counts)


def _akin(field: FieldData, usual: int, there: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Say which values are the usual one or a slip of it, or rather the same by what other tables teach."""
    comparison = LikenessComparison([str(value) for value in field.values], np.maximum(field.counts, 1))
    one = np.full(len(there), usual, dtype=np.int32)
    alike = likeness_model().log_odds(comparison.signs(one, there.astype(np.int32))) >= 0.0
    slips = [_is_slip(str(field.values[each]), str(field.values[usual])) for each in there.tolist()]
    return np.asarray(alike | np.array(slips, dtype=np.bool_))


def _is_slip(value: str, usual: str) -> bool:
    from rapidfuzz.distance import Levenshtein  # few tables need it

    most = 1 + len(usual) // LETTERS
    return Levenshtein.distance(value, usual, score_cutoff=most) <= most
