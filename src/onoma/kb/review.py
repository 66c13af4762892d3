"""Which pair is most worth a person's look.

Undecided records come with samples of who is with whom. If a person says of a pair that it is the same, the samples
that hold it together remain; if not, the others. So what an answer would settle is known beforehand: with P(ij) the
share of samples that hold i and j together, the expected errors of the best answer are

    L = Σ over pairs ij of (1/s_i + 1/s_j) · min(P(ij), 1 − P(ij)),

with s the expected size of a record's entity (so that they are errors by record, as B³ counts them, and not by pair).
The worth of asking about a pair is L − p·L(same) − (1 − p)·L(different).
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.kb.database import KnowledgeBase
from onoma.numerics.union_find import components

__all__ = ["Doubt", "doubts", "pair_worth"]

_GROUPS, _PAIRS = 300, 8
"""The worth is computed of so many groups of records that hang together, and so many pairs of each."""


class Doubt(NamedTuple):
    """A pair that is not decided."""

    a: str
    b: str
    probability: float
    worth: float
    """Expected errors, in records, that an answer takes away."""


@dataclass(frozen=True, eq=False)
class _Samples:
    """Samples of the records in doubt."""

    records: NDArray[np.int64]
    roots: NDArray[np.int64]
    """Record by sample."""

    def near(self, places: NDArray[np.int64], i: int, j: int) -> NDArray[np.int64]:
        """Return which of some records are with one of two records in any sample."""
        mine = self.roots[places]
        with_one = (mine == self.roots[i]).any(axis=1) | (mine == self.roots[j]).any(axis=1)
        return places[with_one]

    def of(self, places: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return for each sample and pair of records whether it holds them together."""
        mine = self.roots[places].T
        return mine[:, :, None] == mine[:, None, :]


def pair_worth(together: NDArray[np.bool_], i: int, j: int) -> float:
    """Return the worth of asking about records i and j of a group, given samples (sample × record × record).

    Examples
    --------
    >>> apart, one = np.eye(2, dtype=bool), np.ones((2, 2), dtype=bool)
    >>> round(pair_worth(np.stack([apart, one]), 0, 1), 3)
    0.667
    """
    said = together[:, i, j]
    share = together.mean(axis=0)
    size = share.sum(axis=1)
    weight = 1.0 / size[:, None] + 1.0 / size[None, :]

    def loss(samples: NDArray[np.bool_]) -> float:
        if not len(samples):
            return 0.0
        p = samples.mean(axis=0)
        return float((weight * np.minimum(p, 1.0 - p)).sum() / 2.0)

    p = float(said.mean())
    return loss(together) - p * loss(together[said]) - (1.0 - p) * loss(together[~said])


def doubts(
    base: KnowledgeBase, *, most: int = 1, skip: Collection[tuple[str, str]] = (), one_of_each: bool = False
) -> list[Doubt]:
    """Return the pairs most worth asking about, the worthiest first; those judged already are left out.

    Parameters
    ----------
    most
        How many at most.
    skip
        Pairs not to ask about.
    one_of_each
        Give one pair of each group of records that hang together: an answer may settle the others of its group.
    """
    pairs = base.query(
        """SELECT e.a, e.b, e.probability FROM edges e
        JOIN memberships one ON one.record = e.a JOIN memberships other ON other.record = e.b
        WHERE e.probability BETWEEN 0.02 AND 0.98 AND NOT EXISTS (FROM judgement_current j WHERE
            (j.a_source, j.a, j.b_source, j.b) IN
            ((one.source, one.id, other.source, other.id), (other.source, other.id, one.source, one.id)))
        ORDER BY e.a, e.b"""
    )
    if not len(pairs):
        return []
    sampled = base.array("SELECT record FROM samples ORDER BY record", np.int64)
    if not len(sampled):
        return _without_samples(base, pairs, most, skip, one_of_each=one_of_each)
    pairs = _doubtful(pairs, sampled)
    if not len(pairs):
        return []
    numbers = [pairs[side].to_numpy() for side in ("a", "b")]
    samples = _load(base, np.unique(np.concatenate(numbers)))
    a, b = (np.searchsorted(samples.records, side) for side in numbers)
    probability = pairs["probability"].to_numpy().astype(np.float64)
    names = _names(base, samples.records)
    skipped = {frozenset(each) for each in skip}
    group = components(len(samples.records), a.astype(np.int64), b.astype(np.int64))
    found: list[tuple[Doubt, int]] = []
    for e, worth in _worths(samples, group, a, b, probability):
        one, other = (names[int(samples.records[side[e]])] for side in (a, b))
        if frozenset((one, other)) not in skipped:
            found.append((Doubt(one, other, float(probability[e]), worth), int(group[a[e]])))
    found.sort(key=lambda each: (-each[0].worth, each[0].a, each[0].b))
    if one_of_each:
        firsts = {g: doubt for doubt, g in reversed(found)}
        found = [(doubt, g) for doubt, g in found if firsts[g] is doubt]
    return [doubt for doubt, _ in found[:most]]


