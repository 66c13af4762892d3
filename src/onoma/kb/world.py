"""The current state of a knowledge base, as arrays: which records there are, their values, pairs and judgements."""

import json
import zipfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.errors import DataError
from onoma.kb.database import KnowledgeBase
from onoma.kb.incremental import (
    FLOOR,
    KEPT,
    NEAR,
    Edges,
    Effort,
    FieldPart,
    Resampled,
    best_weights,
    fields_of,
    resample,
    weigh_pairs,
)
from onoma.kb.memory import Memory, earlier_config, flat_weights, memory_from_bytes
from onoma.numerics.rng import stream
from onoma.resolve.blocking.index import Segment, feature_ids
from onoma.resolve.comparison.weights import Weights
from onoma.resolve.config import ResolveConfig
from onoma.resolve.fields.field import FieldData
from onoma.resolve.posterior.judgements import Judged

__all__ = ["World", "find_entity", "find_record_key", "find_record_keys", "load_world", "read_judged"]

_BALLAST = 400
"""Values of a field that stand for all those that are not at hand."""
_FEW = 1_000
"""Ids that are looked up one by one."""
_TEXT = pa.string()
EARLIER = (
    "what the model said is not kept in this file, which an earlier Onoma made",
    "Add records to it (onoma resolve FILE --into KB): all is resolved anew then, and can be judged and explained.",
)
"""Why judgements and explanations are refused, and what to do."""
UNSAID = -14.0
"""The log odds of a pair of which nobody said how probable it is."""


