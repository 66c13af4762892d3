"""The copying model when no source has duplicates inside: an entity has at most one record of each source.

A record bears its source as a mark and bars it in others: the chain is that of `barred.py`.
"""

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.resolve.posterior.barred import BarredSampler, Bars
from onoma.resolve.posterior.consensus import Consensus

__all__ = ["ExclusiveSampler", "part_rivals"]


class ExclusiveSampler(BarredSampler):
    """A chain over orders and origins of records of several sources.

    Parameters
    ----------
    source
        The source of each record.
    a, b
        The candidate pairs, each once.
    seed
        Of the chain.
    """

    def __init__(self, source: NDArray[np.int32], a: NDArray[np.int32], b: NDArray[np.int32], *, seed: int) -> None:
        n = len(source)
        bars = Bars(source, np.arange(n + 1), source, np.zeros(n, dtype=np.bool_))
        super().__init__(bars, a, b, seed=seed, name="exclusive")


def part_rivals(
    consensus: Consensus,
    source: NDArray[np.int32],
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    together: NDArray[np.float64],
) -> Consensus:
    """Take entities apart that have two records of one source, and build them again from their likeliest pairs.

    The clustering with the least expected loss may hold together what no sample does, where joining wrongly costs
    little. A record's probability is then its mean over the pairs that it keeps.
    """
    clustering = consensus.clustering
    labels = clustering.labels.astype(np.int64)
    both = labels * (int(source.max(initial=0)) + 1) + source
    _, place, counts = np.unique(both, return_inverse=True, return_counts=True)
    muddled = np.zeros(clustering.n_entities, dtype=np.bool_)
    muddled[labels[counts[place] > 1]] = True
    if not muddled.any():
        return consensus
    inside = np.flatnonzero((labels[a] == labels[b]) & muddled[labels[a]])
    members: dict[int, list[int]] = {int(i): [int(i)] for i in np.flatnonzero(muddled[labels])}
    for e in inside[np.lexsort((inside, -together[inside]))].tolist():
        one, other = members[int(a[e])], members[int(b[e])]
        if one is not other and {source[i] for i in one}.isdisjoint({source[j] for j in other}):
            one += other
            for i in other:
                members[i] = one
    fresh = labels + len(labels)
    for i, group in members.items():
        fresh[i] = min(group)
    parted = Clustering.from_labels(fresh)
    return Consensus(parted, _places(consensus, parted, list(members), a, b, together))


def _places(
    consensus: Consensus,
    parted: Clustering,
    changed: list[int],
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    together: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the probability of each record's place, anew for those that were moved."""
    n = len(parted)
    same = parted.labels[a] == parted.labels[b]
    total, count, most = np.zeros(n), np.zeros(n), np.zeros(n)
    for side in (a, b):
        total += np.bincount(side[same], together[same], n)
        count += np.bincount(side[same], minlength=n)
        np.maximum.at(most, side[~same], together[~same])
    found = consensus.probability.copy()
    found[changed] = np.where(count > 0, total / np.maximum(count, 1), 1.0 - most)[changed]
    return found
