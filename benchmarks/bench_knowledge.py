"""Knowledge: factorised facts beside PyKEEN, and a knowledge base of NELL's size.

Link prediction: our RESCAL (and TRESCAL, where entities have types) and PyKEEN's RESCAL of the same rank, filtered MRR
on the same test facts, one thread each, in seconds of processor time. PyKEEN is given `PATIENCE` times our time (half
a minute at least); it stops when it reaches our MRR. If it did not, its time is what it was given and the ratio is a
lower bound, said in the name: with hours, PyKEEN reaches more than these budgets show. Its MRR is looked at twelve
times, on the larger sets twice: a time at which it was seen to have arrived may be late. Our rank, regularisation and
weights of the backing were chosen on the validation facts; PyKEEN's learning rate and batch on the test facts of UMLS,
Kinships and CoDEx-S (of .001, .003, .01 and .1 with 64 and 256), and not tuned for the larger ones.

Entity retrieval on NELL-995: TransE, trained for five times our time and two minutes at least.

PyKEEN is heavy and wants its own environment: name an interpreter that has it in ONOMA_PYKEEN. Without one its column
stays empty.
"""

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from benchmarks.measure import Measurement, in_fresh_process
from onoma.evaluate.ranking import Scorer, entity_retrieval, link_prediction
from onoma.knowledge.backed import Backed
from onoma.knowledge.facts import Facts, Names, Triples
from onoma.knowledge.rescal import Factorisation, fit_rescal
from onoma.knowledge.rescal_als import Plan
from onoma.knowledge.trescal import fit_trescal
from onoma.knowledge.types import Fit, Signatures, Types
from onoma.pipeline.reproduce import Context
from onoma.pipeline.studies._knowledge_bases import KnowledgeBase, read_knowledge_base

PATIENCE = 10.0
SHORTEST = 30.0
TRANSE_SHORTEST = 120.0


@dataclass(frozen=True)
class Setting:
    """How one knowledge base is learnt: rank and λ without types, λ with types, weights of the prior and of pairs."""

    rank: int
    free: float
    backing: tuple[float, float]
    typed: float | None = None
    iterations: int = 20


SETTINGS = {
    "umls": Setting(50, 5.0, (0.0, 0.1)),
    "kinships": Setting(50, 10.0, (0.0, 0.1)),
    "codex-s": Setting(100, 10.0, (0.1, 1.0), 5.0),
    "nell995": Setting(100, 5.0, (0.1, 1.0), 5.0, 10),
    "codex-m": Setting(100, 10.0, (1.0, 1.0), 10.0, 10),
    "fb15k237": Setting(100, 20.0, (1.0, 0.0), 5.0, 10),
}


def run(*, quick: bool) -> Iterator[Measurement]:
    context = Context()
    for name in ("umls",) if quick else SETTINGS:
        base = read_knowledge_base(context, name)
        yield from _links(base, SETTINGS[name], quick=quick)
        if name == "nell995":
            yield from _retrieval(base, SETTINGS[name])
    yield from _ranks(read_knowledge_base(context, "umls" if quick else "fb15k237"), quick=quick)
    yield from _large(quick=quick)


def _links(base: KnowledgeBase, setting: Setting, *, quick: bool) -> Iterator[Measurement]:
    data = f"{base.name}, rank {setting.rank}"
    plan = Plan(rank=setting.rank, regularisation=setting.free, max_iterations=setting.iterations, tolerance=1e-3)
    model, spent = _fitted(base, plan, typed=False)
    ours = _mrr(model, base)
    given = 3.0 if quick else max(SHORTEST, PATIENCE * spent)
    peer, seconds = _pykeen_rescal(base, setting.rank, ours, given)

    def beside(name: str, mrr: float) -> Measurement:
        ratio = None if peer is None else mrr / peer
        return Measurement(f"{name}, filtered MRR", mrr, peer, ratio, "MRR", data, peer_name="PyKEEN RESCAL")

    yield beside("RESCAL", ours)
    reached = peer is not None and peer >= ours
    name = "RESCAL, time to our MRR" + ("" if reached or peer is None else " (not reached: a lower bound)")
    ratio = None if seconds is None else seconds / spent
    yield Measurement(name, spent, seconds, ratio, "s", data, peer_name="PyKEEN RESCAL")
    kind = "RESCAL"
    if setting.typed is not None and base.types is not None:
        kind, plan = "TRESCAL", replace(plan, regularisation=setting.typed)
        model, spent = _fitted(base, plan, typed=True)
        yield beside("TRESCAL", _mrr(model.checked(), base))
        yield Measurement("TRESCAL, time", spent, None, None, "s", data)
    yield beside(f"{kind}, backed by counts", _mrr(Backed(model, base.train, *setting.backing), base))


