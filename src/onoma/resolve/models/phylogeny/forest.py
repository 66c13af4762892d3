"""A chain over orders and parents: the copying model's sampler with weights that differ by direction.

A name comes from nowhere (weight 1) or descends from an earlier one p (weight w(p → x)). Given the order, parents are
independent. Given the trees, without their direction, a root and an order are drawn: hung from another name, a tree has
another weight and another number of orders, both known along its edges. Both draws are exact.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.rng import kernel_state, stream
from onoma.resolve.models.phylogeny._forest_kernels import directed_lists, run_directed
from onoma.resolve.posterior._copying_kernels import Lists, new_counts

__all__ = ["Descent", "ForestSampler", "respectful_times"]

LEAST = 1e-7
_MOST = 1e30
"""Weights are kept in single precision, which ends at 1e38."""


@dataclass(frozen=True, eq=False)
class Descent:
    """What some sweeps saw."""

    n_sweeps: int
    descended: NDArray[np.float64]
    """For each directed pair, the share of sweeps in which the child descended from the parent."""
    rooted: NDArray[np.float64]
    """For each name, the share of sweeps in which it came from nowhere."""
    together: NDArray[np.float64]
    """For each undirected pair, the share of sweeps in which both were in one entity."""
    n_entities: NDArray[np.int64]
    roots: NDArray[np.int32]
    parents: NDArray[np.int32]
    """For the last sweeps, each name's entity (its first name) and its parent (-1: none)."""


class ForestSampler:
    """A chain over the orders and parents of n names.

    Parameters
    ----------
    n
        Names.
    a, b
        The candidate pairs, each once.
    seed
        Of the chain.
    """

    def __init__(self, n: int, a: NDArray[np.int32], b: NDArray[np.int32], *, seed: int) -> None:
        self.n, self.a, self.b = n, a, b
        self.parents = np.stack([a, b], axis=1).reshape(-1).astype(np.int32)
        self.children = np.stack([b, a], axis=1).reshape(-1).astype(np.int32)
        self._key = kernel_state(seed, "phylogeny")[0]
        self._done = 0
        self.time = stream(seed, "phylogeny", "start").random(n)

    def start_from(self, parents: NDArray[np.int64]) -> None:
        """Go on from an order that respects these parents (-1: none)."""
        self.time = respectful_times(parents, self.time)

    def run(self, weights: NDArray[np.float64], *, n_sweeps: int, n_kept: int = 0) -> Descent:
        """Run some sweeps, given the weight of each directed pair (a → b and b → a in turn)."""
        clipped = np.clip(weights, 1e-30, _MOST)
        offsets, neighbours, pairs, found, turning = directed_lists(self.n, self.parents, self.children, clipped, LEAST)
        lists = Lists(np.arange(self.n, dtype=np.int32), offsets, neighbours, found, found)
        counts = new_counts(len(neighbours), self.a, self.b)
        n_chosen, n_root = np.zeros(len(neighbours), dtype=np.int64), np.zeros(self.n, dtype=np.int64)
        n_entities = np.zeros(n_sweeps, dtype=np.int64)
        roots, parents = (np.empty((n_kept, self.n), dtype=np.int32) for _ in range(2))
        seen = (counts, n_chosen, n_root, n_entities, roots, parents)
        run_directed(self._key, self._done, n_sweeps, lists, turning, self.time, *seen)
        self._done += n_sweeps
        descended = np.zeros(len(weights))
        descended[pairs] = n_chosen / n_sweeps
        together = counts.n_together / n_sweeps
        return Descent(n_sweeps, descended, n_root / n_sweeps, together, n_entities, roots, parents)


def respectful_times(parents: NDArray[np.int64], time: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return times like those given, but later than the parent's: each has its own and those of all its ancestors.

    Examples
    --------
    >>> respectful_times(np.array([1, -1, 0]), np.array([0.5, 1.0, 0.25])).tolist()
    [1.5, 1.0, 1.75]
    """
    total, above = time.copy(), parents.copy()
    while (above >= 0).any():
        rows = np.flatnonzero(above >= 0)
        total[rows] += time[above[rows]]
        above[rows] = parents[above[rows]]
    return total
