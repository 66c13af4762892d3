"""Things named in passing: who files, sells or pays, what is ordered or played, on ever new occasions.

Some tables have a row for each patent, payment, order or paper, and name something in it. All else that a row says is
of the occasion: which others took part, when, how much. Compared as records such rows differ in nearly everything; and
since a name that hundreds of rows have says little of two *records*, nothing at all is found. What tells is what rows
of one name are like. Records that repeat each other share something that tells, mentions seldom do (`share_repeated`).

* An organisation is named in passing where rows of one name repeat no more than mentions of people do (`auto.py`), the
  name in another spelling aside. Then the name alone says who it is, and all else is left out.
* Whatever else has a name (a product, a song, a place) is where each other field is either the thing's own, the same in
  nearly all rows of a name, or the occasion's, and hardly ever the same. The latter are left out, unless one is a
  code that tells the thing after all.

People are not named so: two rows *John Smith* need what is beside the name (trees).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.lone import bits_shared

__all__ = ["REPEATED", "agreements", "occasions", "share_repeated"]

REPEATED = 0.4
"""Pairs of rows of one name that repeat a telling value (`share_repeated`), up to which they are mentions. Of mentions
.01 to .33 do (authors, inventors, agents, applicants: six development tables in parts of two sizes), of records .71 to
1 (people, officials, sites: eight), with a fifth of the values gone .51 and more."""
_OWN, _NEW = 0.9, 0.2
"""Agreement of rows of one name beyond chance, from which on a field is the thing's, and up to which the occasion's. By
meaning; of the labelled tables of records none has fields of these two sorts alone."""
_USUAL = 0.2
"""Names that come again, as a part of all, below which rows are records: the part from which on repetition is usual
(`comparison/folding.py`)."""
_FEW_SHARE, _SIGMAS = 0.8, 3.0
"""Different codes for each row that has one, from which on few rows share one; and how far beyond chance rows that do
must agree in the name, in standard deviations, for it to be no accident."""
_FEWEST, _FEWEST_NAMES = 100, 20
"""Rows of names that others have too, and such names, that are enough to judge by."""
_NAMED = 0.5
"""The part of rows that name something, below which a table is not about it."""
_READ = 400
"""Rows in which names are looked at, about."""
_TITLES = ("text", "likeness")
_NAMING = ("organisation", "place", *_TITLES)
"""Kinds of fields that name a thing."""


def occasions(fields: Sequence[FieldData], chosen: Sequence[str] = ()) -> list[FieldData]:
    """Return the fields that say something of the occasion on which a thing is named; none: rows are records.

    Parameters
    ----------
    fields
        The prepared fields.
    chosen
        Columns whose kind was chosen, which are evidence.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from onoma.resolve.fields.prepare import prepare_fields
    >>> firms = [f"{word} Industries Ltd" for word in "Acme Borel Cortex Delphi Ember Fjord Gamma Helix".split()]
    >>> firms += [f"{firm.split()[0]} Holdings Inc" for firm in firms] + [f"{firm.split()[0]} Bank" for firm in firms]
    >>> payments = {"payee": firms * 10, "paid": [f"{3.17 * i:.2f}" for i in range(240)]}
    >>> [each.name for each in occasions(prepare_fields(pa.table(payments)).fields)]
    ['paid']
    """
    named = [each for each in fields if each.kind in _NAMING and _filled(each) >= _NAMED]
    people = [each for each in fields if each.kind == "person" and _filled(each) >= _NAMED]
    if not people and not any(each.kind in _TITLES for each in named):
        firms = [each for each in named if each.kind == "organisation"]
        name = max(firms, key=lambda each: int((each.counts * (each.counts > 1)).sum()), default=None)
        others, mates = _beside(fields, name)
        said = [each for each in others if name is not None and not _spells(each, name)]
        repeated = share_repeated(said, mates, _FEWEST // 5)
        if repeated is not None and repeated <= REPEATED:
            return [each for each in others if not set(each.columns) & set(chosen)]
    name = max(named, key=bits_shared, default=None)
    others, mates = _beside(fields, name)
    shares = agreements(others, mates, _FEWEST // 5)
    new = [each for each, share in zip(others, shares, strict=True) if share is not None and share <= _NEW]
    if name is not None and any(_identifies(each, name) for each in new):
        return []
    own = [each for each, share in zip(others, shares, strict=True) if share is not None and share >= _OWN]
    if not new or len(new) + len(own) < len(others) or any(each in new for each in people):
        return []
    return [each for each in new if not set(each.columns) & set(chosen)]


def _identifies(field: FieldData, name: FieldData) -> bool:
    """Say whether a code is the thing's own though it is ever new among rows of one name.

    A telephone number is, among restaurants of one cuisine. Few rows share one, and those that do are of one cuisine
    more often than chance has it: they are one restaurant. The lines of one invoice are not of one article, and who
    orders again and again shares a number with many rows.
    """
    if field.kind != "code" or len(field.counts) < _FEW_SHARE * int(field.counts.sum()):
        return False
    repeated = np.flatnonzero((field.codes >= 0) & (field.counts[field.codes] > 1))
    mates = repeated[np.argsort(field.codes[repeated], kind="stable")]
    same = field.codes[mates[1:]] == field.codes[mates[:-1]]
    one, other = name.codes[mates[1:][same]], name.codes[mates[:-1][same]]
    filled = (one >= 0) & (other >= 0)
    n, chance = int(filled.sum()), float(((name.counts / name.counts.sum()) ** 2).sum())
    beyond = float((one == other)[filled].sum()) - n * chance
    return n >= _FEWEST // 5 and beyond > _SIGMAS * np.sqrt(n * chance * (1.0 - chance))


def _beside(fields: Sequence[FieldData], name: FieldData | None) -> tuple[list[FieldData], NDArray[np.int64]]:
    """Return the other fields, and name and row of rows of one name; nothing where too few names come again."""
    none = np.zeros((0, 2), dtype=np.int64)
    if name is None or float((name.counts > 1).mean()) < _USUAL:
        return [], none
    repeated = np.flatnonzero((name.codes >= 0) & (name.counts[name.codes] > 1))
    mates = repeated[np.argsort(name.codes[repeated], kind="stable")]
    if len(mates) < _FEWEST or int((name.counts > 1).sum()) < _FEWEST_NAMES:
        return [], none
    return [each for each in fields if each is not name], np.stack([name.codes[mates], mates], axis=1)


def share_repeated(fields: Sequence[FieldData], mates: NDArray[np.int64], fewest: int) -> float | None:
    """Return, of pairs of rows of one name, the share that have a telling value in common; None: too few have any.

    A value is telling that says half as much, in bits, as it takes to single out one name's rows: two strangers of m
    have one in common once in the root of m. Records that repeat each other have one, in one column or another,
    whatever else stands beside it: flags, amounts and dates of loading that are new in each row change nothing.

    Parameters
    ----------
    mates
        Name (as a number) and row, those of one name next to each other.
    fewest
        Pairs of rows with both values of some field that are enough.
    """
    same = mates[1:, 0] == mates[:-1, 0]
    one, other = mates[1:, 1][same], mates[:-1, 1][same]
    size = len(mates) / max(len(np.unique(mates[:, 0])), 1)
    known, repeated = np.zeros(len(one), dtype=np.bool_), np.zeros(len(one), dtype=np.bool_)
    for field in fields:
        filled = (field.codes[one] >= 0) & (field.codes[other] >= 0)
        telling = field.counts <= np.sqrt(size / max(len(field.codes), 1)) * field.counts.sum()
        known |= filled
        repeated |= filled & (field.codes[one] == field.codes[other]) & telling[field.codes[one]]
    return float(repeated.mean()) if known.sum() >= fewest else None


def agreements(fields: Sequence[FieldData], mates: NDArray[np.int64], fewest: int) -> list[float | None]:
    """Return for each field how often two rows of a name have the same value beyond chance, where both have one.

    Parameters
    ----------
    mates
        Name (as a number) and row, those of one name next to each other.
    fewest
        Pairs of rows with both values that are enough; None is returned of a field with fewer.
    """
    same = mates[1:, 0] == mates[:-1, 0]
    one, other = mates[1:, 1][same], mates[:-1, 1][same]
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


def _spells(field: FieldData, name: FieldData) -> bool:
    """Say whether a field is the name in another spelling: in most rows the two have a word in common."""
    rows = np.flatnonzero((field.codes >= 0) & (name.codes >= 0))
    rows = rows[:: max(len(rows) // _READ, 1)]
    words = ([set(each.values[code].lower().split()) for code in each.codes[rows]] for each in (field, name))
    return sum(bool(one & other) for one, other in zip(*words, strict=True)) > len(rows) / 2


def _filled(field: FieldData) -> float:
    return float((field.codes >= 0).mean()) if len(field.codes) else 0.0
