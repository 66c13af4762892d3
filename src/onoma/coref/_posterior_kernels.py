"""Kernel of `posterior`: probabilities of coreference from those of links."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

__all__ = ["fill_coreferent"]

_NEGLIGIBLE = 1e-6


@nb.njit(cache=True, nogil=True)
def fill_coreferent(links: NDArray[np.float64], coreferent: NDArray[np.float64]) -> None:
    """Fill in c(i, k) = Σ_j p(j | i) c(j, k) from left to right; `coreferent` comes as the identity."""
    for i in range(1, len(links)):
        for j in range(i):
            p = links[i, j]
            if p > _NEGLIGIBLE:
                for k in range(i):
                    coreferent[i, k] += p * coreferent[j, k]
        for k in range(i):
            coreferent[k, i] = coreferent[i, k]
