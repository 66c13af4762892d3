"""One record at a time: how long `find` and `add` take on a large knowledge base, and how right they are.

Latencies are wall seconds of single calls in this process; processor seconds stand beside them, for machines that are
busy. A knowledge base of simulated people is made first, without 1,000 of them chosen at random; these are then asked
about and added. Right is what the simulation says: the entity that most records of that person are in, or none.

Over HTTP eight clients ask a service of two processes at once: one after the other without a pause (what the service
can do), and each twice a second (people at their desks). Whether what is added so agrees with one batch is another
benchmark (`lookup_batch`).

`ONOMA_LOOKUP_SIZE` sets the number of records, `ONOMA_LOOKUP_BASE` names a knowledge base that was made before.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
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
CLIENTS = 8
WORKERS = 2
N_ADDED = 200


def run(*, quick: bool) -> Iterator[Measurement]:
    n = 3_000 if quick else int(os.environ.get("ONOMA_LOOKUP_SIZE", "1000000"))
    n_held = min(1_000, n // 60)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.duckdb"
        if os.environ.get("ONOMA_LOOKUP_BASE"):  # a copy of it: records are added
            shutil.copyfile(os.environ["ONOMA_LOOKUP_BASE"], path)
        held = make(path, n, n_held)
        data = f"{n:,} simulated people"
        yield from measure(path, held, data)
        yield from over_http(path, held, data, n_asked=10 if quick else 60)
        yield from adding(path, held, data)


def make(path: Path, n: int, n_held: int) -> list[dict[str, object]]:
    """Make a knowledge base of people, if it is not there; return those that were held out."""
    people = simulate_people(n + n_held, seed=5)
    out = held_out(n, n_held)
    if not path.exists():
        keep = people.take(pa.array(np.setdiff1d(np.arange(n + n_held), out)))
        config = ResolveConfig(truth=TRUTH, no_check=True)
        store_outcome(run_job(Job(table=keep, config=config)), path, command="benchmark")
    return people.take(pa.array(out)).to_pylist()


def held_out(n: int, n_held: int) -> np.ndarray:
    return np.sort(np.random.default_rng(0).choice(n + n_held, n_held, replace=False))


def measure(path: Path, held: list[dict[str, object]], data: str) -> Iterator[Measurement]:
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


def over_http(path: Path, held: list[dict[str, object]], data: str, *, n_asked: int) -> Iterator[Measurement]:
    """Let eight clients of a service, a process of its own, ask at once."""
    line = [sys.executable, "-m", "onoma", "serve", str(path), "--port", "0", "--workers", str(WORKERS)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        home = f"http://{process.stdout.readline().split('http://')[1].split()[0]}"
        for row in held[: 4 * WORKERS]:  # compiles, in each process
            ask(home, row)
        for pause, name in ((0.0, "without a pause"), (0.5, "each twice a second")):
            parts = [held[k::CLIENTS][:n_asked] for k in range(CLIENTS)]
            with ThreadPoolExecutor(CLIENTS) as pool:
                walls = [wall for found in pool.map(client, repeat(home), parts, repeat(pause)) for wall in found]
            for q in (0.5, 0.95):
                what = f"find over HTTP, {WORKERS} processes, {CLIENTS} clients {name}, p{int(100 * q)}"
                yield Measurement(what, 1_000 * float(np.quantile(walls, q)), None, None, "ms", data)
        parent = psutil.Process(process.pid)  # of what processes share, each has its part
        memory = sum(each.memory_full_info().pss for each in (parent, *parent.children())) / 1e6
        yield Measurement(f"memory of the service, {WORKERS} processes", memory, None, None, "MB", data)
        process.terminate()


def ask(home: str, row: dict[str, object]) -> float:
    body = json.dumps({"record": {name: value for name, value in row.items() if name != TRUTH}}).encode()
    request = urllib.request.Request(f"{home}/api/find", body, {"content-type": "application/json"})
    start = time.perf_counter()
    with urllib.request.urlopen(request, timeout=300) as answer:
        answer.read()
    return time.perf_counter() - start


def client(home: str, rows: list[dict[str, object]], pause: float) -> list[float]:
    found = []
    time.sleep(pause * random.random())
    for row in rows:
        found.append(ask(home, row))
        time.sleep(max(0.0, pause - found[-1]))
    return found


def adding(path: Path, held: list[dict[str, object]], data: str) -> Iterator[Measurement]:
    """Find and add each."""
    with read_knowledge_base(path) as base:
        before = dict(base.rows("SELECT id, entity FROM memberships"))
    live, walls, cpus, same = Live(path), [], [], []
    live.add({name: value for name, value in held[-1].items() if value is not None})  # reads, makes the index
    for row in held[:N_ADDED]:
        found = live.find(row)
        wall, cpu = time.perf_counter(), time.process_time()
        added = live.add({name: value for name, value in row.items() if value is not None})
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
        same.append((None if added.is_new else added.entity) == (found.best.entity if found.best else None))
    yield from _latency("add", walls, cpus, data)
    yield Measurement("add does what find said", float(np.mean(same)), None, None, "share", data)
    with read_knowledge_base(path) as base:
        now = dict(base.rows("SELECT id, entity FROM memberships"))
    kept = [now[key] == entity for key, entity in before.items()]
    yield Measurement("ids of records that were there, kept", float(np.mean(kept)), None, None, "share", data)


def _latency(what: str, walls: list[float], cpus: list[float], data: str) -> Iterator[Measurement]:
    for name, values in (("wall", walls), ("processor", cpus)):
        for q in (0.5, 0.95):
            value = 1_000 * float(np.quantile(values, q))
            yield Measurement(f"{what}, p{int(100 * q)}, {name}", value, None, None, "ms", data)
