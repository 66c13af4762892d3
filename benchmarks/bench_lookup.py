"""One record at a time: how long `find` and `add` take on a large knowledge base, and how right they are.

Latencies are wall seconds of single calls in this process; processor seconds stand beside them, for machines that are
busy. A knowledge base of simulated people is made first, without 1,000 of them chosen at random; these are then asked
about and added. Right is what the simulation says: the entity that most records of that person are in, or none.
"""

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa

from benchmarks.measure import Measurement
from onoma.corpus.simulate import simulate_people
from onoma.kb.database import read_knowledge_base
from onoma.kb.lookup.live import Live
from onoma.pipeline.output import store_outcome
from onoma.pipeline.resolution import Job, run_job
from onoma.resolve.config import ResolveConfig

TRUTH = "cluster_id"


def run(*, quick: bool) -> Iterator[Measurement]:
    n, n_held = (3_000, 50) if quick else (1_000_000, 1_000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(os.environ.get("ONOMA_LOOKUP_BASE") or Path(folder) / "people.duckdb")
        held = make(path, n, n_held)
        yield from measure(path, held, f"{n:,} simulated people", n_added=min(n_held, 200))


def make(path: Path, n: int, n_held: int) -> list[dict[str, object]]:
    """Make a knowledge base of people, if it is not there; return those that were held out."""
    people = simulate_people(n + n_held, seed=5)
    out = np.sort(np.random.default_rng(0).choice(n + n_held, n_held, replace=False))
    if not path.exists():
        keep = people.take(pa.array(np.setdiff1d(np.arange(n + n_held), out)))
        store_outcome(run_job(Job(table=keep, config=ResolveConfig(truth=TRUTH))), path, command="benchmark")
    return people.take(pa.array(out)).to_pylist()


def measure(path: Path, held: list[dict[str, object]], data: str, *, n_added: int) -> Iterator[Measurement]:
    with read_knowledge_base(path) as base:
        truth = dict(base.rows(f"SELECT entity, mode({TRUTH}) FROM record_current GROUP BY entity"))
        there = {str(key) for (key,) in base.rows(f"SELECT DISTINCT {TRUTH} FROM records")}
    start = time.perf_counter()
    live = Live(path)
    live.snapshot()
    yield Measurement("opening: reading and the index", time.perf_counter() - start, None, None, "s", data)
    live.find(held[0])  # compiles
    found, walls, cpus = [], [], []
    for row in held:
        wall, cpu = time.perf_counter(), time.process_time()
        found.append(live.find(row))
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    right = [
        truth[each.best.entity] == row[TRUTH] if each.best else str(row[TRUTH]) not in there
        for each, row in zip(found, held, strict=True)
    ]
    yield from _latency("find", walls, cpus, data)
    yield Measurement("find is right", float(np.mean(right)), None, None, "share", data)
    yield Measurement("memory", psutil.Process().memory_info().rss / 1e6, None, None, "MB", data)
    yield from _adding(live, held[:n_added], found, data)


def _adding(live: Live, held: list[dict[str, object]], found: list, data: str) -> Iterator[Measurement]:
    walls, cpus, same = [], [], []
    for row, before in zip(held, found, strict=False):
        wall, cpu = time.perf_counter(), time.process_time()
        added = live.add({name: value for name, value in row.items() if value is not None})
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
        same.append((None if added.is_new else added.entity) == (before.best.entity if before.best else None))
    yield from _latency("add", walls, cpus, data)
    yield Measurement("add does what find said", float(np.mean(same)), None, None, "share", data)


def _latency(what: str, walls: list[float], cpus: list[float], data: str) -> Iterator[Measurement]:
    for name, values in (("wall", walls), ("processor", cpus)):
        for q in (0.5, 0.95):
            value = 1_000 * float(np.quantile(values, q))
            yield Measurement(f"{what}, p{int(100 * q)}, {name}", value, None, None, "ms", data)
