"""The copying model when some records may not be in one entity.

The distribution is that of `copying.py`, held to those origins that bring no two records together that bar each other:
two of one source (`exclusive.py`), or two that were judged to be different (`judgements.py`). Origins are then no
longer independent given the order. They are drawn one after the other, each given all others (Gibbs): a record leaves
its entity with its copies, and may copy an earlier record only where nobody bars anybody. The order is drawn as
before. Every entity can be taken apart, so every state can be reached.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.rng import kernel_state, stream
from onoma.resolve.posterior._barred_kernels import Bars, Origins, sweep
from onoma.resolve.posterior._copying_kernels import neighbour_lists
from onoma.resolve.posterior.copying import Draws

__all__ = ["BarredSampler", "Bars"]


class BarredSampler:
    """A chain over orders and origins of records of which some bar each other.

    Parameters
    ----------
    bars
        Which do, for every record.
    a, b
        The candidate pairs, each once.
    seed, name
        Of the chain's random numbers.
    """

    STATE: ClassVar[tuple[str, ...]] = ("rng_state", "time", "chosen", "kind", "following")
    """The arrays that the next sweep needs."""

    def __init__(self, bars: Bars, a: NDArray[np.int32], b: NDArray[np.int32], *, seed: int, name: str) -> None:
        n = len(bars.mark)
        self.a, self.b, self._bars = a, b, bars
        self.near = neighbour_lists(n, a, b)
        self.rng_state = kernel_state(seed, name)
        self.time = stream(seed, name, "start").random(n)
        self.chosen = np.full(n, -1)
        self.kind = np.zeros(n, dtype=np.int8)
        self.following = np.arange(n, dtype=np.int32)

    def run(self, copy: NDArray[np.float64], relative: NDArray[np.float64], *, n_sweeps: int, n_kept: int = 0) -> Draws:
        """Run some sweeps with the weights given (not their logarithms) and say what they saw."""
        counts = np.zeros((4, len(self.a)))
        n_entities = np.zeros(n_sweeps, dtype=np.int64)
        roots = np.zeros((n_kept, len(self.time)), dtype=np.int32)
        origins = Origins(self.time, self.chosen, self.kind, self.following)
        given = (self.near, self.a, self.b, copy, relative, self._bars)
        sweep(self.rng_state, n_sweeps, *given, origins, counts, n_entities, roots)
        counts /= max(n_sweeps, 1)
        return Draws(n_sweeps, counts[0], counts[1], counts[2], counts[3], n_entities, roots)
