"""Measures of clusterings: how fast at how many mentions, beside the er-evaluation package."""

import contextlib
import io
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import Measurement, in_fresh_process, seconds
from onoma.corpus.clustering import Clustering
from onoma.evaluate.b_cubed import b_cubed
from onoma.evaluate.report import evaluate
from onoma.evaluate.significance import bootstrap

_FRESH = """
import json, time
import numpy as np
from benchmarks.bench_evaluate import noisy
from onoma.corpus.clustering import Clustering
from onoma.evaluate.report import evaluate
gold, predicted = noisy({n}, {n_entities})
start = time.perf_counter()
evaluate(Clustering.from_labels(gold), Clustering.from_labels(predicted), metrics={metrics})
print(json.dumps({{"work": time.perf_counter() - start}}))
"""


def noisy(n: int, n_entities: int, *, noise: float = 0.2, seed: int = 0) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return gold and predicted labels; a share of the items is put in the entity of another item."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, n_entities, n)
    moved = rng.random(n) < noise
    predicted = gold.copy()
    predicted[moved] = rng.permutation(gold[moved])
    return gold, predicted


def run(*, quick: bool) -> Iterator[Measurement]:
    n = 50_000 if quick else 5_000_000
    fresh = in_fresh_process(_FRESH.format(n=n, n_entities=n // 5, metrics=["b3", "pairwise"]))
    data = f"{n:,} mentions, {n // 5:,} entities, 20 % moved"
    yield Measurement("b3 and pairwise, fresh process", fresh["work"], None, None, "s", data)
    yield Measurement("b3 and pairwise, peak memory", fresh["peak_mb"], None, None, "MB", data)
    yield from _all_metrics(10_000 if quick else 1_000_000)
    yield _against_er_evaluation(5_000 if quick else 200_000)


def _all_metrics(n: int) -> Iterator[Measurement]:
    worlds = {
        "20 % moved": noisy(n, n // 4),
        "20 % merged into one entity": _hub(n),
        "unrelated, one giant component": noisy(n, n // 4, noise=1.0),
    }
    for name, (gold, predicted) in worlds.items():
        sides = Clustering.from_labels(gold), Clustering.from_labels(predicted)
        time = seconds(lambda sides=sides: evaluate(*sides), repeat=1, warm=n < 100_000)
        yield Measurement("all metrics", time, None, None, "s", f"{n:,} mentions, {n // 4:,} entities, {name}")
    sides = tuple(Clustering.from_labels(labels) for labels in worlds["20 % moved"])
    time = seconds(lambda: bootstrap(*sides, metrics=["muc", "b3", "pairwise", "lea"], seed=1), repeat=1, warm=False)
    data = f"{n:,} mentions, {n // 4:,} gold entities resampled 1,000 times; MUC, B³, pairwise, LEA"
    yield Measurement("bootstrap intervals", time, None, None, "s", data)


def _hub(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    gold, _ = noisy(n, n // 4)
    rng = np.random.default_rng(1)
    return gold, np.where(rng.random(n) < 0.2, 0, gold)


def _against_er_evaluation(n: int) -> Measurement:
    """Compare B³; the peer weights gold entities equally where B³ weights items, the work is the same."""
    import er_evaluation.metrics as peer
    import pandas as pd

    gold, predicted = noisy(n, n // 5)
    ours = seconds(lambda: b_cubed(Clustering.from_labels(gold), Clustering.from_labels(predicted)).f1, repeat=5)
    series = pd.Series(predicted), pd.Series(gold)
    with contextlib.redirect_stdout(io.StringIO()):
        theirs = seconds(lambda: peer.b_cubed_f(*series), repeat=5)
    data = f"{n:,} mentions, {n // 5:,} entities"
    return Measurement("b3", ours, theirs, theirs / ours, "s", data, peer_name="er-evaluation")
