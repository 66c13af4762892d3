"""Shorter names join the fuller ones that they stand for: R. Chen and Chen are Robert Chen, the FSA is the agency.

The model that groups records weighs letters and the words around; that *R.* may be Robert, and which *Chen* of two is
meant, it cannot see. Here a group without a fuller name of its own goes to the one that has it, if the two are *near*:
they stand in one document, or in documents that share other telling names. How often that was right where it is known
(mentions with annotated entities in train and development parts of ECB+, GUM and HIPE-2022, found by our own stages):

| the shorter name | near | far |
|---|---:|---:|
| is the same but for titles, initials, pet names and words left out; one type | 14 of 14 | 6 of 17 |
| is the family name of a person | 30 of 31 | 5 of 12 |
| is the initials; one type | 28 of 29 | 2 of 8 |
| is the first word of an organisation; one type, one document | 6 of 7 | |

(The first line without what stays apart here: 2 of 2 names that leave words out, of no person, in different documents,
were wrong.) Names of places never join: Mexico is not Mexico City. A person's given name does if only one of those near
has it; for that there are too few annotated cases to count. A person's full name joins the same with a title anywhere.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from onoma.pipeline.building.names import exclude, initials, initials_of, leading, offices, words_of
from onoma.resolve.fields.names import nickname_table

__all__ = ["Joined", "join_groups", "stands_for"]

_COMPANY = 1.7
"""How telling the names that two documents share have to be: one that only they have, of ten documents."""
_FEW = 50
"""Groups that a word may lead to: beyond, it is nobody's in particular."""
_RIGHT = {"same": 0.94, "family": 0.94, "initials": 0.94, "first": 0.78, "given": 0.78}
"""How often such names were right, one success and one failure added; of given names a guess: as of first words."""


class Joined(NamedTuple):
    """Groups after names have joined."""

    labels: NDArray[np.int64]
    probability: NDArray[np.float64]
    """At most how sure each record's place is: 1 where it has not moved."""


@lru_cache(maxsize=1 << 16)
def stands_for(short: str, long: str) -> str | None:
    """Say in which way a name may stand for another, None if it cannot.

    Examples
    --------
    >>> stands_for("R. Chen", "Robert Chen"), stands_for("Bob Achebe", "Robert Achebe")
    ('same', 'same')
    >>> stands_for("Ms Okafor", "Margaret Okafor"), stands_for("Lucy", "Lucy Vane"), stands_for("Bea", "Beatrice Hart")
    ('family', 'first', 'given')
    >>> stands_for("FSA", "Food Standards Agency"), stands_for("U.S.", "United States")
    ('initials', 'initials')
    """
    mine, theirs = words_of(short), words_of(long)
    if not mine or not theirs:
        return None
    if initials(short) in initials_of(long):
        return "initials"
    if len(mine) > 1:
        return "same" if len(theirs) > 1 and (_is_same(mine, theirs) or _is_same(theirs, mine)) else None
    if len(theirs) == 1:
        return "same" if mine == theirs else None
    if mine[0] == theirs[-1]:
        return "family"
    if mine[0] == theirs[0]:
        return "first"
    return "given" if _is_pet(mine[0], theirs[0]) else None


def _is_same(short: Sequence[str], long: Sequence[str]) -> bool:
    """Say whether words stand for words in the same order, the last for the last; not all of them by a letter."""
    if short[-1] != long[-1] or len(short[-1]) < 2:
        return False
    at = 0
    for word in short[:-1]:
        while at < len(long) - 1 and not _is_word(word, long[at]):
            at += 1
        if at == len(long) - 1:
            return False
        at += 1
    return True


def _is_word(word: str, other: str) -> bool:
    if min(len(word), len(other)) == 1:
        return word[0] == other[0]
    return word == other or _is_pet(word, other)


def _is_pet(word: str, other: str) -> bool:
    return other in nickname_table().get(word, ())


