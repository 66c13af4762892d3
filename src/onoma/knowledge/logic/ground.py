"""Where rules apply: their instances over what is known, and over what follows from it.

A rule over entities has as many instances as there are ways to fill its variables; nearly all of them say nothing,
since their body is false. `ground` finds those whose body holds: the positive literals are joined like tables, first
over the facts, then, round by round, over the facts and the heads found so far, so that chains of rules are followed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError
from onoma.knowledge.facts import Names, Triples
from onoma.knowledge.logic.rules import Literal, Rule

__all__ = ["Instances", "ground", "unroll"]

Codes = NDArray[np.int64]
_LIMIT = 20_000_000
"""Instances of one rule beyond which something must be wrong."""


@dataclass(frozen=True, eq=False)
class Instances:
    """The instances of one rule: instances × literals, the head last."""

    rule: Rule
    relations: Codes
    """One code a literal."""
    subjects: Codes
    objects: Codes

    def __len__(self) -> int:
        return len(self.subjects)

    @property
    def heads(self) -> Triples:
        """What the instances conclude."""
        return Triples(self.subjects[:, -1], np.full(len(self), self.relations[-1]), self.objects[:, -1])


def ground(rules: Sequence[Rule], known: Triples, relations: Names, *, rounds: int = 2) -> list[Instances]:
    """Return the instances of each rule whose positive body literals are known or concluded in an earlier round.

    Instances that conclude a part of their own body are left out.
    """
    rounds = max(rounds, 1)
    codes = [_codes(rule, relations) for rule in rules]
    for turn in range(rounds):
        found = [_instances(rule, code, known) for rule, code in zip(rules, codes, strict=True)]
        if turn == rounds - 1:
            break
        grown = _distinct(_joined([known, *(each.heads for each in found if not each.rule.head.negated)]))
        if len(grown) == len(known):
            break
        known = grown
    return found


def unroll(rules: Sequence[Rule], subjects: Codes, objects: Codes, relations: Names) -> list[Instances]:
    """Return the instances of rules on one pair for every pair given, whether their body holds or not."""
    found = []
    for rule in rules:
        if not rule.on_one_pair:
            raise DataError(f"{rule} speaks of more than one pair; pairs without entities cannot be chained")
        shape = (len(subjects), len(rule.literals))
        found.append(
            Instances(
                rule,
                _codes(rule, relations),
                np.broadcast_to(subjects[:, None], shape),
                np.broadcast_to(objects[:, None], shape),
            )
        )
    return found


def _codes(rule: Rule, relations: Names) -> Codes:
    return np.array([relations.index(each.relation) for each in rule.literals], np.int64)


def _instances(rule: Rule, codes: Codes, known: Triples) -> Instances:
    bound: dict[str, Codes] = {}
    for each, code in _ordered(rule, codes):
        rows = known.relations == code
        bound = _join(bound, each, known.subjects[rows], known.objects[rows])
        if bound and len(next(iter(bound.values()))) > _LIMIT:
            raise DataError(f"{rule} has more than {_LIMIT:,} instances; make its body narrower")
    subjects = np.stack([bound[each.subject] for each in rule.literals], axis=1)
    objects = np.stack([bound[each.object] for each in rule.literals], axis=1)
    same = (codes[:-1] == codes[-1]) & (subjects[:, :-1] == subjects[:, -1:]) & (objects[:, :-1] == objects[:, -1:])
    keep = ~same.any(axis=1)
    return Instances(rule, codes, subjects[keep], objects[keep])


def _ordered(rule: Rule, codes: Codes) -> list[tuple[Literal, int]]:
    """Return the positive body literals so that each shares a variable with those before, if it can."""
    left = [(each, int(code)) for each, code in zip(rule.body, codes[:-1], strict=True) if not each.negated]
    done: list[tuple[Literal, int]] = []
    bound: set[str] = set()
    while left:
        linked = [item for item in left if bound & {item[0].subject, item[0].object}]
        item = (linked or left)[0]
        left.remove(item)
        done.append(item)
        bound |= {item[0].subject, item[0].object}
    return done


def _join(bound: dict[str, Codes], each: Literal, subjects: Codes, objects: Codes) -> dict[str, Codes]:
    """Return the bindings that also satisfy one literal, whose facts are given."""
    if each.subject == each.object:
        subjects = objects = subjects[subjects == objects]
    shared = [name for name in dict.fromkeys((each.subject, each.object)) if name in bound]
    columns = {each.subject: subjects, each.object: objects}
    if not bound:
        return columns
    width = 1 + max((int(array.max()) for array in (*bound.values(), subjects, objects) if len(array)), default=0)
    left = np.zeros(len(next(iter(bound.values()))), np.int64)
    right = np.zeros(len(subjects), np.int64)
    for name in shared:
        left, right = left * width + bound[name], right * width + columns[name]
    order = np.argsort(right, kind="stable")
    starts = np.searchsorted(right[order], left, "left")
    counts = np.searchsorted(right[order], left, "right") - starts
    rows = np.repeat(np.arange(len(left)), counts)
    offsets = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    facts = order[np.repeat(starts, counts) + offsets]
    joined = {name: values[rows] for name, values in bound.items()}
    return joined | {name: columns[name][facts] for name in columns if name not in joined}


def _joined(parts: Sequence[Triples]) -> Triples:
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.joined(part)
    return whole


def _distinct(triples: Triples) -> Triples:
    rows = np.unique(np.stack(triples.columns, axis=1), axis=0)
    return Triples(rows[:, 0], rows[:, 1], rows[:, 2])
