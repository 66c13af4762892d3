"""The engine on a Spark cluster: Arrow in and out of the executors, a real shuffle, checkpoints in Parquet.

This is the only file that imports pyspark. Rows stay on the executors: the driver sees counts (`tally`) and the columns
that are asked for (`gather`). A task that is lost with its worker is done again elsewhere, from the last checkpoint and
with the same random stream, so its result is the same.
"""

import contextlib
import logging
import os
import shutil
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from onoma.engines.engine import ORDER, TALLY, Closing, add_up, ignore_interrupts, ordered, split_by_key
from onoma.errors import DataError, OnomaError, SettingsError, UnsupportedError
from onoma.progress import Task

if TYPE_CHECKING:
    from pyspark.accumulators import Accumulator
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["SparkEngine", "SparkRows"]

_KEY = "onoma partition"
"""The column that says to which partition a row goes, while it is under way."""
_LOOK_EVERY = 0.25
"""Seconds between two looks at how far the executors are."""


@dataclass(frozen=True, eq=False)
class SparkRows:
    """Rows on the executors."""

    frame: "DataFrame"
    schema: pa.Schema
    task: Task | None = None
    """Who wants to know how many rows are done while this is worked out."""


class SparkEngine(Closing):
    """A Spark cluster.

    Parameters
    ----------
    master
        `spark://host:port`, `yarn`, `k8s://…`, or None: the session that `spark-submit` has set up.
    options
        More of Spark's own settings (`spark.executor.memory`…).
    timeout
        Seconds to wait for the master, and for the first executor.
    """

    name = "spark"
    is_lazy = True

    def __init__(
        self, master: str | None = None, *, options: Mapping[str, str] | None = None, timeout: float = 60.0
    ) -> None:
        self._spark, self._is_ours = _session(master, dict(options or {}), timeout)
        logging.getLogger().addFilter(_is_no_interrupt)
        self._done: Accumulator[int] = self._spark.sparkContext.accumulator(0)

    def close(self) -> None:
        """End the session, unless it was there before; executors go back to the cluster."""
        logging.getLogger().removeFilter(_is_no_interrupt)
        if self._is_ours:
            self._spark.stop()

    def abandon(self) -> None:
        """Give up the jobs that are under way; Spark has nothing to say about that."""
        context = self._spark.sparkContext
        context.setLogLevel("OFF")
        context.cancelAllJobs()
        self.close()

    def spread(self, table: pa.Table, n_parts: int) -> SparkRows:
        """Send a table that is here to the executors: for small ones. Large ones are better scanned."""
        frame = self._spark.createDataFrame(table).repartition(n_parts)
        return SparkRows(frame, table.schema)

    def scan(self, files: Sequence[Path], schema: pa.Schema) -> SparkRows:
        """Hold Parquet files, which the executors read."""
        frame = self._spark.read.parquet(*(str(path.absolute()) for path in files))
        missing = [name for name in schema.names if name not in frame.columns]
        if missing:
            raise DataError(f"lacks the column {missing[0]!r}; it has {', '.join(frame.columns)}", file=files[0])
        return SparkRows(frame.select(*schema.names), schema)

    def each(self, rows: SparkRows, function: Callable[[pa.Table], pa.Table], schema: pa.Schema) -> SparkRows:
        """Apply a function to the rows in any cut: one Arrow batch after another."""
        within = rows.schema

        def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            ignore_interrupts()
            for batch in batches:
                yield from _told(function(_heard([batch], within)), schema)

        return SparkRows(rows.frame.mapInArrow(work, _struct(schema)), schema)

    def exchange(
        self, rows: SparkRows, place: Callable[[pa.Table], pa.Array], columns: Sequence[str], n_partitions: int
    ) -> SparkRows:
        """Bring the rows together by the key that a function gives them: a shuffle.

        Only the columns that the function sees pass through Python here.
        """
        from pyspark.sql.functions import arrow_udf

        within = pa.schema([rows.schema.field(name) for name in columns])

        def key_of(*parts: pa.Array) -> pa.Array:
            ignore_interrupts()
            return place(pa.table(list(parts), names=within.names).cast(within)).cast(pa.int32())

        keys = arrow_udf(key_of, "int")(*columns)
        return SparkRows(rows.frame.withColumn(_KEY, keys).repartitionById(n_partitions, _KEY), rows.schema)

    def map(
        self,
        rows: SparkRows,
        function: Callable[[pa.Table, int], pa.Table],
        schema: pa.Schema,
        task: Task | None = None,
    ) -> SparkRows:
        """Apply a function to all rows of each partition, once the result is asked for."""
        within, done = rows.schema.append(pa.field(_KEY, pa.int32())), self._done

        def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            ignore_interrupts()
            table = _heard(list(batches), within)
            for key, part in split_by_key(table.drop_columns([_KEY]), table[_KEY].to_numpy()):
                result = function(ordered(part), key)
                done.add(len(result))
                yield from _told(result, schema)

        return SparkRows(rows.frame.mapInArrow(work, _struct(schema)), schema, task)

    def tally(self, rows: SparkRows, function: Callable[[pa.Table], pa.Table], columns: Sequence[str]) -> pa.Table:
        """Add up what a function counts, on the executors."""
        within = pa.schema([rows.schema.field(name) for name in columns])

        def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            ignore_interrupts()
            counted = [function(_heard([batch], within)) for batch in batches]
            yield from _told(add_up(pa.concat_tables([TALLY.empty_table(), *counted])), TALLY)

        counts = rows.frame.select(*columns).mapInArrow(work, _struct(TALLY))
        sums = counts.groupBy("item").sum("count").withColumnRenamed("sum(count)", "count")
        with _job():
            found = sums.toArrow()
        return found.cast(TALLY).sort_by("item").combine_chunks()

    def gather(self, rows: SparkRows, columns: Sequence[str]) -> pa.Table:
        """Bring some columns of all rows to the driver, in order."""
        wanted = list(dict.fromkeys([*columns, ORDER]))
        schema = pa.schema([rows.schema.field(name) for name in wanted])
        with _job(), self._watching(rows.task):
            found = rows.frame.select(*wanted).toArrow()
        return ordered(found.cast(schema)).select(list(columns))

    def checkpoint(self, rows: SparkRows, folder: Path) -> SparkRows:
        """Let the executors write all rows into a folder that all of them see."""
        with _job(), self._watching(rows.task):
            rows.frame.write.mode("overwrite").option("compression", "lz4_raw").parquet(str(folder.absolute()))
        return self.restore(folder, rows.schema)

    def restore(self, folder: Path, schema: pa.Schema) -> SparkRows:
        """Return the rows of a checkpoint."""
        if not folder.is_dir():
            raise DataError("there is no checkpoint here", file=folder)
        # With the schema given, no job is spent on finding it out.
        return SparkRows(self._spark.read.schema(_struct(schema)).parquet(str(folder.absolute())), schema)

    @contextlib.contextmanager
    def _watching(self, task: Task | None) -> Iterator[None]:
        """Tell a task what the executors say they have done, while the driver waits for them."""
        if task is None:
            yield
            return
        before, ended = self._done.value, threading.Event()

        def look() -> None:
            told = before
            last = False
            while not last:
                last = ended.wait(_LOOK_EVERY)
                task.advance(self._done.value - told)
                told = self._done.value

        watcher = threading.Thread(target=look, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            ended.set()
            watcher.join()


@contextlib.contextmanager
def _job() -> Iterator[None]:
    """Say of a job that failed what Spark says of it."""
    from py4j.protocol import Py4JJavaError  # pyspark speaks to Java by it
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        said = [line.strip() for line in str(error).splitlines() if line.strip() and not line.startswith("\t")]
        hint = "Spark's own messages stand above. Rounds that were done are kept: --resume goes on after them."
        told = " ".join(dict.fromkeys([*said[:2], *said[-1:]]))  # what happened stands first (Java) or last (Python)
        raise OnomaError(f"a job failed on Spark: {told}", hint=hint) from error


def _is_no_interrupt(record: logging.LogRecord) -> bool:
    """Let everything pass but what py4j has to say when Ctrl-C stops it, which is no error."""
    return record.msg != "KeyboardInterrupt while sending command."


def _heard(batches: Sequence[pa.RecordBatch], schema: pa.Schema) -> pa.Table:
    """Return what Spark sent as a table of the schema that was declared."""
    tables = [pa.Table.from_batches([batch]).select(schema.names).cast(schema) for batch in batches]
    return pa.concat_tables([schema.empty_table(), *tables])


def _told(table: pa.Table, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    yield from table.select(schema.names).cast(schema).to_batches(max_chunksize=65_536)


def _struct(schema: pa.Schema) -> Any:  # noqa: ANN401 (pyspark's type, which is not imported here)
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema)


def _session(master: str | None, options: dict[str, str], timeout: float) -> tuple["SparkSession", bool]:
    """Return a session, and whether it was begun here."""
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise UnsupportedError(
            "the engine spark needs pyspark, which is not installed", hint="pip install 'onoma[spark]'"
        ) from error
    _check_java()
    open_one = SparkSession.getActiveSession()
    if open_one is not None:
        return _same_master(open_one, master), False
    builder = SparkSession.builder
    for name, value in (_settings(master, timeout) | options).items():
        builder = builder.config(name, value)
    try:
        with _own_interrupts():
            session = builder.getOrCreate()
    except (PySparkException, OSError) as error:
        raise OnomaError(f"Spark did not start: {error}", hint="Spark's own messages stand above.") from error
    # Executors use the same Python, unless the cluster's has been named.
    session.sparkContext.pythonExec = os.environ.get("PYSPARK_PYTHON", sys.executable)
    if _is_standalone(master):
        _await_executor(session, str(master), timeout)
    return session, True


@contextlib.contextmanager
def _own_interrupts() -> Iterator[None]:
    """Keep what Ctrl-C does: Spark would make it give up all jobs at once."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


def _same_master(session: "SparkSession", master: str | None) -> "SparkSession":
    there = session.sparkContext.master
    if master is not None and master != there:
        raise SettingsError(
            f"a Spark session with the master {there} is open in this process, and {master} is asked for",
            hint="Stop it first, or use it: the engine spark.",
        )
    return session


def _settings(master: str | None, timeout: float) -> dict[str, str]:
    found = {
        "spark.app.name": "onoma",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
    }
    if master is not None:
        found["spark.master"] = master
    if _is_standalone(master):
        found["spark.driver.host"] = _reach(str(master), timeout)
    return found


def _is_standalone(master: str | None) -> bool:
    return master is not None and master.startswith("spark://")


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else "java"
    if shutil.which(java) is None:
        raise UnsupportedError(
            f"the engine spark needs Java 17 or newer, and there is no {java}",
            hint="Install a Java runtime, or set JAVA_HOME to one.",
        )


def _reach(master: str, timeout: float) -> str:
    """Return the address by which the cluster can call this machine back; say so if no master answers."""
    tried = []
    for place in master.removeprefix("spark://").split(","):
        host, separator, port = place.rpartition(":")
        if not separator or not port.isdigit():
            raise SettingsError(f"{master!r} is no address of a master", hint="It is spark://host:port.")
        begun = time.monotonic()
        while True:
            try:
                with socket.create_connection((host, int(port)), timeout=timeout) as connection:
                    return str(connection.getsockname()[0])
            except OSError as error:
                failure = error
            if time.monotonic() - begun + 1.0 >= timeout:
                break
            time.sleep(1.0)
        tried.append(f"{place} ({failure.strerror or failure})")
    raise OnomaError(
        f"no Spark master answers at {', '.join(tried)} within {timeout:.0f} s",
        hint="Is it running, and is this the port of the master (7077), not that of its web page?",
    )


def _await_executor(session: "SparkSession", master: str, timeout: float) -> None:
    """Wait for an executor: without one, the first job would wait for ever."""
    context: Any = session.sparkContext
    begun = time.monotonic()
    while len(context._jsc.sc().statusTracker().getExecutorInfos()) < 2:  # the driver is one of them
        if time.monotonic() - begun > timeout:
            session.stop()
            raise OnomaError(
                f"{master} gave no executor within {timeout:.0f} s",
                hint="It has no worker, none with memory enough (spark.executor.memory), or all are taken.",
            )
        time.sleep(0.1)
