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
_RUN = "from onoma.pipeline.building.build import *; from pathlib import Path; import sys; print('begun', flush=True); "
_RUN += "build(BuildJob((sys.argv[1],), Path(sys.argv[2])))"


def run(*, quick: bool) -> Iterator[Measurement]:
    n, kills = (20, 3) if quick else (100, 20)
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        write_documents(root / "documents", 0, n)
        begun = time.perf_counter()
        report = build(BuildJob((str(root / "documents"),), root / "kb.duckdb"))
        seconds = time.perf_counter() - begun
        n_kills, n_ends, differ = _killed(root, root / "documents", root / "kb.duckdb", seconds, kills=kills)
        said = f"{report.documents:,} documents, {report.mentions:,} mentions, {report.entities:,} entities"
        yield Measurement("kills", n_kills, None, None, "", said)
        yield Measurement("runs that came through between them", n_ends, None, None, "", said)
        tables = f"{said}; {', '.join(differ) or 'none'} of {', '.join(_TABLES)}"
        yield Measurement("tables that differ from an undisturbed run's", len(differ), None, None, "", tables)


def _tables(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with read_knowledge_base(path) as base:
        return {name: sorted(base.rows(f"FROM {name}"), key=repr) for name in _TABLES}


def _killed(root: Path, folder: Path, truth: Path, seconds: float, *, kills: int) -> tuple[int, int, list[str]]:
    """Kill runs at random moments of their work; return the kills, the runs that ended, and which tables differ.

    The clock of a run begins when the program is loaded, so that kills meet the work on a busy machine, too. A run that
    comes through is compared and taken away, until there were enough kills and one more run came through.
    """
    target = root / "killed.duckdb"
    theirs = _tables(truth)
    rng = random.Random(7)
    done = n_ends = 0
    differ: set[str] = set()
    while True:
        command = [sys.executable, "-c", _RUN, str(folder), str(target)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            process.stdout.readline()
            try:
                process.wait(timeout=None if done >= kills else rng.uniform(0.1, seconds / 4.0))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
                done += 1
                continue
        ours = _tables(target)
        differ |= {name for name in _TABLES if ours[name] != theirs[name]}
        n_ends += 1
        if done >= kills:
            return done, n_ends, sorted(differ)
        target.unlink()
