"""Knowledge: factorised facts beside PyKEEN, and a knowledge base of NELL's size.

Link prediction: our RESCAL (and TRESCAL, where entities have types) and PyKEEN's RESCAL of the same rank, filtered MRR
on the same test facts, one thread each, in seconds of processor time. What is not fixed is chosen on the validation
facts (`SOME` of them at random, where there are more): our regularisation, the weights of the counts that back the
factorisation, and PyKEEN's learning rate, each rate trained for the whole time that PyKEEN is given. That time is
`PATIENCE` times ours, half a minute at least. On the test facts PyKEEN stops when it reaches our MRR (both on `LOOKED`
facts at random, twelve times along the way); if it did not, its time is what it was given and the ratio is a lower
bound, said in the name: with hours, PyKEEN reaches more than these budgets show.

Where there is no PyKEEN (`pykeen_run.py` says how to name one) its column stays empty.
"""

import itertools
import time
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from benchmarks.measure import Measurement, in_fresh_process
from benchmarks.pykeen_run import RATES, run_pykeen
from onoma.evaluate.ranking import Scorer, link_prediction
from onoma.knowledge.backed import Backed
from onoma.knowledge.facts import Facts, Names, Triples
from onoma.knowledge.rescal import Factorisation, fit_rescal
from onoma.knowledge.rescal_als import Plan
from onoma.knowledge.trescal import fit_trescal
from onoma.knowledge.types import Fit, Signatures, Types
from onoma.pipeline.knowledge.facts import PAIRS, PRIOR
from onoma.pipeline.reproduce import Context
from onoma.pipeline.studies._sets.knowledge_bases import KnowledgeBase, read_knowledge_base

PATIENCE = 10.0
SHORTEST = 30.0
SOME = 1500
LOOKED = 500
RANKS = {"umls": 50, "kinships": 50, "codex-s": 100, "nell995": 100, "codex-m": 100, "fb15k237": 100}
REGULARISATIONS = (1.0, 5.0, 10.0, 20.0)
WEIGHTS = (0.0, 0.01, 0.1, 1.0)
"""Of the prior and of pairs (`onoma.knowledge.backing`)."""


def run(*, quick: bool) -> Iterator[Measurement]:
    context = Context()
    for name in ("umls",) if quick else RANKS:
        base = read_knowledge_base(context, name)
        yield from _links(base, quick=quick)
    yield from _ranks(read_knowledge_base(context, "umls" if quick else "fb15k237"), quick=quick)
    yield from _large(quick=quick)


def _links(base: KnowledgeBase, *, quick: bool) -> Iterator[Measurement]:
    rank = RANKS[base.name]
    plan = _chosen_plan(base, rank, typed=False)
    data = f"{base.name}, rank {rank}, λ {plan.regularisation:g}"
    model, spent = fitted(base, plan, typed=False)
    ours = _mrr(model, base, base.test)
    given = 3.0 if quick else max(SHORTEST, PATIENCE * spent)
    peer, seconds, rate = _pykeen_rescal(base, rank, model, given)

    def beside(name: str, mrr: float, data: str) -> Measurement:
        ratio = None if peer is None else mrr / peer
        data += "" if peer is None else f"; PyKEEN at rate {rate:g}"
        return Measurement(f"{name}, filtered MRR", mrr, peer, ratio, "MRR", data, peer_name="PyKEEN RESCAL")

    yield beside("RESCAL", ours, data)
    reached = seconds is not None and seconds < given
    name = "RESCAL, time to our MRR" + ("" if reached or peer is None else " (not reached: a lower bound)")
    ratio = None if seconds is None else seconds / spent
    yield Measurement(name, spent, seconds, ratio, "s", data, peer_name="PyKEEN RESCAL")
    kind = "RESCAL"
    if base.types is not None:
        kind, plan = "TRESCAL", _chosen_plan(base, rank, typed=True)
        data = f"{base.name}, rank {rank}, λ {plan.regularisation:g}"
        model, spent = fitted(base, plan, typed=True)
        yield beside("TRESCAL", _mrr(model.checked(), base, base.test), data)
        yield Measurement("TRESCAL, time", spent, None, None, "s", data)
    weights = _chosen_weights(model, base)
    yield from _backed(base, model, kind, weights, data)
    backed = _mrr(Backed(model, base.train, *weights), base, base.test)
    yield beside(f"{kind}, backed by counts", backed, f"{data}, prior {weights[0]:g}, pairs {weights[1]:g}")


