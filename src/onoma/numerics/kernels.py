"""How kernels are compiled."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numba as nb
from numba.core import types

__all__ = ["inner", "kernel", "lean", "lean_fast", "within"]

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

    It is compiled once for whole numbers of any width and for constants (`_widened`).
    """
    njit: Any = nb.njit
    made: Any = njit(nogil=True, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
    made.get_call_template = partial(_widened, made.get_call_template)
    return made


def within(function: Function) -> Function:
    """Put a function into the one kernel that calls it, as if its lines stood there; Python must not call it.

    Each function that a kernel calls is optimised with all that it calls itself, and again as a part of its caller:
    six deep, the innermost lines were compiled six times.
    """
    njit: Any = nb.njit
    return njit(nogil=True, _nrt=False, inline="always", no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)


def _widened(find: Callable[..., object], args: tuple[types.Type, ...], kws: dict[str, types.Type]) -> object:
    """Find what is called with such arguments, signed numbers taken for int64 and constants for numbers.

    Numba compiles a function anew for an int32 that comes from an array, an int64 that was counted and each constant:
    with three such arguments up to seven times.
    """
    return find(tuple(map(_wide, args)), {name: _wide(each) for name, each in kws.items()})


def _wide(type_: types.Type) -> Any:  # noqa: ANN401 (a type of Numba)
    plain: Any = types.unliteral(type_)  # type: ignore[no-untyped-call]
    return types.int64 if plain in types.signed_domain else plain


def lean_fast(function: Function) -> Function:
    """Compile as `lean` does, and let sums be reordered so that loops use vector registers; no NaN, no infinity."""
    njit: Any = nb.njit
    return njit(cache=True, nogil=True, _nrt=False, forceinline=True, fastmath=True, no_cfunc_wrapper=True)(function)
