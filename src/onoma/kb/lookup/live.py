"""A knowledge base that is asked and added to one record at a time.

What is in the file is held in memory with an index (`snapshot.py`) and follows the file: when somebody else has written
it, it is read again. A new record is weighed and drawn with what it touches as in any update, and written in one
transaction into the file itself; what is in memory is then changed in the same way. Where all records would have to be
resolved anew (what was learnt does not fit any more, or the model cannot take single records), an ordinary update does
so.
"""

import contextlib
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.errors import DataError, UnsupportedError
from onoma.kb.commit import Gone, Update, commit_entities
from onoma.kb.database import Held, KnowledgeBase, file_stamp, read_knowledge_base, write_in_place
from onoma.kb.incremental import Edges, Resampled
from onoma.kb.judge import WHOLE, Around
from onoma.kb.lookup.find import Finding, Weighed, draw_with, find_record, find_records, one_row, weigh_record
from onoma.kb.lookup.local import LocalWorld, cut_around
from onoma.kb.lookup.snapshot import Query, Snapshot, load_snapshot
from onoma.kb.own.find import find_own
from onoma.kb.store import codes_table, values_table
from onoma.kb.update import (
    Incoming,
    as_incoming,
    note_update,
    plan_update,
    take_in,
    update_in,
    update_knowledge_base,
    why_anew,
)
from onoma.kb.world import World, read_judged, stored_config, stored_job, stored_memory
from onoma.resolve.fields.kinds import VECTOR

__all__ = ["Added", "Live"]


@dataclass(frozen=True)
class Added:
    """What became of a record that was added."""

    record: str
    entity: str
    probability: float
    """That it belongs there."""
    is_new: bool
    """Whether the entity is a new one."""
    update: Update

    def as_dict(self) -> dict[str, object]:
        """Return one JSON-ready object."""
        about = {"record": self.record, "entity": self.entity, "probability": self.probability, "is_new": self.is_new}
        return about | {"update": self.update.as_dict()}


