"""Lists written in one text: co-authors, tags, classes, with any delimiter."""

import re
from collections.abc import Sequence
from functools import lru_cache

from onoma.resolve.fields.names import write_name

__all__ = ["JOINT", "STRONG", "may_part", "split_elements", "splitter_of", "strong_delimiters"]

JOINT = "\x1f"
"""Parts the elements of a list column in text form (ASCII's own unit separator)."""

STRONG = (JOINT, "**", "||", "|", ";", "\t")
"""Delimiters that part elements wherever they occur."""

_AND = re.compile(r"\s(?:and|und|et|y)\s|&", re.IGNORECASE)
_INITIALS = re.compile(r"(?:[^\W\d_][.\s-]*){1,3}", re.UNICODE)
_SINGLE = re.compile(r"[.\s-]+")


def strong_delimiters(raw: Sequence[str]) -> tuple[str, ...]:
    """Return the strong delimiters that a tenth of the values of a column use; a list column's own excludes others."""
    if any(JOINT in text for text in raw):
        return (JOINT,)
    return tuple(sign for sign in STRONG if 10 * sum(sign in text for text in raw) >= len(raw) > 0)


def splitter_of(strong: Sequence[str]) -> re.Pattern[str] | None:
    """Return the pattern of a column's strong delimiters; None where commas and `and` part elements."""
    return re.compile("|".join(re.escape(sign) for sign in strong)) if strong else None


def may_part(text: str) -> bool:
    """Say whether a text without strong delimiters may be of several elements: else it is one, or none."""
    return "," in text or _AND.search(text) is not None


def split_elements(text: str, splitter: re.Pattern[str] | None = None) -> list[str]:
    """Return the elements of a list in one text, each written as a name would be.

    A comma parts elements, unless it stands between a surname and a given name.

    Examples
    --------
    >>> split_elements("p. auer, n. cesa-bianchi, and r. e. schapire,")
    ['p auer', 'n cesa bianchi', 'r e schapire']
    >>> split_elements("Brodley, C. E. & Utgoff, P. E.")
    ['c e brodley', 'p e utgoff']
    >>> split_elements("fahlman, scott e. and lebiere, christian")
    ['scott e fahlman', 'christian lebiere']
    >>> split_elements("A61N**A61B", splitter_of(["**"]))
    ['a61n', 'a61b']
    """
    if splitter is not None:
        pieces = splitter.split(text)
    else:
        groups = _AND.split(text)
        pieces = [piece for group in groups for piece in _split_commas(group, alone=len(groups) > 1)]
    return [element for element in dict.fromkeys(map(_write, pieces)) if element]


@lru_cache(maxsize=1 << 14)  # elements recur from list to list, and a list is split again beside each column of names
def _write(piece: str) -> str:
    return write_name(piece)


def _split_commas(group: str, *, alone: bool) -> list[str]:
    """Split at commas, keeping `Surname, Given` together; `alone`: a group stands between two `and`s."""
    parts = [part.strip() for part in group.split(",") if part.strip(" .")]
    if alone and len(parts) == 2 and _is_surname(parts[0]) and len(parts[1].split()) <= 3:
        return [f"{parts[0]}, {parts[1]}"]
    pieces: list[str] = []
    for part in parts:
        before = pieces[-1] if pieces else ""
        if before and "," not in before and _is_initials(part) and not _has_initials(before):
            pieces[-1] = f"{before}, {part}"
        else:
            pieces.append(part)
    return pieces


def _is_initials(part: str) -> bool:
    return all(len(letter) <= 1 for letter in _SINGLE.split(part)) and bool(_INITIALS.fullmatch(part))


def _has_initials(part: str) -> bool:
    return any(len(word) == 1 for word in _SINGLE.split(part))


def _is_surname(part: str) -> bool:
    return len(part.split()) <= 2 and not _has_initials(part)
