"""Records in partitions on Spark: is the same job faster with more executors, and how far would that go?

Simulated authors are resolved by trees, on one executor of one core and on two, which are processes of their own beside
the driver (`local-cluster`); the entities must be the same. Time on the wall tells only where nothing else is at work,
so processor time is told apart, too: the driver's, which is in one place, and the executors', which is shared. Two
sizes give what a record costs in each, s and p, beyond what a job costs whatever it holds. On c cores, n records take

    n·s + n·p/c + what is shuffled through the network

and s/(s + p) is the serial share. Both grow linearly: rows of a canopy are resolved by themselves, and what the driver
does are passes over the rows. That the driver has the memory is assumed.
"""

import contextlib
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa

from benchmarks.bench_distributed import ROOT, _options, _shuffled
from benchmarks.measure import Measurement
from onoma.corpus.simulate import simulate_authors
from onoma.engines.spark import SparkEngine
from onoma.resolve.api import resolve
from onoma.resolve.config import ResolveConfig
from onoma.resolve.partitions.carrier import Carrier

SIZES, FEW = (4_000, 20_000), (1_000, 2_000)
N_PARTITIONS = 8
FAR_ROWS, FAR_MACHINES, FAR_CORES = 100_000_000, 16, 8
NETWORK = 1.25e9
"""Bytes a second that a machine sends: 10 Gbit."""


@dataclass(frozen=True)
class _Ran:
    """What a job took."""

    wall: float
    driver: float
    executors: float
    shuffled: int
    labels: bytes


def run(*, quick: bool) -> Iterator[Measurement]:
    small, large = FEW if quick else SIZES
    tables = [simulate_authors(n, seed=0) for n in (small, large)]
    (one,) = _run(tables[1:], 1)
    less, two = _run(tables, 2)
    if one.labels != two.labels:
        raise AssertionError("one executor and two do not give the same entities")
    data = f"{large:,} simulated authors, trees, {N_PARTITIONS} partitions"
    for k, each in ((1, one), (2, two)):
        where = f"{data}, {k} executor{'s' * (k > 1)} of one core"
        yield Measurement("the job", each.wall, one.wall, one.wall / each.wall, "s", where, peer_name="one executor")
        yield Measurement("processor time of the driver", each.driver, None, None, "s", where)
        yield Measurement("processor time of the executors", each.executors, None, None, "s", where)
    serial, shared = ((getattr(two, who) - getattr(less, who)) / (large - small) for who in ("driver", "executors"))
    sizes = f"{small:,} and {large:,} simulated authors, trees, 2 executors of one core"
    yield Measurement("driver, each record", 1e6 * serial, None, None, "µs", sizes)
    yield Measurement("executors, each record", 1e6 * shared, None, None, "µs", sizes)
    yield Measurement("serial share", serial / (serial + shared), None, None, "share", sizes)
    yield Measurement("shuffled for each record", two.shuffled / large, None, None, "bytes", data)
    parts = {
        "in one place": FAR_ROWS * serial,
        "in partitions": FAR_ROWS * shared / (FAR_MACHINES * FAR_CORES),
        "through the network": FAR_ROWS * two.shuffled / large / (NETWORK * FAR_MACHINES),
    }
    far = f"{FAR_ROWS:,} rows on {FAR_MACHINES} machines of {FAR_CORES} cores, projected"
    for name, seconds in [*parts.items(), ("in all", sum(parts.values()))]:
        yield Measurement(f"projected, {name}", seconds / 60.0, None, None, "min", far)


def _run(tables: list[pa.Table], n_executors: int) -> list[_Ran]:
    """Resolve tables on so many executors, after a small one with which they load what they need."""
    config = ResolveConfig(model="hierarchical", truth="cluster_id")
    ran = []
    with tempfile.TemporaryDirectory(prefix="onoma-bench-") as folder:
        events = Path(folder)
        options = _options(events) | {"spark.executorEnv.PYTHONPATH": f"{ROOT}:{ROOT / 'src'}"}
        with SparkEngine(f"local-cluster[{n_executors},1,1024]", options=options) as engine:
            carrier = Carrier(engine, N_PARTITIONS)
            resolve(tables[0].slice(0, 500), config, carry=carrier)
            for table in tables:
                time.sleep(2.0)  # the log of events is written a little later
                moved, before, begun = _shuffled(events), _processor_times(), time.perf_counter()
                found = resolve(table, config, carry=carrier)
                wall, spent = time.perf_counter() - begun, _processor_times() - before
                time.sleep(2.0)
                moved = _shuffled(events) - moved
                ran.append(_Ran(wall, *spent.tolist(), moved, found.clustering.labels.tobytes()))
    return ran


def _processor_times() -> np.ndarray:
    """Return the seconds that the driver has used, Python and Java, and all executors."""
    here, executors = psutil.Process(), set()
    total = np.zeros(2)
    for process in [here, *here.children(recursive=True)]:
        with contextlib.suppress(psutil.NoSuchProcess):
            is_executor = process.ppid() in executors or any("ExecutorBackend" in part for part in process.cmdline())
            if is_executor:
                executors.add(process.pid)
            times = process.cpu_times()
            total[int(is_executor)] += times.user + times.system
            if process is not here:
                total[int(is_executor)] += times.children_user + times.children_system
    return total
