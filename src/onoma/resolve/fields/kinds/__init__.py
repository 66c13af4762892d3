"""What a column can be, one file per kind, registered by name.

A kind of one's own is registered by `register_kind`, by being given to `onoma.resolve(kinds={"sku": MyKind()})`, or by
another package through an entry point:

    [project.entry-points."onoma.kinds"]
    sku = "my_package.kinds:SKU"
"""

import difflib
from collections.abc import Mapping

from onoma.errors import SettingsError
from onoma.plugins import entry_points
from onoma.resolve.fields.field import Kind
from onoma.resolve.fields.kinds.category import Category
from onoma.resolve.fields.kinds.code import Code
from onoma.resolve.fields.kinds.custom import CUSTOM, custom_kind
from onoma.resolve.fields.kinds.date import Date
from onoma.resolve.fields.kinds.geo import Geo
from onoma.resolve.fields.kinds.likeness import Likeness
from onoma.resolve.fields.kinds.number import Number
from onoma.resolve.fields.kinds.organisation import Organisation
from onoma.resolve.fields.kinds.person import Person
from onoma.resolve.fields.kinds.place import Place
from onoma.resolve.fields.kinds.serial import Serial
from onoma.resolve.fields.kinds.set import Set
from onoma.resolve.fields.kinds.text import Text

__all__ = [
    "CUSTOM",
    "IGNORE",
    "KINDS",
    "KIND_NAMES",
    "VECTOR",
    "adopt_kind",
    "check_kind",
    "find_kind",
    "kind_names",
    "register_kind",
]

IGNORE = "ignore"
"""The kind of a column that is no evidence."""

VECTOR = "vector"
"""The kind of a column of lists of numbers, which does not go through text as the others do."""

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Person(),
        Organisation(),
        Code(),
        Serial(),
        Category(),
        Date(),
        Number(),
        Place(),
        Text(),
        Set(),
        Geo(),
        Likeness(),
    )
}

KIND_NAMES = (*KINDS, VECTOR, IGNORE)
"""All kinds that come with Onoma."""

GROUP = "onoma.kinds"
"""The group of entry points."""
_registered: dict[str, Kind] = {}


def register_kind(kind: object, name: str = CUSTOM) -> str:
    """Add a kind of one's own; it is then known by its name, which is returned, wherever kinds are.

    Parameters
    ----------
    kind
        What `custom.custom_kind` takes: an object or class with levels, a function of two texts.
    name
        What it is called if it does not say.
    """
    made = custom_kind(kind, name)
    _check_name(made.name)
    _registered[made.name] = made
    return made.name


def _check_name(name: str) -> None:
    if name in KIND_NAMES:
        raise SettingsError(
            f"there is a kind {name!r} already; one of your own is called otherwise", hint='Give it a name = "…".'
        )


def adopt_kind(said: object, column: str) -> object:
    """Return a kind as a configuration keeps it: by its name, or as a table of texts.

    What is neither is registered by its name, or that of the column; what is wrong with it is said.
    """
    if isinstance(said, str):
        return said
    if isinstance(said, Mapping) and _is_plain(said):
        _check_name(custom_kind(said).name)
        return dict(said)
    return register_kind(said, column)


def _is_plain(said: object) -> bool:
    """Say whether a table holds nothing but texts, in lists and tables."""
    if isinstance(said, Mapping):
        return all(map(_is_plain, said.values()))
    return all(map(_is_plain, said)) if isinstance(said, list | tuple) else not callable(said)


def kind_names() -> tuple[str, ...]:
    """Return all kinds that can be chosen: those of the house first."""
    return tuple(dict.fromkeys([*KIND_NAMES, *_registered, *(point.name for point in entry_points(group=GROUP))]))


def find_kind(said: object) -> Kind:
    """Return the kind of a name, or that a table describes."""
    if not isinstance(said, str):
        return custom_kind(said)
    if said in KINDS:
        return KINDS[said]
    if said in _registered:
        return _registered[said]
    for point in entry_points(group=GROUP, name=said):
        return custom_kind(point.load(), said)
    raise _unknown(f"there is no kind {said!r} here", said)


def check_kind(kind: object, column: str) -> object:
    """Return the kind, or say which there are."""
    if isinstance(kind, str) and kind not in kind_names():
        raise _unknown(f"column {column!r} cannot be {kind!r}: there is no such kind", kind)
    return kind


def _unknown(said: str, name: str) -> SettingsError:
    near = difflib.get_close_matches(name, kind_names(), n=1)
    meant = f" Did you mean {near[0]!r}?" if near else ""
    own = " One of your own is given by kinds={…}, by register_kind, or by an entry point onoma.kinds."
    return SettingsError(said, hint=f"The kinds are {', '.join(kind_names())}.{meant}{own}")
