"""Sources of which nobody says whether they have duplicates inside: what the table decides, beside what it would be.

Needs ONOMA_DATA; development tables of more than 2,500 rows are cut to whole entities. The source of each row is told
and nothing else. First tables of clean sources: pairwise F1 as decided, beside that of all rows as one heap
(`--link-and-dedupe`). Then tables without sources: these are drawn at random, or drawn so that rows of one thing are
mostly of one source; how many entities change beside no sources at all is what should be none.
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from benchmarks.bench_zoo import f1, part_of
from benchmarks.measure import Measurement
from onoma.corpus.clustering import Clustering
from onoma.corpus.readers.table import read_table
from onoma.numerics.rng import stream
from onoma.pipeline.reproduce import Context
from onoma.resolve.api import resolve
from onoma.resolve.config import ResolveConfig

CLEAN = (
    "zoo/musicbrainz-20k",
    "linkage/dblp-acm",
    "zoo/football-big5",
    "zoo/dailymed-drugbank",
    "zoo/dbpedia-linkedmdb",
    "linkage/abt-buy",
    "linkage/amazon-google",
    "linkage/walmart-amazon",
    "zoo/hotel-rooms",
)
HEAPS = (
    "linkage/cddb",
    "linkage/restaurants",
    "linkage/febrl3",
    "linkage/fake_1000",
    "linkage/rldata500",
    "linkage/chicago_sites",
    "zoo/ca-interest-groups",
    "zoo/football-clubs-europe",
    "zoo/jedai-census",
    "zoo/geonames-toponyms",
    "linkage/historical_50k",
)
_HOME = 0.85
"""How often a row is of the source that its thing has most rows in."""


def run(*, quick: bool) -> Iterator[Measurement]:
    folder = Context().file("resolution/README.md").parent
    for name in CLEAN[-1:] if quick else CLEAN:
        table = part_of(read_table(folder / f"{name}.csv.gz").table)
        gold = Clustering.from_labels(table["cluster_id"].cast(pa.string())).labels
        how = ResolveConfig(id="id" if "id" in table.column_names else None, source="source", truth="cluster_id")
        found = resolve(table, how).recalibrated()
        heap = resolve(table, how, link_and_dedupe=True).recalibrated()
        ours, theirs = (f1(each.clustering.labels, gold, None) for each in (found, heap))
        said = f"{name}, {len(table):,} rows, {'linked' if found.config.link else 'one heap'}"
        ratio = ours / theirs if theirs else None
        yield Measurement("pairwise F1", ours, theirs, ratio, "share", said, peer_name="one heap")
    for name in HEAPS[4:5] if quick else HEAPS:
        yield from _heap(name, part_of(read_table(folder / f"{name}.csv.gz").table))


def _heap(name: str, table: pa.Table) -> Iterator[Measurement]:
    gold = Clustering.from_labels(table["cluster_id"].cast(pa.string())).labels
    rng = stream(0, "sources")
    home = rng.integers(0, 2, int(gold.max()) + 1)[gold]
    how = ResolveConfig(id="id" if "id" in table.column_names else None, truth="cluster_id")
    alone = f1(resolve(table, how).recalibrated().clustering.labels, gold, None)
    for drawn, source in (
        ("at random", rng.integers(0, 2, len(table))),
        ("mostly one for a thing", np.where(rng.random(len(table)) < _HOME, home, 1 - home)),
    ):
        told = table.append_column("told", pa.array([f"s{each}" for each in source]))
        found = resolve(told, how, source="told").recalibrated()
        ours = f1(found.clustering.labels, gold, None)
        said = f"{name}, {len(table):,} rows, sources {drawn}, {'linked' if found.config.link else 'one heap'}"
        ratio = ours / alone if alone else None
        yield Measurement("pairwise F1", ours, alone, ratio, "share", said, peer_name="no sources")