class Live:
    """A knowledge base to ask and to add to, one record at a time.

    Parameters
    ----------
    path
        The knowledge base.
    held
        The same, held open by a service; None: it is opened for each change and closed again.
    """

    def __init__(self, path: Path, held: Held | None = None) -> None:
        self.path, self.held = path, held
        self._snapshot: Snapshot | None = None
        self._stamp: tuple[int, ...] = ()
        self._lock = threading.RLock()

    def snapshot(self) -> Snapshot:
        """Return what is in the file, in memory."""
        with self._lock:
            if self._snapshot is None or (self.held is None and file_stamp(self.path) != self._stamp):
                with self._reading() as base:
                    self._load(base)
            if self._snapshot is None:
                raise DataError("cannot be read", file=self.path)
            return self._snapshot

    def share(self, other: "Live") -> None:
        """Answer from what another has read, if the file is still the same."""
        with self._lock:
            if other._snapshot is not None and other._stamp == file_stamp(self.path):
                self._snapshot, self._stamp = other._snapshot, other._stamp

    def forget(self) -> None:
        """Read the file again before the next answer."""
        with self._lock:
            self._snapshot = None

    def find(self, record: Mapping[str, object], *, most: int = 5) -> Finding:
        """Return the entities that a record may be, nothing added."""
        snapshot = self.snapshot()
        with self._lock:
            if snapshot.memory.is_own:
                with self._reading() as base:
                    return find_own(base, snapshot, record, most=most)
            return find_record(snapshot, record, most=most)

    def find_many(self, table: pa.Table, *, most: int = 5) -> list[Finding]:
        """Return the same of each row of a table, each asked alone."""
        snapshot = self.snapshot()
        if snapshot.memory.is_own:
            return [self.find(row, most=most) for row in table.to_pylist()]
        with self._lock:
            return find_records(snapshot, table, most=most)

    def around(self, *, follows: bool = False) -> Around:
        """Return where the records around some come from: what is held in memory, where it can be.

        `follows`: what is drawn and written is kept in memory too (`judging`).
        """
        try:
            memory = self.snapshot().memory
        except UnsupportedError:
            return WHOLE
        return WHOLE if memory.is_own or memory.is_stated else _Near(self, follows=follows)

    @contextlib.contextmanager
    def judging(self, *, follows: bool = True) -> Iterator[tuple[KnowledgeBase, Around]]:
        """Open the knowledge base to be judged; what is in memory follows, or is read again before the next answer.

        `follows`: false where all is taken back in the end.
        """
        with self._lock:  # before the file, as in `add`: two locks are always taken in one order
            around = self.around(follows=follows)
            try:
                with self._writing() as base:
                    yield base, around
            except BaseException:
                self._snapshot = None if follows else self._snapshot
                raise
            self._snapshot = None if around is WHOLE else self._snapshot
            self._stamp = file_stamp(self.path)

    def cut(self, base: KnowledgeBase, numbers: Sequence[int], *, anew: bool) -> LocalWorld:
        """Return what stands around some records; `anew`: judgements were made since it was read."""
        snapshot = self.snapshot() if not anew else self._snapshot
        if snapshot is None:
            raise DataError("cannot be read", file=self.path)
        with self._lock:
            seeds = snapshot.places_of(np.unique(np.array(numbers, dtype=np.int64)))
            said = read_judged(base, snapshot.numbers) if anew else None
            return cut_around(snapshot, seeds[seeds >= 0], base, said)

    def add(self, record: Mapping[str, object], *, command: str = "") -> Added:
        """Add a record in one transaction; only what it touches changes."""
        begun = time.perf_counter()
        with self._lock:
            with self._writing() as base:
                if self._snapshot is None or (self.held is None and file_stamp(self.path) != self._stamp):
                    self._load(base, force=True)
                table = _with_id(base, record, self._snapshot)
                update = Update(run=1 + int(base.value("SELECT max(run) FROM runs")))
                self._stamp = ()
                added = self._try(base, table, update, begun, command)
            if added is None:
                return self._add_anew(table, command)
            self._stamp = file_stamp(self.path)
            return added

    def _try(self, base: KnowledgeBase, table: pa.Table, update: Update, begun: float, command: str) -> Added | None:
        """Add a record in place; None if that cannot be done."""
        if base.blob("memory") and stored_memory(base).is_own:
            self._snapshot = None
            done = update_in(base, tables=[table], begun=begun, command=command)
            return _told(base, as_incoming(base, table), done)
        if why_anew(base, more=1):
            return None
        incoming = as_incoming(base, table)
        plan = plan_update(base, [incoming], None, update)
        if plan.is_empty:
            update.notes.append("nothing is new: the knowledge base was left as it is")
            return _told(base, incoming, update)
        if plan.table is None or len(plan.gone) or self._snapshot is None:
            return None
        numbers = take_in(base, plan, update)
        _add(base, self._snapshot, plan.table, int(numbers[0]), plan.source[0], update)
        update.n_records = int(base.value("SELECT count(*) FROM memberships"))
        update.n_entities = int(base.value("SELECT count(*) FROM entities"))
        update.seconds = time.perf_counter() - begun
        note_update(base, update, command)
        return _told(base, incoming, update)

    def _add_anew(self, table: pa.Table, command: str) -> Added:
        if self.held is not None:
            raise UnsupportedError(
                "this record cannot be added alone: all records would be resolved anew",
                hint=f"End the service and run onoma resolve FILE --into {self.path}.",
            )
        update = update_knowledge_base(self.path, tables=[table], command=command)
        self._snapshot = None
        with self._reading() as base:
            return _told(base, as_incoming(base, table), update)

    def _load(self, base: KnowledgeBase, *, force: bool = False) -> None:
        memory = stored_memory(base)
        why = "" if memory.is_own else memory.why_not
        if not why and any(spec.kind == VECTOR or len(spec.columns) > 1 for spec in memory.fields):
            why = "a field is made of vectors or of several columns"
        if why and not force:
            raise UnsupportedError(
                f"{self.path}: single records are found where they can be added one by one, but {why}",
                hint="onoma show KB NAME finds entities by name.",
            )
        self._stamp = file_stamp(self.path)
        self._snapshot = None if why else load_snapshot(base)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[KnowledgeBase]:
        door: AbstractContextManager[KnowledgeBase]
        door = read_knowledge_base(self.path) if self.held is None else self.held.reading()
        with door as base:
            yield base

    @contextlib.contextmanager
    def _writing(self) -> Iterator[KnowledgeBase]:
        door: AbstractContextManager[KnowledgeBase]
        door = write_in_place(self.path) if self.held is None else self.held.writing()
        with door as base:
            yield base


