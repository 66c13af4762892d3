"""Trees of sub-entities: steps a second however large entities are, and large tables of authors to 90 % F1.

`onoma reproduce hierarchical/figure-5` races the pairwise model, and scores real tables.
"""

import time
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from benchmarks.measure import Measurement, in_fresh_process
from onoma.numerics.rng import stream
from onoma.resolve.models.hierarchical.mentions import BagColumn, TreeTable
from onoma.resolve.models.hierarchical.trees import BagScores, NameScores, StructureScores, TreeChain, TreeScores
from onoma.resolve.models.hierarchical.whole_names import NameColumn

_LARGE = """
import json, time
from onoma.pipeline.studies._sets.author_tables import simulated
from onoma.pipeline.studies.hierarchical import race_trees
race_trees(simulated(1000, seed=0), seed=0, n_rounds=1)
table = simulated({n}, seed=0)
begun = time.perf_counter()
curve = race_trees(table, seed=0, threads={threads}, n_rounds=8)
print(json.dumps({{"wall": time.perf_counter() - begun, "to_90": curve.until(0.9) or -1.0, "f1": curve.f1[-1]}}))
"""


def run(*, quick: bool) -> Iterator[Measurement]:
    yield from _rates(2_000 if quick else 100_000)
    for n in (20_000,) if quick else (1_300_000, 5_800_000):
        yield from _large(n)


def _rates(n: int) -> Iterator[Measurement]:
    small, large = _rate(n, 100), _rate(n, n)
    data = f"{n:,} mentions of 12 words, near the model's best, processor time of one thread"
    yield Measurement("steps, entities of 100 mentions", small / 1e3, None, None, "k/s", data)
    yield Measurement(
        f"steps, one entity of {n:,}", large / 1e3, small / 1e3, large / small, "k/s", data, peer_name="of 100"
    )


def _rate(n: int, size: int) -> float:
    """Return the steps a second on entities of one size, one to a canopy, once they have formed."""
    rng = stream(size, "entities")
    entity = np.repeat(np.arange(n // size), size)
    words = []
    for length, pool in ((4, 10 * int(size**0.5)), (8, 50 * int(size**0.5))):
        rank = (pool * rng.random((n, length)) ** 2).astype(np.int64)
        lists = pa.array([[f"{e}-{w}" for w in row] for e, row in zip(entity, rank, strict=True)])
        words.append(BagColumn.of_lists(lists))
    scores = TreeScores(
        bags=[BagScores(evidence=0.5, alpha=8.0, discount=0.5)] * 2,
        names=[NameScores(match=0.0)],
        structure=StructureScores(root=-2.0, crowd=1.0),
    )
    names = [NameColumn.of_texts(pa.array([f"name{e}" for e in entity]))]
    table = TreeTable(entity, names, words, alphas=[8.0, 8.0], linking=[True, False])
    n_steps = done = spent = 0
    for k, shard in enumerate(table.shards()):
        chain = TreeChain(shard.mentions, shard.canopies, scores, seed=1, keys=(k,))
        per_canopy = np.diff(shard.canopies)
        chain.run(12 * per_canopy, temperature=0.3)
        n_steps = chain.n_proposals
        begun = time.thread_time()
        chain.run(4 * per_canopy, temperature=0.3)
        spent += time.thread_time() - begun
        done += chain.n_proposals - n_steps
    return done / spent


def _large(n: int) -> Iterator[Measurement]:
    for threads in (2,):
        found = in_fresh_process(_LARGE.format(n=n, threads=threads))
        data = f"{n:,} simulated authors, {threads} threads, F1 {found['f1']:.3f} at the end"
        yield Measurement("processor time of steps to F1 0.9", found["to_90"], None, None, "s", data)
        yield Measurement("time with weights and tables, to the end", found["wall"], None, None, "s", data)
        yield Measurement("memory, with the simulated table", found["peak_mb"] / 1000, None, None, "GB", data)
