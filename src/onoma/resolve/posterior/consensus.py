"""The clustering to report, given many samples of clusterings.

The minimum-Bayes-risk clustering for the Rand loss: every pair wrongly held together costs `threshold`, every pair
wrongly held apart 1 - `threshold`. With s the share of samples that hold a pair together, it is the partition with
the greatest sum over pairs held together of (s - threshold). ½ weighs both errors alike; above it precision counts
more.

In a large entity whose records wander between its parts from sample to sample, few pairs are together in half of the
samples, and by pairs its records are best left alone all of them: more entities than nearly all samples have. Where the
answer has, it is not what the samples say, and there the variation of information is least instead (Meilă 2007; as a
loss Wade and Ghahramani 2018), which does not grow with the square of an entity. With f(x) = x log2 x it is

    2 · threshold · Σ_entities f(size)  -  2 · mean over samples of Σ_entities, entities of the sample f(records shared)

but for what no answer changes; of two records it joins those that the Rand loss joins.

Found component by component (records that no sample joins are never together): from the closure of the pairs above
the threshold and from the best sample, by moving records and joining entities while the sum grows. A component too
large to square is first parted at its faintest pairs.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.numerics.parts import in_parts
from onoma.numerics.union_find import components
from onoma.resolve.posterior._consensus_kernels import settle_components
from onoma.resolve.posterior.samples import Roots

__all__ = ["Consensus", "find_consensus"]

_DENSE = 600
"""A component of more records is parted; what cannot be parted is the closure of its pairs: no room for its square."""
_SURE = 0.999
"""A link that holds more often than this is taken to hold always: a hundred samples could not tell."""
_AT_ONCE = 5_000
"""Components whose samples are looked at together."""
_FLOORS = (0.05, 0.1, 0.2, 0.3, 0.4)
"""Pairs below these do not connect components that are too large, one after the other."""
_MOST_SAMPLES = 0.9
"""The share of samples that have fewer entities, from which on the answer is not what they say. On a table of authors,
copying forced, pairwise F1 is .662 by pairs alone, .688 with 1, .843 with .9, .845 with .5, .851 by information alone;
which costs tables of small entities up to .011, with .9 one of them .007."""


@dataclass(frozen=True, eq=False)
class Consensus:
    """The reported clustering, with a probability for each record."""

    clustering: Clustering
    probability: NDArray[np.float64]
    """That the record belongs where it is: its mean share of samples with the others of its entity, or alone."""


def find_consensus(
    n: int,
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    together: NDArray[np.float64],
    roots: Roots,
    *,
    threshold: float = 0.5,
    floor: float = 0.02,
) -> Consensus:
    """Find the clustering with the least expected loss, and how sure each record's place in it is.

    Parameters
    ----------
    n
        Records.
    a, b, together
        The candidate pairs and the share of samples that hold each together.
    roots
        For each sample and record, the first record of its entity.
    threshold
        The price of a pair wrongly together; 1 - threshold is that of a pair wrongly apart.
    floor
        Pairs below it do not connect components.
    """
    linked = together > floor
    group = Clustering.from_labels(components(n, a[linked].astype(np.int64), b[linked].astype(np.int64)))
    for higher in _FLOORS:
        if group.sizes.max(initial=0) <= _DENSE:
            break
        oversized = group.sizes[group.labels] > _DENSE
        linked &= ~oversized[a] | (together > min(higher, threshold))
        group = Clustering.from_labels(components(n, a[linked].astype(np.int64), b[linked].astype(np.int64)))
    strong = together > threshold
    labels = components(n, a[strong].astype(np.int64), b[strong].astype(np.int64))
    probability = np.ones(n)
    certain = _certain(group, a[linked], together[linked])
    doubtful = np.flatnonzero((group.sizes > 1) & (group.sizes <= _DENSE) & ~certain)

    def settle(first: int, end: int) -> None:
        for begin in range(first, end, _AT_ONCE):
            each = [group.members(int(component)) for component in doubtful[begin : min(begin + _AT_ONCE, end)]]
            members, offsets = np.concatenate(each), np.cumsum([0, *map(len, each)])
            here = np.ascontiguousarray(roots[:, members])
            settle_components(members, offsets, here, threshold, labels, probability)
            few = _fewer_in_samples(members, offsets, here, labels)
            if few.any():
                from onoma.resolve.posterior._wandering_kernels import settle_wandering  # few tables need it

                again = np.repeat(few, np.diff(offsets))
                ends = np.cumsum([0, *np.diff(offsets)[few]])
                settle_wandering(
                    members[again], ends, np.ascontiguousarray(here[:, again]), threshold, labels, probability
                )

    in_parts(len(doubtful), settle, least=500)
    clustering = Clustering.from_labels(labels)
    large = np.flatnonzero(group.sizes > _DENSE)
    for component in large:
        members = group.members(int(component))
        probability[members] = _places_by_pairs(members, clustering, a, b, together, n)
    _doubt_the_lonely(probability, clustering, a, b, np.where(linked, 0.0, together))
    return Consensus(clustering, probability)


def _fewer_in_samples(
    members: NDArray[np.int64], offsets: NDArray[np.int64], roots: NDArray[np.int32], labels: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return the components of which most samples have fewer entities than the labels have."""
    component = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    entities = np.unique(np.stack([component, labels[members]]), axis=1)[0]
    found = np.bincount(entities, minlength=len(offsets) - 1)
    sampled = np.add.reduceat(roots == members, offsets[:-1], axis=1, dtype=np.int64)
    return found > np.quantile(sampled, _MOST_SAMPLES, axis=0)


def _doubt_the_lonely(
    probability: NDArray[np.float64],
    clustering: Clustering,
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    parted: NDArray[np.float64],
) -> None:
    """Let a record that is alone be no surer than the pairs allow at which its component was parted."""
    most = np.zeros(len(probability))
    for side in (a, b):
        np.maximum.at(most, side, parted)
    alone = clustering.sizes[clustering.labels] == 1
    probability[alone] = np.minimum(probability[alone], 1.0 - most[alone])


def _certain(group: Clustering, a: NDArray[np.int32], together: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which components are beyond doubt: all their links always hold, as good as."""
    doubtful = np.zeros(group.n_entities, dtype=np.bool_)
    doubtful[group.labels[a[together < _SURE]]] = True
    return ~doubtful


def _places_by_pairs(
    members: NDArray[np.int64],
    clustering: Clustering,
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    together: NDArray[np.float64],
    n: int,
) -> NDArray[np.float64]:
    """The same from candidate pairs alone, for components too large to square."""
    inside = np.zeros(n, dtype=np.bool_)
    inside[members] = True
    use = inside[a] & inside[b]
    a, b, together = a[use], b[use], together[use]
    same = clustering.labels[a] == clustering.labels[b]
    total, count, most = np.zeros(n), np.zeros(n), np.zeros(n)
    for side in (a, b):
        total += np.bincount(side[same], together[same], n)
        count += np.bincount(side[same], minlength=n)
        np.maximum.at(most, side[~same], together[~same])
    return np.where(count > 0, total / np.maximum(count, 1), 1.0 - most)[members]
