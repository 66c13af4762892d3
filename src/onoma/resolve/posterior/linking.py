"""Linking two sources: a record has at most one partner on the other side.

P(matching) is proportional to the product of the weights of its pairs. The sampler lets one record after the other
choose nobody or a partner among all its candidates; a partner that is taken may leave the other for the newcomer. See
`_linking_kernels.step` for the rates and why the balance holds.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.rng import kernel_state
from onoma.resolve.posterior._copying_kernels import neighbour_lists
from onoma.resolve.posterior._linking_kernels import sweep
from onoma.resolve.posterior.copying import Draws

__all__ = ["LinkingSampler"]


class LinkingSampler:
    """A chain over the matchings of candidate pairs.

    Parameters
    ----------
    n
        Records of both sources.
    a, b
        The candidate pairs, each once, between the sources.
    seed
        Of the chain.
    """

    STATE: ClassVar[tuple[str, ...]] = ("rng_state", "partner")
    """The arrays that the next sweep needs."""

    def __init__(self, n: int, a: NDArray[np.int32], b: NDArray[np.int32], *, seed: int) -> None:
        self.a, self.b = a, b
        self.near = neighbour_lists(n, a, b)
        self.rng_state = kernel_state(seed, "linking")
        self.partner = np.full(n, -1)

    def run(self, weight: NDArray[np.float64], *, n_sweeps: int, n_kept: int = 0) -> Draws:
        """Run some sweeps with the weights given and say what they saw."""
        n, m = len(self.partner), len(self.a)
        total = (1.0 + np.bincount(self.a, weight, n) + np.bincount(self.b, weight, n)).astype(np.float64)
        together = np.zeros(m)
        n_entities = np.zeros(n_sweeps, dtype=np.int64)
        roots = np.zeros((n_kept, n), dtype=np.int32)
        sweep(self.rng_state, n_sweeps, self.partner, self.near, weight, total, together, n_entities, roots)
        together /= max(n_sweeps, 1)
        return Draws(n_sweeps, together, np.zeros(m), together, together, n_entities, roots)
