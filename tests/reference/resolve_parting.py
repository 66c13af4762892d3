"""Average linkage, slowly: every pair of groups is looked at before every join."""

import itertools

import numpy as np
from numpy.typing import NDArray


def average_link_slow(p: NDArray[np.float64], weight: NDArray[np.float64], stop: float) -> list[set[int]]:
    """Return the groups: the two with the greatest mean are joined, as long as it is above `stop`."""
    groups = [{i} for i in range(len(p))]

    def mean(one: set[int], other: set[int]) -> float:
        cells = np.ix_(sorted(one), sorted(other))
        return float((p[cells]).sum() / max(weight[cells].sum(), 1e-12))

    while len(groups) > 1:
        one, other = max(itertools.combinations(groups, 2), key=lambda pair: mean(*pair))
        if mean(one, other) <= stop:
            break
        groups = [each for each in groups if each is not one and each is not other] + [one | other]
    return groups
