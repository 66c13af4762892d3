"""Killed at any moment while it adds, serves or erases: what was said to be kept is there, and the file opens.

One kill of each in every run of the tests; as many as ONOMA_TORTURE says in `make torture`.
"""

import contextlib
import http.client
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request

import pytest

from onoma.corpus.simulate import simulate_people
from onoma.kb.audit.seals import audit, seal_all
from onoma.kb.database import read_knowledge_base
from onoma.pipeline.output import store_outcome
from onoma.pipeline.resolution import Job, run_job
from onoma.resolve.config import ResolveConfig

N_KILLS = int(os.environ.get("ONOMA_TORTURE", "1"))
PATIENCE = 120.0
"""Seconds that a process may take to begin, on a machine that is busy."""

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals as POSIX has them")

ADDING = """
import json, sys
from pathlib import Path
from onoma.kb.lookup.live import Live
live = Live(Path(sys.argv[1]))
live.snapshot()
print("begun", flush=True)
for line in sys.stdin:
    print(live.add(json.loads(line)).record, flush=True)
"""
ERASING = """
import sys
from pathlib import Path
from onoma.kb.audit.erase import erase
print("begun", flush=True)
for key in sys.argv[2:]:
    erase(Path(sys.argv[1]), [key])
    print(key, flush=True)
"""


@pytest.fixture(scope="module")
def people():
    return simulate_people(400, seed=5)


@pytest.fixture(scope="module")
def first_base(people, tmp_path_factory):
    path = tmp_path_factory.mktemp("kills") / "people.duckdb"
    config = ResolveConfig(truth="cluster_id", no_check=True)
    store_outcome(run_job(Job(table=people.slice(0, 200), config=config)), path)
    seal_all(path)
    return path


@pytest.fixture
def kb(first_base, tmp_path):
    path = tmp_path / "people.duckdb"
    shutil.copyfile(first_base, path)
    return path


def rows_of(people):
    columns = [name for name in people.column_names if name != "cluster_id"]
    rows = people.slice(200).select(columns).to_pylist()
    return [{name: value for name, value in row.items() if value is not None} for row in rows]


def begin(script, *line):
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, line)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def kill(process):
    process.send_signal(signal.SIGKILL)
    rest = process.stdout.read() if process.stdout else ""
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream:
            stream.close()
    return rest.split()


def ids(path):
    with read_knowledge_base(path) as base:
        assert base.value("SELECT count(*) FROM memberships WHERE entity = ''") == 0  # nothing is half
        assert base.value("SELECT count(*) FROM memberships") == base.value("SELECT sum(size) FROM entities")
        return {str(key) for (key,) in base.rows("SELECT id FROM memberships")}


def test_what_was_added_is_there_after_any_kill(kb, people):
    rows, rng, said = rows_of(people), random.Random(1), set()
    for i in range(N_KILLS):
        process = begin(ADDING, kb)
        assert process.stdout.readline() == "begun\n", process.stderr.read()
        some = rows[(i * 5) % 190 : (i * 5) % 190 + 8]
        process.stdin.write("".join(json.dumps(row) + "\n" for row in some))
        process.stdin.flush()
        for _ in range(rng.randrange(3)):
            said.add(process.stdout.readline().strip())
        time.sleep(rng.random() * 0.5)
        said.update(kill(process))
        there = ids(kb)
        assert said <= there
        assert there <= {*people["id"].to_pylist()}


def test_what_was_erased_is_gone_after_any_kill_and_nothing_else_is(kb, people):
    rng, keys = random.Random(2), people["id"].slice(0, 200).to_pylist()
    gone, at = set(), 0
    for _ in range(N_KILLS):
        process = begin(ERASING, kb, *keys[at : at + 3])
        assert process.stdout.readline() == "begun\n", process.stderr.read()
        time.sleep(rng.random() * 2.5)
        gone.update(kill(process))
        there = ids(kb)
        assert not gone & there
        assert {*keys} - there <= {*keys[: at + 3]}
        assert audit(kb).is_whole
        at = (at + 3) % 190


def serve(path):
    """Begin a service that writes; return it and its address."""
    line = [sys.executable, "-m", "onoma", "serve", str(path), "--write", "--port", "0", "--token", "sesame"]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    end = time.monotonic() + PATIENCE
    told = ""
    while time.monotonic() < end and process.poll() is None:
        told = process.stdout.readline()
        if "http://" in told:
            return process, f"http://{told.split('http://')[1].split()[0]}"
    raise AssertionError(told)


def post(home, path, body):
    headers = {"content-type": "application/json", "authorization": "Bearer sesame"}
    request = urllib.request.Request(f"{home}{path}", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.load(answer)


def test_what_a_service_said_it_kept_is_there_after_any_kill(kb, people):
    pytest.importorskip("uvicorn", reason="the extra serve is not installed")
    rows, rng, said, judged = rows_of(people)[:90], random.Random(3), set(), 0  # beyond half as many it adds no more
    keys = people["id"].slice(0, 200).to_pylist()
    for i in range(N_KILLS):
        process, home = serve(kb)
        said.add(post(home, "/api/records", {"record": rows[-1 - i]})["record"])  # it is there once it says so
        killer = threading.Timer(0.2 + 2.0 * rng.random(), process.kill)
        killer.start()
        with contextlib.suppress(OSError, http.client.HTTPException):  # it was killed meanwhile
            for k in range(40):
                row = rows[(i * 7 + k) % len(rows)]
                said.add(post(home, "/api/records", {"record": row})["record"])
                pair = {"kind": "different", "a": keys[(i * 41 + k) % 199], "b": keys[199]}
                judged += len(post(home, "/api/judgements", pair)["judgements"])
        killer.join()
        process.wait()
        process.stdout.close()
        assert said <= ids(kb)
        with read_knowledge_base(kb) as base:
            assert base.value("SELECT count(*) FROM judgements") >= judged
