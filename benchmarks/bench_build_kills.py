"""A build that is killed again and again: SIGKILL at random moments, resumed, and the same tables in the end.

The tables of the run that comes through at last are compared with those of an undisturbed run. It needs ONOMA_DATA.
"""

import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.bench_build import write_documents
from benchmarks.measure import Measurement
from onoma.kb.database import read_knowledge_base
from onoma.pipeline.building.build import BuildJob, build

_TABLES = ("documents", "sentences", "mentions", "memberships", "entities", "statements", "facts", "changes")
_RUN = "from onoma.pipeline.building.build import *; from pathlib import Path; import sys; "
_RUN += "build(BuildJob((sys.argv[1],), Path(sys.argv[2])))"


def run(*, quick: bool) -> Iterator[Measurement]:
    n, kills = (40, 3) if quick else (100, 20)
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        write_documents(root / "documents", 0, n)
        begun = time.perf_counter()
        report = build(BuildJob((str(root / "documents"),), root / "kb.duckdb"))
        seconds = time.perf_counter() - begun
        n_kills, same = _killed(root, root / "documents", root / "kb.duckdb", seconds, kills=kills)
        said = f"{report.documents:,} documents, {report.mentions:,} mentions, {report.entities:,} entities"
        yield Measurement("kills, after which all tables are the same", n_kills if same else 0, None, None, "", said)


def _tables(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with read_knowledge_base(path) as base:
        return {name: sorted(base.rows(f"FROM {name}"), key=repr) for name in _TABLES}


def _killed(root: Path, folder: Path, truth: Path, seconds: float, *, kills: int) -> tuple[int, bool]:
    """Kill runs at random moments until one comes through; say how many were killed and whether tables are the same."""
    target = root / "killed.duckdb"
    rng = random.Random(7)
    done = 0
    while not target.exists():
        process = subprocess.Popen([sys.executable, "-c", _RUN, str(folder), str(target)])
        try:
            process.wait(timeout=None if done >= kills else rng.uniform(2.0, 4.0 + 2.0 * seconds / max(kills, 1)))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            done += 1
    return done, _tables(target) == _tables(truth)
