"""Organisations named in passing: who files, sells, pays or employs, on ever new occasions.

Some tables have a row for each patent, payment or paper, and name an organisation in it. All else that a row says is of
the occasion: which others took part, what it was about. Compared as records such rows differ in nearly everything; and
since a name that hundreds of rows have says little of two *records*, nothing at all is found. What tells is what rows
of one name are like. Records that repeat each other agree in most of the rest, mentions do not: the same limit as for
people (`auto.py`). Where they do not, only the name says who it is, and all else is left out.

People are not named so: two rows *John Smith* need what is beside the name (trees). And where there is a text (a
title), it names the thing; the organisation made it.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.fields.field import FieldData

__all__ = ["ALIKE", "agreements", "occasions"]

ALIKE = 0.43
"""The middle, as a ratio, between the most alike mentions that were measured and the least alike records."""
_FEWEST, _FEWEST_NAMES = 100, 20
"""Rows of names that others have too, and such names, that are enough to judge by."""
_NAMED = 0.5
"""The part of rows that name an organisation, below which a table is not about organisations."""
_NAMING = ("person", "text", "likeness")
"""Kinds of fields that name a thing, or make it take more than a name to say who it is."""


def occasions(fields: Sequence[FieldData], chosen: Sequence[str] = ()) -> list[FieldData]:
    """Return the fields that say something of the occasion on which an organisation is named; none: rows are records.

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
    named = [each for each in fields if each.kind == "organisation" and _filled(each) >= _NAMED]
    if not named or any(each.kind in _NAMING and _filled(each) >= _NAMED for each in fields):
        return []
    name = max(named, key=lambda each: int((each.counts * (each.counts > 1)).sum()))
    others = [each for each in fields if each is not name]
    repeated = np.flatnonzero((name.codes >= 0) & (name.counts[name.codes] > 1))
    mates = repeated[np.argsort(name.codes[repeated], kind="stable")]
    if len(mates) < _FEWEST or int((name.counts > 1).sum()) < _FEWEST_NAMES:
        return []
    shares = agreements(others, np.stack([name.codes[mates], mates], axis=1), _FEWEST // 5)
    known = [share for share in shares if share is not None]
    if not known or float(np.mean(known)) > ALIKE:
        return []
    return [each for each in others if not set(each.columns) & set(chosen)]


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


def _filled(field: FieldData) -> float:
    return float((field.codes >= 0).mean()) if len(field.codes) else 0.0
