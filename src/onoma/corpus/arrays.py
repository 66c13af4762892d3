"""Arrow arrays of plain values, made without Pandas.

`pa.array` imports Pandas, where it is installed, to see whether it was given a series: half a second and 45 MB for
commands that never meet one. Numbers go by their buffer instead, strings by Arrow's builder.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

__all__ = ["array_of"]

_LARGE = 1 << 29
"""Characters that are sure to fit a builder's two gigabytes."""


def array_of(values: pa.Array | Sequence[Any] | NDArray[Any], kind: pa.DataType) -> pa.Array:
    """Return an array of the type asked for; numbers that do not fit it are refused.

    Examples
    --------
    >>> array_of(["a", None], pa.string()).to_pylist()
    ['a', None]
    >>> array_of([1, 2], pa.int32()).type
    DataType(int32)
    """
    if isinstance(values, pa.Array):
        return values.cast(kind)
    if kind in (pa.string(), pa.large_string()) and sum(len(each) for each in values if each) < _LARGE:
        builder = pa.lib.StringBuilder(pa.system_memory_pool())
        builder.append_values(values)
        return builder.finish().cast(kind)
    numbers = np.ascontiguousarray(values)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iuf":
        return pa.array(values, kind)
    made = pa.Array.from_buffers(pa.from_numpy_dtype(numbers.dtype), len(numbers), [None, pa.py_buffer(numbers)])
    return made.cast(kind)
