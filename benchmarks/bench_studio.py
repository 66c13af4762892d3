"""The studio on a large knowledge base, over the loopback: first page, search, decision to next pair, many readers.

The first visit is that of somebody who opens the studio on a file: from the moment the command has its modules to the
whole first page, the index of words and the queue being made beside it. What a person waits for is measured where the
person is: whole answers over HTTP from another thread, wall milliseconds (processor seconds of the whole process stand
beside them, for machines that are busy). A decision is the answer that was sent and the next pair that came; it is
written meanwhile. `ONOMA_STUDIO_BASE` names a knowledge base to measure on.
"""

import contextlib
import os
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import numpy as np
import psutil
import uvicorn

from benchmarks.measure import Measurement
from onoma.cli.kb.listening import listening
from onoma.corpus.simulate import simulate_people
from onoma.pipeline.output import store_outcome
from onoma.pipeline.resolution import Job, run_job
from onoma.resolve.config import ResolveConfig
from onoma.studio.app import make_app
from onoma.studio.desk import Desk

TOKEN = "benchmark"


def run(*, quick: bool) -> Iterator[Measurement]:
    n = 2_000 if quick else 100_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(os.environ.get("ONOMA_STUDIO_BASE") or Path(folder) / "people.duckdb")
        if not path.exists():
            config = ResolveConfig(truth="cluster_id", no_check=True)
            store_outcome(run_job(Job(table=simulate_people(n, seed=5), config=config)), path, command="benchmark")
        with serving(path) as (client, desk, first):
            yield Measurement("first visit", first, None, None, "ms", _data(desk))
            yield from measure(client, desk, n_asked=30 if quick else 200, n_readers=50)


@contextlib.contextmanager
def serving(path: Path) -> Iterator[tuple[httpx.Client, Desk, float]]:
    """Serve a knowledge base; tell how many milliseconds the first page took."""
    begun = time.perf_counter()
    desk = Desk(path, write=True, by="benchmark")
    threading.Timer(0.5, desk.start).start()  # as the command does
    listener = listening("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(make_app(desk, token=TOKEN), log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    home = f"http://127.0.0.1:{listener.getsockname()[1]}"
    limits = httpx.Limits(max_connections=60)
    with httpx.Client(base_url=home, headers={"origin": home}, timeout=120, limits=limits) as client:
        client.get("/", params={"token": TOKEN}).raise_for_status()
        yield client, desk, 1_000 * (time.perf_counter() - begun)
    server.should_exit = True
    thread.join()
    desk.close()


def measure(client: httpx.Client, desk: Desk, *, n_asked: int, n_readers: int) -> Iterator[Measurement]:
    with desk.reading() as base:
        names = base.rows("SELECT given_name, surname FROM entities USING SAMPLE reservoir(400 ROWS) REPEATABLE (1)")
    data = _data(desk)
    rng = random.Random(0)
    yield from _latency("first page", _timed(lambda: client.get("/"), 10), data)
    start = time.perf_counter()
    desk.words()
    yield Measurement("opening: index of words", time.perf_counter() - start, None, None, "s", data)
    start = time.perf_counter()
    desk.queue.next(1)
    yield Measurement("opening: pairs worth most", time.perf_counter() - start, None, None, "s", data)
    asked = iter([_typed(rng, *rng.choice(names)) for _ in range(n_asked)])
    search = {"hx-request": "true"}
    table: list[dict] = []
    times = _timed(lambda: client.get("/search", params={"q": next(asked)}, headers=search), n_asked)
    yield from _latency("search with a typo", times, data)
    yield from _latency("decision to next pair", _timed(lambda: _decide(client, table), min(n_asked, 30)), data)
    yield from _latency(
        "decision to next pair, at a person's pace (1 s)", _timed(lambda: _decide(client, table), 15, pause=1.0), data
    )
    desk.queue.wait()
    yield Measurement("decisions kept", float(desk.queue.state()["kept"]), None, None, "answers", data)
    yield from _readers(client, names, n_readers, data)
    yield Measurement("memory", psutil.Process().memory_info().rss / 1e6, None, None, "MB", data)


def _data(desk: Desk) -> str:
    with desk.reading() as base:
        return f"{int(base.value('SELECT count(*) FROM memberships')):,} simulated people"


def _typed(rng: random.Random, given: str | None, surname: str | None) -> str:
    """Return a name with one letter wrong."""
    text = f"{given or ''} {surname or ''}".strip() or "smith"
    at = rng.randrange(len(text))
    return text[:at] + rng.choice("abcdefghijklmnopqrstuvwxyz") + text[at + 1 :]


def _decide(client: httpx.Client, table: list[dict]) -> httpx.Response:
    """Answer the pair on the table and get the next one; the pair itself was at hand before."""
    pair = table.pop() if table else client.get("/review/items", params={"most": 1}).json()["items"][0]
    client.post("/review/answer", json={"kind": "different", "a": pair["a"], "b": pair["b"]}).raise_for_status()
    found = client.get("/review/items", params={"most": 1})
    table.append(found.json()["items"][0])
    return found


def _timed(call: Callable[[], httpx.Response], n: int, *, pause: float = 0.0) -> tuple[list[float], float]:
    walls = []
    cpu = time.process_time()
    for _ in range(n):
        start = time.perf_counter()
        call().raise_for_status()
        walls.append(1_000 * (time.perf_counter() - start))
        time.sleep(pause)
    return walls, 1_000 * (time.process_time() - cpu) / n


def _readers(client: httpx.Client, names: list, n: int, data: str) -> Iterator[Measurement]:
    """Let many read at once, a bounded number of pages each."""
    with ThreadPoolExecutor(n) as pool:
        paths = [("/", {}), ("/search", {"q": "smith"}), ("/history", {}), ("/settings", {}), ("/review/state", {})]

        def one(i: int) -> list[tuple[int, float]]:
            found = []
            for path, query in paths:
                start = time.perf_counter()
                q = {"q": _typed(random.Random(i), *names[i % len(names)])} if query else {}
                code = client.get(path, params=q).status_code
                found.append((code, 1_000 * (time.perf_counter() - start)))
            return found

        answers = [each for found in pool.map(one, range(n)) for each in found]
    bad = sum(code != 200 for code, _ in answers)
    yield Measurement(f"{n} readers at once: answers that failed", float(bad), None, None, f"of {len(answers)}", data)
    yield from _latency(f"{n} readers at once", ([wall for _, wall in answers], float("nan")), data)


def _latency(what: str, found: tuple[list[float], float], data: str) -> Iterator[Measurement]:
    walls, cpu = found
    for q in (0.5, 0.95):
        yield Measurement(f"{what}, p{int(100 * q)}", float(np.quantile(walls, q)), None, None, "ms", data)
    if cpu == cpu:
        yield Measurement(f"{what}, processor", cpu, None, None, "ms", data)
