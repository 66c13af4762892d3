"""What a column can be, one file per kind, registered by name."""

from onoma.errors import SettingsError
from onoma.resolve.fields.field import Kind
from onoma.resolve.fields.kinds.category import Category
from onoma.resolve.fields.kinds.code import Code
from onoma.resolve.fields.kinds.date import Date
from onoma.resolve.fields.kinds.geo import Geo
from onoma.resolve.fields.kinds.likeness import Likeness
from onoma.resolve.fields.kinds.number import Number
from onoma.resolve.fields.kinds.organisation import Organisation
from onoma.resolve.fields.kinds.person import Person
from onoma.resolve.fields.kinds.place import Place
from onoma.resolve.fields.kinds.set import Set
from onoma.resolve.fields.kinds.text import Text

__all__ = ["IGNORE", "KINDS", "KIND_NAMES", "VECTOR", "check_kind"]

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
"""All kinds that can be chosen."""


def check_kind(kind: str, column: str) -> str:
    """Return the kind, or say which there are."""
    if kind not in KIND_NAMES:
        raise SettingsError(
            f"column {column!r} cannot be {kind!r}: there is no such kind",
            hint=f"The kinds are {', '.join(KIND_NAMES)}.",
        )
    return kind