def _fitted(base: KnowledgeBase, plan: Plan, *, typed: bool) -> tuple[Factorisation, float]:
    """Learn; return the model and the seconds of learning."""
    start = time.process_time()
    if typed and base.types is not None:
        model = fit_trescal(base.train, base.types, plan)
    else:
        model = fit_rescal(base.train, plan)
    return model, time.process_time() - start


def _mrr(scorer: Scorer, base: KnowledgeBase) -> float:
    known = base.everything.triples.columns
    return link_prediction(scorer, base.test.columns, known, n_entities=base.n_entities).mrr


def _retrieval(base: KnowledgeBase, setting: Setting) -> Iterator[Measurement]:
    types = base.types
    if types is None:
        return
    plan = Plan(rank=setting.rank, regularisation=setting.typed or 5.0, tolerance=0.0)
    typed, spent = _fitted(base, plan, typed=True)
    free, _ = _fitted(base, plan, typed=False)
    fit = Fit.of(types, Signatures.induced(base.train, types))
    given = max(TRANSE_SHORTEST, 5.0 * spent)
    peer = _pykeen_transe(base, setting.rank, given)
    data = f"{base.name}, rank {setting.rank}, TransE given {given:.0f} s, TRESCAL took {spent:.1f} s"
    plain = replace(free, fit=fit)
    nothing = replace(typed, A=np.zeros_like(typed.A))
    for checked in (False, True):
        how = f"entity retrieval MAP, {'with' if checked else 'without'} type check"
        other = None if peer is None else _map(_CheckedPeer(peer, fit) if checked else peer, base)
        for name, scorer in {
            "TRESCAL": typed.checked() if checked else typed,
            "TRESCAL, smoothed": typed.smoothed().checked() if checked else typed.smoothed(),
            "TRESCAL, backed by counts": Backed(typed, base.train, *setting.backing, checked=checked),
            "counts alone": Backed(nothing, base.train, *setting.backing, checked=checked),
        }.items():
            ours = _map(scorer, base)
            ratio = None if other is None else ours / other
            yield Measurement(f"{name}, {how}", ours, other, ratio, "%", data, peer_name="PyKEEN TransE")
        ours, theirs = (_map(model.checked() if checked else model, base) for model in (typed, plain))
        yield Measurement(f"TRESCAL, {how}", ours, theirs, ours / theirs, "%", data, peer_name="our RESCAL")


def _map(scorer: Scorer, base: KnowledgeBase) -> float:
    known = base.everything.triples.columns
    return 100.0 * entity_retrieval(scorer, base.test.columns, known, n_entities=base.n_entities).map


@dataclass(frozen=True)
class _TransE:
    entities: np.ndarray
    relations: np.ndarray

    def score(self, s: np.ndarray, k: np.ndarray, o: np.ndarray) -> np.ndarray:
        return -np.abs(self.entities[s] + self.relations[k] - self.entities[o]).sum(axis=1)


@dataclass(frozen=True)
class _CheckedPeer:
    peer: _TransE
    fit: Fit

    def score(self, s: np.ndarray, k: np.ndarray, o: np.ndarray) -> np.ndarray:
        return np.where(self.fit.allows(Triples(s, k, o)), self.peer.score(s, k, o), -np.inf)


def _pykeen_rescal(base: KnowledgeBase, rank: int, aim: float, given: float) -> tuple[float | None, float | None]:
    """Return the MRR that PyKEEN reached and the seconds it took."""
    how = {"rate": 0.003, "batch": 64} if base.n_entities < 1000 else {"rate": 0.003, "batch": 256}
    if base.n_entities > 10_000:
        how["rate"] = 0.01
    lines = _pykeen(base, {"model": "rescal", "rank": rank, **how, "seconds": given, "aim": aim})
    if not lines:
        return None, None
    best = max(lines, key=lambda line: line["mrr"])
    first = next((line for line in lines if line["mrr"] >= aim), None)
    return best["mrr"], (lines[-1] if first is None else first)["seconds"]


def _pykeen_transe(base: KnowledgeBase, rank: int, given: float) -> _TransE | None:
    with tempfile.TemporaryDirectory() as folder:
        output = str(Path(folder) / "transe.npz")
        settings = {"model": "transe", "rank": rank, "rate": 0.01, "batch": 1024, "seconds": given, "output": output}
        if not _pykeen(base, settings):
            return None
        with np.load(output) as found:
            return _TransE(found["entities"], found["relations"])


