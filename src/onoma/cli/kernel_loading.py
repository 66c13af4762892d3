"""Compiled kernels taken from Numba's cache without what only a compiler would ask of them.

The cache holds a kernel twice: as machine code, which is run, and as code that can still be put into other kernels. To
read the second, and to list all that is in it, takes longer than the rest of loading, and only a kernel that is
compiled anew needs it. So it is read when one does, and what the compiler knows of Python is gathered then, too. Nor
are modules of Numba loaded whose functions a kernel contains, since only Python would look into them; and whether a
folder can be written is tried once, not for each kernel.
"""

import os
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import llvmlite.binding as llvm  # type: ignore[import-untyped]
import numba.cpython.hashing  # the only one that tells machine code of what it has in memory
from numba.core import caching, codegen, dispatcher, entrypoints, environment, ir, targetconfig
from numba.core.registry import cpu_target
from numba.core.runtime.nrt import rtsys
from numba.core.types import functions

__all__ = ["load_lightly"]

_KNOWN = "0.68"
"""The Numba whose insides are known; any other loads kernels in its own way, which takes longer."""


_NO_VARIABLES = frozenset({str, int, float, bool, type(None), ir.Loc})
"""What may stand in an instruction and is no variable, nor holds any."""


class _Library(codegen.JITCodeLibrary):
    """The code of one kernel."""

    _machine_code: bytes | None = None
    _bitcode: bytes | None = None

    @classmethod
    def _unserialize(cls, owner: Any, state: tuple[str, str, Any]) -> Any:  # noqa: ANN401
        name, kind, data = state
        if kind != "object":
            return super()._unserialize(owner, state)  # type: ignore[no-untyped-call]
        self = owner.create_library(name)
        self._machine_code, self._bitcode = data
        self.enable_object_caching()
        self._set_compiled_object(self._machine_code)
        self._finalize_final_module()
        return self

    def get_pointer_to_function(self, name: str) -> int:
        """Return where a function is in memory; 0: there is none of that name."""
        if self._machine_code is None:
            return int(super().get_pointer_to_function(name))  # type: ignore[no-untyped-call]
        # Machine code holds the names of its functions as they are, each ended by a zero.
        is_there = name.encode() + b"\0" in self._machine_code
        return int(self._codegen._engine.get_function_address(name)) if is_there else 0

    def _get_module_for_linking(self) -> Any:  # noqa: ANN401
        if self._bitcode is not None and self._shared_module is None:
            self._shared_module = llvm.parse_bitcode(self._bitcode)
            self._codegen._engine._load_defined_symbols(self._shared_module)  # type: ignore[no-untyped-call]
        return super()._get_module_for_linking()  # type: ignore[no-untyped-call]


