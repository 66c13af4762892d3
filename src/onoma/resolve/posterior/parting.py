"""Entities that most of their own pairs speak against, parted.

A record has one origin, so an entity needs no more than a chain of copies: a is like b, b is like c, and that a is
nothing like c is never asked. For records that drift that is as it should be. Where weights are wrong, or things come
in families (variants of a product, sister clubs), chains run through whole families, and two thirds and more of the
pairs in such an entity are ones that the weights themselves hold apart. Such entities, and no others, are parted: their
records are joined anew by average linkage, as long as the mean probability of the pairs between two groups is above the
threshold. A pair that was not compared counts a quarter, as one that is apart: most of those are.

Cost: the square of the records of a contradicted entity; others cost one pass over the pairs.
"""

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.numerics.union_find import components
from onoma.resolve.posterior._parting_kernels import average_link
from onoma.resolve.posterior.consensus import Consensus

__all__ = ["part_contradicted"]

Floats = NDArray[np.float64]
_AGAINST = 1 / 3
"""An entity whose pairs are one on average with less than this probability is contradicted by them."""
_UNSEEN = 0.25
"""What a pair counts that was not compared."""
_DENSE = 3_000
"""Records that are linked at a time: the square of them is held in memory."""
_FLOORS = (0.02, 0.1, 0.3, 0.5, 0.7, 0.9)


def part_contradicted(
    found: Consensus,
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    alike: Floats,
    *,
    threshold: float = 0.5,
) -> Consensus:
    """Return the clustering with entities parted that their own pairs contradict.

    Parameters
    ----------
    found
        The clustering, and how sure each record's place in it is.
    a, b
        The candidate pairs.
    alike
        The probability of each pair by itself, rivals left aside.
    threshold
        Groups are joined while their pairs are one with more than this probability, on average.
    """
    labels, sizes = found.clustering.labels, found.clustering.sizes.astype(np.float64)
    inside = np.flatnonzero(labels[a] == labels[b])
    of_pair = labels[a[inside]]
    n_seen = np.bincount(of_pair, minlength=len(sizes))
    n_unseen = sizes * (sizes - 1) / 2 - n_seen
    mean = np.bincount(of_pair, alike[inside], minlength=len(sizes)) / np.maximum(n_seen + _UNSEEN * n_unseen, 1e-9)
    contradicted = (sizes > 2) & (mean < _AGAINST)
    if not contradicted.any():
        return found
    use = inside[contradicted[of_pair]]
    one, other, p = a[use].astype(np.int64), b[use].astype(np.int64), alike[use]
    parted = contradicted[labels]
    anew = np.where(parted, len(sizes) + _linked(one, other, p, len(labels), threshold), labels)
    probability = found.probability.copy()
    probability[parted] = _places(one, other, p, anew)[parted]
    return Consensus(Clustering.from_labels(anew), probability)


def _linked(one: NDArray[np.int64], other: NDArray[np.int64], p: Floats, n: int, threshold: float) -> NDArray[np.int64]:
    """Return the first record of each record's group by average linkage, component by component."""
    use = np.flatnonzero(p > _FLOORS[0])
    group = Clustering.from_labels(components(n, one[use], other[use]))
    for floor in _FLOORS[1:]:
        large = group.sizes[group.labels] > _DENSE
        if not large.any():
            break
        use = use[~large[one[use]] | (p[use] > floor)]
        group = Clustering.from_labels(components(n, one[use], other[use]))
    first = np.arange(n)
    place = np.zeros(n, dtype=np.int64)
    of_pair = group.labels[one]
    order = np.argsort(of_pair, kind="stable")
    bounds = np.searchsorted(of_pair[order], np.arange(group.n_entities + 1))
    for component in np.flatnonzero((group.sizes > 1) & (group.sizes <= _DENSE)):
        members = group.members(int(component))
        place[members] = np.arange(len(members))
        pairs = order[bounds[component] : bounds[component + 1]]
        pairs = pairs[group.labels[other[pairs]] == component]
        i, j = place[one[pairs]], place[other[pairs]]
        total, weight = np.zeros((len(members),) * 2), np.full((len(members),) * 2, _UNSEEN)
        total[i, j] = total[j, i] = p[pairs]
        weight[i, j] = weight[j, i] = 1.0
        first[members] = members[average_link(total, weight, threshold)]
    return first


def _places(one: NDArray[np.int64], other: NDArray[np.int64], p: Floats, labels: NDArray[np.int64]) -> Floats:
    """Return how sure each record is of its place: its mean pair inside; if it is alone, what its best pair leaves."""
    n = len(labels)
    same = labels[one] == labels[other]
    total, count, most = np.zeros(n), np.zeros(n), np.zeros(n)
    for side in (one, other):
        total += np.bincount(side[same], p[same], n)
        count += np.bincount(side[same], minlength=n)
        np.maximum.at(most, side[~same], p[~same])
    return np.where(count > 0, total / np.maximum(count, 1), 1.0 - most)
