"""Where the time and the memory of a large table go: `python -m benchmarks.profile_scale [ROWS] [--keep FILE]`.

Runs the command `onoma resolve` over simulated people in one process and prints for each stage the processor seconds,
the seconds on the wall, the most memory that the process had during it, what was done, and the least time that this
could take on the machine that it runs on: bytes over the bandwidth of memory, accesses and comparisons over the rate
of a loop that does nothing else. Those rates are measured first, on one core. A stage that uses both cores of two has a
wall time of half its processor time at best.
"""

import argparse
import importlib
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

STAGES = {
    "onoma.cli.resolve.read_job": "reading",
    "onoma.resolve.api.make_ready": "preparing",
    "onoma.resolve.api.fold_rows": "preparing",
    "onoma.resolve.posterior.pairs.find_candidates": "canopies: neighbours",
    "onoma.resolve.blocking.canopies._bags": "canopies: features",
    "onoma.resolve.blocking.canopies.inverted_lists": "canopies: features",
    "onoma.resolve.posterior.pairs.gather_evidence": "comparison",
    "onoma.resolve.models.copying.model.choose_weights": "weights",
    "onoma.resolve.models.copying.model.edge_weights": "weights",
    "onoma.resolve.models.copying.model.solve_small": "solving, sampling",
    "onoma.resolve.models.copying.model.sample": "solving, sampling",
    "onoma.resolve.posterior.exact.Solved.joined": "solving, sampling",
    "onoma.resolve.models.copying.model.posterior_of": "agreeing",
    "onoma.cli.resolve.write_outcome": "writing",
}
"""Where each stage is entered; one that is entered from another is not counted for both."""
START, REST = "start", "between stages"


@dataclass
class Spent:
    """What a stage took."""

    processor: float = 0.0
    wall: float = 0.0
    peak_mb: float = 0.0
    left_mb: float = 0.0
    """What the process has at its end."""


