"""Who is who among some records, as the model said it and with the judgements that hold laid over it."""

import dataclasses

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.errors import UnsupportedError
from onoma.kb.incremental import FLOOR, Effort, Resampled
from onoma.kb.own.answer import Answer, read_own
from onoma.kb.own.heed import heed
from onoma.kb.world import World
from onoma.numerics.union_find import components
from onoma.resolve.posterior.consensus import find_consensus
from onoma.resolve.posterior.judgements import Judged, hold_apart
from onoma.resolve.registry import find_model

__all__ = ["Part", "redraw", "tied"]

_DENSE = 200
"""All pairs of so few records are looked at; of more, each with those that stand for its entities."""


def tied(world: World, seeds: NDArray[np.int64], judged: Judged) -> NDArray[np.bool_]:
    """Return the records that hang together with some: by samples, the answer, the entities now, or judgements.

    What was laid over the model's answer may be taken back, so its own pairs count as much as those of now.
    """
    found = world.base.query(
        "SELECT m.record, m.entity, o.first FROM memberships m LEFT JOIN own o USING (record) ORDER BY m.record"
    )
    entity = world.entity()
    by_entity = _with_first(entity)
    first = found["first"].fill_null(-1).to_numpy().astype(np.int64)
    by_answer = _with_first(np.where(first >= 0, first, -1))
    edges = world.edges
    linked = (edges.probability > FLOOR) | (edges.log_copy > np.log(FLOOR / (1.0 - FLOOR)))
    said = judged.pairs()
    pairs = (np.stack([edges.a[linked], edges.b[linked]], axis=1), by_entity, by_answer, said)
    both = np.concatenate([each.astype(np.int64).reshape(-1, 2) for each in pairs])
    group = components(world.n, np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1]))
    chosen = np.zeros(world.n, dtype=np.bool_)
    chosen[group[seeds]] = True
    return chosen[group]


