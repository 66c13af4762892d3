"""A small world cut out of a large one: the records around some, and perhaps one more that is asked about or comes.

It is a `World` like any other, so whatever draws, weighs, explains and writes works on it; only what is told of all
records (how common a value is, how many records there are) is asked of the snapshot that it was cut from.
"""

import numpy as np
from numpy.typing import NDArray

from onoma.kb.database import KnowledgeBase
from onoma.kb.incremental import Edges, FieldPart
from onoma.kb.lookup.snapshot import Query, Snapshot
from onoma.kb.world import World
from onoma.resolve.posterior.judgements import NO_JUDGEMENTS, Judged

__all__ = ["LocalWorld", "cut_around", "cut_out"]


class LocalWorld(World):
    """Some records; one more that is asked about comes last."""

    edge_numbers: NDArray[np.int64]
    """Which pair of the snapshot each pair is."""

    def __init__(
        self,
        base: KnowledgeBase,
        snapshot: Snapshot,
        places: NDArray[np.int64],
        edges: Edges,
        query: Query | None,
        said: Judged | None = None,
    ) -> None:
        self.snapshot, self.places, self._query = snapshot, places, query
        self._said = snapshot.judged if said is None else said
        entity = snapshot.entity[places].astype(np.int64)
        codes = [field.codes[places] for field in snapshot.fields]
        numbers = snapshot.numbers[places]
        if query is not None:
            entity, numbers = np.append(entity, -1), np.append(numbers, snapshot.next_number)
            codes = [np.append(each, np.int32(self._code(query, f))).astype(np.int32) for f, each in enumerate(codes)]
        self._entity, self._total = entity, snapshot.n + (query is not None)
        super().__init__(base, snapshot.memory, numbers, codes, [each.n_values for each in snapshot.fields], edges)

    @property
    def query(self) -> Query:
        """The record that is asked about."""
        if self._query is None:
            raise LookupError("nothing is asked about")
        return self._query

    @property
    def said(self) -> Judged | None:
        """All judgements that hold, by the places of all records."""
        return self._said

    @property
    def total(self) -> int:
        """How many records there are in all, the one that is asked about among them."""
        return self._total

    def _code(self, query: Query, f: int) -> int:
        """Return the code of the new record's value; one that nobody has comes after all others."""
        known = query.codes[f]
        return known if known >= 0 or not query.values[f] else self.snapshot.fields[f].n_values

    def entity(self) -> NDArray[np.int64]:
        """Return the entity of each record, as a number; -1: none yet."""
        return self._entity

    def judged(self) -> Judged:
        """Return the judgements that hold among these records."""
        return NO_JUDGEMENTS if self._said is None else _among(self._said, self.places)

    def with_company(self, inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return records with all others of their entities that are here."""
        entity = self.entity()
        return inside | (np.isin(entity, entity[inside & (entity >= 0)]) & (entity >= 0))

    def _parts(self, places: NDArray[np.int64]) -> list[FieldPart]:
        return [self._part(f, self.codes[f][places]) for f in range(len(self.codes))]

    def _part(self, f: int, codes: NDArray[np.int32]) -> FieldPart:
        field = self.snapshot.fields[f]
        mine = codes.tolist()
        used = sorted({code for code in mine if code >= 0})
        place = {code: i for i, code in enumerate(used)}
        unknown = bool(used) and used[-1] == field.n_values
        texts = field.texts(used[:-1] if unknown else used)
        counts = [field.count(code) for code in used]
        if self._query is not None:
            texts += [self._query.values[f]] if unknown else []
            new = int(self.codes[f][-1])
            if new in place:
                counts[place[new]] += 1  # the new record has it too
        spare = [i for i, code in enumerate(field.ballast_codes) if code not in place]
        others = field.counts[field.ballast[spare]] if len(spare) < len(field.ballast) else field.counts[field.ballast]
        rest = field.total - sum(counts)
        spread = np.rint(others * (max(rest, 0) / max(int(others.sum()), 1))).astype(np.int64)
        values = texts + [field.ballast_texts[i] for i in spare]
        found = np.array([place.get(code, -1) for code in mine], dtype=np.int32)
        return FieldPart(values, values, found, np.concatenate([np.array(counts, np.int64), np.maximum(spread, 1)]))


def _among(said: Judged, places: NDArray[np.int64]) -> Judged:
    """Return what is said of some records (ascending places of all), by their order here."""
    if not len(said.same) and not len(said.different) and not len(said.weighed):
        return NO_JUDGEMENTS

    def some(pairs: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        at = np.minimum(np.searchsorted(places, pairs), max(len(places) - 1, 0))
        here = (places[at] == pairs).all(axis=1) if len(places) else np.zeros(len(pairs), dtype=np.bool_)
        return at[here].reshape(-1, 2).astype(np.int64), here

    weighed, here = some(said.weighed)
    return Judged(some(said.same)[0], some(said.different)[0], weighed, said.bits[here])


def cut_out(snapshot: Snapshot, query: Query, seeds: NDArray[np.int64], base: KnowledgeBase) -> LocalWorld:
    """Return what stands around some records, with a new one that is tied to none of them yet."""
    return _cut(snapshot, query, snapshot.region(seeds, snapshot.judged), base, snapshot.judged)


def cut_around(
    snapshot: Snapshot, seeds: NDArray[np.int64], base: KnowledgeBase, said: Judged | None = None
) -> LocalWorld:
    """Return what stands around some records, and around that; `said`: the judgements that hold, if they are others."""
    said = snapshot.judged if said is None else said
    return _cut(snapshot, None, snapshot.region(snapshot.region(seeds, said), said), base, said)


def _cut(
    snapshot: Snapshot, query: Query | None, places: NDArray[np.int64], base: KnowledgeBase, said: Judged | None
) -> LocalWorld:
    which = snapshot.pairs_of(places)
    edges = snapshot.edge_part(which)
    ends = [side.astype(np.int64) for side in (edges.a, edges.b)]
    a, b = (np.minimum(np.searchsorted(places, side), max(len(places) - 1, 0)) for side in ends)
    inside = (places[a] == ends[0]) & (places[b] == ends[1])
    parts = (part[inside].astype(np.float64) for part in edges[2:])
    world = LocalWorld(base, snapshot, places, Edges(a[inside], b[inside], *parts), query, said)
    world.edge_numbers = which[inside]
    return world
