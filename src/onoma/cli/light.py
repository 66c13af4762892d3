"""What other packages would load unasked, and take longer over than a small table takes to resolve."""

import atexit
import contextlib
import gc
import importlib
import os
import sys
from collections.abc import Iterator
from functools import partial
from importlib.abc import MetaPathFinder
from types import ModuleType
from typing import Any

__all__ = [
    "ALONE",
    "arrow_as_asked",
    "collecting_later",
    "numba_alone",
    "without_pandas",
]

_OPTIONAL = frozenset({"cffi", "scipy", "yaml"})
"""What Numba looks for as it is loaded: C functions as arguments, linear algebra, a file of settings. No kernel here
needs them, and Numba does without: SciPy alone takes as long as all of Numba's own modules."""
_GARBAGE = 50_000
"""New objects after which garbage is looked for. Python looks after each 700, and what is compiled makes millions that
stay."""


ALONE = """\
from onoma.cli.light import collecting_later, numba_alone
with collecting_later():
    numba_alone()
"""
"""What another process of ours runs first, so that it loads as little, and looks for garbage as seldom."""


class _Hiding(MetaPathFinder):
    """Says of some packages that they are not there."""

    def __init__(self, names: frozenset[str]) -> None:
        self.names = names

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:  # noqa: ARG002
        """Say that there is no such package."""
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@contextlib.contextmanager
def _hidden(names: frozenset[str]) -> Iterator[None]:
    finder = _Hiding(names)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


@contextlib.contextmanager
def collecting_later() -> Iterator[None]:
    """Look for no garbage while modules are loaded inside, for they stay; afterwards seldom, and not among them."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        atexit.unregister(gc.unfreeze)
        atexit.register(gc.unfreeze)  # whoever goes on in Python is to take everything apart at its end
        gc.set_threshold(_GARBAGE)
        gc.enable()


def numba_alone() -> None:
    """Load Numba without the packages that it would load only to see if they are there, and what runs kernels.

    Whoever imports them later gets them. What compiles kernels is loaded when one has to be compiled.
    """
    with _hidden(_OPTIONAL):
        from onoma.cli.kernel_loading import load_lightly
    load_lightly(partial(_hidden, _OPTIONAL))
    _without_masks()


class _Masked(ModuleType):
    """Stands where NumPy's masked arrays will, until anybody loads them; before that there are none."""

    MaskedArray = type("MaskedArray", (), {})

    def is_masked(self, x: object) -> bool:  # noqa: ARG002
        """Say whether an array has masked elements."""
        return False

    isMaskedArray = is_masked  # noqa: N815 (NumPy's name)

    def __getattr__(self, name: str) -> object:
        return getattr(importlib.import_module("numpy.ma"), name)


def _without_masks() -> None:
    """Let NumPy, Numba and Arrow not load masked arrays only to see that an array is none."""
    import numpy as np

    if "numpy.ma" not in sys.modules:
        np.ma = _Masked("numpy.ma")


class _Few:
    """Arrow's register of functions, as if there were only those that its module asks for as it is loaded."""

    def __init__(self, all_: Any) -> None:  # noqa: ANN401
        self._all = all_

    def list_functions(self) -> list[str]:
        """Return the names of the few."""
        return ["utf8_zero_fill"]

    def get_function(self, name: str) -> object:
        """Return any function."""
        return self._all.get_function(name)


def arrow_as_asked() -> None:
    """Load pyarrow, and let each of the functions of `pyarrow.compute` be made when it is asked for first.

    As it is loaded, the module makes nearly three hundred, each with a signature and a page of help, in as long as a
    small table takes to be read. Where it is made otherwise than is known here, it is loaded as it is.

    Its memory is the system's, unless something else is said: an allocator of its own beside that of everybody else
    gives pages back and asks for them again, a tenth of the time of a table of 200,000 rows.
    """
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    import pyarrow._compute as register

    if "pyarrow.compute" in sys.modules:
        return
    whole = register.function_registry
    register.function_registry = lambda: _Few(whole())
    try:
        import pyarrow.compute as compute

        compute.function_registry = whole
        compute.__getattr__ = partial(_arrow_function, compute._wrap_function, compute, whole())
    except (AttributeError, ImportError, KeyError, TypeError):
        sys.modules.pop("pyarrow.compute", None)
    finally:
        register.function_registry = whole


def _arrow_function(wrap: Any, module: ModuleType, register: Any, name: str) -> object:  # noqa: ANN401
    """Make a function of `pyarrow.compute`, as the module itself would have."""
    below = name.removesuffix("_") if name in ("and_", "or_") else name
    try:
        function = register.get_function(below)
    except KeyError:
        function = None
    # Those that only grouped tables can call are no functions of the module.
    if (
        function is None
        or function.kind == "hash_aggregate"
        or (function.kind == "scalar_aggregate" and function.arity == 0)
    ):
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
    made: object = wrap(f"{below}_" if below in ("and", "or") else name, function)
    setattr(module, name, made)
    return made


def without_pandas() -> None:
    """Let pyarrow not load pandas unasked, where it is loaded itself.

    It would at the first list that it is given, to see whether that is a Series, and that takes longer than to resolve
    a small table. It looks once; whoever asks for pandas later (`table.to_pandas()`) gets it.
    """
    arrow = sys.modules.get("pyarrow")
    if arrow is None or "pandas" in sys.modules:
        return
    with _hidden(frozenset({"pandas"})):
        arrow.array([], arrow.int8())
    # Below Python it looks again for what a missing value is there, until it has found a module of that name.
    sys.modules["pandas"] = ModuleType("pandas")
    try:
        arrow.array([None], arrow.int8())
    finally:
        del sys.modules["pandas"]
