"""The engine on one machine: threads or processes, rows in memory or, above a budget, in Parquet files.

Threads suit kernels, which let go of the interpreter; processes suit Python. Neither changes the answer.
"""

import contextlib
import itertools
import multiprocessing
import shutil
import tempfile
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import Literal, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from onoma.beside import remove, sweep, working_place
from onoma.engines.engine import ORDER, TALLY, Closing, add_up, ignore_interrupts, ordered, split_by_key
from onoma.errors import DataError, SettingsError
from onoma.progress import Task

__all__ = ["LocalEngine", "LocalRows", "Workers"]

Workers = Literal["threads", "processes"]
Piece: TypeAlias = pa.Table | Path
Part: TypeAlias = tuple[int, tuple[Piece, ...]]
"""The key of a partition and the pieces that make it up."""


@dataclass(frozen=True, eq=False)
class LocalRows:
    """Rows in parts, each a table here or some files."""

    parts: tuple[Part, ...]
    schema: pa.Schema
    n_spilled: int = 0
    """Bytes (in memory) that are in spill files instead."""
    keep: object = field(default=None, repr=False)
    """Spill files last as long as this does."""


class LocalEngine(Closing):
    """Threads or processes of this machine.

    Parameters
    ----------
    workers
        How many work at a time.
    kind
        `threads` or `processes`. What a process works on must be found by import.
    budget
        Bytes of rows to hold in memory; what is beyond goes to Parquet files. None: everything stays in memory.
    spill
        The folder for these files; None: one for temporary files.

    Examples
    --------
    >>> with LocalEngine(2) as engine:
    ...     rows = engine.spread(pa.table({"mention": [0, 1, 2]}), 2)
    ...     met = engine.exchange(rows, lambda part: pa.array(part["mention"].to_numpy() % 2), ["mention"], 2)
    ...     first = engine.map(met, lambda part, key: part.slice(0, 1), met.schema)
    ...     engine.gather(first, ["mention"])["mention"].to_pylist()
    [0, 1]
    """

    name = "local"
    is_lazy = False

    def __init__(
        self, workers: int = 2, *, kind: Workers = "threads", budget: int | None = None, spill: Path | None = None
    ) -> None:
        if workers < 1:
            raise SettingsError(f"an engine of {workers} workers does nothing; it needs at least one")
        self._workers, self._kind = workers, kind
        self._pool: ThreadPool | ProcessPoolExecutor | None = None
        self._strangers = {child.pid for child in multiprocessing.active_children()}
        self._window = workers + 1
        self._budget = budget
        self._spill = spill

    def close(self) -> None:
        """End the workers, each with the part it is at."""
        pool, self._pool = self._pool, None
        if isinstance(pool, ThreadPool):
            pool.terminate()  # which ends what waits, and no thread
            pool.join()
        elif pool is not None:
            pool.shutdown(cancel_futures=True)

    def abandon(self) -> None:
        """Leave threads to themselves, which end with this process at the latest; end processes."""
        pool, self._pool = self._pool, None
        if isinstance(pool, ThreadPool):
            pool.terminate()
        elif pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)
            for child in multiprocessing.active_children():
                if child.pid not in self._strangers:
                    child.terminate()

    def spread(self, table: pa.Table, n_parts: int) -> LocalRows:
        """Hold a table, in about so many parts."""
        size = max(-(-len(table) // max(n_parts, 1)), 1)
        cuts = (table.slice(start, size) for start in range(0, max(len(table), 1), size))
        return self._held(((number, cut) for number, cut in enumerate(cuts)), table.schema)

    def scan(self, files: Sequence[Path], schema: pa.Schema) -> LocalRows:
        """Hold Parquet files, which are read when they are worked on."""
        return LocalRows(tuple((number, (path,)) for number, path in enumerate(files)), schema)

    def each(self, rows: LocalRows, function: Callable[[pa.Table], pa.Table], schema: pa.Schema) -> LocalRows:
        """Apply a function to the rows in any cut."""
        work = partial(_work_on_rows, function=function, schema=rows.schema)
        return self._held(self._results(rows, work), schema)

    def exchange(
        self, rows: LocalRows, place: Callable[[pa.Table], pa.Array], columns: Sequence[str], n_partitions: int
    ) -> LocalRows:
        """Bring the rows together by the key that a function gives them."""
        with contextlib.ExitStack() as stack:
            store = _Store(self._budget, self._spill, stack)
            gathered: dict[int, list[Piece]] = {key: [] for key in range(n_partitions)}
            for _, pieces in rows.parts:
                table = _load(pieces, rows.schema)
                keys = place(table.select(list(columns))).to_numpy()
                if len(keys) and not 0 <= keys.min() <= keys.max() < n_partitions:
                    raise DataError(f"a row has a partition key that is not from 0 to {n_partitions - 1}")
                for key, part in split_by_key(table, keys):
                    gathered[key].append(store.keep(part))
            return store.rows(((key, tuple(pieces)) for key, pieces in gathered.items() if pieces), rows.schema)

    def map(
        self,
        rows: LocalRows,
        function: Callable[[pa.Table, int], pa.Table],
        schema: pa.Schema,
        task: Task | None = None,
    ) -> LocalRows:
        """Apply a function to all rows of each partition."""
        work = partial(_work_on_partition, function=function, schema=rows.schema)
        return self._held(self._results(rows, work, task), schema)

    def tally(self, rows: LocalRows, function: Callable[[pa.Table], pa.Table], columns: Sequence[str]) -> pa.Table:
        """Add up what a function counts."""
        schema = pa.schema([rows.schema.field(name) for name in columns])
        work = partial(_work_on_rows, function=function, schema=schema)
        counted = pa.concat_tables([TALLY.empty_table(), *(table for _, table in self._results(rows, work))])
        return add_up(counted)

    def gather(self, rows: LocalRows, columns: Sequence[str]) -> pa.Table:
        """Return some columns of all rows, in order."""
        wanted = list(dict.fromkeys([*columns, ORDER]))
        schema = pa.schema([rows.schema.field(name) for name in wanted])
        tables = [_load(pieces, schema) for _, pieces in rows.parts]
        return ordered(pa.concat_tables([schema.empty_table(), *tables])).select(list(columns))

    def checkpoint(self, rows: LocalRows, folder: Path) -> LocalRows:
        """Write all rows into a folder, one file for each part; it appears when all are written."""
        sweep(folder)
        place = working_place(folder)
        try:
            place.mkdir(parents=True)
            with ThreadPoolExecutor(self._window) as pool:
                for written in [
                    pool.submit(_write_part, pieces, rows.schema, place / f"part-{number:05d}.parquet")
                    for number, (_, pieces) in enumerate(rows.parts)
                ]:
                    written.result()
            shutil.rmtree(folder, ignore_errors=True)
            place.replace(folder)
        finally:
            remove(place)
        return self.restore(folder, rows.schema) if rows.n_spilled else rows

    def restore(self, folder: Path, schema: pa.Schema) -> LocalRows:
        """Return the rows of a checkpoint."""
        files = sorted(folder.glob("part-*.parquet"))
        if not files:
            raise DataError("there is no checkpoint here", file=folder)
        return self.scan(files, schema)

    def _results(
        self, rows: LocalRows, work: Callable[[Part], pa.Table], task: Task | None = None
    ) -> Iterator[tuple[int, pa.Table]]:
        """Work on the parts and yield what came of each, in order; few are ahead, so that few are in memory."""
        waiting: deque[tuple[int, Callable[[], pa.Table]]] = deque()
        parts = iter(rows.parts)
        while True:
            for part in itertools.islice(parts, self._window - len(waiting)):
                waiting.append((part[0], self._begin(work, part)))
            if not waiting:
                return
            key, result = waiting.popleft()
            table = result()
            if task is not None:
                task.advance(len(table))
            yield key, table

    def _begin(self, work: Callable[[Part], pa.Table], part: Part) -> Callable[[], pa.Table]:
        """Hand a part to a worker; return what waits for the result."""
        if self._pool is None:
            # Threads that are daemons do not hold up the end of a process that is to stop at once.
            self._pool = (
                ThreadPool(self._workers)
                if self._kind == "threads"
                else ProcessPoolExecutor(
                    self._workers, mp_context=multiprocessing.get_context("spawn"), initializer=ignore_interrupts
                )
            )
        if isinstance(self._pool, ThreadPool):
            return self._pool.apply_async(work, (part,)).get
        return self._pool.submit(work, part).result

    def _held(self, tables: Iterable[tuple[int, pa.Table]], schema: pa.Schema) -> LocalRows:
        with contextlib.ExitStack() as stack:
            store = _Store(self._budget, self._spill, stack)
            parts = ((key, (store.keep(table.select(schema.names).cast(schema)),)) for key, table in tables)
            return store.rows(parts, schema)


class _Store:
    """Tables kept in memory as long as the budget lasts, in files from then on."""

    def __init__(self, budget: int | None, folder: Path | None, stack: contextlib.ExitStack) -> None:
        self._left = budget
        self._folder = folder
        self._stack = stack
        self._files: Path | None = None
        self._n_files = 0
        self._n_spilled = 0

    def keep(self, table: pa.Table) -> Piece:
        """Keep a table; return it, or the file it went to."""
        if self._left is None or table.nbytes <= self._left:
            self._left = None if self._left is None else self._left - table.nbytes
            return table
        if self._files is None:
            self._files = Path(tempfile.mkdtemp(prefix="onoma-spill-", dir=self._folder))
            self._stack.callback(shutil.rmtree, self._files, ignore_errors=True)
        path = self._files / f"{self._n_files:06d}.parquet"
        _write(table, path)
        self._n_files += 1
        self._n_spilled += table.nbytes
        return path

    def rows(self, parts: Iterable[Part], schema: pa.Schema) -> LocalRows:
        """Return what was kept; its files go when it does, or at once if something fails before."""
        found = tuple(parts)
        self._stack.pop_all()
        keep = _Keep()
        if self._files is not None:
            weakref.finalize(keep, shutil.rmtree, self._files, ignore_errors=True)
        return LocalRows(found, schema, self._n_spilled, keep)


class _Keep:
    """Something to hold on to."""


def _load(pieces: tuple[Piece, ...], schema: pa.Schema) -> pa.Table:
    tables = [
        pq.read_table(piece, columns=schema.names, partitioning=None) if isinstance(piece, Path) else piece
        for piece in pieces
    ]
    return pa.concat_tables([table.select(schema.names).cast(schema) for table in tables])


def _write(table: pa.Table, path: Path) -> None:
    # Nobody searches these files: dictionaries and statistics would cost more than writing.
    pq.write_table(table, path, compression="lz4", use_dictionary=False, write_statistics=False)


def _write_part(pieces: tuple[Piece, ...], schema: pa.Schema, path: Path) -> None:
    _write(_load(pieces, schema), path)


def _work_on_rows(part: Part, *, function: Callable[[pa.Table], pa.Table], schema: pa.Schema) -> pa.Table:
    return function(_load(part[1], schema))


def _work_on_partition(part: Part, *, function: Callable[[pa.Table, int], pa.Table], schema: pa.Schema) -> pa.Table:
    return function(ordered(_load(part[1], schema)), part[0])
