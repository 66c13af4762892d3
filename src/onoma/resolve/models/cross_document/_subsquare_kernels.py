"""Kernel of `baselines.py`: a vertex chooses a neighbour."""

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel
from onoma.numerics.rng import below


@kernel
def in_common(near: NDArray[np.int32], i: int, j: int) -> float:
    """Return the share of the smaller neighbourhood, each with its centre, that two vertices have in common."""
    n_i, n_j, both = 1, 1, 0
    for a in near[i]:
        n_i += a >= 0
        both += a == j
    for a in near[j]:
        n_j += a >= 0
        both += a == i
    x, y = 0, 0
    width = near.shape[1]
    while x < width and y < width and near[i, x] >= 0 and near[j, y] >= 0:
        a, b = near[i, x], near[j, y]
        both += a == b
        x += a <= b
        y += b <= a
    return both / min(n_i, n_j)


@kernel
def choose_neighbours(
    rng: NDArray[np.uint64], near: NDArray[np.int32], overlap: float, n_tries: int
) -> NDArray[np.int64]:
    """Return for each vertex a random neighbour that it has enough in common with; itself if tries found none."""
    chosen = np.arange(len(near))
    for i in range(len(near)):
        degree = 0
        while degree < near.shape[1] and near[i, degree] >= 0:
            degree += 1
        if degree == 0:
            continue
        for _ in range(n_tries):
            j = near[i, below(rng, degree)]
            if in_common(near, i, j) >= overlap:
                chosen[i] = j
                break
    return chosen
