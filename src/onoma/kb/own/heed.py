"""Judgements laid over samples that a model drew without them.

Samples that hold what is judged already are what the model says of the rest, given the judgements: where there are
enough of these, they are taken and the others left. Where there are not, each sample is changed so that it holds: the
entities of records that are the same are one, and an entity with records that differ is parted among those, its other
records going where they stand most often or, where that is even, where they are most alike. A judgement with a weight
makes samples that agree with it so much likelier.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.numerics.rng import stream
from onoma.resolve.posterior.judgements import Judged

__all__ = ["Likeness", "heed", "lay_over", "obeys"]

Likeness = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]]
"""How much some records (rows) have in common with others (columns)."""
_ENOUGH = 10
"""Samples that hold what is judged are taken alone from so many on."""


def obeys(rows: NDArray[np.int64], judged: Judged) -> NDArray[np.bool_]:
    """Return which samples hold every hard judgement."""
    same, different = judged.same, judged.different
    good = (rows[:, same[:, 0]] == rows[:, same[:, 1]]).all(axis=1)
    return np.asarray(good & (rows[:, different[:, 0]] != rows[:, different[:, 1]]).all(axis=1))


def heed(
    rows: NDArray[np.int64],
    judged: Judged,
    likeness: Likeness,
    *,
    source: NDArray[np.int64] | None = None,
    seed: int = 0,
) -> NDArray[np.int64]:
    """Return samples in each of which every hard judgement holds.

    Parameters
    ----------
    rows
        By sample and record, a label of its entity.
    judged
        What is said of the records, by their places.
    source
        The source of each record, where an entity has at most one record of each.
    """
    if len(judged.bits) and len(rows) > 1:
        rows = rows[_likelier(rows, judged, seed)]
    good = np.flatnonzero(obeys(rows, judged))
    if len(good) >= min(_ENOUGH, len(rows)):
        return rows[np.resize(good, len(rows))]

    def near(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.float64]:
        together = (rows[:, one][:, :, None] == rows[:, other][:, None, :]).mean(axis=0)
        return together + 1e-3 * likeness(one, other)

    return np.stack([lay_over(row, judged, near, source=source) for row in rows])


def _likelier(rows: NDArray[np.int64], judged: Judged, seed: int) -> NDArray[np.int64]:
    """Return samples drawn anew, each as likely as what is judged with a weight makes it."""
    together = rows[:, judged.weighed[:, 0]] == rows[:, judged.weighed[:, 1]]
    log_weight = (together * judged.bits).sum(axis=1) * np.log(2.0)
    weight = np.exp(log_weight - log_weight.max())
    ends = np.cumsum(weight / weight.sum())
    points = (np.arange(len(rows)) + stream(seed, "judged samples").random()) / len(rows)
    return np.minimum(np.searchsorted(ends, points), len(rows) - 1)


def lay_over(
    row: NDArray[np.int64], judged: Judged, likeness: Likeness, *, source: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Return one clustering changed so that every hard judgement holds.

    Examples
    --------
    >>> none, pair = np.zeros((0, 2), dtype=np.int64), np.array([[0, 2]])
    >>> alike = lambda one, other: np.eye(4)[np.ix_(one, other)]
    >>> lay_over(np.array([0, 0, 2, 3]), Judged(pair, none, none, np.zeros(0)), alike).tolist()
    [0, 0, 0, 1]
    >>> lay_over(np.array([0, 0, 0, 3]), Judged(none, pair, none, np.zeros(0)), alike).tolist()
    [0, 0, 1, 2]
    """
    labels = Clustering.from_labels(np.ascontiguousarray(row)).labels.astype(np.int64)
    group = judged.groups(len(labels))
    for i, j in judged.same.tolist():
        labels[labels == labels[j]] = labels[i]
    next_label = len(labels)
    if source is not None:
        next_label = _part_rivals(labels, judged, source, next_label)
    enemies = np.unique(np.sort(group[judged.different], axis=1), axis=0)
    for label in np.unique(labels[judged.different[:, 0]]).tolist():
        members = np.flatnonzero(labels == label)
        here = enemies[np.isin(enemies, group[members]).all(axis=1)]
        if len(here):
            part = _parted(members, group, here, likeness)
            labels[members] = np.where(part == 0, label, next_label + part)
            next_label += len(members) + 1
    return Clustering.from_labels(labels).labels.astype(np.int64)


def _parted(
    members: NDArray[np.int64], group: NDArray[np.int64], enemies: NDArray[np.int64], likeness: Likeness
) -> NDArray[np.int64]:
    """Return the part of each member of an entity so that no two enemies are in one."""
    apart: dict[int, set[int]] = {}
    for one, other in enemies.tolist():
        apart.setdefault(one, set()).add(other)
        apart.setdefault(other, set()).add(one)
    parts: list[list[int]] = []
    for each in apart:
        free = [k for k, part in enumerate(parts) if not apart[each] & set(part)]
        mine = members[group[members] == each]

        def near(k: int, mine: NDArray[np.int64] = mine) -> float:
            return float(likeness(mine, members[np.isin(group[members], parts[k])]).mean())

        if free:
            parts[max(free, key=near)].append(each)
        else:
            parts.append([each])
    part = np.full(len(members), -1, dtype=np.int64)
    for k, groups in enumerate(parts):
        part[np.isin(group[members], groups)] = k
    for each in np.unique(group[members[part < 0]]).tolist():
        mine = members[group[members] == each]
        scores = [float(likeness(mine, members[part == k]).mean()) for k in range(len(parts))]
        part[group[members] == each] = int(np.argmax(scores)) + len(parts)  # told apart from those that were first
    return np.where(part >= len(parts), part - len(parts), part)


def _part_rivals(labels: NDArray[np.int64], judged: Judged, source: NDArray[np.int64], next_label: int) -> int:
    """Let records of one source that came together part: those that were judged to be there stay."""
    judged_same = np.unique(judged.same)
    for label in np.unique(labels[judged_same]).tolist():
        members = np.flatnonzero(labels == label)
        stays = np.isin(members, judged_same)
        taken: set[int] = set(source[members[stays]].tolist())
        for i in members[~stays].tolist():
            if int(source[i]) in taken:
                labels[i] = next_label
                next_label += 1
            else:
                taken.add(int(source[i]))
    return next_label
