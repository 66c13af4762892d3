"""Every model, every verb, on tables larger than what a part is resolved among (5,000 records).

The contract of `tests/kb/test_verbs.py` on tables that the suite has no time for: a knowledge base of all but the last
1 %, to which that is added; a judgement each way, taken back again; an entity and a pair explained. Right is what all
records at once give (B³ against the simulation's truth, both), what the judgement says, and what was there before it.

`ONOMA_VERBS` names some of the models.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from benchmarks.measure import Measurement
from onoma.corpus.clustering import Clustering
from onoma.corpus.simulate import simulate_people
from onoma.evaluate.report import evaluate
from onoma.kb.database import read_knowledge_base
from onoma.kb.explain import explain_entity, explain_records
from onoma.kb.judge import Said, judge, retract_judgements
from onoma.kb.update import update_knowledge_base
from onoma.pipeline.output import store_outcome
from onoma.pipeline.resolution import Job, run_job
from onoma.resolve.config import ResolveConfig

TRUTH = "cluster_id"
_TOPICS = ("bread cake oven flour pie", "boat sail sea raft tide", "wall paint roof brush stone", "law court judge")


def _people(n: int) -> pa.Table:
    return simulate_people(n, seed=5).select(["id", TRUTH, "given_name", "surname", "birth_date", "city", "phone"])


def _linked(n: int) -> pa.Table:
    return _people(n).append_column("origin", pa.array(["left", "right"] * (n // 2)))


def _mentions(n: int) -> pa.Table:
    rng = np.random.default_rng(4)
    rows = []
    for k in range(n):
        person = int(rng.integers(n // 6))
        words = [*_TOPICS[person % 4].split(), *(f"w{person}x{i}" for i in range(4))]
        name = f"{chr(65 + person % 26)}{'nod'[person % 3]} Smith{person // 26}"
        context = " ".join(rng.choice(words, 6)) + f" on {rng.integers(99)}"
        rows.append({"id": f"m{k}", "name": name, "context": context, TRUTH: f"c{person}"})
    return pa.Table.from_pylist(rows)


class Way(NamedTuple):
    """A model with a table that it is for."""

    table: Callable[[int], pa.Table] = _people
    options: dict[str, object] = {}  # noqa: RUF012 (never changed)


_LINK: dict[str, object] = {"source": "origin", "link": True}
WAYS = {
    "copying": Way(),
    "copying, linking": Way(_linked, _LINK),
    "copying, one to one": Way(_linked, _LINK | {"one_to_one": True}),
    "pairwise": Way(),
    "hierarchical": Way(),
    "phylogeny": Way(),
    "cross-document": Way(_mentions, {"rounds": 5}),
    "correlation": Way(),
    "exact-match": Way(),
}


def run(*, quick: bool) -> Iterator[Measurement]:
    chosen = os.environ.get("ONOMA_VERBS", "").split(";") if os.environ.get("ONOMA_VERBS") else list(WAYS)
    for name in chosen:
        yield from _verbs(name, WAYS[name], 400 if quick else 12_000)


def _verbs(name: str, way: Way, n: int) -> Iterator[Measurement]:
    table, n_new = way.table(n), n // 100
    config = ResolveConfig.of({"model": name.split(",")[0], "truth": TRUTH, "no_check": True, **way.options})
    data = f"{name}, {n:,} records, {n_new} of them later"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kb.duckdb"
        begun = time.process_time()
        store_outcome(run_job(Job(table=table.slice(0, n - n_new), config=config)), path)
        whole = time.process_time() - begun
        before = _entities(path)
        begun = time.process_time()
        update = update_knowledge_base(path, tables=[table.slice(n - n_new)])
        seconds = time.process_time() - begun
        yield Measurement("adding 1 %, of a full run's time", seconds, whole, seconds / whole, "s", data)
        now, truth = _entities(path), _column(table, TRUTH)
        batch_run = run_job(Job(table=table, config=config)).resolution.memberships
        batch = _column(batch_run, "entity")
        grown, at_once = _b3(truth, now), _b3(truth, batch)
        told = "B³ F1 after adding, and of all at once" + (" (all resolved anew)" if update.is_refreshed else "")
        yield Measurement(told, grown, at_once, grown - at_once, "share", data)
        kept = _untouched(before, now)
        yield Measurement("ids of untouched entities kept", kept, None, None, "share", data)
        yield from _judged(path, data)
        yield from _explained(path, data)


def _judged(path: Path, data: str) -> Iterator[Measurement]:
    """Say that two of one entity differ, and that two of different ones are the same; take it back."""
    together, apart = _pairs_to_judge(path)
    before, stated = _entities(path), _probabilities(path)
    kept, _ = judge(path, [Said("different", *together), Said("same", *apart)])
    now = _entities(path)
    holds = (now[together[0]] != now[together[1]]) and (now[apart[0]] == now[apart[1]])
    yield Measurement("judgements hold", float(holds), None, None, "share", data)
    others = {before[key] for key in (*together, *apart)}
    strangers = [key for key in before if before[key] not in others]
    same = float(np.mean([now[key] == before[key] for key in strangers]))
    yield Measurement("ids of the entities not judged kept", same, None, None, "share", data)
    retract_judgements(path, [each.number for each in kept])
    again, back = _probabilities(path), _entities(path)
    changed = [pair for pair in {*stated, *again} if stated.get(pair, 0.0) != again.get(pair, 0.0)]
    gaps = [abs(stated.get(pair, 0.0) - again.get(pair, 0.0)) for pair in changed] or [0.0]
    told = "undone: the greatest change of a pair's probability"
    yield Measurement(told, max(gaps), None, None, "share", f"{data}, {len(changed)} pairs drawn again")
    yield Measurement(
        "undone: records in the entity of before", float(np.mean([back[key] == before[key] for key in before])),
        None, None, "share", data,
    )  # fmt: skip


def _explained(path: Path, data: str) -> Iterator[Measurement]:
    together, _ = _pairs_to_judge(path)
    begun = time.process_time()
    with read_knowledge_base(path) as base:
        found = explain_entity(base, together[0])
        pair = explain_records(base, *together)
    right = {*together} <= {each.rpartition(":")[2] for each in found.records} and bool(pair.pair.steps)
    right = right and any(each.what == "field" for each in found.removals) and 0.0 <= pair.posterior <= 1.0
    yield Measurement("explained", float(right), None, None, "share", data)
    yield Measurement("explaining an entity and a pair", time.process_time() - begun, None, None, "s", data)


def _entities(path: Path) -> dict[str, str]:
    with read_knowledge_base(path) as base:
        return dict(base.rows("SELECT id, entity FROM memberships"))


def _column(table: pa.Table, name: str) -> dict[str, str]:
    return dict(zip(map(str, table["id"].to_pylist()), table[name].to_pylist(), strict=True))


def _probabilities(path: Path) -> dict[tuple[str, str], float]:
    with read_knowledge_base(path) as base:
        return {(a, b): p for a, b, p in base.rows("SELECT a, b, probability FROM pairs")}


def _pairs_to_judge(path: Path) -> tuple[list[str], list[str]]:
    """Return two records of one entity, and two of different ones that share no source."""
    with read_knowledge_base(path) as base:
        rows = base.rows("SELECT source, id, entity FROM memberships ORDER BY record")
    groups: dict[str, list[tuple[str, str]]] = {}
    for source, key, entity in rows:
        groups.setdefault(entity, []).append((source, key))
    together = next(members for members in groups.values() if len(members) > 1)[:2]
    source, first = together[0]
    here = next(entity for _, key, entity in rows if key == first)
    other = next(key for s, key, entity in rows if entity != here and (not s or s != source))
    return [key for _, key in together], [first, other]


def _untouched(before: dict[str, str], now: dict[str, str]) -> float:
    """Return the share of the entities with the same records as before that have the same id."""
    members: list[dict[str, set[str]]] = []
    for found in (before, now):
        groups: dict[str, set[str]] = {}
        for key, entity in found.items():
            groups.setdefault(entity, set()).add(key)
        members.append(groups)
    same = [entity for entity, keys in members[0].items() if members[1][now[next(iter(keys))]] == keys]
    return float(np.mean([all(now[key] == entity for key in members[0][entity]) for entity in same]))


def _b3(one: dict[str, str], other: dict[str, str]) -> float:
    keys = sorted(other)
    both = (Clustering.from_labels([found[key] for key in keys]) for found in (one, other))
    return float(evaluate(*both, metrics=("b3",)).as_dict()["b3"]["f1"])