def _with_first(label: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return each record with the first of its label; those below 0 have none."""
    places = np.flatnonzero(label >= 0)
    _, first, back = np.unique(label[places], return_index=True, return_inverse=True)
    return np.stack([places, places[first[back]]], axis=1)


@dataclasses.dataclass(frozen=True, eq=False)
class Part:
    """Some records (ascending places) with what the model said of them."""

    world: World
    places: NDArray[np.int64]
    answer: Answer

    @classmethod
    def of(cls, world: World, inside: NDArray[np.bool_]) -> "Part":
        """Read it."""
        places = np.flatnonzero(inside)
        return cls(world, places, read_own(world.base, world.records[places]))

    def likeness(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the share of words that values of records have in common, over all fields."""
        rows, columns = (self._words(side) for side in (one, other))
        return np.array([[_shared(a, b) for b in columns] for a in rows]).reshape(len(one), len(other))

    def _words(self, which: NDArray[np.int64]) -> list[list[set[str]]]:
        world, places = self.world, self.places[which]
        codes = [each[places] for each in world.codes]
        wanted = [
            pa.table({"field": np.full(len(c), f, np.int32), "code": c.astype(np.int32)}) for f, c in enumerate(codes)
        ]
        if not wanted:
            return [[] for _ in which]
        texts = world.texts(pa.concat_tables(wanted))[0]
        return [
            [set(texts.get((f, int(each[i])), "").split()) for f, each in enumerate(codes)] for i in range(len(which))
        ]

    def sources(self) -> NDArray[np.int64]:
        """Return the source of each record, as a number."""
        wanted = {"wanted": pa.table({"record": self.answer.records})}
        found = self.world.base.query(
            "SELECT source FROM memberships SEMI JOIN wanted USING (record) ORDER BY record", None, wanted
        )
        return np.unique(found["source"].to_pylist(), return_inverse=True)[1].astype(np.int64)


def _shared(one: list[set[str]], other: list[set[str]]) -> float:
    parts = [len(a & b) / np.sqrt(len(a) * len(b)) for a, b in zip(one, other, strict=True) if a and b]
    return float(np.sum(parts))


def redraw(world: World, inside: NDArray[np.bool_], judged: Judged) -> Resampled:
    """Return the entities of some records, all that hang together, judgements heeded."""
    part = Part.of(world, inside)
    place = np.full(world.n, -1, dtype=np.int64)
    place[part.places] = np.arange(len(part.places))
    mine = judged.renumbered(place, inside)
    own = part.answer.samples()
    edges = np.flatnonzero(inside[world.edges.a] & inside[world.edges.b])
    a, b = place[world.edges.a[edges]], place[world.edges.b[edges]]
    stated = 1.0 / (1.0 + np.exp(-world.edges.log_copy[edges]))
    if not len(mine.pairs()):
        labels = np.unique(part.answer.first, return_inverse=True)[1].astype(np.int64)
        return Resampled(part.places, labels, part.answer.probability, _rooted(own, part), edges, stated)
    if len(mine.bits) and not part.answer.is_sampled:
        raise UnsupportedError(
            f"the model {world.memory.config.model} has one answer and no samples that a weight could make likelier",
            hint="Leave out --weight: what is said then holds.",
        )
    source = part.sources() if world.memory.config.one_to_one else None
    rows = heed(own, mine, part.likeness, source=source, seed=world.memory.config.seed)
    before = (own[:, a] == own[:, b]).mean(axis=0)
    now = (rows[:, a] == rows[:, b]).mean(axis=0)
    together = np.where(now == before, stated, now)
    labels, probability = _agreed(world, part, rows, mine, source)
    return Resampled(part.places, labels, probability, _rooted(rows, part), edges, together)


def _rooted(rows: NDArray[np.int64], part: Part) -> NDArray[np.int64]:
    """Return for each sample and record the first record (a place among all) of its entity."""
    found = np.empty_like(rows)
    for s, row in enumerate(rows):
        _, first, back = np.unique(row, return_index=True, return_inverse=True)
        found[s] = part.places[first[back]]
    return found


def _agreed(
    world: World, part: Part, rows: NDArray[np.int64], judged: Judged, source: NDArray[np.int64] | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the entities to report, and how sure each place is.

    A model whose answer is what its samples agree on agrees again; that of another is changed as its samples are.
    """
    config = world.memory.config
    by_samples = "merge_cost" in {each.name for each in dataclasses.fields(find_model(config.model).settings)}
    if len(rows) == 1 or not (by_samples or len(judged.bits)):
        labels = np.unique(part.answer.first, return_inverse=True)[1].astype(np.int64)
        hard = judged._replace(weighed=judged.weighed[:0], bits=judged.bits[:0])
        labels = heed(labels[None], hard, part.likeness, source=source)[0]
        return labels, _sureness(part, labels, rows, judged)
    threshold = Effort.of(config).merge_cost
    roots = np.searchsorted(part.places, _rooted(rows, part)).astype(np.int32)
    a, b = _pairs(roots, judged)
    together = (roots[:, a] == roots[:, b]).mean(axis=0)
    found = find_consensus(len(part.places), a, b, together, roots, threshold=threshold)
    found = hold_apart(found, roots, judged, threshold=threshold)
    return found.clustering.labels.astype(np.int64), found.probability


def _pairs(roots: NDArray[np.int32], judged: Judged) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    n = roots.shape[1]
    if n <= _DENSE:
        a, b = np.triu_indices(n, 1)
    else:
        here = np.broadcast_to(np.arange(n), roots.shape)
        pairs = np.concatenate([np.stack([roots.ravel(), here.ravel()], axis=1), judged.pairs()]).astype(np.int64)
        keys = np.unique(pairs.min(axis=1) * n + pairs.max(axis=1))
        a, b = keys // n, keys % n
        a, b = a[a < b], b[a < b]
    return a.astype(np.int32), b.astype(np.int32)


def _sureness(part: Part, labels: NDArray[np.int64], rows: NDArray[np.int64], judged: Judged) -> NDArray[np.float64]:
    """Return how sure places are: what people have said is, the rest as sure as the model or its samples are."""
    probability = part.answer.probability.copy()
    if len(rows) > 1:
        moved = np.unique(part.answer.first, return_inverse=True)[1] != labels
        for i in np.flatnonzero(moved | np.isin(np.arange(len(labels)), np.unique(judged.pairs()))).tolist():
            others = np.flatnonzero((labels == labels[i]) & (np.arange(len(labels)) != i))
            if len(others):
                probability[i] = float((rows[:, others] == rows[:, [i]]).mean())
    hard = np.unique(np.concatenate([judged.same, judged.different]))
    probability[hard] = np.maximum(probability[hard], 1.0 if len(rows) == 1 else probability[hard])
    return probability
