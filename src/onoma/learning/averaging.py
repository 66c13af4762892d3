"""A weight vector that is shrunk, changed sparsely and averaged over all its past, each in time of the change alone.

The weights are w = s v with a scalar s, so shrinking touches one number. Their sum over steps is c v − u, where c is
the sum of the scalars so far: when v moves by δ, u moves by c δ, which takes the past's share back out.
"""

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError

__all__ = ["AveragedWeights"]


class AveragedWeights:
    """Weights with lazy shrinking and averaging.

    Examples
    --------
    >>> weights = AveragedWeights(2)
    >>> weights.add([0], [1.0]); weights.tick()
    >>> weights.add([0, 1], [1.0, 4.0]); weights.tick()
    >>> weights.current().tolist(), weights.average().tolist()
    ([2.0, 4.0], [1.5, 2.0])
    """

    def __init__(self, n: int, start: NDArray[np.float64] | None = None) -> None:
        if start is not None and start.shape != (n,):
            raise DataError(f"the first weights have shape {start.shape}; wanted ({n},)")
        self._v = np.zeros(n) if start is None else start.astype(np.float64, copy=True)
        self._u, self._past = np.zeros(n), np.zeros(n)
        self._scale, self._sum_of_scales, self._n_steps = 1.0, 0.0, 0

    def __len__(self) -> int:
        return len(self._v)

    def dot(self, ids: NDArray[np.integer] | list[int], values: NDArray[np.float64] | list[float]) -> float:
        """Return w · x for a sparse x."""
        return float(self._scale * (self._v[ids] @ np.asarray(values, np.float64)))

    def add(
        self, ids: NDArray[np.integer] | list[int], values: NDArray[np.float64] | list[float], rate: float = 1.0
    ) -> None:
        """Add rate · x to the weights; an id that occurs twice is added twice."""
        change = np.asarray(values, np.float64) * (rate / self._scale)
        np.add.at(self._v, ids, change)
        np.add.at(self._u, ids, change * self._sum_of_scales)

    def shrink(self, factor: float) -> None:
        """Multiply the weights by a factor above 0."""
        self._scale *= factor
        if self._scale < 1e-6:
            # Start the sums again before c v and u grow so large that their difference loses its digits.
            self._past += self._sum_of_scales * self._v - self._u
            self._u[:], self._sum_of_scales = 0.0, 0.0
            self._v *= self._scale
            self._scale = 1.0

    def tick(self) -> None:
        """End a step: from now on the present weights count once more in the average."""
        self._sum_of_scales += self._scale
        self._n_steps += 1

    def current(self) -> NDArray[np.float64]:
        """Return the weights as they are."""
        return self._scale * self._v

    def average(self) -> NDArray[np.float64]:
        """Return the mean of the weights over all steps; as they are, before the first."""
        if self._n_steps == 0:
            return self.current()
        return (self._past + self._sum_of_scales * self._v - self._u) / self._n_steps