class _LateCache:
    """Where a kernel is kept: its folder is looked up, and its source read, when the kernel is called first."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._function = function

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 (what the cache has)
        if "_cache" not in self.__dict__:
            self._cache = caching.FunctionCache(self._function)  # type: ignore[no-untyped-call]
        return getattr(self._cache, name)


def _enable_caching(self: Any) -> None:  # noqa: ANN401
    self._cache = _LateCache(self.py_func)


def load_lightly(alone: Callable[[], AbstractContextManager[None]]) -> None:
    """Let kernels be loaded so from now on; where this Numba is made otherwise, as it has it.

    Parameters
    ----------
    alone
        Inside of it, Numba does not find the packages that it can do without.
    """
    context: Any = cpu_target.target_context
    if context.codegen()._library_class is _Library:
        return
    with alone():
        if _is_as_known(context):
            rtsys.initialize(context)
            caching.Cache.load_overload = _load_overload  # type: ignore[method-assign]
            caching._CacheLocator.ensure_cache_path = _tried_once(  # type: ignore[method-assign]
                caching._CacheLocator.ensure_cache_path
            )
            llvm.ffi.lib._lock._cblist.clear()  # to time every call of LLVM takes longer than most calls
            dispatcher.Dispatcher.enable_caching = _enable_caching  # type: ignore[method-assign]
            environment._rebuild_env = partial(_rebuild_env, environment._rebuild_env)
            context.codegen()._library_class = _Library
            context.refresh = partial(_begin_to_compile, context, alone)
            entrypoints._already_initialized = True  # extensions are for what is compiled
        else:
            context.refresh()


def _is_as_known(context: Any) -> bool:  # noqa: ANN401
    if ".".join(numba.__version__.split(".")[:2]) != _KNOWN:
        return False
    library = ("_unserialize", "_get_module_for_linking", "get_pointer_to_function", "_finalize_final_module")
    cache = ("_load_overload", "_guard_against_spurious_io_errors")
    others: tuple[tuple[Any, str], ...] = (
        (caching._CacheLocator, "ensure_cache_path"),
        (caching, "FunctionCache"),
        (dispatcher.Dispatcher, "enable_caching"),
        (getattr(llvm.ffi.lib, "_lock", None), "_cblist"),
        (environment, "_rebuild_env"),
        (functions.BaseFunction, "get_call_type"),
        (ir.Inst, "_rec_list_vars"),
        (targetconfig.TargetConfig, "values"),
    )
    return (
        getattr(context.codegen(), "_library_class", None) is codegen.JITCodeLibrary
        and getattr(entrypoints, "_already_initialized", None) is False
        and all(hasattr(codegen.JITCodeLibrary, name) for name in library)
        and all(hasattr(caching.Cache, name) for name in cache)
        and all(hasattr(place, name) for place, name in others)
    )


def _load_overload(self: Any, sig: object, target_context: object) -> Any:  # noqa: ANN401
    """Load a kernel. All that a compiler knows would be made ready first, which takes as long as to load forty."""
    with self._guard_against_spurious_io_errors():
        return self._load_overload(sig, target_context)


def _rebuild_env(rebuild: Any, module: str, consts: list[object], name: str) -> Any:  # noqa: ANN401
    """Return what a compiled function knows of Python; of one of Numba's own, without loading its module."""
    if not module.startswith("numba.") or module in sys.modules or environment.Environment._memo.get(name) is not None:
        return rebuild(module, consts, name)
    made: Any = environment.Environment({"__name__": module})
    made.consts[:] = consts
    made.env_name = name
    environment.Environment._memo[name] = made
    return made


def _tried_once(ensure: Callable[[Any], None]) -> Callable[[Any], None]:
    """Return what makes a folder for kernels, and tries the first time whether it can be written."""
    tried = set()

    def ensure_cache_path(self: Any) -> None:  # noqa: ANN401
        path = self.get_cache_path()
        if path in tried:
            os.makedirs(path, exist_ok=True)  # noqa: PTH103
            return
        ensure(self)
        tried.add(path)

    return ensure_cache_path


def _begin_to_compile(context: Any, alone: Callable[[], AbstractContextManager[None]]) -> None:  # noqa: ANN401
    """Make the compiler ready, the first time that something is compiled."""
    context.__dict__.pop("refresh", None)
    entrypoints._already_initialized = False
    # Packages are hidden from all threads: another one may want them.
    with alone() if threading.active_count() == 1 else nullcontext():
        context.refresh()
    _quicken_typing()


def _quicken_typing() -> None:
    """Let Numba ask what it has asked before less often.

    It compares all options of compiling, one by one, for each function it looks up; to find the type of `a + b` it
    tries each of some thirty ways to add, anew for each `+` in a kernel; and whatever stands in an instruction is asked
    whether it is of one class or another. What is compiled is the same.
    """
    options: Any = targetconfig.TargetConfig
    function: Any = functions.BaseFunction
    instruction: Any = ir.Inst
    equal, find, listed = options.__eq__, function.get_call_type, instruction._rec_list_vars
    calls: dict[int, tuple[object, dict[Any, Any]]] = {}  # with the function's type, so that it stays where it is

    def is_equal(self: Any, other: Any) -> Any:  # noqa: ANN401
        # Options are equal where those that were set are.
        return (type(self) is type(other) and self._values == other._values) or equal(self, other)

    def call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:  # noqa: ANN401
        if kws:
            return find(self, context, args, kws)
        known = calls.setdefault(id(self), (self, {}))[1]
        found = known.get(args)
        if found is not None:
            self._impl_keys[found.args] = self.typing_key
            return found
        found = find(self, context, args, kws)
        # What is built in is its own key: nothing was compiled to know the type.
        if found is not None and self._impl_keys.get(found.args) is self.typing_key:
            known[args] = found
        return found

    def variables(self: Any, value: Any) -> Any:  # noqa: ANN401
        kind = type(value)
        if kind is ir.Var:
            return [value]
        return [] if kind in _NO_VARIABLES else listed(self, value)

    options.__eq__ = is_equal
    options.__hash__ = lambda self: hash(type(self))
    function.get_call_type = call_type
    instruction._rec_list_vars = variables
