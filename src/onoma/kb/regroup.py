"""Merging, splitting and moving, said as judgements; and what a knowledge base would become by them.

A person who joins two entities says that the fullest record of one is the same as that of the other; one who splits
records off says that each of them is different from each that stays; one who moves them says both. Nothing else is
kept, so that taking the judgements back takes it all back.

What would become is not guessed: the judgements are made in a transaction, its outcome is read, and nothing stays.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from onoma.errors import SettingsError
from onoma.kb.commit import Update
from onoma.kb.database import KnowledgeBase
from onoma.kb.judge import Around, Said, judge_in
from onoma.kb.world import find_entity, find_record_key

__all__ = ["Grouping", "Preview", "merge_entities", "move_records", "preview_judgements", "split_records"]

_MOST = 400
"""Judgements of one change."""


@dataclass(frozen=True)
class Grouping:
    """An entity and its records, each with the probability that it belongs there."""

    entity: str
    records: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Preview:
    """What entities are, and what they would become."""

    before: tuple[Grouping, ...]
    after: tuple[Grouping, ...]
    update: Update


def merge_entities(base: KnowledgeBase, names: Sequence[str]) -> list[Said]:
    """Return what is said by joining entities, each named by its id or that of one of its records."""
    entities = list(dict.fromkeys(find_entity(base, name) for name in names))
    if len(entities) < 2:
        raise SettingsError("two different entities are merged", hint="Name another entity, by its id.")
    first, *others = (_members(base, entity)[0] for entity in entities)
    return [Said("same", first, other) for other in others]


def split_records(base: KnowledgeBase, entity: str, records: Sequence[str]) -> list[Said]:
    """Return what is said by splitting records off an entity."""
    entity = find_entity(base, entity)
    chosen = list(dict.fromkeys(_key(base, record) for record in records))
    members = _members(base, entity)
    strangers = [record for record in chosen if record not in members]
    if strangers:
        raise SettingsError(f"{strangers[0]!r} is no record of {entity}")
    left = [record for record in members if record not in chosen]
    if not chosen or not left:
        raise SettingsError("some records are split off, and some stay", hint="Choose fewer of them, or more.")
    if len(chosen) * len(left) > _MOST:
        raise SettingsError(
            f"that would be {len(chosen) * len(left):,} judgements; there are at most {_MOST} in one change",
            hint="Split off fewer records at a time.",
        )
    return [Said("different", one, other) for one in chosen for other in left]


def move_records(base: KnowledgeBase, entity: str, records: Sequence[str], to: str) -> list[Said]:
    """Return what is said by moving records from one entity to another."""
    target = find_entity(base, to)
    if target == find_entity(base, entity):
        raise SettingsError("records are moved to another entity", hint="Name another entity, by its id.")
    there = _members(base, target)[0]
    chosen = list(dict.fromkeys(_key(base, record) for record in records))
    members = _members(base, find_entity(base, entity))
    apart = split_records(base, entity, chosen) if set(members) != set(chosen) else []
    return [*apart, *(Said("same", there, record) for record in chosen)]


def preview_judgements(
    judging: Callable[[], AbstractContextManager[tuple[KnowledgeBase, Around]]], said: Sequence[Said], *, by: str = ""
) -> Preview:
    """Return what judgements would do; nothing is kept.

    Parameters
    ----------
    judging
        Opens a transaction, which an error takes back, and says where what is touched comes from.
    """
    try:
        with judging() as (base, around):
            raise _Seen(_outcome(base, said, by, around))  # noqa: TRY301 (what takes it back)
    except _Seen as seen:
        return seen.preview


class _Seen(Exception):  # noqa: N818 (it is no error: it takes a transaction back)
    def __init__(self, preview: Preview) -> None:
        super().__init__()
        self.preview = preview


def _outcome(base: KnowledgeBase, said: Sequence[Said], by: str, around: Around) -> Preview:
    keys = {_key(base, name) for each in said for name in (each.a, each.b)}
    before = [_grouping(base, entity) for entity in _entities(base, sorted(keys))]
    _, update = judge_in(base, said, by=by, around=around)
    records = [record for group in before for record, _ in group.records]
    after = [_grouping(base, entity) for entity in _entities(base, records)]
    return Preview(tuple(before), tuple(after), update)


def _entities(base: KnowledgeBase, records: Sequence[str]) -> list[str]:
    found = [_entity_of(base, record) for record in records]
    return list(dict.fromkeys(found))


def _entity_of(base: KnowledgeBase, record: str) -> str:
    number, _, _ = find_record_key(base, record)
    return str(base.value("SELECT entity FROM memberships WHERE record = ?", [number]))


def _grouping(base: KnowledgeBase, entity: str) -> Grouping:
    rows = base.rows(
        "SELECT source, id, probability FROM memberships WHERE entity = ? ORDER BY probability DESC, record", [entity]
    )
    return Grouping(entity, tuple((_named(source, key), float(p)) for source, key, p in rows))


def _members(base: KnowledgeBase, entity: str) -> list[str]:
    """Return the records of an entity, the one that its canonical record is of first."""
    rows = base.rows(
        """SELECT m.source, m.id FROM memberships m LEFT JOIN entities e ON e.entity = m.entity
        WHERE m.entity = ? ORDER BY m.id::VARCHAR <> e.record::VARCHAR, m.record""",
        [entity],
    )
    return [_named(source, key) for source, key in rows]


def _key(base: KnowledgeBase, record: str) -> str:
    _, source, key = find_record_key(base, record)
    return _named(source, key)


def _named(source: str, key: str) -> str:
    return f"{source}:{key}" if source else key
