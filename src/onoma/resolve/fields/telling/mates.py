"""Rows of one name, and what else they have in common.

That tells records, which repeat each other, from mentions, which say ever new things (`share_repeated`); and what a
record says of its thing from what it says of itself (`new_in_each`): a flag, an amount, the day it was loaded. Of these
learning without labels would expect that copies share them, and find no copies.
"""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.kinds.serial import CODES
from onoma.resolve.fields.telling.lone import bits_shared

__all__ = ["FEWEST", "REPEATED", "adjacent", "agreements", "mates_by", "new_in_each", "share_repeated"]

REPEATED = 0.55
"""Pairs of rows of one name that repeat a telling value (`share_repeated`), up to which they are mentions: halfway
between mentions, of which 0 to .43 do (authors, inventors, agents: six development tables), and records, of which .71
to 1 do (people and officials: six). Without the table at either edge the gap is .36 to .71, or .43 to .83."""
FEWEST, _FEWEST_NAMES = 100, 20
"""Rows of names that others have too, and such names, that are enough to judge by."""
_USUAL = 0.2
"""Names that come again, as a part of all, below which rows are records: the part from which on repetition is usual
(`comparison/folding.py`)."""
_PAIRS, _MOST_PAIRS = 100, 20_000
"""Pairs of rows of one thing that are enough to tell that a field is new in each, and as many as are looked at."""
_BY_CHANCE = 1.36
"""By how many root mean squares two samples of one distribution are apart, at most, in 95 % of cases
(Kolmogorov and Smirnov)."""
_OF_ROWS = ("category", "number", "date", *CODES)
"""Kinds of what may be a row's own. What is said in words (an address, a style) is of the thing, however it differs."""
_WITH_SLIPS = ("date", *CODES)
"""Kinds of which a thing has one value, so that another that is near it is that value, written otherwise."""
_MOST_ROWS = 200_000
"""Rows looked at, about; all of a name or none."""
_READ = 400
"""Values of which words are counted, about."""
_FEW_ROWS = 3
"""Rows that have a rare word, at most."""
_WORD = re.compile(r"\w+")
_NAMING = ("organisation", "place", "text", "likeness", "set")
"""Kinds that may name a thing that is nobody."""
_NAMED = 0.5
"""The part of rows that have a name, below which it names nothing."""


def mates_by(fields: Sequence[FieldData], name: FieldData | None) -> tuple[list[FieldData], NDArray[np.int64]]:
    """Return the other fields, and name and row of rows of one name; nothing where too few names come again."""
    none = np.zeros((0, 2), dtype=np.int64)
    if name is None or float((name.counts > 1).mean()) < _USUAL:
        return [], none
    repeated = np.flatnonzero((name.codes >= 0) & (name.counts[name.codes] > 1))
    mates = repeated[np.argsort(name.codes[repeated], kind="stable")]
    if len(mates) < FEWEST or int((name.counts > 1).sum()) < _FEWEST_NAMES:
        return [], none
    return [each for each in fields if each is not name], np.stack([name.codes[mates], mates], axis=1)


def share_repeated(fields: Sequence[FieldData], mates: NDArray[np.int64], fewest: int) -> float | None:
    """Return, of pairs of rows of one name, the share that have a telling value in common; None: too few have any.

    A value is telling that says half as much, in bits, as it takes to single out one name's rows: two strangers of m
    have one in common once in the root of m. Records that repeat each other have one, in one column or another,
    whatever else stands beside it: flags, amounts and dates of loading that are new in each row change nothing. A date
    or a code is repeated with a slip, too, if strangers are as near each other that seldom. Pairs of which neither row
    has a telling value say nothing: rows that have names and a gender are no mentions for that.

    Parameters
    ----------
    mates
        Name (as a number) and row, those of one name next to each other.
    fewest
        Pairs of rows with both values of some field, one of them telling, that are enough.
    """
    one, other = adjacent(mates)
    size = len(mates) / max(len(np.unique(mates[:, 0])), 1)
    known, repeated = np.zeros(len(one), dtype=np.bool_), np.zeros(len(one), dtype=np.bool_)
    for field in fields:
        telling, a, b = _telling(field, size), field.codes[one], field.codes[other]
        known |= (a >= 0) & (b >= 0) & (telling[a] | telling[b])
        repeated |= _repeats(field, one, other, size)
        if field.kind in _WITH_SLIPS:
            repeated |= _nearly_repeats(field, one, other, size)
    return float(repeated[known].mean()) if known.sum() >= fewest else None


