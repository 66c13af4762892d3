"""The distinct values of an array, in order, by sorting it.

NumPy's `unique` goes through a hash table where it returns nothing but the values. Of millions of whole numbers that
misses every cache; its sort goes through vector registers, and is a hundred times as fast.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["distinct", "without"]

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


def without(values: NDArray[Number], others: NDArray[Number]) -> NDArray[Number]:
    """Return the values, distinct and ascending, that are not among others, which ascend, too.

    Those that are fewer are looked for among the more.

    Examples
    --------
    >>> without(np.array([1, 2, 3]), np.array([0, 2, 9])).tolist()
    [1, 3]
    >>> without(np.array([1, 9]), np.array([0, 2, 9])).tolist()
    [1]
    """
    if len(values) == 0 or len(others) == 0:
        return values
    if len(others) > len(values):
        place = np.minimum(np.searchsorted(others, values), len(others) - 1)
        return values[others[place] != values]
    place = np.minimum(np.searchsorted(values, others), len(values) - 1)
    left = np.ones(len(values), dtype=np.bool_)
    left[place[values[place] == others]] = False
    return values[left]
