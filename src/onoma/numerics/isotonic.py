"""Isotonic regression: the non-decreasing sequence nearest to given numbers, by pooling adjacent violators.

Each number begins as a block of its own; while a block's mean is below that of the block before it, the two become one.
For the dozen bins of a calibration that is a few lines; SciPy's needs all of `scipy.optimize`, which takes longer to
load than a small table takes to resolve.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["isotonic"]


def isotonic(values: Sequence[float] | NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the non-decreasing sequence with the least weighted squared distance from the values.

    Examples
    --------
    >>> isotonic([0.1, 0.6, 0.4, 0.9], np.ones(4)).tolist()
    [0.1, 0.5, 0.5, 0.9]
    """
    blocks: list[tuple[float, float, int]] = []  # mean, weight, how many
    for value, weight in zip(np.asarray(values).tolist(), weights.tolist(), strict=True):
        mean, total, size = value, weight, 1
        while blocks and blocks[-1][0] >= mean:
            before, its_weight, its_size = blocks.pop()
            mean = (before * its_weight + mean * total) / (its_weight + total)
            total, size = total + its_weight, size + its_size
        blocks.append((mean, total, size))
    return np.repeat([each[0] for each in blocks], [each[2] for each in blocks]).astype(np.float64)