@dataclass
class Ledger:
    """Whom the time since the last change of stages, and the memory, is charged to."""

    stages: dict[str, Spent] = field(default_factory=dict)
    stack: list[str] = field(default_factory=lambda: [START])
    counts: dict[str, float] = field(default_factory=dict)
    last: tuple[float, float] = field(default_factory=lambda: (0.0, time.perf_counter()))

    def charge(self) -> None:
        """Charge what was spent since to the stage that is on."""
        now = time.process_time(), time.perf_counter()
        spent = self.stages.setdefault(self.stack[-1], Spent())
        spent.processor += now[0] - self.last[0]
        spent.wall += now[1] - self.last[1]
        spent.peak_mb, spent.left_mb = max(spent.peak_mb, _peak_mb()), _status("VmRSS")
        self.last = now

    def within(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function, charged to a stage."""

        @wraps(function)
        def charged(*given: Any, **named: Any) -> Any:  # noqa: ANN401
            self.charge()
            if self.stack == [START]:
                self.stack[0] = REST
            self.stack.append(stage)
            try:
                found = function(*given, **named)
                self.charge()
            finally:
                self.stack.pop()
            self.look(function.__name__, given, found)
            return found

        return charged

    def look(self, name: str, given: tuple[Any, ...], found: Any) -> None:  # noqa: ANN401
        """Count what was done."""
        counts = self.counts
        if name == "make_ready":
            counts["rows"], counts["fields"] = len(found.table), len(found.fields.fields)
            counts["values"] = sum(len(each.values) for each in found.fields.fields)
            counts["bytes"] = found.table.nbytes
        elif name == "inverted_lists":
            sizes = np.diff(found[0]).astype(np.float64)
            counts["entries"], counts["postings"] = float(sizes.sum()), float((sizes**2).sum())
        elif name == "find_candidates":
            counts["pairs"] = len(found)
        elif name == "gather_evidence":
            counts["compared"] = float(np.count_nonzero(found.levels > 0))
            counts["cells"] = float(found.levels.size)
        elif name == "solve_small":
            counts["solved"] = sum(len(group.members) for group in found.groups)
            counts["sampled"] = len(found.rest)
            counts["plausible"] = float(np.count_nonzero(np.add(*found.left) > 0))
        elif name == "sample":
            counts["sweeps"] = given[2].burn_in + given[2].samples


def _peak_mb() -> float:
    """Return the most memory that this process had since it was last asked."""
    found = _status("VmHWM")
    Path("/proc/self/clear_refs").write_text("5")
    return found


def _status(name: str) -> float:
    found = re.search(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return 0.0 if found is None else int(found[1]) / 1024


def run(path: str, target: str, report: str) -> None:
    """Resolve a table and write what each stage took."""
    from onoma.cli.light import numba_alone  # as the command does, before anything loads Numba

    ledger = Ledger()
    numba_alone()
    for name in STAGES:
        place, _, attribute = name.rpartition(".")
        holder = _find(place)
        setattr(holder, attribute, ledger.within(STAGES[name], getattr(holder, attribute)))
    sys.argv = ["onoma", "resolve", path, "-o", target, "--quiet"]
    from onoma.cli.app import app

    app(standalone_mode=False)
    ledger.charge()
    stages = {name: vars(spent) for name, spent in ledger.stages.items()}
    Path(report).write_text(json.dumps({"stages": stages, "counts": ledger.counts}, indent=1) + "\n", "utf-8")


def _find(place: str) -> Any:  # noqa: ANN401
    """Return a module, or what stands in one."""
    try:
        return importlib.import_module(place)
    except ModuleNotFoundError:
        outer, _, name = place.rpartition(".")
        return getattr(_find(outer), name)


@dataclass(frozen=True)
class Rates:
    """What one core of this machine can do in a second."""

    bytes: float
    """Copied from one place to another: read and written."""
    near: float
    """Additions to places of a table that the nearest memory holds, in no order."""
    far: float
    """Numbers fetched from an array that no cache holds, in no order."""
    slips: float
    """Pairs of codes of ten signs, held by the nearest memory, compared."""


def measure_rates() -> Rates:
    """Measure them; each takes less than a second."""
    import numba as nb

    from onoma.resolve.fields.packed.texts import Texts

    add_near, sum_far = nb.njit(nogil=True)(_add_near), nb.njit(nogil=True)(_sum_far)
    rng = np.random.default_rng(0)
    big = np.ones(32_000_000)
    other = np.empty_like(big)
    steps = rng.integers(0, 4_096, 10_000_000).astype(np.int32)
    table = np.zeros(4_096, dtype=np.float32)
    jumps = rng.integers(0, len(big), 5_000_000).astype(np.int32)
    texts = Texts(["".join(map(str, row)) for row in rng.integers(0, 10, (2_000, 10))])
    a, b = rng.integers(0, 2_000, (2, 1_000_000)).astype(np.int32)
    return Rates(
        bytes=2 * big.nbytes / _best(lambda: np.copyto(other, big)),
        near=len(steps) / _best(lambda: add_near(table, steps)),
        far=len(jumps) / _best(lambda: sum_far(big, jumps)),
        slips=len(a) / _best(lambda: texts.slips(a, b)),
    )


def _add_near(table: NDArray[np.float32], steps: NDArray[np.int32]) -> None:
    for step in steps:
        table[step] += np.float32(1.0)


def _sum_far(numbers: NDArray[np.float64], jumps: NDArray[np.int32]) -> float:
    total = 0.0
    for jump in jumps:
        total += numbers[jump]
    return total


def _best(work: Callable[[], object]) -> float:
    work()
    found = []
    for _ in range(3):
        begun = time.perf_counter()
        work()
        found.append(time.perf_counter() - begun)
    return min(found)


def limits(counts: dict[str, float], rates: Rates) -> dict[str, tuple[str, float]]:
    """Return for each stage what it does, and the least processor seconds that this takes."""
    n, cells = counts["rows"], counts["rows"] * counts["fields"]
    read, written = counts["bytes"], 4 * cells
    return {
        "reading": (f"{read / 1e6:,.0f} MB of columns, moved once", 2 * read / rates.bytes),
        "preparing": (
            f"{cells / 1e6:.1f} million cells to {counts['values'] / 1e6:.2f} million distinct values: every byte moved"
            " once, one access a cell to number it",
            (read + written) / rates.bytes + cells / rates.far,
        ),
        "canopies: features": (
            f"{counts['entries'] / n:.0f} features a record: each entry written once, and fetched once to be listed",
            8 * counts["entries"] / rates.bytes + counts["entries"] / rates.far,
        ),
        "canopies: neighbours": (
            f"{counts['postings'] / n:,.0f} postings a record: each read once and added once",
            4 * counts["postings"] / rates.bytes + counts["postings"] / rates.near,
        ),
        "comparison": (
            f"{counts['pairs'] / 1e6:.2f} million pairs, {counts['compared'] / 1e6:.1f} million pairs of different"
            " values: two accesses a cell, a comparison of codes for each that differs",
            2 * counts["cells"] / rates.far + counts["compared"] / rates.slips,
        ),
        "weights": (
            "every pair weighed twice (from few pairs once more for each round): its levels read, two numbers written",
            2 * (counts["cells"] + 16 * counts["pairs"]) / rates.bytes,
        ),
        "solving, sampling": (
            f"{counts['solved']:,.0f} components solved, {counts['plausible']:,.0f} pairs sampled in"
            f" {counts['sweeps']:.0f} sweeps: one access for each neighbour",
            2 * counts["plausible"] * counts["sweeps"] / rates.far,
        ),
        "writing": ("the columns, moved once", 2 * read / rates.bytes),
    }


def lines(told: dict[str, Any], rates: Rates) -> Iterator[str]:
    """Yield the profile as a table of Markdown."""
    least = limits(told["counts"], rates)
    yield "| stage | processor s | wall s | peak MB | left MB | what is done | least s | times that |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, spent in told["stages"].items():
        what, seconds = least.get(name, ("", 0.0))
        told_least = (f"{seconds:.2f}", f"{spent['processor'] / seconds:.0f}") if seconds else ("", "")
        figures = f"{spent['processor']:.1f} | {spent['wall']:.1f} | {spent['peak_mb']:,.0f} | {spent['left_mb']:,.0f}"
        yield f"| {name} | {figures} | {what} | {told_least[0]} | {told_least[1]} |"
    total = {each: sum(spent[each] for spent in told["stages"].values()) for each in ("processor", "wall")}
    peak = max(spent["peak_mb"] for spent in told["stages"].values())
    yield f"| in all | {total['processor']:.1f} | {total['wall']:.1f} | {peak:,.0f} | | | | |"
    yield ""
    yield (
        f"One core here moves {rates.bytes / 1e9:.1f} GB/s, adds to {rates.near / 1e6:,.0f} million places of a small"
        f" table, fetches {rates.far / 1e6:,.0f} million numbers from a large array and compares"
        f" {rates.slips / 1e6:,.0f} million pairs of codes a second."
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.profile_scale", description=__doc__)
    parser.add_argument("rows", nargs="?", type=int, default=200_000)
    parser.add_argument("--keep", type=Path, help="write the answer here, to compare it")
    chosen = parser.parse_args()
    import pyarrow.parquet as pq

    from onoma.corpus.simulate import simulate_people

    with tempfile.TemporaryDirectory() as folder:
        path, report = Path(folder) / "people.parquet", Path(folder) / "report.json"
        pq.write_table(simulate_people(chosen.rows, seed=0), path)
        target = chosen.keep or Path(folder) / "found.parquet"
        code = "import sys; from benchmarks.profile_scale import run; run(*sys.argv[1:])"
        subprocess.run([sys.executable, "-c", code, path, target, report], check=True, stdout=subprocess.DEVNULL)
        for line in lines(json.loads(report.read_text("utf-8")), measure_rates()):
            print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
