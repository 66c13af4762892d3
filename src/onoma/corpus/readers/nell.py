"""Names of NELL, the never-ending language learner: the type of an entity stands in its name.

`concept:city:lyon` and `concept_city_lyon` say the type before the name. Bare coordinates and numbers, which NELL has
as objects, get types of their own.
"""

import re
from collections.abc import Iterable

import pyarrow as pa

from onoma.corpus.schema import TYPES

__all__ = ["LATLONG", "LITERAL", "nell_type", "nell_types"]

LATLONG = "_latlong"
"""The type given to a pair of coordinates."""
LITERAL = "_literal"
"""The type given to a number."""

_NAME = re.compile(r"concept([:_])([^:_]+)\1.+")
_NUMBER = r"-?\d+(?:\.\d+)?"
_COORDINATES = re.compile(rf"{_NUMBER},{_NUMBER}")
_BARE_NUMBER = re.compile(_NUMBER)


def nell_type(name: str) -> str | None:
    """Return the type that a NELL name says, or None.

    Examples
    --------
    >>> nell_type("concept_city_new_york"), nell_type("concept:person:jane"), nell_type("lyon")
    ('city', 'person', None)
    """
    match = _NAME.fullmatch(name)
    if match is not None:
        return match[2]
    if _COORDINATES.fullmatch(name):
        return LATLONG
    return LITERAL if _BARE_NUMBER.fullmatch(name) else None


def nell_types(names: Iterable[str]) -> pa.Table:
    """Return the table of types (`entity`, `type`) that NELL names say; names that say none are left out."""
    typed = [(name, found) for name in names if (found := nell_type(name)) is not None]
    return pa.table({"entity": [name for name, _ in typed], "type": [found for _, found in typed]}, TYPES)