class _World:
    """Records with their documents and the groups that they are in."""

    def __init__(
        self,
        labels: NDArray[np.int64],
        records: Sequence[Mapping[str, Any]],
        beside: Iterable[Mapping[str, Any]],
    ) -> None:
        self.names = [str(row["name"]) for row in records]
        self.documents = [str(row["document"]) for row in records]
        self.types = [str(row.get("type") or "") for row in records]
        self.genders = [str(row.get("gender") or "") for row in records]
        self.label = labels.tolist()
        self._called: dict[int, dict[str, None]] = {}
        self.members: dict[int, list[int]] = defaultdict(list)
        self.told: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        for row, label in enumerate(self.label):
            self.members[label].append(row)
            self.told[self.documents[row]].add(words_of(self.names[row]))
        for other in beside:
            self.told[str(other["document"])].add(words_of(str(other["name"])))
        frequency = Counter(words for told in self.told.values() for words in told if words)
        self.telling = {words: math.log((1 + len(self.told)) / count) for words, count in frequency.items()}

    def called(self, group: int) -> dict[str, None]:
        """Return the names of a group."""
        found = self._called.get(group)
        if found is None:
            found = self._called[group] = dict.fromkeys(self.names[row] for row in self.members[group])
        return found

    def type_of(self, group: int) -> str:
        """Return the commonest type of a group."""
        return Counter(self.types[row] for row in self.members[group]).most_common(1)[0][0]

    def company(self, row: int, group: int) -> float:
        """Return how telling the names are that a record's document shares with a group's, but those like the two."""
        own = {word for name in (*self.called(group), self.names[row]) for word in words_of(name)}
        here = self.told[self.documents[row]]
        shared: set[tuple[str, ...]] = set()
        for document in {self.documents[other] for other in self.members[group]}:
            shared |= here & self.told[document]
        return sum(self.telling[words] for words in shared if words and own.isdisjoint(words))

    def differ(self, group: int, other: int) -> bool:
        """Say whether two groups cannot be one: by their names, or because one is a he and the other a she."""
        if {self.gender_of(group), self.gender_of(other)} == {"m", "f"}:
            return True
        return any(exclude(a, b) for a in leading(self.called(group)) for b in leading(self.called(other)))

    def gender_of(self, group: int) -> str:
        """Return `m` or `f` if most records that have a gender have this one."""
        counts = Counter(self.genders[row] for row in self.members[group])
        return "" if counts["m"] == counts["f"] else "m" if counts["m"] > counts["f"] else "f"

    def has_words(self, row: int, group: int) -> bool:
        """Say whether a record's name and one of the group's differ in titles alone."""
        return any(words_of(name) == words_of(self.names[row]) for name in self.called(group))

    def here(self, row: int, group: int) -> list[int]:
        """Return a group's records in the document of another record."""
        return [other for other in self.members[group] if self.documents[other] == self.documents[row]]

    def join(self, rows: Iterable[int], group: int) -> None:
        """Take records to a group."""
        for row in rows:
            before = self.label[row]
            self._called.pop(before, None)
            self._called.pop(group, None)
            self.members[before].remove(row)
            if not self.members[before]:
                del self.members[before]
            self.label[row] = group
            self.members[group].append(row)


def join_groups(
    labels: NDArray[np.int64], records: Sequence[Mapping[str, Any]], beside: Iterable[Mapping[str, Any]] = ()
) -> Joined:
    """Let groups of shorter names join those of fuller ones.

    Parameters
    ----------
    labels
        The group of each record.
    records
        Each has `name`, `document` and, where they are known, `type` and `gender` (`m` or `f`); those of one document
        in the order they are named.
    beside
        Records that are not looked at, for the company that names keep.

    Examples
    --------
    >>> names = ["Robert Chen", "R. Chen", "Grace Chen", "Chen"]
    >>> rows = [{"name": n, "document": d, "type": "PER"} for n, d in zip(names, ["x", "x", "y", "y"])]
    >>> join_groups(np.arange(4), rows).labels.tolist()
    [0, 0, 2, 2]
    """
    world = _World(labels, records, beside)
    probability = np.ones(len(labels))
    for ways in (("same",), ("family", "given", "first", "initials")):
        words = _by_word(world)
        for group in sorted(world.members, key=lambda group: _length(world, group)):
            if group in world.members:
                _settle(world, group, ways, words, probability)
    return Joined(np.array(world.label, np.int64), probability)


