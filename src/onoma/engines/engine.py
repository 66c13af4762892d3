"""An engine: rows in partitions, pure functions over them, exchange between them, checkpoints.

The same job runs on any engine with the same bytes as answer, because nothing that a function may see depends on who
runs it:

* a function for `each` is given rows in *any* cut and must not care for it (row by row, or sums that are added up);
* a function for `map` is given *all* rows of one partition key, in the order of the column `ORDER`, and the key.

Rows never come to the caller but by `gather` and `tally`, which name what is wanted.
"""

import signal
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.progress import Task

__all__ = ["ORDER", "TALLY", "Closing", "Engine", "add_up", "ordered", "split_by_key"]

ORDER = "mention"
"""The column (int64, unique) by which the rows of a partition are ordered."""
TALLY = pa.schema([pa.field("item", pa.int64()), pa.field("count", pa.int64())])
"""What `tally` adds up."""

Rows = TypeVar("Rows")


class Engine(Protocol[Rows]):
    """Something that holds rows in partitions and works on them; a context manager."""

    name: str
    is_lazy: bool
    """Work is put off until its result is gathered or kept, so that rows should stand on a checkpoint now and then."""

    def spread(self, table: pa.Table, n_parts: int) -> Rows:
        """Hold a table that is here, in about so many parts."""

    def scan(self, files: Sequence[Path], schema: pa.Schema) -> Rows:
        """Hold the columns of a schema of Parquet files, which are read where the work is done."""

    def each(self, rows: Rows, function: Callable[[pa.Table], pa.Table], schema: pa.Schema) -> Rows:
        """Apply a function to the rows in any cut; the result has this schema."""

    def exchange(
        self, rows: Rows, place: Callable[[pa.Table], pa.Array], columns: Sequence[str], n_partitions: int
    ) -> Rows:
        """Bring rows together by a key that a function gives each of them, from 0 to n_partitions - 1.

        The function sees some columns of the rows, in any cut.
        """

    def map(
        self, rows: Rows, function: Callable[[pa.Table, int], pa.Table], schema: pa.Schema, task: Task | None = None
    ) -> Rows:
        """Apply a function to all rows of each partition (as last exchanged); advance the task by rows done."""

    def tally(self, rows: Rows, function: Callable[[pa.Table], pa.Table], columns: Sequence[str]) -> pa.Table:
        """Count: apply a function to some columns of the rows in any cut, add up what it gives (schema `TALLY`)."""

    def gather(self, rows: Rows, columns: Sequence[str]) -> pa.Table:
        """Return some columns of all rows, ordered by `ORDER`."""

    def checkpoint(self, rows: Rows, folder: Path) -> Rows:
        """Write all rows as Parquet into a folder (anew); return rows that stand on it."""

    def restore(self, folder: Path, schema: pa.Schema) -> Rows:
        """Return the rows of a checkpoint."""

    def close(self) -> None:
        """Let go of everything."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Closing:
    """What engines share: leaving a `with` closes them; leaving it by Ctrl-C gives up what is under way."""

    def close(self) -> None:
        """Let go of everything, once what is under way has ended."""
        raise NotImplementedError

    def abandon(self) -> None:
        """Let go of everything at once."""
        self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, KeyboardInterrupt):
            self.abandon()
        else:
            self.close()


def ignore_interrupts() -> None:
    """Let a worker go on at Ctrl-C, which a terminal sends to all processes: whoever gave the work decides."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def add_up(counted: pa.Table) -> pa.Table:
    """Return the sum of the counts of each item, ordered by item.

    Examples
    --------
    >>> add_up(pa.table({"item": [3, 1, 3], "count": [1, 1, 4]})).to_pydict()
    {'item': [1, 3], 'count': [1, 5]}
    """
    sums = counted.group_by("item").aggregate([("count", "sum")])
    return pa.table([sums["item"], sums["count_sum"]], schema=TALLY).sort_by("item").combine_chunks()


def ordered(table: pa.Table) -> pa.Table:
    """Return the rows in the order of `ORDER`, each column in one piece."""
    places = table[ORDER].to_numpy()
    if len(places) > 1 and not bool((places[1:] > places[:-1]).all()):
        table = table.take(pa.array(np.argsort(places, kind="stable")))
    return table.combine_chunks()


def split_by_key(table: pa.Table, keys: NDArray[np.integer]) -> list[tuple[int, pa.Table]]:
    """Return each key and its rows.

    Examples
    --------
    >>> split_by_key(pa.table({"mention": [5, 6, 7]}), np.array([1, 0, 1]))[1][1]["mention"].to_pylist()
    [5, 7]
    """
    if len(keys) == 0:
        return []
    order = np.argsort(keys, kind="stable")
    in_order = keys[order]
    cuts = (np.flatnonzero(np.diff(in_order)) + 1).tolist()
    taken = table if len(cuts) == 0 else table.take(pa.array(order))
    pieces = zip([0, *cuts], [*cuts, len(keys)], strict=True)
    return [(int(in_order[start]), taken.slice(start, end - start)) for start, end in pieces]
