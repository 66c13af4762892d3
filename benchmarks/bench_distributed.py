"""What a round costs before the model does anything: rows are counted, placed, exchanged, handed over and kept.

Then what it costs with the cross-document model, on one machine and in partitions of like size: does it grow linearly?

Spark runs two executors of one core beside the driver, on this machine (`local-cluster`): processes of their own and a
real shuffle, but no network. Rows have the form of mentions in context, with bags of 30 words.
"""

import contextlib
import json
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.measure import Measurement
from onoma.corpus.simulate.links import simulate_links
from onoma.engines.engine import Engine
from onoma.engines.local import LocalEngine
from onoma.engines.spark import SparkEngine
from onoma.numerics.rng import stream
from onoma.pipeline.distributed import Stepping, run_rounds
from onoma.pipeline.distributed_mentions import MentionColumns, resolve_mentions
from onoma.progress import Task
from onoma.resolve.contract import RunContext
from onoma.resolve.partitions.rounds import MENTIONS, RoundSettings

SCHEMA = pa.schema([field.remove_metadata() for field in MENTIONS])
ROOT = Path(__file__).parents[1]
N_PARTITIONS = 8
N_ROUNDS = 4
"""The first starts Python on the executors and is left out."""
BAG = 30
SIZES = (10_000, 100_000, 1_500_000)
IN_A_PARTITION = 25_000
"""Mentions, where the model runs."""


def run(*, quick: bool) -> Iterator[Measurement]:
    with tempfile.TemporaryDirectory(prefix="onoma-bench-") as name:
        folder = Path(name)
        events = folder / "events"
        events.mkdir()
        begun = time.perf_counter()
        with SparkEngine("local-cluster[2,1,1024]", options=_options(events)) as spark, LocalEngine(2) as local:
            yield Measurement("start of a session", time.perf_counter() - begun, None, None, "s", "two executors")
            for n in (2_000, 10_000) if quick else SIZES:
                yield from _one_size(n, folder, spark, local, events)
        for n in (2_000, 10_000) if quick else SIZES:
            yield from _model(n, folder)


def _one_size(n: int, folder: Path, spark: SparkEngine, local: LocalEngine, events: Path) -> Iterator[Measurement]:
    data = f"{n:,} mentions with bags of {BAG} words, {N_PARTITIONS} partitions, an empty step"
    rows = folder / f"{n}.parquet"
    pq.write_table(_mentions(n), rows, compression="lz4")
    here = _a_round(local, rows, folder / f"local-{n}")
    before = _shuffled(events)
    there = _a_round(spark, rows, folder / f"spark-{n}")
    moved = (_shuffled(events) - before) / N_ROUNDS
    kept = sum(path.stat().st_size for path in (folder / f"spark-{n}").rglob("*.parquet"))
    for name, mine, other in zip(("processor time of a round", "a round"), there, here, strict=True):
        yield Measurement(f"{name}, Spark", mine, other, other / mine, "s", data, peer_name="local, 2 threads")
    yield Measurement("shuffled in a round", moved / 1e6, None, None, "MB", data)
    yield Measurement("shuffled for each mention", moved / n, None, None, "bytes", data)
    yield Measurement("checkpoint for each mention", kept / n, None, None, "bytes", data)


def _model(n: int, folder: Path) -> Iterator[Measurement]:
    """Run the real model on simulated links: preparation, and rounds."""
    rows, kept = folder / f"links-{n}.parquet", folder / f"links-{n}"
    pq.write_table(simulate_links(n, seed=0), rows)
    settings = RoundSettings(n_partitions=max(2, n // IN_A_PARTITION), n_rounds=3)
    ends: list[float] = [time.process_time()]
    with LocalEngine(2) as engine:
        found = resolve_mentions(
            engine, [rows], MentionColumns(), folder=kept, rounds=settings, run=RunContext(progress=_Ends(ends))
        )
    spent = np.diff([*ends, time.process_time()])
    data = f"{n:,} simulated links, {settings.n_partitions} partitions, {len(found.manifest.rounds)} rounds, local"
    yield Measurement("words, names and bags, each mention", 1e6 * spent[0] / n, None, None, "µs", data)
    yield Measurement("round of the cross-document model, each mention", 1e6 * spent[2] / n, None, None, "µs", data)
    size = sum(path.stat().st_size for path in (kept / "round-00003").iterdir())
    yield Measurement("checkpoint of the model, each mention", size / n, None, None, "bytes", data)
    if n == SIZES[-1]:  # what was needed for smaller ones is not to be seen any more
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        yield Measurement("memory, with the simulated table", peak, None, None, "GB", data)


class _Ends:
    """Notes the processor time at the end of each task."""

    def __init__(self, ends: list[float]) -> None:
        self._ends = ends

    def task(self, name: str, total: int | None = None, unit: str = "") -> Task:  # noqa: ARG002
        return self

    def advance(self, n: int = 1, **facts: float | str) -> None:
        pass

    def __enter__(self) -> "_Ends":
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.append(time.process_time())


def empty_step(partition: pa.Table, *, settings: object, seed: int, round: int, key: int) -> pa.Table:  # noqa: ARG001
    """Leave everything as it is."""
    return partition


def _a_round(engine: Engine[Any], rows: Path, folder: Path) -> tuple[float, float]:
    """Return the median processor time, of driver and executors, and the median time of a round."""
    spent: list[float] = []
    found = run_rounds(
        engine,
        lambda: engine.scan([rows], SCHEMA),
        Stepping(empty_step, SCHEMA, {}),
        RoundSettings(n_partitions=N_PARTITIONS, n_rounds=N_ROUNDS),
        RunContext(),
        folder=folder,
        watch=lambda *_: spent.append(_processor_time()),
    )
    seconds = [record.seconds for record in found.manifest.rounds[1:]]
    return float(np.median(np.diff(spent))), float(np.median(seconds))


def _processor_time() -> float:
    """Return the seconds that this process and all it has started have used."""
    here = psutil.Process()
    total = 0.0
    for process in [here, *here.children(recursive=True)]:
        with contextlib.suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


def _mentions(n: int) -> pa.Table:
    rng = stream(n, "bags")
    ids = np.arange(n)
    offsets = pa.array(np.arange(0, BAG * n + 1, BAG), pa.int32())
    tokens = pa.array((200_000 * rng.random(BAG * n) ** 3).astype(np.int32))
    weights = pa.array(rng.random(BAG * n, dtype=np.float32))
    above = rng.integers(0, max(n // 20, 1), n)
    lists = [pa.ListArray.from_arrays(offsets, values) for values in (tokens, weights)]
    return pa.table([ids, ids, ids, above, above, *lists], names=SCHEMA.names).cast(SCHEMA)


def _options(events: Path) -> dict[str, str]:
    return {
        "spark.driver.memory": "1g",
        "spark.executor.memory": "1g",
        "spark.executorEnv.PYTHONPATH": str(ROOT),
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.dir": events.as_uri(),
    }


def _shuffled(events: Path) -> int:
    """Return the bytes that all tasks so far wrote for others."""
    total = 0
    for path in events.iterdir():
        for line in path.read_text().splitlines():
            if '"SparkListenerTaskEnd"' in line and line.endswith("}"):
                metrics = json.loads(line).get("Task Metrics") or {}
                total += metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
    return total
