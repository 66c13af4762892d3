"""The engine that a text names: `local`, `local[4]`, `processes[4]`, `spark://host:port`, `spark`."""

import contextlib
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onoma.errors import SettingsError
from onoma.progress import SILENT, Progress

if TYPE_CHECKING:  # engines are much to load
    from onoma.engines.engine import Engine
    from onoma.resolve.partitions.carrier import Carrier

__all__ = ["N_PARTITIONS", "carrying", "open_engine"]

N_PARTITIONS = 8
"""Partitions where their number is not said. It does not follow the machine: the answer depends on it."""

_LOCAL = re.compile(r"(local|processes)(?:\[(\d+)\])?")
_SPARK = ("spark://", "k8s://", "yarn")


def open_engine(
    name: str, *, options: Mapping[str, str] | None = None, timeout: float = 30.0, budget: int | None = None
) -> "Engine[Any]":
    """Open the engine of a name; close it when done, or use it in a `with`.

    Parameters
    ----------
    name
        `local[K]`: K threads here (as many as cores if not said); `processes[K]`: processes; `spark://host:port`,
        `yarn`, `k8s://…`: the cluster of that master; `spark`: the one that spark-submit chose.
    options
        Spark's own settings.
    timeout
        Seconds to wait for a cluster.
    budget
        Bytes of rows to hold in memory here; what is beyond goes to files. None: all.

    Examples
    --------
    >>> open_engine("local[3]").name
    'local'
    """
    local = _LOCAL.fullmatch(name)
    if local is not None:
        from onoma.engines.local import LocalEngine

        workers = int(local[2]) if local[2] else os.cpu_count() or 1
        return LocalEngine(workers, kind="processes" if local[1] == "processes" else "threads", budget=budget)
    if name == "spark" or name.startswith(_SPARK):
        from onoma.engines.spark import SparkEngine

        return SparkEngine(None if name == "spark" else name, options=options, timeout=timeout)
    raise SettingsError(
        f"there is no engine {name!r}",
        hint="Engines are local, local[4], processes[4], spark://host:port, yarn, k8s://… and spark.",
    )


@contextlib.contextmanager
def carrying(
    engine: str | None,
    n_partitions: int | None,
    *,
    seed: int,
    progress: Progress = SILENT,
    folder: Path | None = None,
) -> "Iterator[Carrier | None]":
    """Open an engine that carries partitions of records; None where neither is asked for."""
    if engine is None and n_partitions is None:
        yield None
        return
    from onoma.resolve.partitions.carrier import Carrier

    with open_engine(engine or "local") as opened:
        yield Carrier(opened, n_partitions or N_PARTITIONS, seed, progress, folder)
