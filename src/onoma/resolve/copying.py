"""The copying model: records that descend from records.

Records arrive in an unknown order, all orders equally likely. A record is fresh (weight 1), or copies an earlier
record p (weight κ·BF(copied)), or is a *relative* of an earlier record p: a new entity that shares p's surroundings,
such as a member of the same household or a dish of the same kitchen (weight σ·BF(related)). An entity is a tree of
copies.

Sampling alternates two exact draws. Given the order, the origins of the records are independent. Given the origins,
every order that respects them is equally likely, and one is drawn in linear time: time(i) = time(origin) +
Exp(1)/(number of descendants of i, itself included). No proposals, no rejections; a sweep costs the number of
candidate pairs.

After Andrews, Eisner and Dredze (2014), told about records instead of names.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.rng import kernel_state, stream
from onoma.resolve._copying_kernels import neighbour_lists, sweep

__all__ = ["CopyingSampler", "Draws"]


@dataclass(frozen=True, eq=False)
class Draws:
    """What some sweeps of the sampler saw."""

    n_sweeps: int
    copied: NDArray[np.float64]
    """For each pair, the share of sweeps in which one was the other's copy."""
    related: NDArray[np.float64]
    """For each pair, the share of sweeps in which one was the other's relative."""
    together: NDArray[np.float64]
    """For each pair, the share of sweeps in which both were in one entity."""
    akin: NDArray[np.float64]
    """For each pair, the share of sweeps in which both descended from one record, by copying or by relation."""
    n_entities: NDArray[np.int64]
    """The number of entities after each sweep."""
    roots: NDArray[np.int32]
    """For the last sweeps, the first record of each record's entity (sweep by record)."""


class CopyingSampler:
    """A chain over orders and origins of n records, given candidate pairs.

    Parameters
    ----------
    n
        Records.
    a, b
        The candidate pairs, each once.
    seed
        Of the chain.
    """

    def __init__(self, n: int, a: NDArray[np.int32], b: NDArray[np.int32], *, seed: int) -> None:
        self.a, self.b = a, b
        self.offsets, self.neighbours, self.pairs = neighbour_lists(n, a, b)
        self.rng_state = kernel_state(seed, "copying")
        self.time = stream(seed, "copying", "start").random(n)

    def run(self, copy: NDArray[np.float64], relative: NDArray[np.float64], *, n_sweeps: int, n_kept: int = 0) -> Draws:
        """Run some sweeps with the weights given (not their logarithms) and say what they saw."""
        n, m = len(self.time), len(self.a)
        copied, related, together, akin = (np.zeros(m) for _ in range(4))
        n_entities = np.zeros(n_sweeps, dtype=np.int64)
        roots = np.zeros((n_kept, n), dtype=np.int32)
        sweep(
            self.rng_state,
            n_sweeps,
            self.time,
            self.offsets,
            self.neighbours,
            self.pairs,
            copy,
            relative,
            self.a,
            self.b,
            copied,
            related,
            together,
            akin,
            n_entities,
            roots,
        )
        for counts in (copied, related, together, akin):
            counts /= max(n_sweeps, 1)
        return Draws(n_sweeps, copied, related, together, akin, n_entities, roots)
