"""The current state of a knowledge base held in memory, with an index: what answers one record at a time.

A file is read once; then the neighbours of a record are found through inverted lists, its features first (those of
`resolve/blocking/index.py`, with the same weights), then the records that have them, and what stands around it is cut
out as a small world of its own. So a question costs what it touches and not what there is:

    features of the record · at most `hot` records each  +  the pairs of its neighbours' entities.

Records that come later are kept beside the index until it is made anew.
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.corpus.fingerprints import text_fingerprints
from onoma.kb.database import KnowledgeBase
from onoma.kb.incremental import FLOOR, Edges
from onoma.kb.lookup._nearest_kernels import gather_holders, having_too
from onoma.kb.memory import Memory, Written, write_text, write_values
from onoma.kb.world import ballast_of, load_world
from onoma.resolve.blocking.canopies import BULKY
from onoma.resolve.blocking.index import Segment, feature_ids
from onoma.resolve.fields.kinds import find_kind
from onoma.resolve.posterior.judgements import Judged

__all__ = ["Lists", "Query", "Snapshot", "load_snapshot"]

_BESIDE = 64
_BALLAST = 48
"""Values of a field that stand for the rest when one record is weighed: they are made comparable each time."""
_TOGETHER = ("date", "set")
"""Kinds whose values are read in the light of each other."""
_REGION = 4_000
"""Records around one; more are left out, the nearest first."""


class Lists(NamedTuple):
    """Lists of numbers, one after the other."""

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]

    @classmethod
    def invert(cls, keys: NDArray[np.integer], n: int) -> "Lists":
        """Return for each key from 0 to n - 1 the places where it stands; those below 0 stand nowhere."""
        order = np.argsort(keys, kind="stable").astype(np.int32)
        counts = np.bincount(keys[keys >= 0], minlength=n)
        return cls(np.concatenate([[0], np.cumsum(counts)]), order[len(keys) - int(counts.sum()) :])

    def of(self, which: NDArray[np.integer]) -> NDArray[np.int32]:
        """Return the items of some lists, one list after the other."""
        starts, ends = self.offsets[which], self.offsets[np.asarray(which) + 1]
        lengths = ends - starts
        shift = np.repeat(starts - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
        return self.items[np.arange(int(lengths.sum())) + shift]

    def lengths(self, which: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return how long some lists are."""
        return self.offsets[np.asarray(which) + 1] - self.offsets[which]


