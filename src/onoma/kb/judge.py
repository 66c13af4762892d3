"""Judgements: what people say of two records is kept, heeded in every sample, and can be taken back."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError, SettingsError, UnsupportedError
from onoma.kb.ask.past import before_run
from onoma.kb.commit import Gone, Update, commit_entities, draw_again
from onoma.kb.database import KnowledgeBase, write_knowledge_base
from onoma.kb.incremental import Effort, Resampled
from onoma.kb.memory import Memory
from onoma.kb.store import Run, note_run
from onoma.kb.undo import restore, set_aside
from onoma.kb.world import EARLIER, World, find_record_keys, load_world, stored_memory
from onoma.resolve.posterior.judgements import Judged, find_chain, prefer_former

__all__ = [
    "Around",
    "Judgement",
    "Said",
    "check_judgeable",
    "judge",
    "judge_in",
    "list_judgements",
    "retract_in",
    "retract_judgements",
]

Kind = Literal["same", "different"]
_MOST = 60.0


class Around:
    """Where the records that a judgement touches come from: all of them, from the file; a part, from memory."""

    def world(self, base: KnowledgeBase, numbers: Sequence[int]) -> World:  # noqa: ARG002 (a part needs to know whose)
        """Return the state of the records around some, given by their numbers."""
        return load_world(base)

    def follow(self, world: World, found: Resampled) -> None:
        """Learn what was drawn and written."""


WHOLE = Around()


@dataclass(frozen=True)
class Said:
    """What is said of two records, named by their ids or by source:id."""

    kind: Kind
    a: str
    b: str
    weight: float | None = None
    """Bits of evidence; None: it holds whatever else there is."""

    def __post_init__(self) -> None:
        if self.kind not in ("same", "different"):
            raise SettingsError(f"two records are 'same' or 'different', not {self.kind!r}")
        if self.weight is not None and not 0 < self.weight <= _MOST:
            raise SettingsError(f"the weight is {self.weight:g} bits; it is 'hard', or a number up to {_MOST:g}")


@dataclass(frozen=True)
class Judgement:
    """A judgement that is kept."""

    number: int
    kind: str
    a: str
    b: str
    weight: float | None
    by: str
    is_retracted: bool = False

    def as_dict(self) -> dict[str, object]:
        """Return one JSON-ready object."""
        weight = "hard" if self.weight is None else self.weight
        about = {"judgement": self.number, "kind": self.kind, "a": self.a, "b": self.b, "weight": weight}
        return about | {"by": self.by, "retracted": self.is_retracted}


def judge(path: Path, said: Sequence[Said], *, by: str = "", command: str = "") -> tuple[list[Judgement], Update]:
    """Keep judgements and resolve again what they touch; refuse what contradicts earlier ones, and say which."""
    with write_knowledge_base(path) as base:
        return judge_in(base, said, by=by, command=command)


def judge_in(
    base: KnowledgeBase, said: Sequence[Said], *, by: str = "", command: str = "", around: Around = WHOLE
) -> tuple[list[Judgement], Update]:
    """Do so in a knowledge base that is open to be changed; `around` says where what is touched comes from."""
    begun = time.perf_counter()
    memory = check_judgeable(base)
    update = Update(run=1 + int(base.value("SELECT max(run) FROM runs")))
    kept, numbers = [], []
    named = find_record_keys(base, [name for each in said for name in (each.a, each.b)])
    for each in said:
        keys = [named[name] for name in (each.a, each.b)]
        if keys[0][0] == keys[1][0]:
            raise DataError(f"{each.a!r} and {each.b!r} are one record", file=base.path)
        if each.weight is None:
            _check_consistent(base, each, keys)
            _check_rivals(memory, each, keys)
        kept.append(_keep(base, each, keys, by, update.run))
        numbers += [number for number, _, _ in keys]
    told = [f"{each.kind} {each.a} {each.b}" for each in said]
    reason = f"judgement {kept[0].number}: {told[0]}" if len(kept) == 1 else f"{len(kept):,} judgements"
    _resolve_again(base, around, numbers, update, reason + (f" (by {by})" if by else ""))
    _finish(base, update, "judge", command, begun)
    return kept, update


def retract_judgements(path: Path, numbers: Sequence[int], *, command: str = "") -> Update:
    """Take judgements back and resolve again what they touched."""
    with write_knowledge_base(path) as base:
        return retract_in(base, numbers, command=command)


def retract_in(base: KnowledgeBase, numbers: Sequence[int], *, command: str = "", around: Around = WHOLE) -> Update:
    """Do so in a knowledge base that is open to be changed; `around` says where what is touched comes from."""
    begun = time.perf_counter()
    update = Update(run=1 + int(base.value("SELECT max(run) FROM runs")))
    check_judgeable(base)
    records, made = [], []
    for number in numbers:
        sql = "SELECT a_source, a, b_source, b, retracted, made FROM judgements WHERE judgement = ?"
        rows = base.rows(sql, [number])
        if not rows:
            raise DataError(f"there is no judgement {number}", file=base.path, hint="onoma judge KB list shows them.")
        if rows[0][4] is not None:
            raise DataError(f"judgement {number} was retracted already", file=base.path)
        made.append(int(rows[0][5]))
        for source, key in (rows[0][:2], rows[0][2:4]):
            sql = "SELECT record FROM memberships WHERE source = ? AND id = ?"
            records += [int(record) for (record,) in base.rows(sql, [source, key])]
        base.change("UPDATE judgements SET retracted = ? WHERE judgement = ?", [update.run, number])
    said = f"judgement {numbers[0]}" if len(numbers) == 1 else f"{len(numbers):,} judgements"
    _resolve_again(base, around, records, update, f"{said} retracted", back=made)
    _finish(base, update, "retract judgement", command, begun)
    return update


def list_judgements(base: KnowledgeBase, *, retracted: bool = False) -> list[Judgement]:
    """Return the judgements that hold, or all."""
    rows = base.rows(
        """SELECT judgement, kind, a_source, a, b_source, b, weight, "by", retracted FROM judgements
        ORDER BY judgement"""
    )
    found = [
        Judgement(number, kind, _named(a_source, a), _named(b_source, b), weight, by, gone is not None)
        for number, kind, a_source, a, b_source, b, weight, by, gone in rows
    ]
    return [each for each in found if retracted or not each.is_retracted]


def _named(source: str, key: str) -> str:
    return f"{source}:{key}" if source else key


def check_judgeable(base: KnowledgeBase) -> Memory:
    """Refuse judgements where there is nothing that they could change; return what was learnt."""
    if not base.blob("memory"):
        raise UnsupportedError(
            f"{base.path}: nothing was compared, so there is nothing that a judgement could change",
            hint="Add records: onoma resolve FILE --into KB.",
        )
    memory = stored_memory(base)
    if memory.why_not and not (memory.is_stated or memory.is_own):
        raise UnsupportedError(f"{base.path}: {EARLIER[0]}", hint=EARLIER[1])
    return memory


def _keep(base: KnowledgeBase, said: Said, keys: Sequence[tuple[int, str, str]], by: str, run: int) -> Judgement:
    number = int(base.value("SELECT coalesce(max(judgement), 0) + 1 FROM judgements"))
    (_, a_source, a), (_, b_source, b) = keys
    row = [number, said.kind, a_source, a, b_source, b, said.weight, by, run, None]
    base.change(f"INSERT INTO judgements VALUES ({', '.join('?' * len(row))})", row)  # noqa: S608
    return Judgement(number, said.kind, _named(a_source, a), _named(b_source, b), said.weight, by)


def _check_consistent(base: KnowledgeBase, said: Said, keys: Sequence[tuple[int, str, str]]) -> None:
    """Refuse a hard judgement that hard ones before it rule out; tell the chain of these."""
    hard = [each for each in list_judgements(base) if each.weight is None]
    same = [(each.number, each.a, each.b) for each in hard if each.kind == "same"]
    a, b = (_named(source, key) for _, source, key in keys)
    chain: list[int] = []
    if said.kind == "different":
        chain = find_chain(same, a, b)
    else:
        with_new = [*same, (0, a, b)]
        for each in hard:
            if each.kind == "different":
                found = find_chain(with_new, each.a, each.b)
                if found:
                    chain = [*(number for number in found if number), each.number]
                    break
    if chain:
        told = {each.number: f"{each.number} ({each.kind} {each.a} {each.b})" for each in hard}
        raise DataError(
            f"that {a} and {b} are {said.kind} contradicts the judgements "
            + ", ".join(told[number] for number in chain),
            file=base.path,
            hint=f"Retract one of them first: onoma judge {base.path} retract {chain[0]}.",
        )


def _check_rivals(memory: Memory, said: Said, keys: Sequence[tuple[int, str, str]]) -> None:
    """Refuse that two records of one source are the same where an entity has at most one of each."""
    if memory.config.one_to_one and said.kind == "same" and keys[0][1] == keys[1][1]:
        raise UnsupportedError(
            f"{said.a!r} and {said.b!r} are both of {keys[0][1]!r}, and records are linked one to one: "
            "an entity has at most one record of each source",
            hint="Link without --one-to-one where sources have duplicates inside.",
        )


def _resolve_again(
    base: KnowledgeBase,
    around: Around,
    numbers: Sequence[int],
    update: Update,
    reason: str,
    *,
    back: Sequence[int] = (),
) -> None:
    """Draw anew what some records touch, and write it; what was said in runs and is taken back is as it was before."""
    world = around.world(base, numbers)
    judged = world.judged()
    world.weigh_judged(judged)
    seeds = np.array([world.place(number) for number in numbers], dtype=np.int64)
    restored = restore(world, back) if back else None
    found = restored or draw_again(world, np.unique(seeds), judged)
    touched = world.records[found.records]
    before = before_run(base, touched, _unsaid_since(base, touched, min(back))) if back else None
    if before is not None and restored is None and not world.memory.is_own:  # another model's answer is kept as it was
        found = _as_before(world, found, judged, before)
    aside = None if back else set_aside(world, found)
    nobody = Gone({}, {}, {}, np.zeros(0, dtype=np.int64))
    commit_entities(world, found, nobody, {}, update, reason, before=before)
    if aside is not None:
        aside.keep(update.run)
    around.follow(world, found)


def _unsaid_since(base: KnowledgeBase, numbers: NDArray[np.int64], run: int) -> int:
    """Return the first run since which all that was said of some records, one after the other, has been taken back."""
    here, tables = base.among("record", numbers)
    sql = f"""SELECT DISTINCT j.made, j.retracted FROM judgements j JOIN memberships m
        ON (m.source = j.a_source AND m.id = j.a) OR (m.source = j.b_source AND m.id = j.b)
        WHERE j.retracted IS NOT NULL AND {here} ORDER BY j.made DESC"""  # noqa: S608 (numbers)
    rows = base.query(sql, None, tables)
    for made, retracted in zip(rows["made"].to_pylist(), rows["retracted"].to_pylist(), strict=True):
        run = made if made < run < retracted else run
    return run


def _as_before(world: World, found: Resampled, judged: Judged, before: Sequence[str | None]) -> Resampled:
    """Return what was drawn, in the entities of before where that is as good."""
    place = np.full(world.n, -1, dtype=np.int64)
    place[found.records] = np.arange(len(found.records))
    inside = place >= 0
    numbers = {name: i for i, name in enumerate(dict.fromkeys(before)) if name is not None}
    former = np.array([-1 if name is None else numbers[name] for name in before], dtype=np.int64)
    cost = Effort.of(world.memory.config).merge_cost
    labels, probability = prefer_former(
        found.labels, found.probability, found.roots, former, judged.renumbered(place, inside), threshold=cost
    )
    return replace(found, labels=labels, probability=probability)


def _finish(base: KnowledgeBase, update: Update, kind: str, command: str, begun: float) -> None:
    update.n_records = int(base.value("SELECT count(*) FROM memberships"))
    update.n_entities = int(base.value("SELECT count(*) FROM entities"))
    update.seconds = time.perf_counter() - begun
    about = {"rows": update.n_records, "entities": update.n_entities}
    note_run(base, Run(update.run, kind, command, n_touched=update.n_touched), update.seconds, about)
