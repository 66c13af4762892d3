"""Several processes that answer: who asks sees one service, and none outlives the first."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from onoma.errors import SettingsError

pytest.importorskip("fastapi", reason="the extra serve is not installed")
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


@pytest.fixture
def process(kb):
    line = [sys.executable, "-m", "onoma", "serve", str(kb), "--port", "0", "--workers", "2"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as begun:
        home = "http://" + begun.stdout.readline().split("http://")[1].split()[0]
        yield begun, home
        if begun.poll() is None:
            begun.kill()


def children(number):
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(number)], capture_output=True, text=True, check=False)
    return [int(each) for each in found.stdout.split()]


def ask(home, row):
    body = json.dumps({"record": row}).encode()
    request = urllib.request.Request(f"{home}/api/find", body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.loads(answer.read())


def wait_until(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


def is_there(number):
    """Return whether a process runs; one that has ended may wait to be noticed."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_all_answer_alike_and_end_together(process, reader, rows, how):
    begun, home = process
    expected = reader.post("/api/find", json={"record": rows[4]}).json()
    assert all(ask(home, rows[4]) == expected for _ in range(6))
    both = children(begun.pid)
    assert len(both) == 2
    os.kill(both[0], signal.SIGKILL)  # it is replaced
    wait_until(lambda: len({*children(begun.pid)} - {both[0]}) == 2)
    assert ask(home, rows[4]) == expected
    both = children(begun.pid)
    begun.send_signal(how)
    begun.wait(60)
    assert "Traceback" not in begun.stderr.read()
    wait_until(lambda: not any(map(is_there, both)))


def test_who_writes_is_alone(kb):
    from onoma.cli.kb.serve import serve

    with pytest.raises(SettingsError, match="--workers is for reading"):
        serve(kb, write=True, workers=2)


@pytest.mark.parametrize(("kind", "is_free"), [("http", False), ("lifespan", True)])
def test_a_process_is_free_while_it_answers_nobody(kind, is_free):
    """The life of the server itself, which lasts as long as it does, is no answer."""
    from onoma.serve.workers import _Turns

    async def look():
        begun, end = asyncio.Event(), asyncio.Event()

        async def app(scope, receive, send):
            begun.set()
            await end.wait()

        turns = _Turns(app)
        answer = asyncio.create_task(turns({"type": kind}, None, None))
        await begun.wait()
        while_it_lasts = turns.free.is_set()
        end.set()
        await answer
        return while_it_lasts, turns.free.is_set()

    assert asyncio.run(look()) == (is_free, True)
