"""What it costs to begin: processor seconds of a new interpreter, once byte-compiled, and what it has loaded by then.

`peer` is the same interpreter with nothing to do. The best of some runs is taken, for a loaded machine only adds.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from benchmarks.measure import Measurement
from onoma.corpus.formats import write_table
from onoma.corpus.simulate import AuthorSettings, simulate_authors, simulate_people

ROWS = 3_000
AUTHORS, TEAM = 1_419, 12.0
BYTE_COMPILED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""An installed program is compiled to bytes once, whatever is said here."""
HEAVY = ("numba", "scipy", "duckdb", "pyarrow", "numpy", "pandas", "altair")
_AFTER = f"""
import json, resource, sys
used = resource.getrusage(resource.RUSAGE_SELF)
loaded = [name for name in {HEAVY} if name in sys.modules]
print(json.dumps({{"seconds": used.ru_utime + used.ru_stime, "loaded": loaded}}), file=sys.stderr)
"""
_COMMAND = """
import sys
sys.argv = ["onoma", {option!r}]
try:
    from onoma.cli.app import main
    main()
except SystemExit:
    pass
"""


def run(*, quick: bool) -> Iterator[Measurement]:
    repeat = 2 if quick else 10
    again = 2 if quick else 5
    people = simulate_people(ROWS, seed=1)
    yield from _small_table("onoma resolve", people, f"{ROWS:,} simulated people", [], again)
    authors = simulate_authors(AUTHORS, seed=1, settings=AuthorSettings(team=TEAM))
    about = f"{AUTHORS:,} simulated authors with lists of co-authors, {TEAM:g} to a paper"
    yield from _small_table("onoma resolve, trees", authors, about, ["--model", "hierarchical"], again)
    nothing, _ = _best("", repeat)
    for name, code in (
        ("import onoma", "import onoma"),
        ("onoma --version", _COMMAND.format(option="--version")),
        ("onoma --help", _COMMAND.format(option="--help")),
    ):
        took, loaded = _best(code, repeat)
        about = f"best of {repeat}; loaded: {', '.join(loaded) or 'nothing heavy'}"
        yield Measurement(f"startup/{name}", took, nothing, None, "s of processor", about, peer_name="python -c ''")


def _small_table(name: str, table: pa.Table, data: str, options: list[str], repeat: int) -> Iterator[Measurement]:
    """Resolve a small table from the shell: with an empty cache of kernels, and again."""
    with tempfile.TemporaryDirectory() as folder:
        write_table(table, Path(folder) / "rows.csv")
        line = [sys.executable, "-m", "onoma", "resolve", "rows.csv", "-o", "who.csv", "-q", *options]
        environment = BYTE_COMPILED | {"NUMBA_CACHE_DIR": str(Path(folder) / "kernels")}
        told = []
        for _ in range(repeat + 1):
            before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run(line, cwd=folder, env=environment, check=True, capture_output=True)
            wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
            told.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall))
    first, warm = told[0], min(told[1:])
    for what, (processor, wall), about in (
        ("first use, kernels compiled", first, "once"),
        ("warm", warm, f"best of {repeat}"),
    ):
        said = f"{data}, file to file, {about}; {wall:.2f} s on the wall"
        yield Measurement(f"startup/{name}, {what}", processor, None, None, "s of processor", said)


def _best(code: str, repeat: int) -> tuple[float, list[str]]:
    """Return the least processor time of fresh interpreters, after one that compiles, and what they had loaded."""
    told = []
    for _ in range(repeat + 1):
        done = subprocess.run(
            [sys.executable, "-c", code + _AFTER], capture_output=True, text=True, check=True, env=BYTE_COMPILED
        )
        told.append(json.loads(done.stderr.splitlines()[-1]))
    best = min(told[1:], key=lambda each: each["seconds"])
    return best["seconds"], best["loaded"]
