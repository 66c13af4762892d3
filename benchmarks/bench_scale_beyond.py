"""Five million simulated people, file to file, ours alone: seconds, processor time, memory and quality.

Splink is measured up to a million rows (`python -m benchmarks scale`); this is a benchmark of its own, so that either
can be run in a few minutes. `python -m benchmarks.draw_scale` draws both.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq

from benchmarks.bench_scale import TRUTH, _onoma, _people
from benchmarks.measure import Measurement
from onoma.corpus.clustering import Clustering
from onoma.evaluate.report import evaluate

ROWS, FEW = 5_000_000, 5_000


def run(*, quick: bool) -> Iterator[Measurement]:
    n = FEW if quick else ROWS
    with tempfile.TemporaryDirectory() as folder:
        _onoma(_people(Path(folder), 2_000), Path(folder))  # compiles
        path = _people(Path(folder), n)
        took, found = _onoma(path, Path(folder))
        gold = Clustering.from_labels(pq.read_table(path, columns=[TRUTH])[TRUTH])
        f1 = evaluate(gold, found, metrics=("pairwise",)).as_dict()["pairwise"]["f1"]
    data = f"{n:,} simulated people"
    for name, value, unit in (
        ("time", took.seconds, "s"),
        ("processor time", took.processor, "s"),
        ("peak memory", took.peak_mb, "MB"),
        ("pairwise F1", f1, "share"),
    ):
        yield Measurement(name, value, None, None, unit, data)