def new_in_each(fields: Sequence[FieldData]) -> list[FieldData]:
    """Return the fields that say nothing of the thing, but something of the row.

    Rows of one whole name that have a telling value in common are one thing, nearly surely. A field in which they are
    no more alike than rows taken at random is new in each: whether it is says nothing for or against two rows. Where a
    table says nothing else that tells, a name and an amount, the name alone vouches for a pair, if it is so long or so
    rare that chance makes next to none like it.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from onoma.corpus.simulate import simulate_people
    >>> from onoma.resolve.fields.prepare import prepare_fields
    >>> people = simulate_people(1_000, seed=1).select(["given_name", "surname", "birth_date", "city"])
    >>> people = people.append_column("amount", pa.array([f"{37 * i % 1_009}.50" for i in range(1_000)]))
    >>> [each.name for each in new_in_each(prepare_fields(people).fields)]
    ['amount']
    """
    naming, mates = _whole_names(fields)
    if len(mates) < _PAIRS:
        return []
    one, other = adjacent(mates)
    step = max(len(one) // _MOST_PAIRS, 1)
    one, other = one[::step], other[::step]
    size = len(mates) / max(len(np.unique(mates[:, 0])), 1)
    others = [each for each in fields if each not in naming]
    repeats = np.array([_repeats(each, one, other, size) for each in others]).reshape(len(others), len(one))
    stranger = np.roll(other, len(other) // 2)  # rows of one name are next to each other
    named: NDArray[np.bool_] | None = None
    found = []
    for f, field in enumerate(others):
        if field.kind not in _OF_ROWS:
            continue
        sure = np.delete(repeats, f, axis=0).any(axis=0)
        if sure.sum() < _PAIRS:  # nothing beside the name and this field says who is who
            named = _one_by_name(naming, one, other) if named is None else named
            sure |= named
        own, strange = (_levels(field, one[sure], mate[sure]) for mate in (other, stranger))
        n = min(len(own), len(strange))
        if n >= _PAIRS and _nearer(own, strange) <= _BY_CHANCE * np.sqrt(2.0 / n):
            found.append(field)
    return found


def _whole_names(fields: Sequence[FieldData]) -> tuple[list[FieldData], NDArray[np.int64]]:
    """Return the fields that name a thing, and name and row of those with a name that comes again.

    A person is named by all names together, if these are more than a family name, which a household shares with its
    address; what is nobody by the field that says most, and where few such names come again, by a word of it that
    hardly any other row has.
    """
    filled = [each for each in fields if float((each.codes >= 0).mean()) >= _NAMED]
    people = [each for each in filled if each.kind == "person" or each.people]
    named = [each for each in filled if each.kind in _NAMING]
    naming = people or ([max(named, key=bits_shared)] if named else [])
    if not naming or (len(people) == 1 and not _has_parts(people[0])):
        return [], np.zeros((0, 2), dtype=np.int64)
    step = max(len(naming[0].codes) // _MOST_ROWS, 1)
    rows = np.flatnonzero(np.all([each.codes >= 0 for each in naming], axis=0) & (naming[0].codes % step == 0))
    whole = np.zeros(len(rows), dtype=np.int64)
    for each in naming:
        whole = np.unique(whole * len(each.values) + each.codes[rows], return_inverse=True)[1]
    again = np.bincount(whole)[whole] > 1 if len(whole) else np.zeros(0, dtype=np.bool_)
    order = np.argsort(whole[again], kind="stable")
    found = np.stack([whole[again][order], rows[again][order]], axis=1).astype(np.int64)
    if len(adjacent(found)[0]) < _PAIRS and len(rows) <= _MOST_PAIRS and not people:
        found = _of_rare_words(naming[0])
    return naming, found


def _has_parts(name: FieldData) -> bool:
    """Say whether most values are more than one word."""
    some = name.values[:: max(len(name.values) // _READ, 1)]
    return sum(" " in value for value in some) > len(some) / 2


def _of_rare_words(name: FieldData) -> NDArray[np.int64]:
    """Return word (as a number) and row of rows whose names share a word that two or three rows have."""
    with_word: dict[str, list[int]] = {}
    for row, code in enumerate(name.codes.tolist()):
        if code >= 0:
            for word in dict.fromkeys(_WORD.findall(name.values[code].lower())):  # in one order, always
                with_word.setdefault(word, []).append(row)
    shared = [rows for rows in with_word.values() if 1 < len(rows) <= _FEW_ROWS]
    labels = np.repeat(np.arange(len(shared)), [len(rows) for rows in shared])
    return np.stack([labels, np.array([row for rows in shared for row in rows], dtype=np.int64)], axis=1)


def _one_by_name(naming: Sequence[FieldData], one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Say of which pairs the names have so much in common that chance would make few such pairs in all of the table.

    Words are taken as drawn one by one, and a pair has the bits of those that both rows have. Of all pairs of n rows
    chance makes n²/2 times two to the minus b that share b bits; these may be a tenth of the pairs that are enough. So
    a long name will do and a single word never, however rare: a town, a family name is shared by strangers.
    """
    words = [[frozenset(_WORD.findall(value.lower())) for value in each.values] for each in naming]
    n = max(len(naming[0].codes), 1)
    n_with: Counter[str] = Counter()
    for each, of_value in zip(naming, words, strict=True):
        for has, count in zip(of_value, each.counts.tolist(), strict=True):
            n_with.update(dict.fromkeys(has, count))
    needed = np.log2(n * n / 2.0) - np.log2(_PAIRS / 10.0)
    found = np.zeros(len(one), dtype=np.bool_)
    for at, (a, b) in enumerate(zip(one.tolist(), other.tolist(), strict=True)):
        both: set[str] = set()
        for each, of_value in zip(naming, words, strict=True):
            if min(each.codes[a], each.codes[b]) >= 0:
                both |= of_value[each.codes[a]] & of_value[each.codes[b]]
        found[at] = sum(np.log2(max(n / n_with[word], 1.0)) for word in sorted(both)) >= needed
    return found


def adjacent(mates: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of rows of one name that are next to each other."""
    same = mates[1:, 0] == mates[:-1, 0]
    return mates[1:, 1][same], mates[:-1, 1][same]


def _repeats(field: FieldData, one: NDArray[np.int64], other: NDArray[np.int64], size: float) -> NDArray[np.bool_]:
    """Say of which pairs both rows have one telling value of a field, where a name has so many rows."""
    telling = _telling(field, size)
    return (field.codes[one] >= 0) & (field.codes[one] == field.codes[other]) & telling[field.codes[one]]


def _nearly_repeats(
    field: FieldData, one: NDArray[np.int64], other: NDArray[np.int64], size: float
) -> NDArray[np.bool_]:
    """Say of which pairs the values are so near each other that, as with telling values, strangers seldom are."""
    found = np.zeros(len(one), dtype=np.bool_)
    strange = np.bincount(_levels(field, one, np.roll(other, len(other) // 2)), minlength=1)
    seldom = np.cumsum(strange) + 1.0 <= np.sqrt(size / max(len(field.codes), 1)) * (strange.sum() + 1.0)
    filled = (field.codes[one] >= 0) & (field.codes[other] >= 0)
    level = _levels(field, one, other)
    found[filled] = (level < len(seldom)) & seldom[np.minimum(level, len(seldom) - 1)]
    return found


def _telling(field: FieldData, size: float) -> NDArray[np.bool_]:
    """Say of each value whether it tells, where a name has so many rows."""
    return np.asarray(field.counts <= np.sqrt(size / max(len(field.codes), 1)) * field.counts.sum())


def _levels(field: FieldData, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int8]:
    """Return the level of those pairs of rows that both have a value."""
    a, b = field.codes[one], field.codes[other]
    filled = (a >= 0) & (b >= 0)
    return field.compare(a[filled], b[filled])


def _nearer(own: NDArray[np.int8], strange: NDArray[np.int8]) -> float:
    """Return by how much more of one sample than of another is at some level or before it, at most."""
    n = int(max(own.max(initial=0), strange.max(initial=0))) + 1
    below = [np.cumsum(np.bincount(each, minlength=n)) / max(len(each), 1) for each in (own, strange)]
    return float((below[0] - below[1]).max())


def agreements(fields: Sequence[FieldData], mates: NDArray[np.int64], fewest: int) -> list[float | None]:
    """Return for each field how often two rows of a name have the same value beyond chance, where both have one.

    Parameters
    ----------
    mates
        Name (as a number) and row, those of one name next to each other.
    fewest
        Pairs of rows with both values that are enough; None is returned of a field with fewer.
    """
    one, other = adjacent(mates)
    found: list[float | None] = []
    for field in fields:
        filled = (field.codes[one] >= 0) & (field.codes[other] >= 0)
        if filled.sum() < fewest:
            found.append(None)
            continue
        chance = float(((field.counts / field.counts.sum()) ** 2).sum())
        share = float((field.codes[one] == field.codes[other])[filled].mean())
        found.append((share - chance) / max(1.0 - chance, 1e-9))
    return found
