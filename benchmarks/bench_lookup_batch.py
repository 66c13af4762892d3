"""Records found and added one by one, against one batch: do they come to stand in the same company?

A knowledge base of simulated people is made without 1,000 of them chosen at random. Each of these is asked about, and
added. The batch answer is that of resolving all records together; a record agrees with it if its entity has the same
records in both. How many agree with the truth stands beside it, for both.

`ONOMA_LOOKUP_SIZE` sets the number of records, `ONOMA_LOOKUP_BASE` names a knowledge base that was made before.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from benchmarks.bench_lookup import TRUTH, make
from benchmarks.measure import Measurement
from onoma.corpus.simulate import simulate_people
from onoma.kb.database import hold_knowledge_base, read_knowledge_base
from onoma.kb.lookup.live import Live
from onoma.pipeline.resolution import Job, run_job
from onoma.resolve.config import ResolveConfig


def run(*, quick: bool) -> Iterator[Measurement]:
    n = 3_000 if quick else int(os.environ.get("ONOMA_LOOKUP_SIZE", "1000000"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.duckdb"
        if os.environ.get("ONOMA_LOOKUP_BASE"):  # a copy of it: records are added
            shutil.copyfile(os.environ["ONOMA_LOOKUP_BASE"], path)
        held = make(path, n, min(1_000, n // 60))
        data = f"{n:,} simulated people, {len(held):,} added"
        same = []
        with hold_knowledge_base(path, write=True) as opened:
            live = Live(path, opened)
            for row in held:
                found = live.find(row)
                added = live.add({name: value for name, value in row.items() if value is not None})
                same.append((None if added.is_new else added.entity) == (found.best.entity if found.best else None))
        yield Measurement("add does what find said", float(np.mean(same)), None, None, "share", data)
        with read_knowledge_base(path) as base:
            now = dict(base.rows("SELECT id, entity FROM memberships"))
    people = simulate_people(n + len(held), seed=5)
    whole = run_job(Job(table=people, config=ResolveConfig(truth=TRUTH, no_check=True))).resolution.memberships
    batch = dict(zip(whole["id"].to_pylist(), whole["entity"].to_pylist(), strict=True))
    truth = dict(zip(people["id"].to_pylist(), people[TRUTH].to_pylist(), strict=True))
    for name, one, other in (
        ("found, then added, as in one batch", now, batch),
        ("found, then added, as in truth", now, truth),
        ("one batch, as in truth", batch, truth),
    ):
        yield Measurement(name, _agree(one, other, [str(row["id"]) for row in held]), None, None, "share", data)


def _agree(one: Mapping[str, str], other: Mapping[str, str], keys: list[str]) -> float:
    """Return the share of some records whose entities hold the same records."""
    first, second = _company(one), _company(other)
    return float(np.mean([first[one[key]] == second[other[key]] for key in keys]))


def _company(entity: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Return the records of each entity."""
    found: dict[str, set[str]] = {}
    for key, name in entity.items():
        found.setdefault(name, set()).add(key)
    return {name: frozenset(keys) for name, keys in found.items()}
