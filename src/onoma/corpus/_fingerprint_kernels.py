"""Kernels of `fingerprints.py`."""

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.kernels import kernel


@kernel
def hash_texts(offsets: NDArray[np.int64], data: NDArray[np.uint8], seed: np.uint64, out: NDArray[np.uint64]) -> None:
    """Write 64 bits for each text: FNV-1a (Fowler, Noll and Vo), then mixed as SplitMix64 does."""
    for i in range(len(out)):
        x = np.uint64(0xCBF29CE484222325) ^ seed
        for at in range(offsets[i], offsets[i + 1]):
            x = (x ^ np.uint64(data[at])) * np.uint64(0x100000001B3)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        out[i] = x ^ (x >> np.uint64(31))
