"""Splink on the tables of `bench_zoo`, as they are cut there, with comparisons chosen by the type of a column.

Needs ONOMA_DATA and Splink. A table on which Splink fails has no line, and that is said.
"""

import sys
from collections.abc import Iterator

import pyarrow as pa

from benchmarks._zoo_peers import splink_components
from benchmarks.bench_zoo import f1, read, tables
from benchmarks.measure import Measurement
from onoma.corpus.clustering import Clustering


def run(*, quick: bool) -> Iterator[Measurement]:
    folder, names = tables(quick=quick)
    for name in names:
        table, pairs, source, link = read(folder, name)
        columns = [column for column in table.column_names if column not in ("id", "source", "cluster_id")]
        sides = Clustering.from_labels(table[source].cast(pa.string())).labels if link and source else None
        gold = Clustering.from_labels(table["cluster_id"].cast(pa.string())).labels
        try:
            score = f1(splink_components(table, columns, sides), gold, pairs)
        except Exception as problem:  # noqa: BLE001 (whatever a peer stumbles over)
            print(f"{name}: Splink fails: {str(problem).splitlines()[0]}", file=sys.stderr)
            continue
        data = f"{name}, {len(table):,} rows"
        yield Measurement("pairwise F1 of Splink", score, None, None, "share", data)