def _backed(
    base: KnowledgeBase, model: Factorisation, kind: str, best: tuple[float, float], data: str
) -> Iterator[Measurement]:
    """Measure on validation facts what the counts add: with the command's weights, and with the best of a grid."""
    some = _some(base.valid, SOME)
    plain = _mrr(model.checked(), base, some)
    for name, weights in (("the command's", (PRIOR, PAIRS)), ("the best", best)):
        mrr = _mrr(Backed(model, base.train, *weights), base, some)
        yield Measurement(
            f"{kind}, backed with {name} weights, filtered MRR on {len(some):,} validation facts",
            mrr,
            plain,
            mrr / plain,
            "MRR",
            f"{data}, prior {weights[0]:g}, pairs {weights[1]:g}",
            peer_name=f"{kind} alone",
        )


def _chosen_plan(base: KnowledgeBase, rank: int, *, typed: bool) -> Plan:
    """Return the plan whose regularisation is the best on validation facts."""
    some = _some(base.valid, SOME)
    plans = [Plan(rank=rank, regularisation=lam, max_iterations=20, tolerance=1e-3) for lam in REGULARISATIONS]
    return max(plans, key=lambda plan: _mrr(fitted(base, plan, typed=typed)[0].checked(), base, some))


def _chosen_weights(model: Factorisation, base: KnowledgeBase) -> tuple[float, float]:
    """Return the weights of prior and pairs that are the best on validation facts."""
    some = _some(base.valid, SOME)
    pairs = list(itertools.product(WEIGHTS, WEIGHTS))
    return max(pairs, key=lambda weights: _mrr(Backed(model, base.train, *weights), base, some))


def fitted(base: KnowledgeBase, plan: Plan, *, typed: bool) -> tuple[Factorisation, float]:
    """Learn; return the model and the seconds of learning."""
    start = time.process_time()
    if typed and base.types is not None:
        model = fit_trescal(base.train, base.types, plan)
    else:
        model = fit_rescal(base.train, plan)
    return model, time.process_time() - start


def _mrr(scorer: Scorer, base: KnowledgeBase, part: Triples) -> float:
    known = base.everything.triples.columns
    return link_prediction(scorer, part.columns, known, n_entities=base.n_entities).mrr


def _some(triples: Triples, n: int) -> Triples:
    """Return at most n facts, always the same ones."""
    order = np.random.default_rng(0).permutation(len(triples))
    return triples.take(np.sort(order[:n]))


def _pykeen_rescal(
    base: KnowledgeBase, rank: int, model: Factorisation, given: float
) -> tuple[float | None, float | None, float]:
    """Return the MRR that PyKEEN reached, the seconds it took, and the learning rate that was best for it."""
    looked = _some(base.test, LOOKED)
    how = {"model": "rescal", "rank": rank, "batch": 64 if base.n_entities < 1000 else 256, "seconds": given}
    tried = {}
    for rate in RATES:
        lines = run_pykeen(base, {**how, "rate": rate}, measured=_some(base.valid, SOME))
        if not lines:
            return None, None, rate
        tried[rate] = lines[-1]["mrr"]
    rate = max(tried, key=lambda rate: tried[rate])
    lines = run_pykeen(base, {**how, "rate": rate, "aim": _mrr(model, base, looked)}, measured=base.test, looked=looked)
    return lines[-1]["mrr"], lines[-1]["seconds"], rate


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
