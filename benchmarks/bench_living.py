"""A knowledge base lived with: adding to it, batches in any order, judgements and undoing them, reviews, explanations.

Times are processor seconds of this one process, both sides alike. The review needs ONOMA_DATA; its answers are the gold
labels, which are used for nothing else.
"""

import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.measure import Measurement
from onoma.corpus.clustering import Clustering
from onoma.corpus.simulate import simulate_people
from onoma.evaluate.report import evaluate
from onoma.kb.database import read_knowledge_base
from onoma.kb.explain import explain_entity
from onoma.kb.incremental import touched_by
from onoma.kb.judge import Said, judge, retract_judgements
from onoma.kb.review import doubts
from onoma.kb.update import update_knowledge_base
from onoma.kb.world import load_world
from onoma.numerics.rng import stream
from onoma.pipeline.output import store_outcome
from onoma.pipeline.reproduce import Context
from onoma.pipeline.resolution import Job, read_job, run_job
from onoma.resolve.config import ResolveConfig


def run(*, quick: bool) -> Iterator[Measurement]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield from _speed(folder, 4_000 if quick else 200_000)
        yield from _batches(folder, 1_000 if quick else 20_000)
        yield from _judgements(folder, 1_000 if quick else 10_000, 10 if quick else 100)
        yield from _explanations(folder, 1_000 if quick else 3_000, 5 if quick else 40)
        if not quick:
            yield from _reviews(folder, 100)


def _make(table: pa.Table, path: Path, **settings: int) -> float:
    """Resolve a table into a knowledge base; return the processor seconds."""
    path.unlink(missing_ok=True)
    start = time.process_time()
    job = Job(table=table, config=ResolveConfig.of({"truth": "cluster_id", **settings}))
    store_outcome(run_job(job), path)
    return time.process_time() - start


def _entities(path: Path) -> dict[str, str]:
    with read_knowledge_base(path) as base:
        return dict(base.rows("SELECT id, entity FROM memberships"))


def _clustering(entities: dict[str, str], table: pa.Table) -> Clustering:
    return Clustering.from_labels(pa.array([entities[key] for key in table["id"].to_pylist()]))


def _b3(one: Clustering, other: Clustering) -> float:
    return evaluate(one, other, metrics=("b3",)).as_dict()["b3"]["f1"]