class _Near(Around):
    """The records around some, as they are in memory."""

    def __init__(self, live: Live, *, follows: bool) -> None:
        self._live, self._follows = live, follows

    def world(self, base: KnowledgeBase, numbers: Sequence[int]) -> World:
        """Cut them out."""
        return self._live.cut(base, numbers, anew=base.is_changed)

    def follow(self, world: World, found: Resampled) -> None:
        """Change what is in memory as the file was changed."""
        if self._follows and isinstance(world, LocalWorld):
            world.snapshot.judged = world.said
            _follow(world.base, world.snapshot, world, found, world.places)


def _told(base: KnowledgeBase, incoming: Incoming, update: Update) -> Added:
    """Return where a record is now."""
    key, source = str(incoming.table["id"][0]), incoming.source[0]
    sql = "SELECT entity, probability FROM memberships WHERE id = ? AND source = ?"
    entity, probability = base.rows(sql, [key, source])[0]
    is_new = bool(update.changes.get("created"))
    return Added(f"{source}:{key}" if source else key, str(entity), float(probability), is_new, update)


def _with_id(base: KnowledgeBase, record: Mapping[str, object], snapshot: Snapshot | None) -> pa.Table:
    """Return a record as a table; one without an id gets one that nobody has."""
    given = dict(record)
    config = stored_config(stored_job(base))
    column = config.id or "id"
    if given.get(column) is None and given.get("id") is None:
        given[column] = f"new-{base.meta('next_record')}"
    if snapshot is not None:
        return one_row(snapshot, given)
    return pa.table({str(name): [None if value is None else str(value)] for name, value in given.items()})


def _add(base: KnowledgeBase, snapshot: Snapshot, table: pa.Table, number: int, source: str, update: Update) -> None:
    """Weigh a new record, draw what it touches again, and write that; what is in memory follows."""
    query = snapshot.ask(table)
    snapshot.next_number = number
    weighed = weigh_record(snapshot, query, base) or _alone(base, snapshot, query)
    world = weighed.world
    _keep_values(base, snapshot, query, world)
    plausible = weighed.new.take(world.is_plausible(weighed.new))
    found = draw_with(weighed)
    world.add_edges(plausible)
    nobody = Gone({}, {}, {}, np.zeros(0, dtype=np.int64))
    commit_entities(world, found, nobody, {}, update, "a new record")
    snapshot.take(query, number, str(table["id"][0]), source)
    _follow(base, snapshot, world, found, np.append(world.places, snapshot.n - 1))


def _alone(base: KnowledgeBase, snapshot: Snapshot, query: Query) -> Weighed:
    """Return a record that shares nothing with any other."""
    none = np.zeros(0, dtype=np.int64)
    nothing = Edges(none, none, np.zeros(0), np.zeros(0), np.zeros(0))
    world = LocalWorld(base, snapshot, none, nothing, query)
    world.edge_numbers = none
    n_fields = len(query.values)
    return Weighed(world, nothing, np.zeros((0, n_fields), np.int8), np.zeros((0, n_fields), np.float32))


def _keep_values(base: KnowledgeBase, snapshot: Snapshot, query: Query, world: LocalWorld) -> None:
    """Keep which values the new record has, and those that nobody had before; their features are made when read."""
    values = []
    for f, (value, code) in enumerate(zip(query.values, query.codes, strict=True)):
        if value and code < 0:
            values.append(values_table(f, snapshot.fields[f].n_values, [value], [query.examples[f]]))
    if values:
        base.append("field_values", pa.concat_tables(values))
    number = world.records[-1:]
    base.append("codes", codes_table(number, [codes[-1:] for codes in world.codes]))


def _follow(
    base: KnowledgeBase, snapshot: Snapshot, world: LocalWorld, found: Resampled, places: NDArray[np.int64]
) -> None:
    """Change what is in memory as the file was changed; `places` are those of the records of the part."""
    here, tables = base.among("record", world.records[found.records])
    rows = base.query(f"SELECT record, entity FROM memberships WHERE {here} ORDER BY record", None, tables)  # noqa: S608
    snapshot.name_entities(places[found.records], rows["entity"].to_pylist())
    first = len(world.edge_numbers)
    for number, p in zip(world.edge_numbers.tolist(), world.edges.probability[:first].tolist(), strict=True):
        snapshot.set_probability(number, p)
    for a, b, *parts in zip(*(part[first:].tolist() for part in world.edges), strict=True):
        snapshot.add_edge(int(places[a]), int(places[b]), *parts)