def _without_samples(
    base: KnowledgeBase, pairs: pa.Table, most: int, skip: Collection[tuple[str, str]], *, one_of_each: bool
) -> list[Doubt]:
    """Return the pairs of a model that has one answer: to ask about a pair takes away the errors of that pair."""
    rows = base.rows(
        """SELECT m.record, m.source, m.id, count(*) OVER (PARTITION BY m.entity), m.entity FROM memberships m"""
    )
    names = {int(r): f"{source}:{key}" if source else str(key) for r, source, key, _, _ in rows}
    size = {int(r): int(n) for r, _, _, n, _ in rows}
    entity = {int(r): str(name) for r, _, _, _, name in rows}
    skipped = {frozenset(each) for each in skip}
    found = []
    for a, b, p in zip(*(pairs[name].to_pylist() for name in ("a", "b", "probability")), strict=True):
        if frozenset((names[a], names[b])) not in skipped:
            worth = (1.0 / size[a] + 1.0 / size[b]) * min(p, 1.0 - p)
            found.append((Doubt(names[a], names[b], float(p), worth), entity[a]))
    found.sort(key=lambda each: (-each[0].worth, each[0].a, each[0].b))
    if one_of_each:
        firsts = {group: doubt for doubt, group in reversed(found)}
        found = [(doubt, group) for doubt, group in found if firsts[group] is doubt]
    return [doubt for doubt, _ in found[:most]]


def _doubtful(pairs: pa.Table, sampled: NDArray[np.int64]) -> pa.Table:
    """Return the pairs of records with samples (ascending) that are in the groups with most doubt."""
    numbers = [pairs[side].to_numpy() for side in ("a", "b")]
    a, b = (np.minimum(np.searchsorted(sampled, side), len(sampled) - 1) for side in numbers)
    known = (sampled[a] == numbers[0]) & (sampled[b] == numbers[1])
    pairs, a, b = pairs.filter(pa.array(known)), a[known], b[known]
    group = components(len(sampled), a.astype(np.int64), b.astype(np.int64))[a]
    probability = pairs["probability"].to_numpy().astype(np.float64)
    total = np.bincount(group, probability * (1.0 - probability), minlength=len(sampled))
    order = np.lexsort((group, -total[group]))
    first = np.flatnonzero(np.concatenate([[True], group[order][1:] != group[order][:-1]]))
    chosen = order if len(first) <= _GROUPS else order[: first[_GROUPS]]
    return pairs.take(pa.array(np.sort(chosen)))


def _load(base: KnowledgeBase, records: NDArray[np.int64]) -> _Samples:
    """Read the samples of some records."""
    here, tables = base.among("record", records)
    found = base.query(f"FROM samples WHERE {here} ORDER BY record", None, tables)
    lists = found["roots"].combine_chunks()
    lengths = pc.list_value_length(lists).to_numpy()
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    at = starts[:, None] + np.arange(int(lengths.min()))[None, :]
    return _Samples(found["record"].to_numpy(), lists.flatten().to_numpy()[at])


def _names(base: KnowledgeBase, records: NDArray[np.int64]) -> dict[int, str]:
    here, tables = base.among("record", records)
    rows = base.query(f"SELECT record, source, id FROM memberships WHERE {here}", None, tables)  # noqa: S608 (numbers)
    listed = zip(*(column.to_pylist() for column in rows.columns), strict=True)
    return {int(record): f"{source}:{key}" if source else str(key) for record, source, key in listed}


def _worths(
    samples: _Samples,
    group: NDArray[np.int64],
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    probability: NDArray[np.float64],
) -> list[tuple[int, float]]:
    """Return the worth of the most doubtful pairs of the groups with most doubt."""
    doubt = probability * (1.0 - probability)
    total = np.bincount(group[a], doubt, minlength=len(group))
    order = np.lexsort((-doubt, group[a], -total[group[a]]))
    members = Clustering.from_labels(group)
    found: list[tuple[int, float]] = []
    for first, end in _runs(group[a[order]])[:_GROUPS]:
        mine = members.members(int(members.labels[a[order[first]]]))
        for e in order[first : min(end, first + _PAIRS)].tolist():
            near = samples.near(mine, int(a[e]), int(b[e]))
            i, j = (int(np.searchsorted(near, side[e])) for side in (a, b))
            found.append((e, pair_worth(samples.of(near), i, j)))
    return found


def _runs(keys: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return where runs of equal keys begin and end."""
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    return list(zip(starts.tolist(), np.append(starts[1:], len(keys)).tolist(), strict=True))