def _speed(folder: Path, n: int) -> Iterator[Measurement]:
    """Add one per cent to n people."""
    table = simulate_people(n + n // 100, seed=1)
    gold = Clustering.from_labels(table["cluster_id"])
    data = f"{n:,} simulated people and {n // 100:,} more"
    update_warm = simulate_people(600, seed=2)
    _make(update_warm.slice(0, 500), folder / "warm.duckdb")
    update_knowledge_base(folder / "warm.duckdb", tables=[update_warm.slice(500)])
    full = _make(table.slice(0, n), folder / "base.duckdb")
    before = _entities(folder / "base.duckdb")
    took = []
    for _ in range(3):
        shutil.copyfile(folder / "base.duckdb", folder / "grown.duckdb")
        start = time.process_time()
        update_knowledge_base(folder / "grown.duckdb", tables=[table.slice(n)])
        took.append(time.process_time() - start)
    yield Measurement("adding 1 %, of a full run's time", min(took), full, min(took) / full, "s", data)
    after = _entities(folder / "grown.duckdb")
    yield Measurement("ids of unaffected entities kept", _kept(before, after, table, n), None, None, "share", data)
    _make(table, folder / "all.duckdb")
    grown, at_once = (_b3(gold, _clustering(found, table)) for found in (after, _entities(folder / "all.duckdb")))
    yield Measurement("B³ F1 after adding, and of all at once", grown, at_once, grown - at_once, "share", data)


def _kept(before: dict[str, str], after: dict[str, str], table: pa.Table, n: int) -> float:
    """Return the share of entities none of whose people is among the new that have the same id and records after."""
    new = set(table["cluster_id"].slice(n).to_pylist())
    truth = dict(zip(table["id"].to_pylist(), table["cluster_id"].to_pylist(), strict=True))
    members: dict[str, set[str]] = {}
    for key, entity in before.items():
        members.setdefault(entity, set()).add(key)
    unaffected = [keys for keys in members.values() if not any(truth[key] in new for key in keys)]
    return float(np.mean([all(after[key] == before[key] for key in keys) for keys in unaffected]))


def _pairs(path: Path) -> dict[tuple[str, str], float]:
    with read_knowledge_base(path) as base:
        rows = base.rows("SELECT a, b, probability FROM pairs")
    return {(min(a, b), max(a, b)): p for a, b, p in rows}


def _difference(one: dict[tuple[str, str], float], other: dict[tuple[str, str], float]) -> float:
    """Return the mean difference of probabilities over the pairs that either states."""
    return _difference_of({*one, *other}, one, other)


def _batches(folder: Path, n: int) -> Iterator[Measurement]:
    """Bring people in ten batches, in two orders; compare with two runs on all of them with different seeds."""
    table = simulate_people(n, seed=3)
    gold = Clustering.from_labels(table["cluster_id"])
    data = f"{n:,} simulated people in ten batches"
    found, stated = {}, {}
    for name, order in (("forth", range(10)), ("back", range(9, -1, -1))):
        path = folder / f"{name}.duckdb"
        parts = [table.slice(n // 10 * i, n // 10) for i in order]
        _make(parts[0], path)
        for part in parts[1:]:
            update_knowledge_base(path, tables=[part])
        found[name], stated[name] = _clustering(_entities(path), table), _pairs(path)
    for name, seed in (("at once", 0), ("another seed", 1)):
        path = folder / "batch.duckdb"
        _make(table, path, seed=seed)
        found[name], stated[name] = _clustering(_entities(path), table), _pairs(path)
    b3 = {name: _b3(gold, clustering) for name, clustering in found.items()}
    noise = _b3(found["at once"], found["another seed"])
    for one, other in (("forth", "back"), ("forth", "at once"), ("back", "at once")):
        same = _b3(found[one], found[other])
        yield Measurement(f"B³ between {one} and {other}; peer: two seeds", same, noise, same - noise, "share", data)
    for name in ("forth", "back"):
        yield Measurement(
            f"B³ F1 of {name} and at once", b3[name], b3["at once"], b3[name] - b3["at once"], "share", data
        )
    spread = _difference(stated["at once"], stated["another seed"])
    for one, other in (("forth", "back"), ("forth", "at once"), ("back", "at once")):
        gap = _difference(stated[one], stated[other])
        told = f"mean difference of pair probabilities, {one} and {other}; peer: two seeds"
        yield Measurement(told, gap, spread, gap / spread, "share", data)


def _judgements(folder: Path, n: int, n_judged: int) -> Iterator[Measurement]:
    """Judge undecided pairs, check that it holds in every sample, take all of it back."""
    path = folder / "judged.duckdb"
    _make(simulate_people(n, seed=4), path)
    data = f"{n:,} simulated people, {n_judged} judgements"
    before = _pairs(path)
    rng = stream(1, "judgements")
    open_pairs = sorted(pair for pair, p in before.items() if 0.05 < p < 0.95)
    chosen = [open_pairs[i] for i in rng.permutation(len(open_pairs))]
    said = []
    used: set[str] = set()
    for a, b in chosen:  # pairs apart from each other: no two can contradict
        if len(said) < n_judged and not {a, b} & used:
            said.append(Said("same" if rng.random() < 0.5 else "different", a, b))
            used |= {a, b}
    never_judged = [_redrawn(path, used, seed) for seed in (1, 2, 3)]
    kept, _ = judge(path, said)
    yield Measurement("samples that offend a hard judgement", _offences(path, said), None, None, "samples", data)
    retract_judgements(path, [each.number for each in kept])
    after = _pairs(path)
    touched = {key for key in {*before, *after} if before.get(key, 0.0) != after.get(key, 0.0)}
    gap = _difference_of(touched, before, after)
    noise = float(np.mean([_difference_of(touched, before, again) for again in never_judged]))
    told = "mean change of pair probabilities after undoing; peer: drawn again with other seeds, never judged"
    yield Measurement(told, gap, noise, gap / noise, "share", f"{data}, {len(touched)} pairs")


def _difference_of(
    pairs: set[tuple[str, str]], one: dict[tuple[str, str], float], other: dict[tuple[str, str], float]
) -> float:
    return float(np.mean([abs(one.get(pair, 0.0) - other.get(pair, 0.0)) for pair in pairs]))


def _redrawn(path: Path, keys: set[str], seed: int) -> dict[tuple[str, str], float]:
    """Return the probabilities of pairs when what hangs together with some records is drawn with another seed."""
    with read_knowledge_base(path) as base:
        world = load_world(base)
        rows = base.rows("SELECT record, id FROM memberships ORDER BY record")
        names = [key for _, key in rows]
        places = np.flatnonzero([key in keys for key in names])
        judged = world.judged()
        inside = touched_by(world.n, world.edges, places, judged)
        world.memory = replace(world.memory, config=replace(world.memory.config, seed=seed))
        found = world.resample(inside, judged)
        stated = world.edges.probability.copy()
        stated[found.edges] = found.together
        ends = zip(world.edges.a.tolist(), world.edges.b.tolist(), stated.tolist(), strict=True)
        return {(min(names[a], names[b]), max(names[a], names[b])): p for a, b, p in ends}


def _offences(path: Path, said: list[Said]) -> int:
    """Return how many samples part what was judged the same or hold together what was judged different."""
    with read_knowledge_base(path) as base:
        entity = dict(base.rows("SELECT id, entity FROM memberships"))
        roots = dict(base.rows("SELECT id, roots FROM memberships JOIN samples USING (record)"))
    found = 0
    for each in said:
        one, other = (roots.get(key, [entity[key]]) for key in (each.a, each.b))
        length = max(len(one), len(other))
        same = [one[s % len(one)] == other[s % len(other)] for s in range(length)]
        found += sum(together != (each.kind == "same") for together in same)
    return found


def _explanations(folder: Path, n: int, n_entities: int) -> Iterator[Measurement]:
    """Take away what an explanation names, by changing the records, and see whether the entity is parted."""
    path, trial = folder / "explained.duckdb", folder / "trial.duckdb"
    table = simulate_people(n, seed=6)
    _make(table, path)
    flipped = tested = 0
    with read_knowledge_base(path) as base:
        rows = base.rows("SELECT entity FROM entities WHERE size > 1 ORDER BY hash(entity)")
        names = [name for (name,) in rows]
    for name in names:
        if tested == n_entities:
            break
        with read_knowledge_base(path) as base:
            found = explain_entity(base, name)
            records = dict(base.rows("SELECT id, record FROM memberships WHERE entity = ?", [name]))
        if found.critical is None:
            continue
        tested += 1
        shutil.copyfile(path, trial)
        mine = table.filter(pc.is_in(table["id"], pa.array(list(records))))
        if found.critical.what == "record":
            gone = pa.table({"id": [found.critical.name], "source": pa.nulls(1, pa.string())})
            update_knowledge_base(trial, retract=gone)
            mine = mine.filter(pc.not_equal(mine["id"], found.critical.name))
        else:
            at = mine.column_names.index(found.critical.name)
            blank = mine.set_column(at, found.critical.name, pa.nulls(len(mine), pa.string()))
            update_knowledge_base(trial, tables=[blank])
        flipped += _split(trial, mine["id"].to_pylist()) > 0.5
    data = f"{n:,} simulated people, {tested} entities that hang on one record or field"
    yield Measurement(
        "named record or field removed: the entity is parted", flipped / max(tested, 1), None, None, "share", data
    )


def _split(path: Path, keys: list[str]) -> float:
    """Return the share of samples in which some records are not all one."""
    with read_knowledge_base(path) as base:
        found = base.rows(
            "SELECT entity, roots FROM memberships LEFT JOIN samples USING (record) WHERE list_contains(?, id)",
            [keys],
        )
    if any(roots is None for _, roots in found):
        return float(len({entity for entity, _ in found}) > 1)
    drawn = np.array([roots for _, roots in found])
    return float((drawn != drawn[:1]).any(axis=0).mean())


def _reviews(folder: Path, n_asked: int) -> Iterator[Measurement]:
    """Ask about pairs chosen in three ways; the gold labels answer."""
    path = Context().file("resolution/linkage/historical_50k.csv.gz")
    job = read_job([path], ResolveConfig(truth="cluster_id"))
    start = folder / "historical.duckdb"
    store_outcome(run_job(job), start)
    with read_knowledge_base(start) as base:
        truth = dict(base.rows("SELECT id, cluster_id FROM record_current"))
    first = 1.0 - _error(start, truth)
    data = f"historical_50k, {n_asked} answers; error before {1 - first:.5f}"
    gains = {}
    for way in ("review", "random", "nearest to 0.5"):
        trial = folder / "trial.duckdb"
        shutil.copyfile(start, trial)
        _ask(trial, way, truth, n_asked)
        gains[way] = (1.0 - first) - _error(trial, truth)
    for way in ("random", "nearest to 0.5"):
        mine = gains["review"]
        ratio = mine / gains[way] if gains[way] > 0 else None
        yield Measurement(f"B³ error taken away by review, and by {way}", mine, gains[way], ratio, "share", data)


def _error(path: Path, truth: dict[str, str]) -> float:
    entities = _entities(path)
    keys = [key for key in entities if truth[key] is not None]
    gold = Clustering.from_labels(pa.array([truth[key] for key in keys]))
    return 1.0 - _b3(gold, Clustering.from_labels(pa.array([entities[key] for key in keys])))


def _ask(path: Path, way: str, truth: dict[str, str], n_asked: int, at_a_time: int = 10) -> None:
    """Ask in rounds of ten pairs of different groups, and keep the answers."""
    rng = stream(2, "reviews", way)
    asked: set[str] = set()
    for _ in range(n_asked // at_a_time):
        with read_knowledge_base(path) as base:
            if way == "review":
                pairs = [(each.a, each.b) for each in doubts(base, most=at_a_time, one_of_each=True)]
            else:
                pairs = _others(base, way, rng, asked)[:at_a_time]
        asked |= {key for pair in pairs for key in pair}
        judge(path, [Said("same" if truth[a] == truth[b] else "different", a, b) for a, b in pairs])


def _others(base: object, way: str, rng: np.random.Generator, asked: set[str]) -> list[tuple[str, str]]:
    rows = base.rows("SELECT a, b, probability FROM pairs WHERE probability BETWEEN 0.02 AND 0.98")
    rows = [rows[i] for i in rng.permutation(len(rows))]
    if way != "random":
        rows.sort(key=lambda row: abs(row[2] - 0.5))
    found, used = [], set(asked)
    for a, b, _ in rows:
        if not {a, b} & used:
            found.append((a, b))
            used |= {a, b}
    return found
