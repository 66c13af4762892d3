"""Killed and interrupted at any moment: nothing is lost, nothing is half, nothing is left, no traceback.

Two interrupts in every run of the tests; as many moments of each kind as ONOMA_TORTURE says in `make torture`.
"""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from onoma.corpus.formats import write_table
from onoma.corpus.simulate import simulate_people
from onoma.kb.database import read_knowledge_base

N_MOMENTS = int(os.environ.get("ONOMA_TORTURE", "0"))
HANGS = 10.0 if N_MOMENTS else 20.0
"""Seconds after which a command hangs; among all tests the machine is busy."""

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals as POSIX has them")


def begin(folder, *line):
    return subprocess.Popen(
        [sys.executable, "-m", "onoma", *line],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"ONOMA_DEBUG": ""},
    )


def complete(folder, *line):
    begun = time.monotonic()
    process = begin(folder, *line)
    _, err = process.communicate()
    assert process.returncode == 0, err
    return time.monotonic() - begun, err


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """People in two files, and a knowledge base of the first."""
    place = tmp_path_factory.mktemp("torture")
    people = simulate_people(120, seed=2)
    write_table(people.slice(0, 100), place / "people.csv")
    write_table(people.slice(100), place / "more.csv")
    (place / "long.toml").write_text("samples = 3000\n")
    if N_MOMENTS:
        complete(place, "resolve", "people.csv", "-o", "kb.duckdb")
    return place


LINES = (
    ("resolve", "people.csv", "-o", "out", "--settings", "long.toml"),
    ("resolve", "more.csv", "--into", "kb.duckdb"),
    ("resolve", "people.csv", "-o", "new.duckdb"),
    ("export", "kb.duckdb", "-o", "exported", "-f", "csv"),
)


def moments(folder):
    """Yield commands and the seconds after which each is stopped, spread over the time each takes."""
    if not N_MOMENTS:
        yield from ((LINES[2], 0.5), (LINES[0], 2.0))
    takes = {}
    for number in range(N_MOMENTS):
        line = LINES[number % len(LINES)]
        if line not in takes:
            takes[line] = complete(folder, *line)[0]
        yield line, takes[line] * (number + 0.5) / N_MOMENTS


def check_whole(folder):
    """Every output is as one run made it."""
    for name in ("kb.duckdb", "new.duckdb"):
        if (folder / name).exists():
            with read_knowledge_base(folder / name) as base:
                assert base.value("SELECT count(*) FROM record_current") >= 100
    out = folder / "out"
    if out.exists():
        names = {each.name for each in out.iterdir() if not each.name.startswith(".")} - {"resume.npz"}
        assert {"memberships.parquet", "entities.parquet", "pairs.parquet", "summary.json", "report.html"} <= names


def parts(folder):
    return [each.name for each in folder.rglob(".*")]


@pytest.mark.skipif(not N_MOMENTS, reason="minutes of work: make torture")
def test_kills_lose_nothing_and_the_next_run_puts_all_in_order(folder):
    for line, after in moments(folder):
        process = begin(folder, *line)
        time.sleep(after)
        process.kill()
        process.communicate()
        check_whole(folder)
    said = ""
    left = parts(folder)
    for line in LINES:
        said += complete(folder, *line)[1]
    check_whole(folder)
    assert [name for name in parts(folder) if not name.endswith(".lock")] == []
    assert not [name for name in left if ".part" in name] or "put in order what a killed run left" in said


KILLED = """
import os, pathlib, signal, sys

number, real = int(sys.argv.pop(1)), pathlib.Path.replace


def replace(self, target):
    global number
    number -= self.parent.resolve().is_relative_to(pathlib.Path.cwd()) and ".job" not in self.name
    if number == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(self, target)


pathlib.Path.replace = replace
from onoma.cli.app import main

main()
"""
"""The command, killed just before it moves its second, third, … working file to its place."""


@pytest.mark.parametrize(("target", "number"), [("new.duckdb", 1), ("out", 2)])
def test_killed_just_before_a_rename(tmp_path, target, number):
    write_table(simulate_people(60, seed=2), tmp_path / "people.csv")
    line = ("resolve", "people.csv", "-o", target, "--no-check")
    if target == "out":
        complete(tmp_path, *line)
        before = {each.name: each.read_bytes() for each in (tmp_path / "out").iterdir()}
        write_table(simulate_people(70, seed=3), tmp_path / "people.csv")
    killed = subprocess.run([sys.executable, "-c", KILLED, str(number), *line], cwd=tmp_path, capture_output=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert [name for name in parts(tmp_path) if ".part" in name]
    if target == "out":  # no new table stands beside an old report
        assert {name: (tmp_path / "out" / name).read_bytes() for name in before} == before
    said = complete(tmp_path, *line)[1]
    assert "put in order what a killed run left" in said
    assert parts(tmp_path) == []


def test_interrupts_are_quiet_and_quick(folder):
    for line, after in moments(folder):
        before = set(parts(folder))
        process = begin(folder, *line)
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        try:
            _, err = process.communicate(timeout=HANGS)
        except subprocess.TimeoutExpired:
            process.kill()
            _, err = process.communicate()
            pytest.fail(f"{line} hangs after Ctrl-C at {after:.2f} s: {err}")
        # Before the first of our lines Python itself answers: by the signal, or with the way it was loading.
        is_ours = re.search(r"Traceback.*onoma/(?!__main__)", err, re.DOTALL)
        assert not is_ours and "unforeseen" not in err, (line, after, err)
        assert process.returncode in (0, 130) or "onoma" not in err, (line, after, process.returncode, err)
        assert set(parts(folder)) <= before, (line, after)
        check_whole(folder)


def test_it_runs_as_a_module(folder):
    assert Path(sys.executable).exists()
    done = subprocess.run([sys.executable, "-m", "onoma", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("onoma ")
