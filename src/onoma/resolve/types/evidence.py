"""Do two types of rows share evidence? Then they may be two ways to write of the same things, and stay together.

Two lists of the same shops, one with postcodes and one with programmes, fill different columns and have a name in
common. What tells them from people beside shops is what stands there. Of rows of one sort two halves have many words in
common; rows of another sort share far fewer with them. Where no column of names or texts is filled by both, the whole
values of what else tells (telephones, addresses) are asked in the same way.
"""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from onoma.numerics.rng import stream
from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.telling.lone import bits_shared

__all__ = ["common_words", "shared_evidence"]

_NAMING = ("person", "organisation", "text", "set", "likeness")
"""Kinds that name things."""
_ONE_SORT = 0.5
"""Words that two types have in common, as a part of those that halves of one have, from which on they are of one sort.
By meaning: nearer to rows of one sort than to none. Each of eleven tables of sources of the same things has a column
with .86 or more; of the 528 pairs of first such columns of 33 tables, only those of one sort reach .5 (given names,
films and songs, artists and titles, electronics of two shops)."""
_HALF = 1_000
"""Rows of a half, at most."""
_FEWEST = 25
"""Rows of a half, at least: fewer say nothing."""


def shared_evidence(one: Sequence[FieldData], other: Sequence[FieldData], seed: int = 0) -> str:
    """Return the column by which rows of two types may be the same; empty if there is none.

    Parameters
    ----------
    one, other
        The fields of either type.
    """
    by_column = {each.columns: each for each in other}
    shared = [(each, by_column[each.columns]) for each in one if each.columns in by_column]
    naming = [pair for pair in shared if all(each.kind in _NAMING for each in pair)]
    if naming:
        return next((each.name for each, its in naming if common_words(each, its, seed) >= _ONE_SORT), "")
    for each, its in shared:
        tells = np.log2(max(len(each.codes) + len(its.codes), 2)) / 2.0
        telling = min(bits_shared(each), bits_shared(its)) >= tells
        if telling and common_words(each, its, seed, whole=True) >= _ONE_SORT:
            return each.name
    return ""


def common_words(one: FieldData, other: FieldData, seed: int = 0, *, whole: bool = False) -> float:
    """Return the words that rows of two types have in common, as a part of those that halves of one have.

    Parameters
    ----------
    whole
        Count whole values in the place of their words.
    """
    rows = [np.flatnonzero(each.codes >= 0) for each in (one, other)]
    size = min(*(len(each) // 2 for each in rows), _HALF)
    if size < _FEWEST:
        return 0.0
    counts: list[list[Counter[str]]] = []
    for field, known in zip((one, other), rows, strict=True):
        drawn = stream(seed, "halves", field.name).permutation(known)[: 2 * size]
        counts.append([_words(field, half.tolist(), whole=whole) for half in (drawn[:size], drawn[size:])])
    (a, b), (c, d) = counts
    across = np.mean([_overlap(left, right) for left in (a, b) for right in (c, d)])
    within = (_overlap(a, b) + _overlap(c, d)) / 2.0
    return float(across / within) if within > 0.0 else float(across > 0.0)


def _words(field: FieldData, rows: Sequence[int], *, whole: bool) -> Counter[str]:
    """Count the rows that have each word."""
    found: Counter[str] = Counter()
    for row in rows:
        value = str(field.values[field.codes[row]]).lower()
        found.update([value] if whole else set(re.findall(r"\w+", value)))
    return found


def _overlap(one: Counter[str], other: Counter[str]) -> float:
    """Return the part of the words of either, the one with fewer, that is found in the other as often."""
    least = min(one.total(), other.total())
    return (one & other).total() / least if least else 0.0
