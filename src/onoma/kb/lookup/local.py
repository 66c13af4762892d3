"""A small world cut out of a large one: the records around one that is asked about, or that comes.

It is a `World` like any other, so whatever draws, weighs and writes works on it; only what is told of all records (how
common a value is, how many records there are) is asked of the snapshot that it was cut from.
"""

import numpy as np
from numpy.typing import NDArray

from onoma.kb.database import KnowledgeBase
from onoma.kb.incremental import Edges, FieldPart
from onoma.kb.lookup.snapshot import Query, Snapshot
from onoma.kb.world import World
from onoma.resolve.comparison.weights import Weights
from onoma.resolve.posterior.judgements import Judged

__all__ = ["LocalWorld", "cut_out"]


class LocalWorld(World):
    """Some records, and one more that is asked about: it comes last."""

    edge_numbers: NDArray[np.int64]
    """Which pair of the snapshot each pair is."""

    def __init__(
        self, base: KnowledgeBase, snapshot: Snapshot, places: NDArray[np.int64], edges: Edges, query: Query
    ) -> None:
        self.snapshot, self.places, self.query = snapshot, places, query
        codes = [
            np.append(field.codes[places], np.int32(self._code(f))).astype(np.int32)
            for f, field in enumerate(snapshot.fields)
        ]
        numbers = np.append(snapshot.numbers[places], snapshot.next_number)
        super().__init__(base, snapshot.memory, numbers, codes, [each.n_values for each in snapshot.fields], edges)

    def _code(self, f: int) -> int:
        """Return the code of the new record's value; one that nobody has comes after all others."""
        known = self.query.codes[f]
        return known if known >= 0 or not self.query.values[f] else self.snapshot.fields[f].n_values

    @property
    def weights(self) -> Weights:
        """What agreement weighs among all records, and one more."""
        return self.memory.weights_for(self.snapshot.n + 1)

    def entity(self) -> NDArray[np.int64]:
        """Return the entity of each record, as a number; -1: none yet."""
        return np.append(self.snapshot.entity[self.places].astype(np.int64), -1)

    def judged(self) -> Judged:
        """Return the judgements that hold among these records."""
        said = self.snapshot.judged
        if said is None:
            return _NOTHING
        place = np.full(self.snapshot.n, -1, dtype=np.int64)
        place[self.places] = np.arange(len(self.places))
        return said.renumbered(place, place >= 0)

    def with_company(self, inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return records with all others of their entities that are here."""
        entity = self.entity()
        return inside | (np.isin(entity, entity[inside & (entity >= 0)]) & (entity >= 0))

    def _parts(self, places: NDArray[np.int64]) -> list[FieldPart]:
        return [self._part(f, self.codes[f][places]) for f in range(len(self.codes))]

    def _part(self, f: int, codes: NDArray[np.int32]) -> FieldPart:
        field = self.snapshot.fields[f]
        used = np.unique(codes[codes >= 0]).astype(np.int64)
        spare = ~np.isin(field.ballast, used)
        unknown = len(used) > 0 and used[-1] == field.n_values
        texts = [field.text(code) for code in (used[:-1] if unknown else used).tolist()]
        texts += [self.query.values[f]] if unknown else []
        counts = np.array([field.count(code) for code in used.tolist()], dtype=np.int64)
        counts[used == self.codes[f][-1]] += 1  # the new record has it too
        others = field.counts[field.ballast[spare]]
        rest = field.total - int(counts.sum())
        spread = np.rint(others * (max(rest, 0) / max(int(others.sum()), 1))).astype(np.int64)
        values = texts + [text for text, is_spare in zip(field.ballast_texts, spare.tolist(), strict=True) if is_spare]
        found = np.where(codes >= 0, np.searchsorted(used, codes), -1).astype(np.int32)
        return FieldPart(values, values, found, np.concatenate([counts, np.maximum(spread, 1)]))


_NONE = np.zeros((0, 2), dtype=np.int64)
_NOTHING = Judged(_NONE, _NONE, _NONE, np.zeros(0))


def cut_out(snapshot: Snapshot, query: Query, seeds: NDArray[np.int64], base: KnowledgeBase) -> LocalWorld:
    """Return what stands around some records, with a new one that is tied to none of them yet."""
    places = snapshot.region(seeds)
    which = snapshot.pairs_of(places)
    edges = snapshot.edge_part(which)
    place = np.full(snapshot.n, -1, dtype=np.int64)
    place[places] = np.arange(len(places))
    a, b = (place[side.astype(np.int64)] for side in (edges.a, edges.b))
    inside = (a >= 0) & (b >= 0)
    parts = (part[inside].astype(np.float64) for part in edges[2:])
    world = LocalWorld(base, snapshot, places, Edges(a[inside], b[inside], *parts), query)
    world.edge_numbers = which[inside]
    return world
