"""Kernel of what a reader looks up: a key for each thing known of a token."""

import numba as nb
import numpy as np
from numpy.typing import NDArray

__all__ = ["feature_keys"]


@nb.njit(cache=True, nogil=True)
def feature_keys(attributes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return a key for each token and column: the column and its value, mixed."""
    out = np.empty(attributes.shape, np.uint32)
    for i in range(len(attributes)):
        for k in range(attributes.shape[1]):
            value = np.uint64(attributes[i, k]) | (np.uint64(k + 1) << np.uint64(32))
            value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            out[i, k] = np.uint32((value ^ (value >> np.uint64(31))) & np.uint64(0xFFFFFFFF))
    return out
