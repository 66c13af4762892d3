"""Who is this? One record against a knowledge base, without adding it.

The record is written and weighed as one that comes to stay would be (`update.py`): its nearest records are found, each
is compared with it, and what stands around is drawn again with it there. In each sample it is alone (NIL), or it stands
with records of some entity; where a sample joins several entities, it counts for the one it has most evidence for. So
the probabilities of all entities and of NIL add up to one, and they are those that adding the record would give.

A household is not an entity: evidence that relatives explain as well is discounted by the same model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.errors import DataError, SettingsError
from onoma.kb.database import KnowledgeBase
from onoma.kb.incremental import (
    Edges,
    Effort,
    Resampled,
    compare_pairs,
    evidence_of,
    resample,
    touched_by,
    weigh_levels,
)
from onoma.kb.lookup.local import LocalWorld, cut_out
from onoma.kb.lookup.snapshot import Query, Snapshot
from onoma.resolve.report.explanation import field_contributions

__all__ = ["Candidate", "Finding", "Reason", "find_record", "find_records", "one_row"]

_FAINT = 0.005
"""Entities less probable are not told."""
_DETACHED = cast(KnowledgeBase, None)
"""A question needs no file."""
_SAMPLES, _SPARE = 200, 5_000
"""Samples of a question, and records times sweeps: a question is answered at once.

