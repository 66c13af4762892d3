"""`onoma plan` on a million rows: seconds on the wall from the shell to the prompt, kernels compiled beforehand.

`peer` is the same command on a tenth of the rows: the plan looks at some stretches of a file, however long that is.
"""

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.bench_startup import BYTE_COMPILED
from benchmarks.measure import Measurement
from onoma.corpus.formats import write_table
from onoma.corpus.simulate import simulate_people

ROWS, QUICK_ROWS, REPEAT = 1_000_000, 20_000, 5


def run(*, quick: bool) -> Iterator[Measurement]:
    n = QUICK_ROWS if quick else ROWS
    with tempfile.TemporaryDirectory() as folder:
        people = simulate_people(n, seed=1)
        write_table(people, Path(folder) / "people.csv")
        write_table(people.slice(0, n // 10), Path(folder) / "tenth.csv")
        _plan(folder, "tenth.csv")  # compiles
        whole, tenth = (min(_plan(folder, name) for _ in range(REPEAT)) for name in ("people.csv", "tenth.csv"))
    data = f"{n:,} simulated people, CSV, best of {REPEAT}; {whole[1]:.2f} s of processor"
    peer = f"{n // 10:,} rows"
    yield Measurement("onoma plan", whole[0], tenth[0], None, "s on the wall", data, peer_name=peer)


def _plan(folder: str, name: str) -> tuple[float, float]:
    """Run the command; return seconds on the wall and of the processor."""
    line = [sys.executable, "-m", "onoma", "plan", name]
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(line, cwd=folder, env=BYTE_COMPILED, check=True, capture_output=True)
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
