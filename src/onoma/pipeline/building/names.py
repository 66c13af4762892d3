"""Names as people would write them, the fullest of several, and names that two things have, not one."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from onoma.linking.candidates import fold
from onoma.resolve.fields.names import nickname_table

__all__ = ["alike", "bare", "exclude", "fullest", "is_name", "part_groups"]

_AFTER = re.compile(r"(\s*[?,;:_“”\"]|\s+[!'’.–—-])+$")
_ARTICLES = ("the", "a", "an")
_MEN = frozenset(
    ("mr", "sir", "lord", "king", "prince", "father", "uncle", "count", "duke", "baron", "herr", "monsieur")
)
_WOMEN = frozenset((
    "mrs", "ms", "miss", "lady", "dame", "madame", "mme", "frau", "queen", "princess", "mother", "aunt", "countess",
    "duchess",
))  # fmt: skip
_OFFICES = frozenset((
    "dr", "doctor", "prof", "professor", "president", "senator", "minister", "chancellor", "governor", "mayor", "judge",
    "justice", "captain", "colonel", "general", "major", "saint", "st", "reverend", "rev", "bishop", "pope",
    "secretary", "director", "councillor", "cllr", "councilman", "councilwoman", "alderman", "chair", "chairman",
    "chairwoman", "commissioner", "ambassador", "inspector", "detective", "officer", "sergeant", "sgt", "lieutenant",
    "lt", "capt", "col", "gen", "sen", "rep", "gov", "hon", "coach", "attorney",
))  # fmt: skip
_SMALL = frozenset(("the", "of", "and", "de", "von", "van", "la", "le", "du", "jr"))
_SILENT = _MEN | _WOMEN | _OFFICES | _SMALL
"""Words that do not tell two names apart."""
_ALIKE = 60.0
"""How alike the letters of two words are that may be one, misspelt or scanned badly."""


def bare(name: str) -> str:
    """Return a name without an article before it, a possessive ending and what punctuation was caught with it.

    Examples
    --------
    >>> bare("the Battle Abbey Roll ?"), bare("Lovelace's"), bare("Washington D.C."), bare("Yahoo!")
    ('Battle Abbey Roll', 'Lovelace', 'Washington D.C.', 'Yahoo!')
    """
    name = _AFTER.sub("", name) or name
    for ending in ("'s", "’s", "'", "’"):
        name = name.removesuffix(ending)
    first, _, rest = name.partition(" ")
    return rest if first.lower() in _ARTICLES and rest else name


def is_name(name: str) -> bool:
    """Say whether a text can be a name: a letter and a number of a list cannot.

    Examples
    --------
    >>> is_name("Q"), is_name("12"), is_name("EU"), is_name("Ω")
    (False, False, True, True)
    """
    letters = [each for each in name if each.isalpha()]
    return len(letters) > 1 or (len(letters) == 1 and not name.isascii())


def fullest(names: Sequence[str]) -> str:
    """Return the name that says most: the commonest; if that is one word but for titles, the commonest that holds it.

    Examples
    --------
    >>> fullest(["Lovelace", "Ada Lovelace", "Lovelace", "Charles Babbage", "Lady Lovelace", "Lady Lovelace"])
    'Ada Lovelace'
    """
    counts = Counter(names)
    common = max(counts, key=lambda name: (counts[name], len(name.split())))
    words = set(_parts(common)[0])
    if len(words) != 1:
        return common
    holding = [name for name in counts if words < set(_parts(name)[0])]
    return max(holding, key=lambda name: counts[name], default=common)


def alike(a: str, b: str) -> bool:
    """Say whether two names share a word, or one is the initials of the other.

    Examples
    --------
    >>> alike("Ada Lovelace", "Lovelace"), alike("United Nations", "UN"), alike("Ada Lovelace", "Babbage")
    (True, True, False)
    """
    one, other = ([word.strip(".,").lower() for word in name.split()] for name in (a, b))
    if any(len(word) > 2 or len(one) == 1 for word in set(one) & set(other)):
        return True
    short, long = sorted((one, other), key=len)
    return len(short) == 1 and short[0].replace(".", "") == "".join(word[:1] for word in long)


@lru_cache(maxsize=1 << 16)
def exclude(a: str, b: str) -> bool:
    """Say whether two names are those of two things: each has a word that nothing in the other stands for.

    Titles count only where one is a man's and the other a woman's. A name of one word excludes none of several words.

    Examples
    --------
    >>> exclude("Jacob Bernoulli", "Johann Bernoulli"), exclude("Trinity College", "King's College")
    (True, True)
    >>> exclude("Donald Trump", "President Trump"), exclude("J. Smith", "John Smith"), exclude("Mr Day", "Miss Day")
    (False, False, True)
    >>> exclude("Bill Clinton", "William Clinton"), exclude("Tom Brandt", "Cllr Brandt")
    (False, False)
    """
    if a == b:
        return False
    (mine, titles), (theirs, other_titles) = _parts(a), _parts(b)
    if (titles & _MEN and other_titles & _WOMEN) or (titles & _WOMEN and other_titles & _MEN):
        return True
    if not mine or not theirs or min(len(mine), len(theirs)) == 1 < max(len(mine), len(theirs)):
        return False
    return _is_more(mine, theirs) and _is_more(theirs, mine)


def _parts(name: str) -> tuple[tuple[str, ...], frozenset[str]]:
    words = fold(name.replace("'", "").replace("’", "")).split()
    return tuple(word for word in words if word not in _SILENT), frozenset(words) & _SILENT


def _is_more(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """Say whether a word of the first stands for none of the second's."""
    return any(not any(_may_be(word, other) for other in theirs) for word in mine)


def _may_be(word: str, other: str) -> bool:
    if word.startswith(other) or other.startswith(word) or other in nickname_table().get(word, ()):
        return True
    return fuzz.ratio(word, other) >= _ALIKE


def part_groups(labels: NDArray[np.int64], names: Sequence[str], documents: Sequence[str]) -> NDArray[np.int64]:
    """Part groups in which names exclude each other; a shorter name stays with the longer one of its document.

    Examples
    --------
    >>> names = ["Jacob Bernoulli", "Johann Bernoulli", "Bernoulli", "Johann Bernoulli"]
    >>> part_groups(np.zeros(4, np.int64), names, ["x", "y", "y", "z"]).tolist()
    [1, 0, 0, 0]
    """
    found = np.zeros(len(labels), np.int64)
    members: dict[int, list[int]] = {}
    for row, label in enumerate(labels.tolist()):
        members.setdefault(label, []).append(row)
    n_groups = 0
    for rows in members.values():
        for part in _parted(rows, names, documents):
            found[part] = n_groups
            n_groups += 1
    return found


def _parted(rows: Sequence[int], names: Sequence[str], documents: Sequence[str]) -> list[list[int]]:
    if len({names[row] for row in rows}) == 1:
        return [list(rows)]
    counts = Counter(names[row] for row in rows)
    parts: list[tuple[dict[str, None], set[str], list[int]]] = []
    for row in sorted(rows, key=lambda row: (-min(len(names[row].split()), 2), -counts[names[row]], row)):
        name, document = names[row], documents[row]
        fitting = [part for part in parts if not any(exclude(name, other) for other in part[0])]
        if not fitting:
            parts.append(({}, set(), []))
            fitting = parts[-1:]
        best = max(fitting, key=lambda part: (name in part[0], document in part[1]))
        best[0][name] = None
        best[1].add(document)
        best[2].append(row)
    return [sorted(part) for _, _, part in parts]
