"""The one pattern of all benchmarks: measure Onoma and a peer in one run, say both and the ratio."""

import gc
import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Measurement:
    """One line of a benchmark. `ratio` says how many times better Onoma is (above 1: better)."""

    name: str
    onoma: float
    peer: float | None
    ratio: float | None
    unit: str
    data: str
    command: str = ""
    peer_name: str = ""

    def json(self) -> str:
        """Return the line."""
        return json.dumps({key: _rounded(value) for key, value in asdict(self).items()})


def _rounded(value: object) -> object:
    return float(f"{value:.5g}") if isinstance(value, float) else value


def seconds(
    work: Callable[[], object], *, repeat: int = 3, warm: bool = True, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Return the best of some timings of a call, after one untimed call (which compiles and fills caches)."""
    if warm:
        work()
    best = float("inf")
    for _ in range(repeat):
        gc.collect()
        start = clock()
        work()
        best = min(best, clock() - start)
    return best


def in_fresh_process(code: str) -> dict[str, float]:
    """Run code in a new interpreter; return the JSON objects it prints, merged, with its `seconds` and `peak_mb`.

    On Linux `ru_maxrss` begins at the size of the process that started this one, so the kernel's own mark is read.
    """
    start = time.perf_counter()
    tail = """
import json, pathlib, resource
status = pathlib.Path("/proc/self/status")
lines = status.read_text().splitlines() if status.exists() else []
marks = [line.split()[1] for line in lines if line.startswith("VmHWM")]
peak = int(marks[0]) if marks else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"peak_mb": peak / 1024}))
"""
    done = subprocess.run([sys.executable, "-c", code + tail], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    result: dict[str, float] = {"seconds": time.perf_counter() - start}
    for line in lines:
        result |= line
    return result
