"""Mentions in context at the size of a corpus of links: 1.57 million simulated mentions against two simple answers.

What is simulated: `onoma.corpus.simulate.links`, with the numbers of entities, mentions and ambiguous strings of the
corpus of Singh et al. (2011), and contexts of words that are common, of a topic, or the entity's own. On it, string
match scored B³ 57.3, SubSquare 64.8 and the authors' model 73.7. `onoma reproduce cross-document/…` has real mentions.
"""

from collections.abc import Iterator

from benchmarks.measure import Measurement, in_fresh_process

_N = 1_567_028
_RUN = """
import json, tempfile, time
from pathlib import Path
import numpy as np, pyarrow as pa, pyarrow.parquet as pq
from onoma.corpus.clustering import Clustering
from onoma.corpus.simulate import simulate_links
from onoma.engines.local import LocalEngine
from onoma.evaluate.b_cubed import b_cubed
from onoma.evaluate.pairwise import pairwise
from onoma.pipeline.distributed_mentions import MentionColumns, resolve_mentions
from onoma.resolve.models.cross_document.grouping import CrossDocumentSettings
from onoma.resolve.partitions.rounds import RoundSettings
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "links.parquet"
    pq.write_table(simulate_links({n}, seed=0), path, row_group_size=65536)
    begun, used = time.perf_counter(), time.process_time()
    found = resolve_mentions(
        LocalEngine(2), [path], MentionColumns(truth="cluster_id"), folder=Path(folder) / "run",
        rounds=RoundSettings(n_partitions={partitions}, n_rounds={rounds}),
        settings=CrossDocumentSettings(per_mention={per_mention}),
    )
    wall, cpu = time.perf_counter() - begun, time.process_time() - used
    score, pairs = b_cubed(found.gold, found.clustering), pairwise(found.gold, found.clustering)
    print(json.dumps({{
        "wall": wall, "cpu": cpu, "precision": score.precision, "recall": score.recall, "f1": score.f1,
        "pairs": pairs.f1, "entities": found.clustering.n_entities, "true": found.gold.n_entities,
    }}))
"""
_BASELINES = """
import json, time
import numpy as np
from onoma.corpus.clustering import Clustering
from onoma.corpus.simulate import simulate_links
from onoma.evaluate.b_cubed import b_cubed
from onoma.resolve.models.cross_document.baselines import near_mentions, subsquare
from onoma.resolve.models.cross_document.text import bags_of
table = simulate_links({n}, seed=0)
gold, names = Clustering.from_labels(table["cluster_id"]), Clustering.from_labels(table["name"])
f1 = lambda labels: b_cubed(gold, Clustering.from_labels(labels)).f1
begun = time.process_time()
near = near_mentions(bags_of(table["context"]), names.labels)
tried = {{k: max(f1(subsquare(near, overlap=t, n_links=k)) for t in (0.2, 0.3, 0.4, 0.5, 0.6)) for k in (1, 2)}}
print(json.dumps({{
    "string": b_cubed(gold, names).f1, "one": tried[1], "two": tried[2],
    "largest": int(gold.sizes.max()), "cpu": time.process_time() - begun,
}}))
"""


def run(*, quick: bool) -> Iterator[Measurement]:
    n = 40_000 if quick else _N
    simple = in_fresh_process(_BASELINES.format(n=n))
    ours = in_fresh_process(
        _RUN.format(n=n, partitions=4 if quick else 100, rounds=6 if quick else 12, per_mention=5.0)
    )
    data = f"{n:,} simulated mentions of {ours['true']:,.0f} entities, the largest of {simple['largest']:,.0f}"
    f1 = 100 * ours["f1"]
    for name, peer in (
        ("string match", simple["string"]),
        ("SubSquare, at its best threshold", simple["one"]),
        ("SubSquare with two links, at its best threshold", simple["two"]),
    ):
        yield Measurement("B³ F1", f1, 100 * peer, f1 / (100 * peer), "%", data, peer_name=name)
    yield Measurement("B³ precision", 100 * ours["precision"], None, None, "%", data)
    yield Measurement("B³ recall", 100 * ours["recall"], None, None, "%", data)
    yield Measurement("pairwise F1", 100 * ours["pairs"], None, None, "%", data)
    yield Measurement("entities found", ours["entities"], None, None, "", data)
    yield Measurement("time from file to entities, two threads", ours["wall"], None, None, "s", data)
    yield Measurement("processor time", ours["cpu"], None, None, "s", data)
    yield Measurement("memory, with the simulated table", ours["peak_mb"] / 1000, None, None, "GB", data)
