"""What other packages would load unasked, and take longer over than a small table takes to resolve."""

import atexit
import contextlib
import gc
import sys
from collections.abc import Iterator
from functools import partial
from importlib.abc import MetaPathFinder
from types import ModuleType

__all__ = ["collecting_later", "numba_alone", "without_pandas"]

_OPTIONAL = frozenset({"cffi", "scipy", "yaml"})
"""What Numba looks for as it is loaded: C functions as arguments, linear algebra, a file of settings. No kernel here
needs them, and Numba does without: SciPy alone takes as long as all of Numba's own modules."""
_GARBAGE = 50_000
"""New objects after which garbage is looked for. Python looks after each 700, and what is compiled makes millions that
stay."""


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