@dataclass(eq=False)
class FieldSnapshot:
    """The values of a field, and who has them."""

    kind: str
    codes: NDArray[np.int32]
    values: pa.LargeStringArray
    examples: list[str]
    """Some values as they came."""
    prints: NDArray[np.uint64]
    """Fingerprints of the values, ascending."""
    print_codes: NDArray[np.int32]
    holders: Lists
    """The records of each value."""
    segment: Segment
    features: NDArray[np.uint32]
    """The features of values, ascending, each once."""
    featured: Lists
    """The values of each feature."""
    frequency: NDArray[np.int64]
    """The records of each feature."""
    counts: NDArray[np.int64]
    """How many records have each value, those beside the index included."""
    total: int
    ballast: NDArray[np.int64]
    """Values that stand for all those that are not at hand."""
    ballast_texts: list[str]
    new_values: list[str] = field(default_factory=list)
    new_codes: dict[str, int] = field(default_factory=dict)
    newcomers: dict[int, list[int]] = field(default_factory=dict)
    """By feature, records beside the index that have it."""
    new_holders: dict[int, list[int]] = field(default_factory=dict)
    """By value, records beside the index that have it."""
    own: dict[str, Any] | None = None
    """Where the kind was described by a table: that."""

    def __post_init__(self) -> None:
        _, ends, letters = self.values.buffers()
        n, first = len(self.values), self.values.offset
        whole = np.zeros(1, np.int64) if not n else np.frombuffer(ends, np.int64, count=first + n + 1)[first:]
        self._ends, self._letters = whole.data, memoryview(letters or b"")
        self.ballast_codes: list[int] = self.ballast.tolist()

    @property
    def n_values(self) -> int:
        """How many values have a code."""
        return len(self.values) + len(self.new_values)

    @property
    def beside(self) -> list[str]:
        """Some values in whose light one is read."""
        return self.examples if self.kind in _TOGETHER else []

    def text(self, code: int) -> str:
        """Return a value."""
        at = code - len(self.values)
        if at >= 0:
            return self.new_values[at]
        return str(self._letters[self._ends[code] : self._ends[code + 1]], "utf-8")

    def texts(self, codes: Sequence[int]) -> list[str]:
        """Return some values."""
        return [self.text(code) for code in codes]

    def code(self, value: str, key: np.uint64) -> int:
        """Return the code of a value that has a fingerprint; -1 if nobody has it."""
        if value in self.new_codes:
            return self.new_codes[value]
        at = int(np.searchsorted(self.prints, key))
        while at < len(self.prints) and self.prints[at] == key:
            if self.text(int(self.print_codes[at])) == value:
                return int(self.print_codes[at])
            at += 1
        return -1

    def count(self, code: int) -> int:
        """Return how many records have a value."""
        return int(self.counts[code]) if 0 <= code < len(self.counts) else 0

    def records(self, code: int) -> NDArray[np.integer]:
        """Return the records of a value."""
        offsets, items = self.holders
        found = items[offsets[code] : offsets[code + 1]] if code < len(self.values) else items[:0]
        return self._and(found, self.new_holders.get(code))

    def both(self, code: int, other: "FieldSnapshot", theirs: int, most: int) -> NDArray[np.integer]:
        """Return the records of a value that have one of another field, too; no more than are asked for."""
        offsets, items = self.holders
        first, last = (offsets[code], offsets[code + 1]) if code < len(self.values) else (0, 0)
        more = [record for record in self.new_holders.get(code, ()) if other.codes[record] == theirs]
        return self._and(having_too(first, last, items, other.codes, theirs, most), more)

    def _and(self, some: NDArray[np.int32], more: list[int] | None) -> NDArray[np.integer]:
        return np.concatenate([some, np.array(more, dtype=np.int64)]) if more else some

    def feature_ids(self, value: str, code: int) -> NDArray[np.uint32]:
        """Return the features of a value: those that are kept, or all of a new one."""
        if 0 <= code < len(self.values):
            return self.segment.ids[self.segment.offsets[code] : self.segment.offsets[code + 1]]
        made = (
            find_kind(self.kind if self.own is None else self.own)
            .prepare([value], np.ones(1, dtype=np.int64))
            .features()
        )
        return feature_ids(made)[made.ids]

    def sharing(self, features: NDArray[np.uint32], hot: int) -> Iterator[NDArray[np.integer]]:
        """Yield for each of some features the records that have it, if there are fewer than `hot`."""
        features = np.unique(features)
        at = np.minimum(np.searchsorted(self.features, features), max(len(self.features) - 1, 0))
        known = self.features[at] == features if len(self.features) else np.zeros(len(features), dtype=np.bool_)
        cold = at[known]
        cold = cold[self.frequency[cold] < hot]
        items, ends = gather_holders(cold, *self.featured, *self.holders)
        place = dict(zip(cold.tolist(), itertools.pairwise(ends.tolist()), strict=True))
        for feature, where, is_known in zip(features.tolist(), at.tolist(), known.tolist(), strict=True):
            if is_known and where not in place:
                continue
            first, last = place[where] if is_known else (0, 0)
            yield self._and(items[first:last], self.newcomers.get(feature))

    def take(self, record: int, value: str, code: int) -> int:
        """Let a new record have a value; return the code of that."""
        if code < 0:
            code = self.n_values
            self.new_values.append(value)
            self.new_codes[value] = code
            self.counts = extended(self.counts, 0)
        self.counts[code] += 1
        self.total += 1
        self.new_holders.setdefault(code, []).append(record)
        for feature in self.feature_ids(value, code).tolist():
            self.newcomers.setdefault(feature, []).append(record)
        return code


class Query(NamedTuple):
    """A record that is asked about, its values written as those of the knowledge base are."""

    values: tuple[str, ...]
    """By field; empty where there is none."""
    examples: tuple[str, ...]
    codes: tuple[int, ...]
    """-1: nobody has that value, or there is none."""


