"""Judgements: what people say of pairs of records, as evidence.

A judgement with a weight adds it to the pair's evidence: W bits make a copy 2^W times as likely, or unlikely. A hard
judgement holds in every sample. `same`: all pairs of a group that is tied by such judgements weigh e^60, so whoever of
them comes later descends from one that came earlier. `different`: the two are never in one entity, whatever joins
them: the chain is that of `barred.py`.
"""

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.numerics.union_find import components
from onoma.resolve.comparison.weights import Evidence
from onoma.resolve.posterior._copying_kernels import neighbour_lists
from onoma.resolve.posterior.barred import BarredSampler, Bars
from onoma.resolve.posterior.consensus import Consensus
from onoma.resolve.posterior.samples import Roots

__all__ = [
    "NO_JUDGEMENTS",
    "ApartSampler",
    "Judged",
    "find_chain",
    "heed_judgements",
    "hold_apart",
    "prefer_former",
    "surely_same",
    "weights_heeding",
]

CERTAIN = float(np.exp(60.0))
"""The weight of a pair that is surely the same, beside 1 for a fresh record."""
_UNSEEN = 1e-6
"""The weight of a pair that nobody compared, before it is judged."""


class Judged(NamedTuple):
    """What is said of pairs of records, given by their numbers (one row for each judgement)."""

    same: NDArray[np.int64]
    different: NDArray[np.int64]
    weighed: NDArray[np.int64]
    """Pairs that are judged with a weight."""
    bits: NDArray[np.float64]
    """Those weights; below 0 for different."""

    def pairs(self) -> NDArray[np.int64]:
        """Return all pairs that something is said of."""
        return np.concatenate([self.same, self.different, self.weighed])

    def renumbered(self, place: NDArray[np.int64], inside: NDArray[np.bool_]) -> "Judged":
        """Return what is said of the records inside, by their places."""

        def some(pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
            return inside[pairs[:, 0]] & inside[pairs[:, 1]]

        weighed = some(self.weighed)
        kept = (place[self.same[some(self.same)]], place[self.different[some(self.different)]])
        return Judged(*kept, place[self.weighed[weighed]], self.bits[weighed])

    def groups(self, n: int) -> NDArray[np.int64]:
        """Return for each of n records the first of those that are surely the same as it."""
        return components(n, np.ascontiguousarray(self.same[:, 0]), np.ascontiguousarray(self.same[:, 1]))


def _no_pairs() -> NDArray[np.int64]:
    return np.zeros((0, 2), dtype=np.int64)


NO_JUDGEMENTS = Judged(_no_pairs(), _no_pairs(), _no_pairs(), np.zeros(0))


def find_chain(same: Sequence[tuple[int, str, str]], a: str, b: str) -> list[int]:
    """Return the judgements (number, one, other) that together say that a and b are the same; none if they do not.

    Examples
    --------
    >>> find_chain([(1, "x", "y"), (2, "p", "q"), (4, "y", "z")], "x", "z")
    [1, 4]
    """
    beside: dict[str, list[tuple[str, int]]] = {}
    for number, one, other in same:
        beside.setdefault(one, []).append((other, number))
        beside.setdefault(other, []).append((one, number))
    ways: dict[str, list[int]] = {a: []}
    queue = deque([a])
    while queue:
        here = queue.popleft()
        for there, number in beside.get(here, []):
            if there not in ways:
                ways[there] = [*ways[here], number]
                queue.append(there)
    return ways.get(b, [])


def heed_judgements(
    judged: Judged,
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    copy: NDArray[np.float64],
    relative: NDArray[np.float64],
    number: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Return pairs and their weights with the judgements in them; a pair that was none gets the number -1."""
    if not len(judged.pairs()):
        return a, b, copy, relative, number
    place = {(min(i, j), max(i, j)): e for e, (i, j) in enumerate(zip(a.tolist(), b.tolist(), strict=True))}
    weights, related = [*copy.tolist()], [*relative.tolist()]
    more: list[tuple[int, int]] = []

    def at(i: int, j: int) -> int:
        key = (min(i, j), max(i, j))
        if key not in place:
            place[key] = len(weights)
            weights.append(_UNSEEN)
            related.append(0.0)
            more.append(key)
        return place[key]

    for (i, j), bits in zip(judged.weighed.tolist(), judged.bits.tolist(), strict=True):
        e = at(i, j)
        weights[e] = float(np.clip(weights[e] * 2.0**bits, 1.0 / CERTAIN, CERTAIN))
    for i, j in surely_same(judged):
        e = at(i, j)
        weights[e], related[e] = CERTAIN, 0.0
    for i, j in judged.different.tolist():
        weights[at(i, j)] = 0.0
    added = np.array(more, dtype=np.int64).reshape(-1, 2)
    return (
        np.concatenate([a, added[:, 0]]),
        np.concatenate([b, added[:, 1]]),
        np.array(weights),
        np.array(related),
        np.concatenate([number, np.full(len(added), -1)]),
    )


def surely_same(judged: Judged) -> list[tuple[int, int]]:
    """Return all pairs of records that are surely the same, directly or through others."""
    records, place = np.unique(judged.same, return_inverse=True)
    pairs = place.reshape(-1, 2)
    first = components(len(records), np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1]))
    groups: dict[int, list[int]] = {}
    for record, group in zip(records.tolist(), first.tolist(), strict=True):
        groups.setdefault(group, []).append(record)
    return [(i, j) for group in groups.values() for at, i in enumerate(group) for j in group[at + 1 :]]


def weights_heeding(
    judged: Judged, evidence: Evidence, copy: NDArray[np.float64], relative: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the weights of pairs with hard judgements in them; all pairs that are surely the same are compared."""
    keys = evidence.a.astype(np.int64) * evidence.n + evidence.b

    def among(pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
        ends = np.sort(pairs, axis=1)
        return np.isin(keys, ends[:, 0] * evidence.n + ends[:, 1])

    same = among(np.array(surely_same(judged), dtype=np.int64).reshape(-1, 2))
    apart = among(judged.different)
    return np.where(same, CERTAIN, np.where(apart, 0.0, copy)), np.where(same | apart, 0.0, relative)


class ApartSampler(BarredSampler):
    """A chain over orders and origins of records of which some are held apart.

    Parameters
    ----------
    judged
        What is said of them; `same` and `different` do not contradict each other.
    outside
        Records that choose no origin.
    a, b
        The candidate pairs, each once, those surely the same among them.
    seed
        Of the chain.
    """

    def __init__(
        self,
        judged: Judged,
        outside: NDArray[np.bool_],
        a: NDArray[np.int32],
        b: NDArray[np.int32],
        *,
        seed: int,
    ) -> None:
        n = len(outside)
        different = judged.different.astype(np.int32)
        one, other = np.ascontiguousarray(different[:, 0]), np.ascontiguousarray(different[:, 1])
        enemies = neighbour_lists(n, one, other)
        bars = Bars(np.arange(n, dtype=np.int32), enemies.offsets, enemies.records, outside)
        super().__init__(bars, a, b, seed=seed, name="apart")
        self._join(judged.groups(n))

    def _join(self, group: NDArray[np.int64]) -> None:
        """Begin with what is surely the same in one entity, each a copy of the first."""
        for i in np.flatnonzero(group != np.arange(len(group))).tolist():
            p = int(group[i])
            first, end = self.near.offsets[i : i + 2].tolist()
            at = first + self.near.records[first:end].tolist().index(p)
            self.chosen[i], self.kind[i] = at, 1
            self.time[i] = self.time[p] + self.time[i]
            self.following[i], self.following[p] = self.following[p], self.following[i]


def hold_apart(consensus: Consensus, roots: Roots, judged: Judged, *, threshold: float) -> Consensus:
    """Return the answer with every hard judgement in it.

    The clustering with the least expected loss may hold together what no sample does. Where it offends a judgement, the
    best of the samples, none of which does, is the answer for all records that any sample joins with the offended.
    """
    labels = consensus.clustering.labels.astype(np.int64)
    offended = _offended(labels, judged)
    if not len(offended):
        return consensus
    n, roots = len(labels), np.asarray(roots)
    record = np.tile(np.arange(n), len(roots))
    clustering = consensus.clustering
    first = clustering.order[clustering.offsets[:-1]][labels]
    reach = components(n, np.concatenate([record, np.arange(n)]), np.concatenate([roots.ravel(), first]))
    probability = consensus.probability.copy()
    labels = labels + n
    for group in np.unique(reach[offended]).tolist():
        members = np.flatnonzero(reach == group)
        labels[members], probability[members] = _best_sample(roots[:, members], threshold)
    return Consensus(Clustering.from_labels(labels), probability)


def _offended(labels: NDArray[np.int64], judged: Judged) -> NDArray[np.int64]:
    """Return the records of which something is judged that an answer does not heed."""
    same, different = judged.same, judged.different
    parted = same[labels[same[:, 0]] != labels[same[:, 1]]]
    joined = different[labels[different[:, 0]] == labels[different[:, 1]]]
    return np.concatenate([parted.ravel(), joined.ravel()])


def prefer_former(
    labels: NDArray[np.int64],
    probability: NDArray[np.float64],
    roots: NDArray[np.int64],
    former: NDArray[np.int64],
    judged: Judged,
    *,
    threshold: float,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return an answer that is what it was before wherever the samples do not clearly say otherwise.

    Of a pair as likely together as apart, a hundred samples say now one thing, now the other. Whoever takes a judgement
    back wants what was there, so that stays, unless its expected loss is greater by more than twice the standard error.

    Parameters
    ----------
    labels, probability
        The answer, and how sure each record's place is.
    roots
        For each sample and record, what stands for its entity.
    former
        The entity that each record was in; -1 of one that was in none: what is about it is as it is now.
    judged
        What is to be heeded.
    """
    n = len(labels)
    known = former >= 0
    firsts = [np.unique(each, return_index=True, return_inverse=True) for each in (labels, np.where(known, former, -1))]
    ends = [first[back] for _, first, back in firsts]
    everyone = np.arange(n)
    group = components(n, np.concatenate([everyone, everyone[known]]), np.concatenate([ends[0], ends[1][known]]))
    unfit = np.unique(group[np.concatenate([np.flatnonzero(~known), _offended(former, judged)]).astype(np.int64)])
    labels, probability = labels.copy(), probability.copy()
    for each in np.setdiff1d(group, unfit).tolist():
        members = np.flatnonzero(group == each)
        now, then = (side[members, None] == side[None, members] for side in (labels, former))
        changed = np.argwhere(np.triu(now != then))
        if not len(changed):
            continue
        one, other = members[changed].T
        sign = np.where(then[changed[:, 0], changed[:, 1]], 1.0, -1.0)
        loss = -((roots[:, one] == roots[:, other]) - threshold) @ sign  # of what was, beside what is drawn now
        if loss.mean() <= 2.0 * loss.std() / np.sqrt(len(loss)):
            labels[members] = former[members] + n
            probability[members] = _places(former[members], _shares(roots[:, members]))
    return labels, probability


def _shares(roots: NDArray[np.integer]) -> NDArray[np.float64]:
    """Return the share of samples that hold each two records together."""
    share = np.zeros((roots.shape[1], roots.shape[1]))
    for row in roots:
        share += row[:, None] == row[None, :]
    return share / len(roots)


def _best_sample(roots: NDArray[np.int32], threshold: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the sample with the least expected loss, and how sure each record's place in it is."""
    share = _shares(roots)
    gains = [float(((row[:, None] == row[None, :]) * (share - threshold)).sum()) for row in roots]
    best = roots[int(np.argmax(gains))].astype(np.int64)
    return best, _places(best, share)


def _places(labels: NDArray[np.int64], share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how sure each record's place is: its mean share with the others of its entity, or alone."""
    others = ~np.eye(len(labels), dtype=np.bool_)
    together = (labels[:, None] == labels[None, :]) & others
    n = together.sum(axis=1)
    alone = 1.0 - np.where(others, share, 0.0).max(axis=1, initial=0.0)
    return np.where(n > 0, (share * together).sum(axis=1) / np.maximum(n, 1), alone)