def _length(world: _World, group: int) -> tuple[int, int]:
    """Return what groups are sorted by: those of the shortest names join first."""
    return max(len(" ".join(words_of(name))) for name in world.called(group)), world.members[group][0]


def _by_word(world: _World) -> dict[str, set[int]]:
    """Return the groups that a word, or initials, lead to."""
    found: dict[str, set[int]] = defaultdict(set)
    for group in world.members:
        for name in world.called(group):
            for key in (*words_of(name), *(f"#{each}" for each in initials_of(name))):
                found[key].add(group)
    return found


def _settle(
    world: _World, group: int, ways: Sequence[str], words: Mapping[str, set[int]], probability: NDArray[np.float64]
) -> None:
    """Ask of each record of a group which fuller name it stands for; those that cannot say follow the others."""
    chosen: dict[int, tuple[int, str]] = {}
    names = world.called(group)
    if ways[0] != "same" and any(stands_for(a, b) in ways for a in names for b in names):
        return  # it has its fuller name
    for row in list(world.members[group]):
        found = _fuller(world, row, group, ways, words)
        if found is not None:
            chosen[row] = found
    if not chosen:
        return
    most = Counter(chosen.values()).most_common(1)[0][0]
    for row in list(world.members[group]):
        target, way = chosen.get(row, most)
        if target in world.members:
            world.join([row], target)
            probability[row] = _RIGHT[way]


def _fuller(
    world: _World, row: int, group: int, ways: Sequence[str], words: Mapping[str, set[int]]
) -> tuple[int, str] | None:
    """Return the group whose name a record stands for, and how; None if there is none, or it cannot be told which."""
    name = world.names[row]
    keys = {*words_of(name), f"#{initials(name)}", *_pets(name)}
    near: set[int] = set()
    for key in keys:
        if len(words.get(key, ())) <= _FEW:
            near |= words.get(key, set())
    fits = []
    for other in sorted(near - {group}):
        if other not in world.members:
            continue
        names = world.called(other)
        way = next((way for long in names if (way := stands_for(name, long)) is not None), None)
        if way in ways and not world.differ(group, other):
            rank = _nearness(world, row, other, str(way))
            if rank is not None:
                fits.append((rank, other, str(way)))
    fits.sort(key=lambda each: each[0], reverse=True)
    if not fits or (len(fits) > 1 and (fits[0][0] == fits[1][0] or fits[0][2] in ("given", "first"))):
        return None
    return fits[0][1], "given" if fits[0][2] == "first" and world.type_of(fits[0][1]) == "PER" else fits[0][2]


def _pets(name: str) -> frozenset[str]:
    words = words_of(name)
    return nickname_table().get(words[0], frozenset()) if words else frozenset()


def _nearness(world: _World, row: int, group: int, way: str) -> tuple[bool, bool, int, float] | None:
    """Return what speaks for a fuller name: its office, being named before in the document; None if too little does."""
    mine, theirs = world.types[row], world.type_of(group)
    here = world.here(row, group)
    if way != "same" and not mine:
        return None  # of no known type: it may be a place
    is_one = mine == theirs or (bool(here) and "LOC" not in (mine, theirs) and way in ("same", "family"))
    if not is_one or (theirs != "PER" and way in ("family", "given")) or (theirs == "LOC" and way == "first"):
        return None
    if way == "given" and not here:
        return None  # Kathy is any Katherine
    is_short = way == "first" or (way == "same" and not world.has_words(row, group))
    if is_short and theirs != "PER" and not here:
        return None
    company = world.company(row, group)
    is_full = theirs == "PER" and len(words_of(world.names[row])) > 1 and world.has_words(row, group)
    if not here and company < _COMPANY and not is_full:
        return None
    has_office = any(offices(world.names[row]) & offices(name) for name in world.called(group))
    return has_office, any(other < row for other in here), len(here), company
