"""The pairwise model: factor evaluations a second on bags like Cora's, and Cora with labels of two folds of three.

The folds need ONOMA_DATA. They are split by entity: no entity of the scored fold has a labelled record.
"""

import os
import time
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from benchmarks.measure import Measurement
from onoma.corpus.clustering import Clustering
from onoma.corpus.readers.table import read_table
from onoma.evaluate.b_cubed import b_cubed
from onoma.mcmc.subsampling import Confidence, Exact, Strategy, Uniform
from onoma.numerics.rng import stream
from onoma.pipeline.reproduce import Context
from onoma.resolve.api import resolve
from onoma.resolve.config import ResolveConfig
from onoma.resolve.models.pairwise.chain import MentionBags, PairwiseChain

STRATEGIES: dict[str, Strategy] = {"exact": Exact(), "p=0.1": Uniform(0.1), "i=5": Confidence(5.0)}
N_FOLDS = 3


def run(*, quick: bool) -> Iterator[Measurement]:
    bags, labels = _like_cora(300 if quick else 1300)
    for name, scoring in STRATEGIES.items():
        yield _rate(bags, labels, name, scoring, 5 if quick else 60)
    if os.environ.get("ONOMA_DATA"):
        for model in ("pairwise",) if quick else ("pairwise", "correlation", "copying"):
            yield from _folds(model, 1 if quick else N_FOLDS)


def _like_cora(n: int) -> tuple[MentionBags, np.ndarray]:
    """Bags of 8 author words, 8 title words, 5 venue words and a year, in entities of twelve on average."""
    rng = stream(1, "bags")
    labels = np.sort(rng.integers(0, n // 12, n))
    groups = []
    for size, vocabulary in ((8, 600), (8, 900), (5, 300), (1, 20)):
        own = rng.integers(0, vocabulary, (n // 12, size))
        groups.append([[f"w{w if rng.random() < 0.8 else rng.integers(vocabulary)}" for w in own[k]] for k in labels])
    return MentionBags.build(groups), labels


def _rate(bags: MentionBags, labels: np.ndarray, name: str, scoring: Strategy, n_sweeps: int) -> Measurement:
    tables = np.array([(g, h) for g in range(bags.n_groups) for h in range(g, bags.n_groups)])
    factors = bags.factors(
        bias=-6.0, slopes=np.full(bags.n_groups, 6.0), tables=tables, cells=np.zeros((len(tables), 121))
    )
    best = 0.0
    for _ in range(4):  # the first compiles
        chain = PairwiseChain(factors, len(bags), seed=1, start=labels, moves="uniform", scoring=scoring)
        begun = time.thread_time()
        chain.run(np.full(n_sweeps, 0.5))
        best = max(best, chain.n_factors / (time.thread_time() - begun))
    data = (
        f"{len(bags):,} mentions like Cora's, {len(bags.words) / len(bags):.0f} words each, processor time of one core"
    )
    return Measurement(f"factor evaluations, {name}", best / 1e6, None, None, "M/s", data)


def _folds(model: str, n_scored: int) -> Iterator[Measurement]:
    table = read_table(Context().file("resolution/cora/cora.csv.gz")).table
    gold = Clustering.from_labels(table["cluster_id"])
    fold = stream(0, "folds").integers(0, N_FOLDS, gold.n_entities)[gold.labels]
    for scored in range(n_scored):
        known = [int(label) if at != scored else None for label, at in zip(gold.labels, fold, strict=True)]
        given = table.append_column("known", pa.array(known, pa.int64()))
        begun = time.perf_counter()
        found = resolve(given, labels="known", config=ResolveConfig(model=model))
        spent = time.perf_counter() - begun
        here = fold == scored
        score = b_cubed(gold.take(here), found.clustering.take(here))
        data = f"Cora, {model}, {int(here.sum())} records of fold {scored + 1}, labels of the others"
        yield Measurement(
            "B³ F1", score.f1, None, None, "share", f"{data}; P {score.precision:.3f} R {score.recall:.3f}"
        )
        yield Measurement("time", spent, None, None, "s", data)