Four times the sweeps bring shares no nearer to those of a long chain than the chance of 200 samples lets them be.
"""


class Reason(NamedTuple):
    """What one field says of the record and the nearest record of an entity."""

    field: str
    level: str
    bits: float
    asked: str
    known: str


@dataclass(frozen=True)
class Candidate:
    """An entity that the record may be."""

    entity: str
    probability: float
    size: int
    """How many records it has."""
    record: str
    """Its record with most evidence."""
    bits: float
    """The evidence of that pair alone, as log odds."""
    reasons: tuple[Reason, ...]
    """Field by field, what says most first."""

    @property
    def reason(self) -> str:
        """The fields that say most, in one line."""
        told = [each for each in self.reasons if abs(each.bits) >= 0.5][:4]
        return ", ".join(f"{each.field} {each.level} {each.bits:+.1f}" for each in told) or "nothing says much"

    def as_dict(self) -> dict[str, object]:
        """Return one JSON-ready object."""
        plain = {name: getattr(self, name) for name in ("entity", "probability", "size", "record", "bits", "reason")}
        return plain | {"fields": [each._asdict() for each in self.reasons]}


@dataclass(frozen=True)
class Finding:
    """The entities that a record may be."""

    candidates: tuple[Candidate, ...]
    """The most probable first."""
    nil: float
    """The probability that it is none that is there."""
    n_compared: int
    """With how many records it was compared."""

    @property
    def best(self) -> Candidate | None:
        """The entity that it is, if that is more probable than none."""
        found = self.candidates[0] if self.candidates else None
        return found if found is not None and found.probability > self.nil else None

    def as_dict(self) -> dict[str, object]:
        """Return one JSON-ready object."""
        told = [each.as_dict() for each in self.candidates]
        return {"candidates": told, "nil": self.nil, "compared": self.n_compared}


class Weighed(NamedTuple):
    """A new record compared with its neighbours."""

    world: LocalWorld
    new: Edges
    """Pairs of a neighbour (a place here) and the new record."""
    levels: NDArray[np.int8]
    shares: NDArray[np.float32]


def one_row(snapshot: Snapshot, record: Mapping[str, object]) -> pa.Table:
    """Return a record as a table; refuse one that says nothing a knowledge base compares."""
    try:
        return pa.table({name: [value] for name, value in _given(snapshot, record).items()})
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
        raise DataError(f"the record has a value that no column can hold: {error}") from error


def _given(snapshot: Snapshot, record: Mapping[str, object]) -> dict[str, str | list[object] | None]:
    """Return what a record says, as columns hold it; refuse one that says nothing a knowledge base compares."""
    columns = [spec.columns[0] for spec in snapshot.memory.fields]
    if not isinstance(record, Mapping) or not record:
        raise SettingsError(f"a record is an object of columns and values, not {record!r}", hint=_columns(columns))
    within = next((name for name, value in record.items() if isinstance(value, Mapping)), None)
    if within is not None:
        raise SettingsError(f"{within!r} is an object; a value is a text, a number, a truth value, null or a list")
    given = {str(name): _plain(value) for name, value in record.items()}
    if not any(given.get(name) is not None for name in columns):
        raise SettingsError(
            f"the record has a value in none of the columns that are compared; it has {', '.join(given)}",
            hint=_columns(columns),
        )
    for name, value in given.items():
        try:
            _ = (name.encode(), value.encode() if isinstance(value, str) else b"")
        except UnicodeEncodeError as error:
            raise SettingsError(f"{name!a} has half a letter (a lone surrogate), which is no text") from error
    return given


def _columns(names: Sequence[str]) -> str:
    return f"The columns that are compared are {', '.join(names)}."


def _plain(value: object) -> str | list[object] | None:
    """Return a value as a column holds it; the reader of texts takes numbers too."""
    return value if value is None or isinstance(value, str | list) else str(value)


def find_record(snapshot: Snapshot, record: Mapping[str, object], *, most: int = 5) -> Finding:
    """Return the entities that a record may be, nothing added."""
    if most < 1:
        raise SettingsError(f"most is {most}; it is at least 1")
    given = _given(snapshot, record)
    if any(isinstance(value, list) for value in given.values()):
        return find_row(snapshot, snapshot.ask(one_row(snapshot, record)), most=most)
    return find_row(snapshot, snapshot.ask_texts(cast("dict[str, str | None]", given)), most=most)


def find_records(snapshot: Snapshot, table: pa.Table, *, most: int = 5) -> list[Finding]:
    """Return the same of each row of a table, each asked alone."""
    columns = {spec.columns[0] for spec in snapshot.memory.fields}
    if not columns & {*table.column_names}:
        raise SettingsError("the table has none of the columns that are compared", hint=_columns(sorted(columns)))
    return [find_row(snapshot, snapshot.ask(table, row), most=most) for row in range(len(table))]


def find_row(snapshot: Snapshot, query: Query, *, most: int = 5) -> Finding:
    """Return the entities that a record, its values written, may be."""
    weighed = weigh_record(snapshot, query, _DETACHED)
    if weighed is None:
        return Finding((), 1.0, 0)
    found = draw_with(weighed, n_samples=_SAMPLES)
    shares, nil = _shares(weighed, found)
    chosen = sorted(shares, key=lambda entity: (-shares[entity], entity))[:most]
    told = tuple(_candidate(weighed, entity, shares[entity]) for entity in chosen if shares[entity] >= _FAINT)
    return Finding(told, nil, len(weighed.new.a))


def weigh_record(snapshot: Snapshot, query: Query, base: KnowledgeBase) -> Weighed | None:
    """Compare a new record with its neighbours; None if it has none."""
    near = snapshot.neighbours(query)
    if not len(near):
        return None
    world = cut_out(snapshot, query, near, base)
    a = np.searchsorted(world.places, near).astype(np.int64)
    last = np.full(len(a), world.n - 1, dtype=np.int64)
    places = np.append(a, world.n - 1)
    here = np.arange(len(a), dtype=np.int32)
    levels, shares = compare_pairs(world.fields(places), here, np.full(len(a), len(a), dtype=np.int32))
    copy, relative = weigh_levels(levels, shares, world.memory.weights)
    return Weighed(world, Edges(a, last, copy, relative, np.zeros(len(a))), levels, shares)


def draw_with(weighed: Weighed, *, n_samples: int | None = None) -> Resampled:
    """Draw what the new record touches anew, with it there."""
    world = weighed.world
    new = weighed.new.take(world.is_plausible(weighed.new))
    edges = Edges(*(np.concatenate(parts) for parts in zip(world.edges, new, strict=True)))
    judged = world.judged()
    seeds = np.unique(np.concatenate([new.a, [world.n - 1]])).astype(np.int64)
    inside = world.with_company(touched_by(world.n, edges, seeds, judged))
    effort = Effort.of(world.memory.config)
    effort = effort if n_samples is None else replace(effort, spare=_SPARE)
    return resample(
        world.n, edges, inside, world.weights, effort=effort, judged=judged, entity=world.entity(), n_samples=n_samples
    )


def _shares(weighed: Weighed, found: Resampled) -> tuple[dict[int, float], float]:
    """Return for each entity the share of samples in which the new record is it, and the share in which it is none."""
    world = weighed.world
    entity = world.entity()
    copy = weighed.new.weights(world.weights)[0]
    weight = np.zeros(world.n)
    weight[weighed.new.a] = copy
    mine = int(np.flatnonzero(found.records == world.n - 1)[0])
    others = np.flatnonzero(found.records != world.n - 1)
    numbers, place = np.unique(entity[found.records[others]], return_inverse=True)
    n = max(len(found.roots), 1)
    sample, other = np.nonzero(found.roots[:, others] == found.roots[:, mine, None])
    # A record without evidence of its own counts too, a little: somebody must be chosen.
    mass = np.zeros((n, max(len(numbers), 1)))
    np.add.at(mass, (sample, place[other]), weight[found.records[others[other]]] + 1e-12)
    met = mass.max(axis=1) > 0
    best, counts = np.unique(numbers[mass[met].argmax(axis=1)], return_counts=True)
    return dict(zip(best.tolist(), (counts / n).tolist(), strict=True)), float((~met).sum() / n)


def _candidate(weighed: Weighed, entity: int, probability: float) -> Candidate:
    world, snapshot = weighed.world, weighed.world.snapshot
    members = snapshot.members_of(entity)
    mine = np.flatnonzero(np.isin(world.places[weighed.new.a], members))
    if not len(mine):
        return Candidate(snapshot.names[entity], probability, len(members), "", 0.0, ())
    copy, relative = weighed.new.weights(world.weights)
    bits = np.log2(np.maximum(copy, 1e-300)) - np.log2(1.0 + relative)
    best = int(mine[np.argmax(bits[mine])])
    place = int(world.places[weighed.new.a[best]])
    reasons = sorted(_reasons(weighed, best, place), key=lambda each: -abs(each.bits))
    name = snapshot.record_name(place)
    return Candidate(
        snapshot.names[entity], probability, len(members), name, round(float(bits[best]), 3), tuple(reasons)
    )


def _reasons(weighed: Weighed, at: int, place: int) -> list[Reason]:
    """Return what each field adds to the evidence of a pair."""
    world, snapshot = weighed.world, weighed.world.snapshot
    levels, shares = weighed.levels[at], weighed.shares[at]
    none = np.zeros(1, dtype=np.int32)
    evidence = evidence_of(0, none, none, levels[None], shares[None], world.memory.weights)
    parts = field_contributions(evidence, world.memory.weights, levels, shares) / np.log(2)
    found = []
    for f, spec in enumerate(world.memory.fields):
        code = int(snapshot.fields[f].codes[place])
        known = snapshot.fields[f].text(code) if code >= 0 else ""
        level = "missing" if levels[f] < 0 else spec.levels[levels[f]]
        found.append(Reason(spec.name, level, round(float(parts[f]), 3), world.query.values[f], known))
    return found
