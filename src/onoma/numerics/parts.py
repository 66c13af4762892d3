"""Long arrays worked on in parts, by threads: for kernels that let go of the interpreter's lock."""

import itertools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from onoma.errors import SettingsError

__all__ = ["in_parts", "n_threads"]

_MOST = 8
"""Threads of their own accord: each takes memory for its part of the work."""


def n_threads() -> int:
    """Return how many threads work at a time: as many as this process has cores, or what ONOMA_THREADS says.

    What is answered does not depend on it.
    """
    said = os.environ.get("ONOMA_THREADS", "").strip()
    if said:
        if not (said.isascii() and said.isdigit() and int(said) > 0):
            raise SettingsError(f"ONOMA_THREADS is {said!r}; a whole number from 1 up is wanted")
        return int(said)
    has_cores = getattr(os, "sched_getaffinity", None)
    return max(1, min(len(has_cores(0)) if has_cores else os.cpu_count() or 1, _MOST))


def in_parts(n: int, work: Callable[[int, int], object], *, threads: int | None = None, least: int = 50_000) -> None:
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
    threads = threads or n_threads()
    n_parts = max(1, min(4 * threads if threads > 1 else 1, n // max(least, 1)))
    bounds = [n * part // n_parts for part in range(n_parts + 1)]
    if n_parts == 1:
        work(0, n)
        return
    left = iter([*itertools.pairwise(bounds)])  # who is free takes the next; to take one is never interrupted

    def take() -> None:
        for part in left:
            work(*part)

    # This thread works, too: others take a while to begin, and small work is done by then.
    with ThreadPoolExecutor(min(threads, n_parts) - 1) as pool:
        others = [pool.submit(take) for _ in range(min(threads, n_parts) - 1)]
        take()
        for each in others:
            each.result()
