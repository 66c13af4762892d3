"""Long arrays worked on in parts, by threads: for kernels that let go of the interpreter's lock."""

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

__all__ = ["in_parts"]


def in_parts(n: int, work: Callable[[int, int], object], *, threads: int = 2, least: int = 50_000) -> None:
    """Call `work(first, end)` for parts of 0 … n - 1, at most `threads` at a time, none of fewer than `least` items.

    What the parts do must not depend on each other.

    Examples
    --------
    >>> import numpy as np
    >>> squares = np.empty(5)
    >>> def fill(first: int, end: int) -> None:
    ...     squares[first:end] = np.arange(first, end) ** 2
    >>> in_parts(5, fill, least=1)
    >>> squares.tolist()
    [0.0, 1.0, 4.0, 9.0, 16.0]
    """
    n_parts = max(1, min(4 * threads if threads > 1 else 1, n // max(least, 1)))
    bounds = [n * part // n_parts for part in range(n_parts + 1)]
    if n_parts == 1:
        work(0, n)
        return
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(work, *part) for part in itertools.pairwise(bounds)]:
            done.result()
