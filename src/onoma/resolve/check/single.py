"""Is the whole table one thing? Rows of one person or product alone, each miswritten in its own way.

Weights cannot tell: what all rows share says nothing of two of them. But here every column has one value that very many
rows have, and where a column has many values, as names have, nearly all of them are that one with a slip or two. In a
table of different things some column tells them apart: its most frequent value is that of few rows, and others are no
slips of it.
"""

from collections.abc import Sequence

import numpy as np

from onoma.resolve.check.values import WORDED
from onoma.resolve.fields.field import FieldData

__all__ = ["is_one_thing"]

LETTERS = 8
"""Letters of a value to each slip after the first."""
MANY = 0.05
"""Different values, as a part of the rows: a column with fewer may be a category."""
FREQUENT, NEARLY_ALL = 0.4, 0.9
"""Of the rows of a column, those that have its most frequent value; of those of a column with many values, the ones
that have it or a slip of it."""


def is_one_thing(fields: Sequence[FieldData]) -> bool:
    """Say whether every column has one value, up to slips, and some column of words would tell things apart.

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
    named = False
    for field in fields:
        filled = np.flatnonzero(field.codes >= 0)
        if not len(filled):
            continue
        counts = np.bincount(field.codes[filled])
        usual = int(counts.argmax())
        if counts[usual] < FREQUENT * len(filled):
            return False
        there = np.flatnonzero(counts)
        if len(there) < MANY * len(field.codes):
            continue
        slips = [each for each in there.tolist() if _is_slip(field.values[each], field.values[usual])]
        if counts[slips].sum() < NEARLY_ALL * len(filled):
            return False
        named |= field.kind in WORDED
    return named


def _is_slip(value: str, usual: str) -> bool:
    from rapidfuzz.distance import Levenshtein  # few tables need it

    most = 1 + len(usual) // LETTERS
    return Levenshtein.distance(value, usual, score_cutoff=most) <= most
