"""Rows in partitions: what models that sample in partitions need alike.

Records are placed by super-entity, and no entity reaches beyond one. Random streams are keyed by seed and partition
key. Who carries a partition is not known here: `Carry` (`onoma.resolve.contract`) hides it.
"""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.numerics.rng import stream

__all__ = ["flat", "rectangle", "seed_of"]


def seed_of(seed: int, key: int) -> int:
    """Return the seed of one partition."""
    return int(stream(seed, "partition", key).integers(2**62))


def flat(table: pa.Table, name: str) -> NDArray[Any]:
    """Return the values of a column of lists, one after the other."""
    return table[name].combine_chunks().flatten().to_numpy(zero_copy_only=False)


def rectangle(values: NDArray[np.int32]) -> pa.ListArray:
    """Return lists of one length, a row for each."""
    n, width = values.shape
    return pa.ListArray.from_arrays(pa.array(np.arange(n + 1) * width, pa.int32()), pa.array(values.ravel()))
