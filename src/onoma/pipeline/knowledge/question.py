"""Questions about facts: `relation(subject, ?)`.

Names may hold commas and parentheses, so a question can be read in several ways. `readings` gives them all, the
plainest first; the names that are known decide (`parse_query`).
"""

import re
from collections.abc import Container
from itertools import product
from typing import NamedTuple

from onoma.errors import SettingsError

__all__ = ["Query", "parse_query", "readings"]

_OPEN = re.compile(r"\?\w*")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"|' + r"'((?:[^'\\]|\\.)*)'")
_PLAIN = re.compile(r"[^,()\"'?\s](?:[^,()\"']*[^,()\"'\s])?")
"""Names that need no quotes."""
_HINT = (
    "Write relation(subject, ?), relation(?, object), ?(subject, object) or relation(subject, object); "
    "a name may stand in double quotes."
)


class Query(NamedTuple):
    """A question about facts: what is open is None, and at most one part is."""

    relation: str | None
    subject: str | None
    object: str | None

    def __str__(self) -> str:
        relation, subject, object_ = ("?" if part is None else _shown(part) for part in self)
        return f"{relation}({subject}, {object_})"

    @property
    def n_open(self) -> int:
        """How many parts are asked for."""
        return sum(part is None for part in self)


def parse_query(text: str, entities: Container[str] | None = None, relations: Container[str] | None = None) -> Query:
    """Read a question; where names are given, in the way that makes all of its names known ones, if there is one.

    Examples
    --------
    >>> parse_query("capital_of(lyon, ?)")
    Query(relation='capital_of', subject='lyon', object=None)
    >>> parse_query('in("Paris, Texas", usa)').subject
    'Paris, Texas'
    >>> parse_query("in(Paris, Texas, ?)", {"Paris, Texas"}, {"in"}).subject
    'Paris, Texas'
    """
    found = readings(text)
    if not found:
        raise SettingsError(f"{text!r} is no question about facts", hint=_HINT)
    for query in found:
        sides = all(side is None or entities is None or side in entities for side in query[1:])
        if sides and (query.relation is None or relations is None or query.relation in relations):
            return query
    return found[0]


def readings(text: str) -> list[Query]:
    """Return the ways to read a question that leave at most one part open, the plainest first."""
    text = text.strip()
    if not text.endswith(")"):
        return []
    ways = []
    for opening in (at for at, letter in enumerate(text) if letter == "("):
        inside = text[opening + 1 : -1]
        for comma in (at for at, letter in enumerate(inside) if letter == ","):
            parts = [text[:opening].strip(), inside[:comma].strip(), inside[comma + 1 :].strip()]
            if all(parts):
                broken = sum(part.count('"') % 2 for part in parts)
                ways.append((broken, opening, comma, parts))
    ways.sort(key=lambda way: way[:3])
    found = (Query(*meant) for *_, parts in ways for meant in product(*map(_meanings, parts)))
    every = list(dict.fromkeys(found))
    if every and all(query.n_open > 1 for query in every):
        raise SettingsError(f"{text!r} leaves more than one part open; name the others", hint=_HINT)
    return [query for query in every if query.n_open <= 1]


def _meanings(part: str) -> list[str | None]:
    """Return what a part can mean: something open, what stands in the quotes, or what stands there."""
    if _OPEN.fullmatch(part):
        return [None]
    quoted = _QUOTED.fullmatch(part)
    if quoted is None:
        # A literal of N-Triples may be written as it stands in the file, with escapes.
        return list(dict.fromkeys((part, re.sub(r"\\(.)", r"\1", part) if part.startswith('"') else part)))
    return [re.sub(r"\\(.)", r"\1", quoted[1] if quoted[1] is not None else quoted[2]), part]


def _shown(name: str) -> str:
    if _PLAIN.fullmatch(name):
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