@dataclass(eq=False)
class World:
    """Records by their places, 0 … n - 1, in the order of their numbers."""

    base: KnowledgeBase
    memory: Memory
    records: NDArray[np.int64]
    """Numbers of the current records, ascending."""
    codes: list[NDArray[np.int32]]
    """For each field, the value of each record; -1: missing."""
    n_values: list[int]
    """For each field, how many values have a code."""
    edges: Edges

    @property
    def n(self) -> int:
        """How many records there are."""
        return len(self.records)

    @property
    def weights(self) -> Weights:
        """What agreement weighs among so many records; of a model that draws for itself, what it states is all."""
        return flat_weights() if self.memory.is_own else self.memory.weights_for(self.total)

    @property
    def total(self) -> int:
        """How many records there are in all; those of a part are fewer."""
        return self.n

    @cached_property
    def counts(self) -> list[NDArray[np.int64]]:
        """For each field, how many records have each value."""
        return [
            np.bincount(codes[codes >= 0], minlength=n).astype(np.int64)
            for codes, n in zip(self.codes, self.n_values, strict=True)
        ]

    def place(self, number: int) -> int:
        """Return the place of a record by its number."""
        at = int(np.searchsorted(self.records, number))
        if at >= self.n or self.records[at] != number:
            raise DataError(f"record {number} is not there any more", file=self.base.path)
        return at

    def segments(self) -> list[Segment]:
        """Return the features of all values, field by field; of values that came alone they are made here.

        Those of a field are a few large blobs, and a file that gets one more row of them is written anew by all of
        them. So a record that is added alone leaves none.
        """
        found = self.base.rows("SELECT field, first_code, offsets, ids FROM features ORDER BY field, first_code")
        result = []
        for f in range(len(self.codes)):
            parts: list[Segment] = []
            n = 0
            kept = [
                (first, np.frombuffer(o, np.int64), np.frombuffer(i, np.uint32)) for g, first, o, i in found if g == f
            ]
            for first, offsets, ids in kept:
                parts += [self._made_segment(f, n, first)] if n < first else []
                parts.append(Segment(offsets, ids))
                n = first + len(offsets) - 1
            parts += [self._made_segment(f, n, self.n_values[f])] if kept and n < self.n_values[f] else []
            ends = np.cumsum([0, *(len(ids) for _, ids in parts)])
            shifted = [offsets[1:] + end for (offsets, _), end in zip(parts, ends[:-1], strict=True)]
            result.append(
                Segment(
                    np.concatenate([[0], *shifted]).astype(np.int64),
                    np.concatenate([np.zeros(0, np.uint32), *(ids for _, ids in parts)]),
                )
            )
        return result

    def _made_segment(self, f: int, first: int, end: int) -> Segment:
        """Make the features of the values of a field from one code to before another; what was erased has none."""
        sql = "SELECT code, value FROM field_values WHERE field = ? AND code >= ? AND code < ? AND value <> ''"
        rows = sorted(self.base.rows(sql, [f, first, end]))
        lengths = np.zeros(end - first, dtype=np.int64)
        ids = np.zeros(0, dtype=np.uint32)
        if rows:
            values = [str(value) for _, value in rows]
            made = self.memory.fields[f].made.prepare(values, np.ones(len(values), dtype=np.int64)).features()
            lengths[np.array([code for code, _ in rows]) - first] = np.diff(made.offsets)
            ids = feature_ids(made)[made.ids]
        return Segment(np.concatenate([[0], np.cumsum(lengths)]), ids)

    def fields(self, places: NDArray[np.int64]) -> list[FieldData]:
        """Return the fields of some records, which are then numbered 0, 1, … in this order."""
        return fields_of(self.memory, self._parts(places))

    def _parts(self, places: NDArray[np.int64]) -> list[FieldPart]:
        chosen, wanted = [], []
        for f, codes in enumerate(self.codes):
            used = np.unique(codes[places])
            used = used[used >= 0]
            spare = self._ballast(f, used)
            chosen.append((used, spare))
            both = np.concatenate([used, spare])
            wanted.append(pa.table({"field": np.full(len(both), f, np.int32), "code": both.astype(np.int32)}))
        texts = self.texts(pa.concat_tables(wanted))
        parts = []
        for f, (used, spare) in enumerate(chosen):
            order = np.concatenate([used, spare]).astype(np.int64)
            counts = self._shares(f, used, spare)
            values, examples = ([side[(f, code)] for code in order.tolist()] for side in texts)
            place = np.full(self.n_values[f] + 1, -1, dtype=np.int32)  # the last is where -1 points
            place[used] = np.arange(len(used), dtype=np.int32)
            parts.append(FieldPart(values, examples, place[self.codes[f][places]], counts))
        return parts

    def _ballast(self, f: int, used: NDArray[np.int32]) -> NDArray[np.int64]:
        return ballast_of(self, f, used)

    def _shares(self, f: int, used: NDArray[np.int32], spare: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many records have each value; those chosen for the rest have as many as all of the rest."""
        counts = self.counts[f]
        rest = int(counts.sum() - counts[used].sum())
        kept = int(counts[spare].sum())
        spread = np.rint(counts[spare] * (rest / max(kept, 1))).astype(np.int64)
        return np.concatenate([counts[used], np.maximum(spread, 1)])

    def texts(self, wanted: pa.Table) -> tuple[dict[tuple[int, int], str], dict[tuple[int, int], str]]:
        """Return values and examples by field and code."""
        sql = "SELECT v.field, v.code, v.value, v.example FROM field_values v SEMI JOIN wanted USING (field, code)"
        found = self.base.query(sql, None, {"wanted": wanted})
        keys = list(zip(found["field"].to_pylist(), found["code"].to_pylist(), strict=True))
        values, examples = (dict(zip(keys, found[name].to_pylist(), strict=True)) for name in ("value", "example"))
        return values, examples

    def drop(self, gone: NDArray[np.int64]) -> NDArray[np.int64]:
        """Take records away, given by their numbers; return the places of those that they touched."""
        if not len(gone):
            return np.zeros(0, dtype=np.int64)
        keep = ~np.isin(self.records, gone)
        a, b = keep[self.edges.a], keep[self.edges.b]
        weight = np.add(*self.edges.weights(self.weights))
        best = best_weights(self.n, self.edges.a, self.edges.b, np.where(a & b, weight, 0.0))
        near = self.edges.probability > FLOOR
        near |= weight > NEAR * (1.0 + np.where(a, best[self.edges.a], best[self.edges.b]))
        orphans = np.concatenate([self.edges.a[near & a & ~b], self.edges.b[near & b & ~a]])
        place = np.cumsum(keep) - 1
        self.records, self.codes = self.records[keep], [codes[keep] for codes in self.codes]
        self.edges = self.edges.take(a & b)
        self.edges = self.edges._replace(a=place[self.edges.a], b=place[self.edges.b])
        self.__dict__.pop("counts", None)
        tables = {"gone": pa.table({"record": gone})}
        for name in ("codes", "samples"):
            self.base.change(f"DELETE FROM {name} USING gone WHERE {name}.record = gone.record", None, tables)  # noqa: S608
        some = "SELECT record FROM gone"
        self.base.change(f"DELETE FROM edges WHERE a IN ({some}) OR b IN ({some})", None, tables)  # noqa: S608
        return np.unique(place[orphans])

    def entity(self) -> NDArray[np.int64]:
        """Return the entity of each record, as a number; -1 if it has none yet."""
        found = self.base.query("SELECT record, entity FROM memberships")
        codes = np.full(self.n, -1, dtype=np.int64)
        names = pc.if_else(pc.equal(found["entity"], ""), pa.scalar(None, _TEXT), found["entity"])
        numbers = names.combine_chunks().dictionary_encode().indices.fill_null(-1).to_numpy(zero_copy_only=False)
        codes[np.searchsorted(self.records, found["record"].to_numpy())] = numbers
        return codes

    def resample(self, inside: NDArray[np.bool_], judged: Judged) -> Resampled:
        """Draw the entities of some records anew."""
        effort = Effort.of(self.memory.config)
        return resample(self.n, self.edges, inside, self.weights, effort=effort, judged=judged, entity=self.entity())

    def weigh(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> Edges:
        """Compare pairs of records."""
        if not len(a):
            return Edges(a, b, np.zeros(0), np.zeros(0), np.zeros(0))
        if self.memory.is_stated or self.memory.is_own:  # nobody said anything of these
            return Edges(a, b, np.full(len(a), UNSAID), np.full(len(a), -np.inf), np.zeros(len(a)))
        places, both = np.unique(np.concatenate([a, b]), return_inverse=True)
        one, other = both[: len(a)].astype(np.int32), both[len(a) :].astype(np.int32)
        copy, relative = weigh_pairs(self.fields(places), one, other, self.memory.weights)
        return Edges(a, b, copy, relative, np.zeros(len(a)))

    def weigh_judged(self, judged: Judged) -> None:
        """Compare the pairs that were judged, where nobody did before."""
        pairs = np.sort(judged.pairs(), axis=1)
        known = np.minimum(self.edges.a, self.edges.b) * self.n + np.maximum(self.edges.a, self.edges.b)
        keys = np.setdiff1d(pairs[:, 0] * self.n + pairs[:, 1], known)
        if len(keys):
            new = self.weigh(keys // self.n, keys % self.n)
            self.add_edges(new, always=True)

    def add_edges(self, new: Edges, *, always: bool = False) -> None:
        """Add new pairs, as far as they are plausible, or always."""
        plausible = new if always else new.take(self.is_plausible(new))
        first = len(self.edges.a)
        self.edges = Edges(*(np.concatenate(parts) for parts in zip(self.edges, plausible, strict=True)))
        self.base.append("edges", self.edge_table(np.arange(first, len(self.edges.a))))

    def is_plausible(self, new: Edges) -> NDArray[np.bool_]:
        """Return which pairs are worth keeping."""
        return np.add(*new.weights(self.weights)) > KEPT

    def edge_table(self, which: NDArray[np.int64]) -> pa.Table:
        """Return some pairs as they are kept."""
        some = self.edges.take(which)
        numbers = {"a": self.records[some.a], "b": self.records[some.b]}
        names = ("log_copy", "log_relative", "probability")
        return pa.table(numbers | {name: getattr(some, name).astype(np.float32) for name in names})

    def with_company(self, inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return records with all others of their entities."""
        touched = pa.table({"record": self.records[inside]})
        found = self.base.array(
            """SELECT record FROM memberships WHERE entity <> '' AND entity IN
            (SELECT entity FROM memberships SEMI JOIN touched USING (record))""",
            np.int64,
            touched=touched,
        )
        more = inside.copy()
        more[np.searchsorted(self.records, found)] = True
        return more

    def judged(self) -> Judged:
        """Return the judgements that hold, of records that are there."""
        return read_judged(self.base, self.records)


def read_judged(base: KnowledgeBase, records: NDArray[np.int64]) -> Judged:
    """Return the judgements that hold, of records that are there, by their places among the numbers of all records."""
    said = base.rows("SELECT kind, a_source, a, b_source, b, weight FROM judgement_current ORDER BY judgement")
    there = _numbers_of(base, {str(key) for _, _, a, _, b, _ in said for key in (a, b)})
    rows = [
        (kind, there[one], there[other], weight)
        for kind, *ends, weight in said
        if (one := (ends[0], ends[1])) in there and (other := (ends[2], ends[3])) in there
    ]

    def pairs(chosen: list[tuple[Any, ...]]) -> NDArray[np.int64]:
        numbers = np.array([(a, b) for _, a, b, _ in chosen], dtype=np.int64).reshape(-1, 2)
        return np.searchsorted(records, numbers).astype(np.int64)

    weighed = [row for row in rows if row[3] is not None]
    bits = [w if kind == "same" else -w for kind, _, _, w in weighed]
    hard = [[row for row in rows if row[3] is None and row[0] == kind] for kind in ("same", "different")]
    return Judged(pairs(hard[0]), pairs(hard[1]), pairs(weighed), np.array(bits, dtype=np.float64))


def _numbers_of(base: KnowledgeBase, ids: Collection[str]) -> dict[tuple[str, str], int]:
    """Return the numbers of records by source and id; few ids are looked up, many are read through."""
    marks = ", ".join("?" * len(ids)) or "NULL"
    here, given = (f"id IN ({marks})", sorted(ids)) if len(ids) <= _FEW else ("list_contains(?, id)", [sorted(ids)])
    rows = base.rows(f"SELECT source, id, record FROM memberships WHERE {here}", given)  # noqa: S608 (marks)
    return {(str(source), str(key)): int(number) for source, key, number in rows}


def ballast_of(
    world: World, f: int, used: NDArray[np.int32] | None = None, *, most: int = _BALLAST
) -> NDArray[np.int64]:
    """Choose some of the values of a field that are not at hand."""
    here = world.counts[f] > 0
    if used is not None:
        here[used] = False
    others = np.flatnonzero(here)
    if len(others) <= most:
        return others
    return np.sort(stream(world.memory.config.seed, "ballast", f).choice(others, most, replace=False))


def load_world(base: KnowledgeBase) -> World:
    """Read the current state."""
    memory = stored_memory(base)
    found = base.query("FROM codes")
    records = found["record"].to_numpy()
    codes = [np.ascontiguousarray(found[f"f{f}"].to_numpy(), dtype=np.int32) for f in range(len(memory.fields))]
    if (np.diff(records) < 0).any():
        order = np.argsort(records)
        records, codes = records[order], [each[order] for each in codes]
    n_values = [0] * len(codes)
    for f, n in base.rows("SELECT field, max(code) + 1 FROM field_values GROUP BY field"):
        n_values[f] = n
    return World(base, memory, records, codes, n_values, read_edges(base, records))


def read_edges(base: KnowledgeBase, records: NDArray[np.int64]) -> Edges:
    """Return the pairs that are kept, by the places of their records."""
    found = base.query("FROM edges")
    place = np.zeros(int(records.max(initial=0)) + 1, dtype=np.int64)
    place[records] = np.arange(len(records))
    a, b = (place[found[side].to_numpy()] for side in ("a", "b"))
    parts = (found[name].to_numpy().astype(np.float64) for name in ("log_copy", "log_relative", "probability"))
    return Edges(a, b, *parts)


def stored_job(base: KnowledgeBase) -> dict[str, Any]:
    """Return how records are read and resolved."""
    text = base.blob("job")
    try:
        found: dict[str, Any] = json.loads(text) if text else {}
    except ValueError as error:  # not JSON, or not even text
        raise _damaged(base, "how its records are read") from error
    return found


@lru_cache(maxsize=2)
def _memory_of(data: bytes) -> Memory:
    """Read what was learnt; whoever adds one record after the other reads the same again and again."""
    return memory_from_bytes(data)


def stored_memory(base: KnowledgeBase) -> Memory:
    """Return what was learnt before."""
    try:
        return _memory_of(base.blob("memory"))
    except DataError:
        raise
    except (ValueError, KeyError, TypeError, EOFError, OSError, zipfile.BadZipFile) as error:
        raise _damaged(base, "what was learnt") from error


def _damaged(base: KnowledgeBase, what: str) -> DataError:
    hint = "It was not touched. Restore a copy, or make a new one with onoma resolve … -o NEW.duckdb."
    return DataError(f"is a damaged knowledge base: {what} cannot be read", file=base.path, hint=hint)


def stored_config(job: dict[str, Any]) -> ResolveConfig:
    """Return the configuration of a stored job; that of one which an earlier version kept, as it is said now."""
    if "config" in job:
        return ResolveConfig.of(job["config"], "the knowledge base")
    names = ("id", "source", "link", "one_to_one", "block", "truth", "exclude", "also_compare", "labels", "weights")
    given = {name: job[name] for name in (*names, "kinds") if job.get(name)}
    return ResolveConfig.of(given, base=earlier_config(job.get("settings", {})))


def find_entity(base: KnowledgeBase, name: str) -> str:
    """Return the current id of an entity, named by it, by an alias, or by the id of one of its records."""
    if base.value("SELECT 1 FROM memberships WHERE entity = ? LIMIT 1", [name]):
        return name
    alias = base.value("SELECT entity FROM aliases WHERE alias = ? ORDER BY run DESC LIMIT 1", [name])
    if alias is not None:
        return str(alias)
    found = base.rows("SELECT DISTINCT entity FROM memberships WHERE id = ?", [name])
    if len(found) == 1:
        return str(found[0][0])
    if found:
        raise DataError(f"the id {name!r} stands in several sources and entities", file=base.path)
    raise DataError(
        f"there is no entity, alias or record {name!r}", file=base.path, hint="onoma show KB NAME finds entities."
    )


def find_record_key(base: KnowledgeBase, name: str) -> tuple[int, str, str]:
    """Return number, source and id of a record, named by its id, or by source:id."""
    return find_record_keys(base, [name])[name]


def find_record_keys(base: KnowledgeBase, names: Sequence[str]) -> dict[str, tuple[int, str, str]]:
    """Return the same of several records, by their names: all are looked for at once."""
    asked = sorted({*names, *(name.partition(":")[2] for name in names)})
    rows = base.rows(
        f"SELECT record, source, id FROM memberships WHERE id IN ({', '.join('?' * len(asked)) or 'NULL'})",  # noqa: S608
        asked,
    )
    by_id: dict[str, list[tuple[int, str, str]]] = {}
    for number, source, key in rows:
        by_id.setdefault(str(key), []).append((int(number), str(source), str(key)))
    return {name: _one_of(base, name, by_id) for name in names}


def _one_of(base: KnowledgeBase, name: str, by_id: dict[str, list[tuple[int, str, str]]]) -> tuple[int, str, str]:
    """Return the one record that a name means."""
    found = by_id.get(name, [])
    if not found and ":" in name:
        source, _, rest = name.partition(":")
        found = [each for each in by_id.get(rest, []) if each[1] == source]
    if not found:
        raise DataError(f"there is no record {name!r}", file=base.path)
    if len(found) > 1:
        hint = "Name it with its source: " + ", ".join(f"{source}:{key}" for _, source, key in found[:3])
        raise DataError(f"the id {name!r} stands in several sources", file=base.path, hint=hint)
    return found[0]


def record_table(base: KnowledgeBase, numbers: Sequence[int] | NDArray[np.int64] | None = None) -> pa.Table:
    """Return current records (or some) as they came, under the names they came with, in the order of their numbers."""
    names = base.rows("SELECT name, stored FROM columns")
    columns = ", ".join('r."{}"'.format(str(stored).replace('"', '""')) for _, stored in names)
    if numbers is None:
        sql = f"SELECT {columns} FROM records r WHERE onoma_retracted IS NULL ORDER BY onoma_record"  # noqa: S608
        found = base.query(sql)
    else:
        here, tables = base.among("onoma_record", np.asarray(numbers, dtype=np.int64))
        found = base.query(f"SELECT {columns} FROM records r WHERE {here} ORDER BY onoma_record", None, tables)  # noqa: S608
    return found.rename_columns([str(name) for name, _ in names])
