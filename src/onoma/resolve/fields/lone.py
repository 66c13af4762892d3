"""Tables in which one field says nearly all there is to say: lists of names, titles, places, affiliations."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.kinds import KINDS

__all__ = ["lone_field", "with_likeness"]

_WORDED = ("person", "organisation", "place", "text", "set", "code")
"""Kinds whose values are words."""
_NEARLY_ALL = 0.6
"""The part of what two records both say, in bits, that makes a field say nearly all. In the development tables the
field that says most has .13 to .57 of it, or .69 and more."""


def lone_field(fields: Sequence[FieldData]) -> int | None:
    """Return the field that says nearly all there is to say, if there is one."""
    bits = np.array([_bits(field) for field in fields])
    if bits.sum() <= 0.0:
        return None
    f = int(bits.argmax())
    return f if fields[f].kind in _WORDED and bits[f] >= _NEARLY_ALL * bits.sum() else None


def with_likeness(fields: Sequence[FieldData], chosen: Sequence[str] = ()) -> tuple[list[FieldData], str | None]:
    """Return the fields, one that says nearly all compared by likeness, and a note if there is one.

    Parameters
    ----------
    chosen
        Columns whose kind was chosen, which is left as it is.
    """
    found = list(fields)
    f = lone_field(fields)
    if f is None or set(fields[f].columns) & set(chosen):
        return found, None
    old = fields[f]
    reason = f"{old.reason}; it says nearly all there is to say, and is compared as other tables teach"
    comparison = KINDS["likeness"].prepare(old.values, old.counts)
    found[f] = replace(old, kind="likeness", reason=reason, comparison=comparison)
    return found, f"{old.name} says nearly all there is to say: what its likeness means is known from other tables"


def _bits(field: FieldData) -> float:
    """Return the bits of a value (-log2 of the share of records that have it), times the chance that two have one."""
    n_filled, n = max(int(field.counts.sum()), 1), max(len(field.codes), 1)
    entropy = float(-(field.counts * np.log2(field.counts / n_filled)).sum() / n_filled)
    return entropy * (n_filled / n) ** 2
