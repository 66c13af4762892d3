"""Abstaining: leave out what is doubtful, so that the rest reaches a precision, and say which answers help most.

Every reported entity is held together by a tree of links (`checking.py`), each with the share of such links that the
decoys bear out. Links are given up, the least likely first, until the rest is right in `GOAL` of cases by that account;
what hung on them becomes an entity of its own, and its rows are marked as left out. The answers that help most are the
pairs whose truth is least known, counted with the pairs of records that hang on them: q(1 - q)·s·t, with s and t the
rows on either side.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.numerics.union_find import components, spanning_forest
from onoma.resolve.contract import Pairs

if TYPE_CHECKING:
    from onoma.resolve.result import Resolution

__all__ = ["GOAL", "Review", "abstain", "strongest_tree"]

GOAL = 0.95
"""The share of links that is to be right among those kept."""
_STATED = 0.01


@dataclass(frozen=True, eq=False)
class Review:
    """What was left out, and the questions worth asking."""

    clustering: Clustering
    """Without the links that were given up."""
    left_out: NDArray[np.bool_]
    """The records that hung on such a link, on its smaller side."""
    pairs: NDArray[np.int64]
    """Places, among the stated pairs, of those whose answers help most; the most helpful first."""
    worth: NDArray[np.float64]
    """By how much each helps: expected pairs of records settled."""
    precision: float
    """The share of the links kept that is right, by the decoys."""
    n_given_up: int

    def table(self, resolution: "Resolution") -> pa.Table:
        """Return the questions: a, b, probability, worth."""
        if resolution.posterior is None:
            return pa.table({"a": [], "b": [], "probability": [], "worth": []})
        stated, ids = resolution.posterior.pairs, resolution.table["id"].combine_chunks()
        ends = {side: ids.take(pa.array(getattr(stated, side)[self.pairs])) for side in ("a", "b")}
        return pa.table(ends | {"probability": stated.probability[self.pairs], "worth": self.worth})


def abstain(resolution: "Resolution", budget: int, goal: float = GOAL) -> Review:
    """Give up doubtful links of a recalibrated resolution, and rank questions.

    Parameters
    ----------
    budget
        How many questions can be answered.
    goal
        The precision that the links kept are to reach.
    """
    posterior, labels = resolution.posterior, resolution.clustering.labels
    if posterior is None:
        none = np.zeros(0)
        return Review(resolution.clustering, np.zeros(len(labels), dtype=np.bool_), none.astype(int), none, 1.0, 0)
    pairs, checked = posterior.pairs, resolution.checked
    if checked is not None and checked.pair_probability is not None:  # by the decoys, whatever is stated
        pairs = pairs._replace(probability=checked.pair_probability)
    tree = strongest_tree(pairs, labels, pairs.probability)
    share = pairs.probability[tree]
    order = np.argsort(-share, kind="stable")
    mean = np.cumsum(share[order]) / np.arange(1, len(order) + 1)
    n_kept = int(np.searchsorted(-mean, -goal, side="right"))
    kept, given_up = tree[order[:n_kept]], tree[order[n_kept:]]
    parts = _components(len(labels), pairs, kept)
    sizes = np.bincount(parts)
    ends = np.stack([pairs.a[given_up], pairs.b[given_up]])
    smaller = np.where(sizes[parts[ends[0]]] <= sizes[parts[ends[1]]], parts[ends[0]], parts[ends[1]])
    left_out = np.isin(parts, smaller)
    asked, worth = _questions(pairs, parts, sizes, budget)
    return Review(
        Clustering.from_labels(parts),
        left_out,
        asked,
        worth,
        float(mean[n_kept - 1]) if n_kept else 1.0,
        len(given_up),
    )


def strongest_tree(pairs: Pairs, labels: NDArray[np.int64], strength: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the places of the pairs that hold entities together: of each entity the strongest spanning tree.

    Parameters
    ----------
    labels
        The entity of each record.
    strength
        Of each pair.
    """
    inside = np.flatnonzero(labels[pairs.a] == labels[pairs.b])
    order = inside[np.argsort(-strength[inside], kind="stable")]
    joins = spanning_forest(len(labels), pairs.a[order].astype(np.int64), pairs.b[order].astype(np.int64))
    return np.sort(order[joins])


def _components(n: int, pairs: Pairs, kept: NDArray[np.int64]) -> NDArray[np.int64]:
    first = components(n, pairs.a[kept].astype(np.int64), pairs.b[kept].astype(np.int64))
    return np.unique(first, return_inverse=True)[1]


def _questions(
    pairs: Pairs, parts: NDArray[np.int64], sizes: NDArray[np.int64], budget: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the pairs most worth an answer, one for each two parts, and their worth."""
    one, other = parts[pairs.a], parts[pairs.b]
    q = pairs.probability
    reach = np.where(one == other, 1.0, sizes[one] * sizes[other].astype(np.float64))
    worth = np.where(q >= _STATED, q * (1.0 - q) * reach, 0.0)
    order = np.argsort(-worth, kind="stable")
    order = order[worth[order] > 0.0]
    key = np.minimum(one, other)[order] * (int(parts.max(initial=0)) + 1) + np.maximum(one, other)[order]
    first = np.sort(np.unique(key, return_index=True)[1])[:budget]
    return order[first], worth[order[first]]
