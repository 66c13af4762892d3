"""How kernels are compiled."""

from collections.abc import Callable
from typing import Any, TypeVar

import numba as nb

__all__ = ["inner", "kernel", "lean", "lean_fast"]

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


def inner(function: Function) -> Function:
    """Compile a function that allocates nothing and that only kernels call; Python must not.

    It has no door to Python and is not kept by itself: those who call it contain it. Where its arguments are tuples of
    many arrays, such a door takes longer to compile than the function does. To call it from Python ends the process; a
    test sees that only modules of kernels have it.
    """
    njit: Any = nb.njit
    return njit(nogil=True, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)


def lean_fast(function: Function) -> Function:
    """Compile as `lean` does, and let sums be reordered so that loops use vector registers; no NaN, no infinity."""
    njit: Any = nb.njit
    return njit(cache=True, nogil=True, _nrt=False, forceinline=True, fastmath=True, no_cfunc_wrapper=True)(function)
