"""The copying model when no source has duplicates inside: an entity has at most one record of each source.

The distribution is that of `copying.py`, held to those origins that leave no two records of one source in one entity.
Origins are then no longer independent given the order. They are drawn one after the other, each given all others
(Gibbs): a record leaves its entity with its copies, and may copy an earlier record only where that joins no source
twice. The order is drawn as before. Every entity can be taken apart, so every state can be reached.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.numerics.rng import kernel_state, stream
from onoma.resolve._copying_kernels import neighbour_lists
from onoma.resolve._exclusive_kernels import sweep
from onoma.resolve.consensus import Consensus
from onoma.resolve.copying import Draws

__all__ = ["ExclusiveSampler", "part_rivals"]


class ExclusiveSampler:
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

    STATE: ClassVar[tuple[str, ...]] = ("rng_state", "time", "chosen", "kind", "following")
    """The arrays that the next sweep needs."""

    def __init__(self, source: NDArray[np.int32], a: NDArray[np.int32], b: NDArray[np.int32], *, seed: int) -> None:
        n = len(source)
        self.source, self.a, self.b = source, a, b
        self.offsets, self.neighbours, self.pairs = neighbour_lists(n, a, b)
        self.rng_state = kernel_state(seed, "exclusive")
        self.time = stream(seed, "exclusive", "start").random(n)
        self.chosen = np.full(n, -1)
        self.kind = np.zeros(n, dtype=np.int8)
        self.following = np.arange(n, dtype=np.int32)

    def run(self, copy: NDArray[np.float64], relative: NDArray[np.float64], *, n_sweeps: int, n_kept: int = 0) -> Draws:
        """Run some sweeps with the weights given (not their logarithms) and say what they saw."""
        counts = np.zeros((4, len(self.a)))
        n_entities = np.zeros(n_sweeps, dtype=np.int64)
        roots = np.zeros((n_kept, len(self.time)), dtype=np.int32)
        state = (self.time, self.chosen, self.kind, self.following)
        lists = (self.offsets, self.neighbours, self.pairs)
        sweep(
            self.rng_state,
            n_sweeps,
            *state,
            self.source,
            *lists,
            copy,
            relative,
            self.a,
            self.b,
            counts,
            n_entities,
            roots,
        )
        counts /= max(n_sweeps, 1)
        return Draws(n_sweeps, counts[0], counts[1], counts[2], counts[3], n_entities, roots)


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
