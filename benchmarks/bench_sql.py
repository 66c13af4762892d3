"""SQL with error bars: how often 95 % intervals of twenty aggregates hold what is true of simulated people.

Each base is a table of simulated people of a seed of its own, resolved without labels and checked, as `onoma resolve`
does. An aggregate is asked of it with
`onoma sql`, and of the truth with the same question about the true entities; the interval holds if it has that value
between its ends. Settings were not chosen by these figures.

The checks' estimates of wrong and missed links come with an allowance for how far off they were on labelled tables of
many kinds (`OFF_RECALL` and its kin). Planted copies are more like the duplicates of simulated people than like those
of such tables, so that here the allowance is more than is needed: the last lines are without it.
"""

import contextlib
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import duckdb
import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import Measurement
from onoma.corpus.simulate import simulate_people
from onoma.kb.ask.sql import ask_sql
from onoma.kb.database import read_knowledge_base
from onoma.pipeline.output import store_outcome
from onoma.pipeline.resolution import Job, run_job
from onoma.resolve.check import checking
from onoma.resolve.config import ResolveConfig

TRUTH = "cluster_id"
_SIZES = "(SELECT entity, count(*) AS n FROM records GROUP BY entity)"
QUESTIONS = (
    "SELECT count(DISTINCT entity) FROM records",
    "SELECT count(DISTINCT entity) FROM records WHERE gender = 'f'",
    "SELECT count(DISTINCT entity) FROM records WHERE gender = 'm'",
    "SELECT count(DISTINCT entity) FROM records WHERE state IN ('TX', 'CA', 'NY', 'FL')",
    "SELECT count(DISTINCT entity) FROM records WHERE birth_date < '1960'",
    "SELECT count(DISTINCT entity) FROM records WHERE birth_date >= '1990'",
    "SELECT count(DISTINCT entity) FROM records WHERE email IS NOT NULL",
    "SELECT count(DISTINCT entity) FROM records WHERE phone IS NULL",
    "SELECT count(DISTINCT entity) FROM records WHERE middle_name IS NOT NULL",
    "SELECT count(DISTINCT entity) FROM records WHERE surname < 'k'",
    "SELECT count(*) / count(DISTINCT entity) FROM records",
    "SELECT count(DISTINCT entity) / count(DISTINCT surname) FROM records",
    "SELECT count(DISTINCT entity) FROM records WHERE city = (SELECT mode(city) FROM records)",
    "SELECT count(DISTINCT entity) FROM records WHERE length(given_name) <= 4",
    f"SELECT avg(n) FROM {_SIZES}",
    f"SELECT max(n) FROM {_SIZES}",
    f"SELECT count(*) FROM {_SIZES} WHERE n = 1",
    f"SELECT count(*) FROM {_SIZES} WHERE n >= 3",
    f"SELECT sum(n) FROM {_SIZES} WHERE n > 1",
    f"SELECT stddev(n) FROM {_SIZES}",
)


class Asked(NamedTuple):
    """What came of asking: base by question."""

    held: NDArray[np.bool_]
    widths: NDArray[np.float64]
    seconds: float


def run(*, quick: bool) -> Iterator[Measurement]:
    n_bases, n = (1, 300) if quick else (10, 1_000)
    found = ask(n_bases, n)
    data = f"{n_bases} bases of {n:,} simulated people, 20 aggregates"
    yield Measurement("95 % intervals that hold", float(found.held.mean()), None, None, "share of runs", data)
    yield Measurement("the worst aggregate", float(found.held.mean(axis=0).min()), None, None, "share of bases", data)
    yield Measurement("width of an interval, of the value", float(found.widths.mean()), None, None, "share", data)
    yield Measurement("a question, processor", found.seconds / found.held.size, None, None, "s", data)
    for q, sql in enumerate(QUESTIONS):
        yield Measurement(f"holds: {sql}", float(found.held[:, q].mean()), None, None, "share of bases", data)
    with never_off():
        found = ask(max(n_bases // 2, 1), n)
    data = f"{len(found.held)} bases of {n:,} simulated people, 20 aggregates, checks taken to be never off"
    yield Measurement("95 % intervals that hold", float(found.held.mean()), None, None, "share of runs", data)
    yield Measurement("width of an interval, of the value", float(found.widths.mean()), None, None, "share", data)


@contextlib.contextmanager
def never_off() -> Iterator[None]:
    """Take what the checks say of links for as exact as its counts are: no allowance for how far off they have been."""
    names = ("OFF_PRECISION", "OFF_RECALL", "OFF_RECALL_CALIBRATED", "OFF_RECALL_ALONE")
    kept = {name: getattr(checking, name) for name in names}
    try:
        for name in names:
            setattr(checking, name, 0.0)
        yield
    finally:
        for name, value in kept.items():
            setattr(checking, name, value)


def ask(n_bases: int, n: int) -> Asked:
    """Ask all questions of some bases, and of the truth."""
    held = np.zeros((n_bases, len(QUESTIONS)), dtype=np.bool_)
    widths = np.zeros((n_bases, len(QUESTIONS)))
    seconds = 0.0
    for i in range(n_bases):
        with tempfile.TemporaryDirectory() as folder:
            path, people = Path(folder) / "people.duckdb", simulate_people(n, seed=100 + i)
            store_outcome(run_job(Job(table=people, config=ResolveConfig(truth=TRUTH))), path)
            with duckdb.connect() as truth, read_knowledge_base(path) as base:
                truth.execute(f"CREATE TABLE records AS SELECT *, {TRUTH} AS entity FROM people")
                for q, sql in enumerate(QUESTIONS):
                    right = float(truth.execute(sql).fetchone()[0])
                    begun = time.process_time()
                    found = ask_sql(base, sql)
                    seconds += time.process_time() - begun
                    low, high = (float(found.table[f"{found.measures[0]}_{end}"][0].as_py()) for end in ("low", "high"))
                    held[i, q] = low - 1e-9 <= right <= high + 1e-9
                    widths[i, q] = (high - low) / max(abs(right), 1e-9)
    return Asked(held, widths, seconds)