def _pykeen(base: KnowledgeBase, settings: dict[str, object]) -> list[dict[str, float]]:
    """Run PyKEEN; return the lines it printed, none where there is no PyKEEN."""
    python = os.environ.get("ONOMA_PYKEEN")
    if not python:
        return []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "triples.npz"
        parts = {"train": base.train.triples, "valid": base.valid, "test": base.test}
        arrays = {name: np.stack(triples.columns, axis=1) for name, triples in parts.items()}
        np.savez(path, n_entities=base.n_entities, n_relations=len(base.train.relations), **arrays)
        script = Path(__file__).with_name("_pykeen_peer.py")
        done = subprocess.run(
            [python, str(script), str(path), json.dumps(settings)], capture_output=True, text=True, check=False
        )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def _ranks(base: KnowledgeBase, *, quick: bool) -> Iterator[Measurement]:
    model = fit_rescal(base.train, Plan(rank=20 if quick else 100, max_iterations=1))
    args = base.test.columns, base.everything.triples.columns
    link_prediction(model, *args, n_entities=base.n_entities)
    start = time.perf_counter()
    found = link_prediction(model, *args, n_entities=base.n_entities)
    speed = len(found.ranks) / (time.perf_counter() - start)
    data = f"{base.name}, {base.n_entities:,} candidates each"
    yield Measurement("filtered ranks", speed, None, None, "ranks/s", data)


LARGE = """
import json, time
from benchmarks.bench_knowledge import simulated
from onoma.knowledge.rescal_als import Plan, Problem, solve
from onoma.knowledge.rescal_start import leading_eigenvectors, symmetric_sum
facts, fit = simulated({n}, {m}, {t}, {p})
start = time.perf_counter()
problem = Problem(facts, fit, "float32")
A = leading_eigenvectors(symmetric_sum(facts), {rank}, 0)
begun = time.perf_counter() - start
plan = Plan(rank={rank}, regularisation=5.0, max_iterations=2, tolerance=0.0, threads=2)
trace = solve(problem, A, plan).trace
print(json.dumps(dict(start=begun, iteration=max(b.seconds - a.seconds for a, b in zip(trace, trace[1:])),
                      share=fit.share_allowed(), facts=len(facts))))
"""


def _large(*, quick: bool) -> Iterator[Measurement]:
    """Measure one iteration on a simulated knowledge base of the paper's size, in a process of its own."""
    n, m, t, p, rank = (2_000, 10, 20, 5_000, 20) if quick else (753_000, 229, 300, 1_800_000, 300)
    found = in_fresh_process(LARGE.format(n=n, m=m, t=t, p=p, rank=rank))
    data = (
        f"simulated: {n:,} entities, {m} relations, {t} types, {p:,} facts, {found['share']:.1%} of cells, rank {rank}"
    )
    paper = None if quick else 1608.0
    ratio = None if paper is None else paper / found["iteration"]
    yield Measurement(
        "TRESCAL, an iteration", found["iteration"], paper, ratio, "s", data, peer_name="the paper, on its machine"
    )
    yield Measurement("TRESCAL, start", found["start"], None, None, "s", data)
    yield Measurement("TRESCAL, peak memory", found["peak_mb"], None, None, "MB", data)


def simulated(n: int, m: int, t: int, p: int, seed: int = 0) -> tuple[Facts, Fit]:
    """Make facts and a fit: entities of one type each, types and relations of very different sizes."""
    rng = np.random.default_rng(seed)
    kind = rng.choice(t, n, p=_zipf(t, 0.8))
    members = [np.flatnonzero(kind == i) for i in range(t)]
    wanted = int(1.05 * p)
    relation = rng.choice(m, wanted, p=_zipf(m, 0.7))
    sides = [np.empty(wanted, np.int64), np.empty(wanted, np.int64)]
    for k in range(m):
        rows = np.flatnonzero(relation == k)
        for side in sides:
            some = rng.choice(t, rng.integers(1, max(2, t // 3)), replace=False)
            pool = rng.permutation(np.concatenate([members[i] for i in some]))
            # Some entities are spoken of often.
            side[rows] = pool[(rng.random(len(rows)) ** 2.5 * len(pool)).astype(np.int64)]
    distinct = np.unique(np.stack([relation, *sides]), axis=1)
    relation, subjects, objects = distinct[:, rng.permutation(distinct.shape[1])[:p]]
    entities = Names(pa.array([f"e{i}" for i in range(n)]), "entity")
    relations = Names([f"r{k}" for k in range(m)], "relation")
    facts = Facts.from_codes(Triples(subjects, relation, objects), np.ones(len(relation)), entities, relations)
    member = sp.csr_array((np.ones(n), (np.arange(n), kind)), shape=(n, t))
    types = Types(Names([f"t{i}" for i in range(t)], "type"), member)
    return facts, Fit.of(types, Signatures.induced(facts, types))


def _zipf(n: int, power: float) -> np.ndarray:
    weights = np.arange(1, n + 1) ** -power
    return weights / weights.sum()
