"""Clusters of somebody else's scores: `onoma cluster` on Splink's predicted pairs, beside Splink's best threshold.

Splink (on DuckDB) is set up by hand for historical_50k as in `bench_scale`; its pairs of probability .01 and more are
written once. The peer is the connected components of the pairs above the best of 22 thresholds, chosen with the truth;
ours has no threshold and sees no truth. Scored once.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from benchmarks.bench_scale import ID, TRUTH, _best, link
from benchmarks.measure import Measurement
from onoma.corpus.clustering import Clustering
from onoma.corpus.readers.table import read_table
from onoma.evaluate.report import evaluate
from onoma.kb.scored.clusters import cluster_pairs, read_pairs
from onoma.pipeline.reproduce import Context


def run(*, quick: bool) -> Iterator[Measurement]:
    del quick  # there is one size
    path = Context().file("resolution/linkage/historical_50k.csv.gz")
    table = read_table(path).table
    ids = [str(key) for key in table[ID["historical"]].to_pylist()]
    gold = Clustering.from_labels(table[TRUTH])
    with tempfile.TemporaryDirectory() as folder:
        edges = Path(folder) / "edges.parquet"
        link("historical", str(path), str(edges))
        found = pq.read_table(edges)
    best = _best(found, ids, gold)
    pairs = read_pairs(found)
    place = {key: i for i, key in enumerate(ids)}
    labels = np.arange(len(ids)) + len(ids)
    labels[[place[key] for key in pairs.ids]] = cluster_pairs(pairs).clustering.labels
    f1 = evaluate(gold, Clustering.from_labels(labels), metrics=("pairwise",)).as_dict()["pairwise"]["f1"]
    data = "historical_50k, Splink's predicted pairs"
    yield Measurement("pairwise F1", f1, best.f1, f1 / best.f1, "share", data, "", f"Splink, {best.note}")
