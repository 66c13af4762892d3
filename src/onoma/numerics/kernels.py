"""How kernels are compiled."""

from collections.abc import Callable
from typing import Any, TypeVar

import numba as nb

__all__ = ["kernel", "lean", "lean_fast"]

Function = TypeVar("Function", bound=Callable[..., object])


def kernel(function: Function) -> Function:
    """Compile a function that Python calls, and other kernels may.

    Numba would add what calls it from C, which nobody does: four of a hundred seconds of compiling.
    """
    njit: Any = nb.njit  # its declared types leave some options out
    return njit(cache=True, nogil=True, no_cfunc_wrapper=True)(function)


def lean(function: Function) -> Function:
    """Compile a function that allocates nothing, without reference counting.

    Numba counts references to every array of a tuple it passes on, with atomic instructions: for a graph of fifteen
    arrays that costs more than scoring a factor. A function that only works in place needs none of it; one that would
    allocate does not compile.
    """
    njit: Any = nb.njit
    return njit(cache=True, nogil=True, _nrt=False, forceinline=True, no_cfunc_wrapper=True)(function)


def lean_fast(function: Function) -> Function:
    """Compile as `lean` does, and let sums be reordered so that loops use vector registers; no NaN, no infinity."""
    njit: Any = nb.njit
    return njit(cache=True, nogil=True, _nrt=False, forceinline=True, fastmath=True, no_cfunc_wrapper=True)(function)
