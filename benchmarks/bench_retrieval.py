"""Entity retrieval on NELL-995: RESCAL, TRESCAL and what backs it, beside PyKEEN's TransE of the same rank.

TransE is trained for five times our time, two minutes at least. What is not fixed is chosen by the same measure on the
validation facts: our regularisation, the weights of the counts, TransE's learning rate. Where there is no PyKEEN
(`pykeen_run.py` says how to name one) its column stays empty.
"""

import itertools
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.bench_knowledge import REGULARISATIONS, WEIGHTS, fitted
from benchmarks.measure import Measurement
from benchmarks.pykeen_run import RATES, run_pykeen
from onoma.evaluate.ranking import Scorer, entity_retrieval
from onoma.knowledge.backed import Backed
from onoma.knowledge.facts import Triples
from onoma.knowledge.rescal import Factorisation
from onoma.knowledge.rescal_als import Plan
from onoma.knowledge.types import Fit, Signatures
from onoma.pipeline.reproduce import Context
from onoma.pipeline.studies._sets.knowledge_bases import KnowledgeBase, read_knowledge_base

SHORTEST = 120.0


def run(*, quick: bool) -> Iterator[Measurement]:
    base = read_knowledge_base(Context(), "nell995")
    if base.types is None:
        raise RuntimeError("NELL's names say the types of entities")
    rank = 10 if quick else 100
    typed, spent = _chosen(base, rank, typed=True)
    free, _ = _chosen(base, rank, typed=False)
    fit = Fit.of(base.types, Signatures.induced(base.train, base.types))
    given = 3.0 if quick else max(SHORTEST, 5.0 * spent)
    peer = _transe(base, rank, given)
    trained = "" if peer is None else f", TransE at rate {peer.rate:g} given {given:.0f} s"
    lams = f"λ {typed.plan.regularisation:g} (RESCAL {free.plan.regularisation:g})"
    data = f"{base.name}, rank {rank}, {lams}, TRESCAL took {spent:.1f} s{trained}"
    pairs = list(itertools.product(WEIGHTS, WEIGHTS))
    weights = max(pairs, key=lambda weights: _map(Backed(typed, base.train, *weights), base, base.valid))
    data += f"; prior {weights[0]:g}, pairs {weights[1]:g}"
    plain = replace(free, fit=fit)
    nothing = replace(typed, A=np.zeros_like(typed.A))
    for checked in (False, True):
        how = f"entity retrieval MAP, {'with' if checked else 'without'} type check"
        other = None if peer is None else _map(_CheckedPeer(peer, fit) if checked else peer, base, base.test)
        for name, scorer in {
            "TRESCAL": typed.checked() if checked else typed,
            "TRESCAL, smoothed": typed.smoothed().checked() if checked else typed.smoothed(),
            "TRESCAL, backed by counts": Backed(typed, base.train, *weights, checked=checked),
            "counts alone": Backed(nothing, base.train, *weights, checked=checked),
        }.items():
            ours = _map(scorer, base, base.test)
            ratio = None if other is None else ours / other
            yield Measurement(f"{name}, {how}", ours, other, ratio, "%", data, peer_name="PyKEEN TransE")
        ours, theirs = (_map(model.checked() if checked else model, base, base.test) for model in (typed, plain))
        yield Measurement(f"TRESCAL, {how}", ours, theirs, ours / theirs, "%", data, peer_name="our RESCAL")


def _chosen(base: KnowledgeBase, rank: int, *, typed: bool) -> tuple[Factorisation, float]:
    """Return the factorisation that retrieves validation facts best, and the seconds of learning."""
    plans = [Plan(rank=rank, regularisation=lam, tolerance=0.0) for lam in REGULARISATIONS]
    found = [fitted(base, plan, typed=typed) for plan in plans]
    return max(found, key=lambda each: _map(each[0], base, base.valid))


def _map(scorer: Scorer, base: KnowledgeBase, part: Triples) -> float:
    known = base.everything.triples.columns
    return 100.0 * entity_retrieval(scorer, part.columns, known, n_entities=base.n_entities).map


@dataclass(frozen=True)
class _TransE:
    entities: np.ndarray
    relations: np.ndarray
    rate: float

    def score(self, s: np.ndarray, k: np.ndarray, o: np.ndarray) -> np.ndarray:
        return -np.abs(self.entities[s] + self.relations[k] - self.entities[o]).sum(axis=1)


@dataclass(frozen=True)
class _CheckedPeer:
    peer: _TransE
    fit: Fit

    def score(self, s: np.ndarray, k: np.ndarray, o: np.ndarray) -> np.ndarray:
        return np.where(self.fit.allows(Triples(s, k, o)), self.peer.score(s, k, o), -np.inf)


def _transe(base: KnowledgeBase, rank: int, given: float) -> _TransE | None:
    """Return TransE trained at each rate, the one that retrieves validation facts best."""
    found = [_transe_at(base, rank, given, rate) for rate in RATES]
    return max(
        (peer for peer in found if peer is not None), key=lambda peer: _map(peer, base, base.valid), default=None
    )


def _transe_at(base: KnowledgeBase, rank: int, given: float, rate: float) -> _TransE | None:
    with tempfile.TemporaryDirectory() as folder:
        output = str(Path(folder) / "transe.npz")
        settings = {"model": "transe", "rank": rank, "rate": rate, "batch": 1024, "seconds": given, "output": output}
        if not run_pykeen(base, settings, measured=base.valid):
            return None
        with np.load(output) as stored:
            return _TransE(stored["entities"], stored["relations"], rate)
