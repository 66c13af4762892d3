"""Resolution of labelled tables by the copying model, the same defaults for every file: quality, calibration, time.

Needs ONOMA_DATA. The truth scores the result and is used for nothing else; id columns are opaque.
"""

from collections.abc import Iterator
from pathlib import Path

import pyarrow.compute as pc

from benchmarks.measure import Measurement
from onoma.corpus.simulate import simulate_people
from onoma.pipeline.reproduce import Context
from onoma.pipeline.resolution import read_job, run_job
from onoma.resolve.api import resolve
from onoma.resolve.config import ResolveConfig

COPYING = ResolveConfig(model="copying")
"""What is measured; by default the model is picked by the table (`onoma reproduce hierarchical/choice`)."""
TABLES = (
    ("linkage/febrl3", {}),
    ("linkage/rldata10000", {}),
    ("linkage/restaurants", {}),
    ("linkage/dblp-acm", {"source": "source", "link": True}),
    ("linkage/abt-buy", {"source": "source", "link": True}),
    ("linkage/amazon-google", {"source": "source", "link": True}),
    ("cora/cora", {}),
    ("aminer110/mentions", {"block": "name_block"}),
    ("linkage/cddb", {}),
    ("linkage/chicago_sites", {}),
    ("linkage/fake_1000", {}),
    ("linkage/historical_50k", {}),
)


def run(*, quick: bool) -> Iterator[Measurement]:
    context = Context()
    for name, settings in TABLES[2:3] if quick else TABLES:
        path = context.file(f"resolution/{name}.csv.gz")
        yield from _measure(name, path, settings)
    yield _cover(3 if quick else 50)


def _cover(n_tables: int) -> Measurement:
    """In how many simulated tables the interval for the number of entities holds the truth."""
    hits = 0
    for seed in range(n_tables):
        people = simulate_people(2000, seed=1000 + seed)
        _, low, high = resolve(people, COPYING).recalibrated().entity_count()
        hits += low <= pc.count_distinct(people["cluster_id"]).as_py() <= high
    data = f"{n_tables} simulated tables of 2,000 people"
    return Measurement("95 % interval for the number of entities holds the truth", hits, None, None, "tables", data)


def _measure(name: str, path: Path, settings: dict) -> Iterator[Measurement]:
    outcome = run_job(read_job([path], ResolveConfig.of({"truth": "cluster_id", **settings}, base=COPYING)))
    rows = f"{name}, {len(outcome.resolution.table):,} rows"
    scores = outcome.evaluation.as_dict()
    entities, low, high = outcome.resolution.entity_count()
    yield Measurement("pairwise F1", scores["pairwise"]["f1"], None, None, "share", rows)
    yield Measurement("B³ F1", scores["b3"]["f1"], None, None, "share", rows)
    yield Measurement("calibration error of stated pairs", outcome.calibration, None, None, "share", rows)
    truth = f"{rows}; truth {outcome.gold.n_entities:,}, 95 % interval {low:,} – {high:,}"
    yield Measurement("entities", float(entities), None, None, "entities", truth)
    yield Measurement("time", outcome.seconds["total"], None, None, "s", rows)
