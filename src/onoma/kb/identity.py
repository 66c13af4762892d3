"""Which entity is which after a change: ids that live as long as what they name.

The id of an entity goes where most of its posterior mass goes: to the new entity with the greatest sum of membership
probabilities over its records. Where several ids come together, the oldest is kept and the others become its aliases.
An entity that no id comes to gets back the id that its records had before a merger, or a new one. Where something is
taken back, an entity of the same records as before has the id of before.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Change", "Former", "Identified", "entity_number", "keep_ids"]


class Change(NamedTuple):
    """A line in the life of an entity."""

    kind: str
    """created, joined, merged, split, moved or retracted."""
    entity: str
    other: str | None
    record: int | None
    """The place of the record it is about, among those given; None if it is about all of them."""


@dataclass(frozen=True)
class Identified:
    """The ids of some entities."""

    names: list[str]
    """The id of each new entity, by its label."""
    changes: list[Change]
    aliases: dict[str, str]
    """Ids that are no more, and what they are called now."""
    revived: list[str]
    """Aliases that are ids again."""
    next_number: int


def entity_number(name: str) -> tuple[int, str]:
    """Return what ids are sorted by: a lower number is older.

    Examples
    --------
    >>> sorted(["e10", "e9"], key=entity_number)
    ['e9', 'e10']
    """
    digits = name[1:]
    return (int(digits), "") if name[:1] == "e" and digits.isdecimal() else (-1, name)


class Former(NamedTuple):
    """An id that became the alias of another."""

    name: str
    entity: str
    """What it became."""
    records: NDArray[np.int64]
    """Which of the records given it had, before that."""


def keep_ids(
    old: Sequence[str | None],
    labels: NDArray[np.int64],
    probability: NDArray[np.float64],
    next_number: int,
    former: Sequence[Former] = (),
    before: Sequence[str | None] | None = None,
) -> Identified:
    """Give new entities their ids.

    Parameters
    ----------
    old
        For each record the id of its entity before; None of a new record. All records of these entities are here.
    labels
        Its new entity, numbered from 0.
    probability
        That it belongs there.
    next_number
        The number of the next new id.
    former
        Aliases of the entities before: a part that is split off and has most of what an alias had gets that id back.
    before
        Where something is taken back: for each record the id of its entity before that; None: it had none.

    Examples
    --------
    >>> keep_ids(["e1", "e1", "e2", None], np.array([0, 0, 0, 1]), np.ones(4), 3).names
    ['e1', 'e3']
    """
    whose = {each.name: each.entity for each in former}
    restored = {} if before is None else _restored(before, labels, {*old, *whose})
    held: dict[int, list[str]] = {label: [name] for label, name in restored.items()}
    for name, label in _holders(old, labels, probability).items():
        if name not in restored.values():
            held.setdefault(label, []).append(name)
    parted_from = _parted(old, labels, held)
    names: list[str] = []
    changes: list[Change] = []
    aliases: dict[str, str] = {}
    revived = [name for name in restored.values() if name in whose and name not in old]
    changes += [Change("split", name, whose[name], None) for name in revived]
    for label in range(int(labels.max(initial=-1)) + 1):
        candidates = sorted(held.get(label, []), key=lambda name: (name != restored.get(label), entity_number(name)))
        if candidates:
            names.append(candidates[0])
            aliases |= dict.fromkeys(candidates[1:], candidates[0])
            changes += [Change("merged", candidates[0], each, None) for each in candidates[1:]]
            continue
        parted = parted_from.get(label)
        mine = [each for each in former if each.entity == parted and each.name not in revived] if parted else []
        again = _revived(labels == label, mine) if mine else None
        if again is None:
            names.append(f"e{next_number}")
            next_number += 1
        else:
            names.append(again)
            revived.append(again)
        changes.append(Change("split" if parted else "created", names[-1], parted, None))
    changes += _moves(old, labels, names, held)
    return Identified(names, changes, aliases, revived, next_number)


def _restored(before: Sequence[str | None], labels: NDArray[np.int64], known: Set[str | None]) -> dict[int, str]:
    """Return the entities that have the very records of one before, and the ids of these."""
    labels_of: dict[str | None, set[int]] = {}
    names_of: dict[int, set[str | None]] = {}
    for name, label in zip(before, labels.tolist(), strict=True):
        labels_of.setdefault(name, set()).add(label)
        names_of.setdefault(label, set()).add(name)
    return {
        label: name
        for label, (name, *others) in names_of.items()
        if name is not None and name in known and not others and len(labels_of[name]) == 1
    }


def _parted(old: Sequence[str | None], labels: NDArray[np.int64], held: dict[int, list[str]]) -> dict[int, str]:
    """Return for each new entity that no id comes to the old one that most of its records are from, if there is one."""
    counts: dict[int, dict[str, int]] = {}
    for name, label in zip(old, labels.tolist(), strict=True):
        if name is not None and label not in held:
            here = counts.setdefault(label, {})
            here[name] = here.get(name, 0) + 1
    return {label: min(here, key=lambda name: (-here[name], entity_number(name))) for label, here in counts.items()}


def _revived(inside: NDArray[np.bool_], former: Sequence[Former]) -> str | None:
    """Return the oldest alias that is mostly the records inside; None if there is none."""
    for each in sorted(former, key=lambda one: entity_number(one.name)):
        n_both = int(np.count_nonzero(inside[each.records]))
        if 2 * n_both > max(len(each.records), int(np.count_nonzero(inside))):
            return each.name
    return None


def _holders(old: Sequence[str | None], labels: NDArray[np.int64], probability: NDArray[np.float64]) -> dict[str, int]:
    """Return for each old id the new entity that has most of its mass; of equal ones that with most records."""
    mass: dict[str, dict[int, tuple[float, int]]] = {}
    for name, label, p in zip(old, labels.tolist(), probability.tolist(), strict=True):
        if name is not None:
            parts = mass.setdefault(name, {})
            total, count = parts.get(label, (0.0, 0))
            parts[label] = (total + p, count + 1)
    return {
        name: max(parts, key=lambda label: (round(parts[label][0], 9), parts[label][1], -label))
        for name, parts in mass.items()
    }


def _moves(
    old: Sequence[str | None], labels: NDArray[np.int64], names: Sequence[str], held: dict[int, list[str]]
) -> list[Change]:
    """Return what single records did: joined (new ones) or moved between entities that both go on."""
    found = []
    for i, (name, label) in enumerate(zip(old, labels.tolist(), strict=True)):
        if label not in held:
            continue  # created or split: told as a whole
        if name is None:
            found.append(Change("joined", names[label], None, i))
        elif name not in held[label]:
            found.append(Change("moved", names[label], name, i))
    return found
