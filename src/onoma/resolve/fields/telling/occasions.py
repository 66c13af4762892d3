"""Things named in passing: who files, sells or pays, what is ordered or played, on ever new occasions.

Some tables have a row for each patent, payment, order or paper, and name something in it. All else that a row says is
of the occasion: which others took part, when, how much. Compared as records such rows differ in nearly everything; and
since a name that hundreds of rows have says little of two *records*, nothing at all is found. What tells is what rows
of one name are like. Records that repeat each other share something that tells, mentions seldom do (`share_repeated`).

* An organisation is named in passing where rows of one name repeat no more than mentions of people do (`auto.py`), the
  name in another spelling aside. Then the name alone says who it is, and all else is left out.
* Whatever else has a name (a product, a song, a place; no address, where many live) is where each other field is either
  the thing's own, the same in nearly all rows of a name, or the occasion's, and hardly ever the same. The latter are
  left out, unless one is a code that tells the thing after all.

People are not named so: two rows *John Smith* need what is beside the name (trees).
"""

from collections.abc import Sequence

import numpy as np

from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.kinds.serial import CODES
from onoma.resolve.fields.telling.addresses import is_address
from onoma.resolve.fields.telling.lone import AS_MUCH, among_attributes, bits_shared
from onoma.resolve.fields.telling.mates import FEWEST, REPEATED, adjacent, agreements, mates_by, share_repeated

__all__ = ["occasions", "spells"]

_OWN, _NEW = 0.9, 0.2
"""Agreement of rows of one name beyond chance, from which on a field is the thing's, and up to which the occasion's. By
meaning; of the labelled tables of records none has fields of these two sorts alone."""
_FEW_SHARE, _SIGMAS = 0.8, 3.0
"""Different codes for each row that has one, from which on few rows share one; and how far beyond chance rows that do
must agree in the name, in standard deviations, for it to be no accident."""
_FEWEST = 20
"""Pairs of rows of one name that are enough to say so where attributes alone stand beside it."""
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
        # Of several that which tells most, if it tells as much as what else may name a thing: a cuisine names nobody,
        # nor does a type that is misspelt here and there.
        least = AS_MUCH * max(map(bits_shared, named), default=0.0)
        firms = [each for each in named if each.kind == "organisation" and not is_address(each)]
        name = max((each for each in firms if bits_shared(each) >= least), key=bits_shared, default=None)
        others, mates = mates_by(fields, name)
        said = [each for each in others if name is not None and not spells(each, name)]
        repeated = share_repeated(said, mates, FEWEST // 5)
        if repeated is not None and repeated <= REPEATED:
            return [each for each in others if not set(each.columns) & set(chosen)]
    lone = among_attributes(fields)
    if lone is not None and (found := _beside(fields[lone], fields)):
        return [each for each in found if not set(each.columns) & set(chosen)]
    name = max(named, key=bits_shared, default=None)
    if name is not None and is_address(name):
        return []  # and a style or a cuisine beside it names nothing, either
    others, mates = mates_by(fields, name)
    shares = agreements(others, mates, FEWEST // 5)
    new = [each for each, share in zip(others, shares, strict=True) if share is not None and share <= _NEW]
    if name is not None and any(_identifies(each, name) for each in new):
        return []
    own = [each for each, share in zip(others, shares, strict=True) if share is not None and share >= _OWN]
    if not new or len(new) + len(own) < len(others) or any(each in new for each in people):
        return []
    return [each for each in new if not set(each.columns) & set(chosen)]


def _beside(name: FieldData, fields: Sequence[FieldData]) -> list[FieldData]:
    """Return the attributes beside a name that are the occasion's: seldom the same in rows of one name.

    None is, where rows of one name mostly repeat a telling one, a year or a price: they are records.
    """
    others, again = [each for each in fields if each is not name], np.flatnonzero(name.codes >= 0)
    again = again[name.counts[name.codes[again]] > 1]
    mates = again[np.argsort(name.codes[again], kind="stable")]
    pairs = np.stack([name.codes[mates], mates], axis=1)
    if len(adjacent(pairs)[0]) < _FEWEST:
        return []
    repeated = share_repeated(others, pairs, 1)
    if repeated is not None and repeated > REPEATED:
        return []
    shares = agreements(others, pairs, 1)
    return [each for each, share in zip(others, shares, strict=True) if share is not None and share <= REPEATED]


def _identifies(field: FieldData, name: FieldData) -> bool:
    """Say whether a code is the thing's own though it is ever new among rows of one name.

    A telephone number is, among restaurants of one cuisine. Few rows share one, and those that do are of one cuisine
    more often than chance has it: they are one restaurant. The lines of one invoice are not of one article, and who
    orders again and again shares a number with many rows.
    """
    if field.kind not in CODES or len(field.counts) < _FEW_SHARE * int(field.counts.sum()):
        return False
    repeated = np.flatnonzero((field.codes >= 0) & (field.counts[field.codes] > 1))
    mates = repeated[np.argsort(field.codes[repeated], kind="stable")]
    same = field.codes[mates[1:]] == field.codes[mates[:-1]]
    one, other = name.codes[mates[1:][same]], name.codes[mates[:-1][same]]
    filled = (one >= 0) & (other >= 0)
    n, chance = int(filled.sum()), float(((name.counts / name.counts.sum()) ** 2).sum())
    beyond = float((one == other)[filled].sum()) - n * chance
    return n >= FEWEST // 5 and beyond > _SIGMAS * np.sqrt(n * chance * (1.0 - chance))


def spells(field: FieldData, name: FieldData) -> bool:
    """Say whether a field is the name in another spelling: in most rows the two have a word in common."""
    rows = np.flatnonzero((field.codes >= 0) & (name.codes >= 0))
    rows = rows[:: max(len(rows) // _READ, 1)]
    words = ([set(each.values[code].lower().split()) for code in each.codes[rows]] for each in (field, name))
    return sum(bool(one & other) for one, other in zip(*words, strict=True)) > len(rows) / 2


def _filled(field: FieldData) -> float:
    return float((field.codes >= 0).mean()) if len(field.codes) else 0.0
