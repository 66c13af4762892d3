"""Memory that is free, given back to the system.

What threads allocate and free in pieces of a few megabytes stays with the process: the allocator keeps it for later, in
a pool for each thread, and Arrow does so in one of its own. Between two stages of a large job that is memory which
nobody uses and another process could.
"""

import ctypes
import ctypes.util
import gc
import sys
from functools import cache
from typing import Any

__all__ = ["LARGE", "give_back"]


LARGE = 100_000
"""Records from which on it pays."""


def give_back(n_records: int) -> None:
    """Give free memory back, where the system has a way to and there are many records."""
    if n_records <= LARGE:
        return
    gc.collect()
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()
    if (trim := _trim()) is not None:
        trim(0)


@cache
def _trim() -> Any:  # noqa: ANN401 (a function of C)
    """Return what makes the allocator give back; None where there is none: that is GNU's."""
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None), "malloc_trim", None)
