"""A smooth function made least within bounds: SciPy's L-BFGS-B, without the rest of its package.

To load `scipy.optimize` takes half a second, most of what a small table takes to resolve: linear programs, Fourier
transforms and rotations come with it. The method itself is one extension module that needs none of them, so that is
loaded alone, and driven as SciPy's own wrapper drives it: the same steps, the same bytes. A SciPy whose insides are not
known here is entered by its front door.

Byrd, Lu, Nocedal and Zhu (1995), A limited memory algorithm for bound constrained optimization.
"""

from collections.abc import Callable
from functools import cache
from importlib.machinery import PathFinder
from importlib.metadata import version
from importlib.util import find_spec, module_from_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Loss", "minimise_within"]

Loss = Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]]]
"""What a function is at a place, and its slope there."""

_KNOWN = "1.17."
"""The SciPy whose insides are known."""
_CORRECTIONS, _SEARCHES, _MOST = 10, 20, 15_000
_FLAT, _EQUAL = 1e-5, 2.2204460492503131e-09
"""What SciPy takes where nothing is said: slopes and steps remembered, places tried along a line, steps and places in
all; the slope, and the share of the function, below which no more is to be gained."""
_STEPPED, _ASKS, _STOP = 1, 3, 5
"""What the method says, or is told, between calls."""
_FREE, _BETWEEN = 0, 2
"""How a place is bounded."""


def minimise_within(
    loss: Loss, start: NDArray[np.float64], lowest: NDArray[np.float64], highest: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return where a function is least, as `scipy.optimize.minimize(…, jac=True, method="L-BFGS-B")` does.

    Parameters
    ----------
    start
        Where to begin.
    lowest, highest
        The bounds of each place, both finite or both infinite.
    """
    method = _method()
    if method is None:
        from scipy.optimize import minimize

        bounds = list(zip(lowest.tolist(), highest.tolist(), strict=True))
        return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x)
    n, m = len(start), _CORRECTIONS
    is_bound = np.isfinite(lowest)
    low, high = np.where(is_bound, lowest, 0.0), np.where(is_bound, highest, 0.0)
    bound = np.where(is_bound, _BETWEEN, _FREE).astype(np.int32)
    x = np.clip(start, lowest, highest).astype(np.float64)
    value, slope = 0.0, np.zeros(n)
    memory, places = np.zeros(2 * m * n + 5 * n + 11 * m * m + 8 * m), np.zeros(3 * n, np.int32)
    task, searching = np.zeros(2, np.int32), np.zeros(2, np.int32)
    flags, whole, real = np.zeros(4, np.int32), np.zeros(44, np.int32), np.zeros(29)
    limits = _EQUAL / np.finfo(np.float64).eps, _FLAT
    asked = steps = 0
    while True:
        method(
            m,
            x,
            low,
            high,
            bound,
            value,
            slope,
            *limits,
            memory,
            places,
            task,
            flags,
            whole,
            real,
            _SEARCHES,
            searching,
        )
        if task[0] == _ASKS:
            value, slope = loss(x.copy())
            asked += 1
        elif task[0] == _STEPPED:
            steps += 1
            if steps >= _MOST or asked > _MOST:
                task[0] = _STOP
        else:
            return x


@cache
def _method() -> Any:  # noqa: ANN401 (a function of an extension module)
    """Return one call of the method, loaded alone; none: SciPy is made otherwise than is known here."""
    package = find_spec("scipy")
    if package is None or not version("scipy").startswith(_KNOWN):
        return None
    folders = [f"{each}/optimize" for each in package.submodule_search_locations or ()]
    found = PathFinder.find_spec("scipy.optimize._lbfgsb", folders)
    if found is None or found.loader is None:
        return None
    try:
        module = module_from_spec(found)
        found.loader.exec_module(module)
    except ImportError:  # it may need more than itself where it was built otherwise
        return None
    return getattr(module, "setulb", None)
