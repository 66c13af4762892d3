"""Kernels compiled ahead: small tables of every kind are resolved once, and what each kernel costs is noted."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pyarrow as pa
from numba.core import event

from onoma.corpus.simulate import simulate_authors, simulate_links, simulate_mentions, simulate_people
from onoma.pipeline.resolution import make_job, run_job
from onoma.progress import SILENT, Progress
from onoma.resolve.config import ResolveConfig

__all__ = ["WORK", "Compiled", "compile_ahead", "compile_costs"]

_ROWS = 300
"""Enough for the checks, which have kernels of their own."""


@dataclass
class Compiled:
    """What was compiled for a kind of work."""

    work: str
    seconds: float = 0.0
    """How long it took in all, the work itself among it."""
    kernels: dict[str, float] = field(default_factory=dict)
    """Seconds that each kernel took to compile, without those that it calls; none for what was in the cache."""

    @property
    def compiling(self) -> float:
        """Seconds of compiling alone."""
        return sum(self.kernels.values())


def _people(model: str) -> Callable[[], tuple[pa.Table, ResolveConfig]]:
    return lambda: (simulate_people(_ROWS, seed=1), ResolveConfig(model=model, truth="cluster_id"))


WORK: dict[str, Callable[[], tuple[pa.Table, ResolveConfig]]] = {
    "copying": _people("copying"),
    "pairwise": _people("pairwise"),
    "hierarchical": lambda: (simulate_authors(_ROWS, seed=1), ResolveConfig(model="hierarchical", truth="cluster_id")),
    "cross-document": lambda: (simulate_links(_ROWS, seed=1), ResolveConfig(model="cross-document")),
    "phylogeny": lambda: (simulate_mentions(100, seed=1), ResolveConfig(model="phylogeny", truth="cluster_id")),
}
"""By model, a table such as it is for."""


def compile_ahead(works: tuple[str, ...] = (), *, progress: Progress = SILENT) -> Iterator[Compiled]:
    """Do each kind of work once on a small table, so that its kernels are in the cache; all kinds if none is named."""
    for name in works or WORK:
        found, begun = Compiled(name), time.perf_counter()
        with compile_costs(found.kernels):
            table, config = WORK[name]()
            run_job(make_job([table], [""], config), progress=progress)
        found.seconds = time.perf_counter() - begun
        yield found


class _Costs(event.Listener):
    """Notes how long Numba compiles each function; what it compiles on the way is not counted twice."""

    def __init__(self, kernels: dict[str, float]) -> None:
        self.kernels = kernels
        self._open: list[tuple[float, float]] = []

    def on_start(self, event: event.Event) -> None:  # noqa: ARG002
        self._open.append((time.perf_counter(), 0.0))

    def on_end(self, event: event.Event) -> None:
        begun, within = self._open.pop()
        took = time.perf_counter() - begun
        function = event.data["dispatcher"].py_func
        name = f"{function.__module__}.{function.__qualname__}"
        self.kernels[name] = self.kernels.get(name, 0.0) + took - within
        if self._open:
            start, inner = self._open[-1]
            self._open[-1] = (start, inner + took)


@contextmanager
def compile_costs(kernels: dict[str, float]) -> Iterator[None]:
    """Note in a table what each kernel costs that is compiled inside."""
    listener = _Costs(kernels)
    event.register("numba:compile", listener)  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        event.unregister("numba:compile", listener)  # type: ignore[no-untyped-call]
