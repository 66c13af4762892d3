"""The most telling field, where it is a text or says nearly all there is to say: it is compared by likeness.

Lists of names, titles, places, affiliations have one field that says nearly all: nothing in the table can teach what
its levels mean, and they mean what other tables have taught (`comparison/taught.py`). Where other fields say enough to
learn from, weights are learnt (and doubted: where the checks trust the taught ones more, these are used after all,
`with_teaching`); but if the field that says most is a free text (a title, a description), likeness is
the better measure of it, too: of 11 development tables with such a field eight gained (pairwise F1 of hotel rooms
.52 → .65, of CDs .82 → .91, of software .62 → .69) and none lost. Titles of six of these had taught likeness itself; of
the five others four gained. Such a text names the thing; people and organisations beside it do not (`gathering.py`).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.kinds import KINDS
from onoma.resolve.fields.kinds.serial import CODES
from onoma.resolve.fields.telling.addresses import is_address

__all__ = [
    "AS_MUCH",
    "among_attributes",
    "bits_of_values",
    "bits_shared",
    "lone_field",
    "most_telling",
    "taught_field",
    "title_of",
    "with_likeness",
    "with_teaching",
]

_WORDED = ("person", "organisation", "place", "text", "set", "likeness", *CODES)
"""Kinds whose values are words."""
_NAMING = ("organisation", "place", "text", "likeness")
"""Kinds of what names a thing that is nobody."""
_ATTRIBUTES = ("category", "date", "number")
"""Kinds of what many things have in common, and what a thing has now so, now otherwise."""
_TITLES = ("text", "organisation")
"""Kinds of what may be a title that other tables can teach of, beside those compared by likeness already."""
_FREE = ("place", "set")
"""Kinds of a table's only column that may hold anything: a name with a birthday behind it reads as a place. Of sixty
parts of seven development tables, one column of two sources each, linked, those that were taken for either gain or stay
(players .00 → .98, lists of authors .72 → .72, rooms .00 → .15 on one part). Those that were taken for organisations
stay as they are: seventeen linked lists of titles gain .02 in the mean by likeness, but of drugs of which one in ten is
in both lists twice as many are linked as are there (.88 → .59)."""
AS_MUCH = 0.5
"""What a field says, in bits, as a part of what the one says that says most, from which on it tells, too."""
_NEARLY_ALL = 0.63
"""The part of what two records both say, in bits, that makes a field say nearly all. In the development tables the
field that says most has .13 to .61 of it, or .68 and more; with a third as many decoys as rows .13 to .61, or .66 and
more."""


def lone_field(fields: Sequence[FieldData]) -> int | None:
    """Return the field that says nearly all there is to say, if there is one."""
    name = among_attributes(fields)
    if name is not None:
        return name
    f, share = _share_of_most(fields)
    return f if share >= _NEARLY_ALL and fields[f].kind in _WORDED else None


def among_attributes(fields: Sequence[FieldData]) -> int | None:
    """Return the one field that names things that are no people, where beside it stand attributes alone.

    Two things of one name cannot be told by what many things have in common, nor can learning tell from it what
    likeness of names means: a mention with its language and day, a title with its year.
    """
    names = [f for f, each in enumerate(fields) if each.kind not in _ATTRIBUTES]
    if len(names) != 1:
        return None
    name, bits = fields[names[0]], bits_shared(fields[names[0]])
    if name.kind not in _NAMING or name.people or is_address(name):
        return None
    closed = [bits_shared(each) for each in fields if each.kind == "category"]
    return names[0] if bits > max(closed, default=0.0) else None


def most_telling(fields: Sequence[FieldData]) -> int:
    """Return the field that says most."""
    return _share_of_most(fields)[0]


def taught_field(fields: Sequence[FieldData]) -> int:
    """Return the field compared by likeness that says nearly all, or that is to teach all the same; -1: none."""
    for f, field in enumerate(fields):
        if field.taught:
            return f
    lone = lone_field(fields)
    return lone if lone is not None and fields[lone].kind == "likeness" else -1


def title_of(fields: Sequence[FieldData], chosen: Sequence[str] = ()) -> int | None:
    """Return the title that tells most, of which other tables can teach; None: there is none, or they teach already.

    A title tells things apart; a name does not, for there are namesakes, and what is beside it counts for more.

    Parameters
    ----------
    chosen
        Columns whose kind was chosen, which is left as it is.
    """
    titles = [f for f, each in enumerate(fields) if _may_teach(each, chosen) and bits_shared(each) > 0.0]
    if not titles or taught_field(fields) >= 0:
        return None
    return max(titles, key=lambda f: bits_shared(fields[f]))


def with_teaching(fields: Sequence[FieldData], title: int) -> list[FieldData]:
    """Return the fields, this one compared as other tables teach."""
    found, field = list(fields), fields[title]
    if field.kind != "likeness":
        comparison = KINDS["likeness"].prepare(field.values, field.counts)
        field = replace(field, kind="likeness", comparison=comparison)
    found[title] = replace(field, reason=f"{field.reason}; it is compared as other tables teach", taught=True)
    return found


def _may_teach(field: FieldData, chosen: Sequence[str]) -> bool:
    return field.kind == "likeness" or (field.kind in _TITLES and not set(field.columns) & set(chosen))


def with_likeness(
    fields: Sequence[FieldData], chosen: Sequence[str] = (), *, link: bool = False
) -> tuple[list[FieldData], str | None]:
    """Return the fields, one of them compared by likeness if there is one to be, and a note if its weights are taught.

    Parameters
    ----------
    chosen
        Columns whose kind was chosen, which is left as it is.
    link
        Whether two sources are linked: what is matched is then learnt, even with one field.
    """
    found = list(fields)
    f, share = _share_of_most(fields)
    lone = lone_field(fields)
    f, says_all = f if lone is None else lone, lone is not None
    if share <= 0.0 or set(fields[f].columns) & set(chosen):
        return found, None
    old = fields[f]
    alone, free = says_all and not link, old.kind == "text" or (len(fields) == 1 and old.kind in _FREE)
    if not alone and not free:
        return found, None
    more = "nearly all there is to say, and is compared as other tables teach" if alone else "most, and is compared so"
    comparison = KINDS["likeness"].prepare(old.values, old.counts)
    reason, people = f"{old.reason}; it says {more}", old.kind == "person"
    found[f] = replace(old, kind="likeness", reason=reason, comparison=comparison, people=people)
    said = f"{old.name} says nearly all there is to say: what its likeness means is known from other tables"
    return found, said if alone else None


def _share_of_most(fields: Sequence[FieldData]) -> tuple[int, float]:
    """Return the field that says most, and its part of what two records both say."""
    bits = np.array([bits_shared(field) for field in fields])
    if bits.sum() <= 0.0:
        return 0, 0.0
    return int(bits.argmax()), float(bits.max() / bits.sum())


def bits_shared(field: FieldData, n_records: int | None = None) -> float:
    """Return the bits that two records say by having one value, times the chance that both have one.

    That is -log2 of the chance that two values are equal, not the mean of -log2 of a value's share (entropy): by
    entropy a column of codes that fills with values nobody else has would say ever more.

    Parameters
    ----------
    n_records
        Of how many records the values are counted; None: those that are here.
    """
    n_filled, n = int(field.counts.sum()), max(len(field.codes) if n_records is None else n_records, 1)
    return bits_of_values(field) * (max(n_filled, 1) / n) ** 2


def bits_of_values(field: FieldData) -> float:
    """Return the bits that two records say by having one value, where both have one."""
    equal = float(((field.counts / max(int(field.counts.sum()), 1)) ** 2).sum())
    return -float(np.log2(equal)) if equal > 0.0 else 0.0