@dataclass(eq=False)
class Snapshot:
    """All that is needed to answer, in memory. Records are known by their places."""

    memory: Memory
    numbers: NDArray[np.int64]
    """The number of each record, ascending."""
    keys: list[str]
    """Of records beside the index, their ids."""
    sources: NDArray[np.int32]
    """The source of each record, one of `source_names`."""
    source_names: list[str]
    ids: pa.LargeStringArray
    entity: NDArray[np.int32]
    """The entity of each record, one of `names`."""
    names: list[str]
    members: dict[int, list[int]]
    """Of entities that changed, the records of each; those of others are in `company`."""
    company: Lists
    fields: list[FieldSnapshot]
    edges: Edges
    beside: Lists
    """The pairs of each record (numbers of edges), those beside the index not included."""
    new_edges: list[tuple[int, int, float, float, float]] = field(default_factory=list)
    new_beside: dict[int, list[int]] = field(default_factory=dict)
    judged: Judged | None = None
    said: tuple[Judged | None, dict[int, list[int]]] = (None, {})
    """By record, whom judgements are about beside it, and the judgements that this was made of."""
    next_number: int = 0
    """The number of the next record."""

    @property
    def n(self) -> int:
        """How many records there are."""
        return len(self.numbers)

    def ask(self, table: pa.Table, row: int = 0) -> Query:
        """Write the values of a row of a table as those of the knowledge base are written."""
        one = table.slice(row, 1)
        found = []
        for spec, field_ in zip(self.memory.fields, self.fields, strict=True):
            name = spec.columns[0]
            if name not in one.column_names:
                found.append(("", ""))
            elif pa.types.is_string(one[name].type):
                found.append(write_text(spec, one[name][0].as_py(), field_.beside))
            else:
                found.append(_first(write_values(spec, one[name], field_.beside)))
        return self._query(found)

    def ask_texts(self, texts: Mapping[str, str | None]) -> Query:
        """Write the values of a record, by column, as those of the knowledge base are written."""
        fields = zip(self.memory.fields, self.fields, strict=True)
        return self._query([write_text(spec, texts.get(spec.columns[0]), field_.beside) for spec, field_ in fields])

    def _query(self, written: Sequence[tuple[str, str]]) -> Query:
        """Return values, each with the one that it came from, and their codes."""
        values, examples = zip(*written, strict=True) if written else ((), ())
        keys = text_fingerprints(values)
        known = zip(self.fields, values, keys, strict=True)
        return Query(values, examples, tuple(field_.code(value, key) if value else -1 for field_, value, key in known))

    def neighbours(self, query: Query) -> NDArray[np.int64]:
        """Return the places of the records that share most with one that is asked about."""
        n = self.n + 1
        k, hot = self.memory.blocking.resolved(n)
        met: list[NDArray[np.integer]] = []
        weight: list[float] = []

        def share(records: NDArray[np.integer]) -> None:
            if 0 < len(records) < hot:
                met.append(records)
                weight.append(math.log(n / (len(records) + 1)) ** 2)

        for field_, value, code in zip(self.fields, query.values, query.codes, strict=True):
            if not value:
                continue
            if code >= 0 and field_.count(code) < hot:
                share(field_.records(code))
            for records in field_.sharing(field_.feature_ids(value, code), hot):
                share(records)
        for records in self._both(query, hot):
            share(records)
        if not met:
            return np.zeros(0, dtype=np.int64)
        places, back = np.unique(np.concatenate(met), return_inverse=True)
        score = np.bincount(back, np.repeat(weight, [len(each) for each in met]))
        return np.sort(places[np.argsort(-score, kind="stable")[:k]]).astype(np.int64)

    def _both(self, query: Query, hot: int) -> Iterable[NDArray[np.integer]]:
        """Yield the records that have the same values in two short fields; of those that are too many, some."""
        short = [
            (self.fields[f].count(code), f, code)
            for f, code in enumerate(query.codes)
            if code >= 0 and self.fields[f].kind not in BULKY
        ]
        for one, other in itertools.combinations(short, 2):
            (_, f, mine), (_, g, theirs) = (other, one) if one[0] > other[0] else (one, other)
            yield self.fields[f].both(mine, self.fields[g], theirs, hot)

    def pairs_of(self, records: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the pairs (numbers of edges) that some records are in."""
        more = [edge for record in records.tolist() for edge in self.new_beside.get(record, ())]
        old = records[records < len(self.beside.offsets) - 1]
        return np.unique(np.concatenate([self.beside.of(old), np.array(more, dtype=np.int64)]).astype(np.int64))

    def edge_part(self, which: NDArray[np.int64]) -> Edges:
        """Return some pairs."""
        first = len(self.edges.a)
        old = self.edges.take(which[which < first])
        new = [self.new_edges[edge - first] for edge in which[which >= first].tolist()]
        if not new:
            return old
        columns = list(zip(*new, strict=True))
        return Edges(*(np.concatenate([part, np.array(column)]) for part, column in zip(old, columns, strict=True)))

    def members_of(self, entity: int) -> list[int]:
        """Return the places of the records of an entity."""
        if entity in self.members:
            return self.members[entity]
        offsets, items = self.company
        return items[offsets[entity] : offsets[entity + 1]].tolist() if entity < len(offsets) - 1 else []

    def together(self, seeds: NDArray[np.int64], judged: Judged | None) -> NDArray[np.int64]:
        """Return records with whatever some sample, a judgement or an entity holds together with them."""
        found = set(seeds.tolist())
        fresh = list(found)
        said = {} if judged is None else self._said_beside(judged)
        while fresh and len(found) < _REGION:
            here = np.array(fresh, dtype=np.int64)
            edges = self.edge_part(self.pairs_of(here))
            tied = edges.probability > FLOOR
            more = {*edges.a[tied].astype(int).tolist(), *edges.b[tied].astype(int).tolist()}
            for entity in set(self.entity[here].tolist()):
                more.update(self.members_of(entity) if entity >= 0 else ())
            if said:
                more.update(other for record in fresh for other in said.get(record, ()))
            fresh = list(more - found)
            found.update(fresh)
        return np.array(sorted(found), dtype=np.int64)

    def region(self, seeds: NDArray[np.int64], judged: Judged | None) -> NDArray[np.int64]:
        """Return what evidence about some records may touch, and what stands around that."""
        inner = self.together(seeds, judged)
        edges = self.edge_part(self.pairs_of(inner))
        ring = np.unique(np.concatenate([inner, edges.a, edges.b]).astype(np.int64))
        return self.together(ring, judged) if len(ring) < _REGION else ring

    def _said_beside(self, judged: Judged) -> dict[int, list[int]]:
        """Return by record the others that something is said of it and them."""
        if self.said[0] is not judged:
            self.said = (judged, _said(judged))
        return self.said[1]

    def places_of(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the places of records by their numbers; -1 where one is not there."""
        at = np.minimum(np.searchsorted(self.numbers, numbers), max(self.n - 1, 0))
        return np.where(self.numbers[at] == numbers, at, -1) if self.n else np.full(len(numbers), -1)

    def take(self, query: Query, number: int, key: str, source: str) -> None:
        """Let a new record be there, in no entity yet."""
        for field_, value, code in zip(self.fields, query.values, query.codes, strict=True):
            now = field_.take(self.n, value, code) if value else -1
            field_.codes = extended(field_.codes, now)
        if source not in self.source_names:
            self.source_names.append(source)
        self.sources = extended(self.sources, self.source_names.index(source))
        self.entity = extended(self.entity, -1)
        self.numbers = extended(self.numbers, number)
        self.keys.append(key)
        self.next_number = number + 1

    def name_entities(self, places: NDArray[np.int64], names: Sequence[str]) -> None:
        """Put records, all those of their entities, into entities of these names."""
        known = {self.names[code]: int(code) for code in np.unique(self.entity[places]) if code >= 0}
        for code in known.values():
            self.members[code] = []
        for place, name in zip(places.tolist(), names, strict=True):
            if name not in known:
                known[name] = len(self.names)
                self.names.append(name)
                self.members[known[name]] = []
            self.entity[place] = known[name]
            self.members[known[name]].append(place)

    def add_edge(self, a: int, b: int, log_copy: float, log_relative: float, probability: float) -> None:
        """Let a new pair be known."""
        number = len(self.edges.a) + len(self.new_edges)
        self.new_edges.append((a, b, log_copy, log_relative, probability))
        self.new_beside.setdefault(a, []).append(number)
        self.new_beside.setdefault(b, []).append(number)

    def set_probability(self, number: int, probability: float) -> None:
        """Say how probable a pair is now."""
        at = number - len(self.edges.a)
        if at < 0:
            self.edges.probability[number] = probability
        else:
            self.new_edges[at] = (*self.new_edges[at][:4], probability)

    def record_name(self, place: int) -> str:
        """Return a record as people name it."""
        key = str(self.ids[place]) if place < len(self.ids) else self.keys[place - len(self.ids)]
        source = self.source_names[self.sources[place]]
        return f"{source}:{key}" if source else key


def extended(array: NDArray[Any], value: int) -> NDArray[Any]:
    """Return an array with one more value; of a long one, room for more is kept behind it, so that little is copied.

    Examples
    --------
    >>> one = extended(np.array([1, 2]), 3)
    >>> extended(one, 4).tolist(), one.tolist()
    ([1, 2, 3, 4], [1, 2, 3])
    """
    n, room = len(array), array.base
    is_front = (
        room is not None and room.dtype == array.dtype and room.ndim == 1 and room.ctypes.data == array.ctypes.data
    )
    if room is None or not is_front or len(room) <= n or not room.flags.writeable:
        room = np.empty(n + 1 + n // 16, dtype=array.dtype)
        room[:n] = array
    room[n] = value
    return room[: n + 1]


def _first(written: Written) -> tuple[str, str]:
    """Return the value of the one record that was written, and as it came."""
    code = int(written.codes[0])
    return (written.values[code], written.examples[code]) if code >= 0 else ("", "")


def _said(judged: Judged) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for a, b in judged.pairs().tolist():
        found.setdefault(a, []).append(b)
        found.setdefault(b, []).append(a)
    return found


def load_snapshot(base: KnowledgeBase) -> Snapshot:
    """Read a knowledge base and make its index."""
    world = load_world(base)
    rows = base.query("SELECT record, source, id, entity FROM memberships ORDER BY record")
    entity = rows["entity"].combine_chunks().dictionary_encode()
    source = rows["source"].combine_chunks().dictionary_encode()
    segments = world.segments()
    fields = [
        _load_field(base, f, spec.kind, world.codes[f], segments[f], ballast_of(world, f, most=_BALLAST))
        for f, spec in enumerate(world.memory.fields)
    ]
    for found, spec in zip(fields, world.memory.fields, strict=True):
        found.own = spec.own
    ends = np.concatenate([world.edges.a, world.edges.b])
    beside = Lists.invert(ends, world.n)
    beside = Lists(beside.offsets, (beside.items % max(len(world.edges.a), 1)).astype(np.int32))
    codes = entity.indices.to_numpy().astype(np.int32)
    return Snapshot(
        memory=world.memory,
        numbers=world.records,
        keys=[],
        sources=source.indices.to_numpy().astype(np.int32),
        source_names=source.dictionary.to_pylist(),
        ids=rows["id"].combine_chunks().cast(pa.large_string()),
        entity=codes,
        names=entity.dictionary.to_pylist(),
        members={},
        company=Lists.invert(codes, len(entity.dictionary)),
        fields=fields,
        edges=world.edges,
        beside=beside,
        judged=world.judged(),
        next_number=int(base.meta("next_record") or 0),
    )


def _load_field(
    base: KnowledgeBase, f: int, kind: str, codes: NDArray[np.int32], segment: Segment, ballast: NDArray[np.int64]
) -> FieldSnapshot:
    found = base.query("SELECT value FROM field_values WHERE field = ? ORDER BY code", [f])
    values = found["value"].combine_chunks().cast(pa.large_string())
    values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    examples = base.rows("SELECT example FROM field_values WHERE field = ? AND code < ?", [f, _BESIDE])
    prints = text_fingerprints(values)
    order = np.argsort(prints, kind="stable")
    n = len(values)
    if len(segment.offsets) - 1 < n:  # nothing was kept to look them up by
        segment = Segment(np.zeros(n + 1, dtype=np.int64), np.zeros(0, dtype=np.uint32))
    features, numbered = np.unique(segment.ids, return_inverse=True)
    of_value = np.repeat(np.arange(n, dtype=np.int32), np.diff(segment.offsets))
    lists = Lists.invert(numbered, len(features))
    featured = Lists(lists.offsets, of_value[lists.items])
    counts = np.bincount(codes[codes >= 0], minlength=n).astype(np.int64)
    return FieldSnapshot(
        kind=kind,
        codes=codes,
        values=values,
        examples=[str(each) for (each,) in examples],
        prints=prints[order],
        print_codes=order.astype(np.int32),
        holders=Lists.invert(codes, n),
        segment=segment,
        features=features,
        featured=featured,
        frequency=np.add.reduceat(np.append(counts[featured.items], 0), featured.offsets[:-1])
        if len(features)
        else np.zeros(0, dtype=np.int64),
        counts=counts,
        total=int(counts.sum()),
        ballast=ballast,
        ballast_texts=[str(values[int(code)]) for code in ballast],
    )
