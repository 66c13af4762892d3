"""Tables whose columns are put into one: whole records as a text, parted by commas or by nothing but spaces.

The figure is the pairwise F1 beside that of tf-idf components at the best threshold for the table, and that of the
table with its columns. Development tables only, cut to whole entities of at most 2,500 rows; needs the folder that the
environment variable ONOMA_DATA names.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks._zoo_peers import tfidf_components
from benchmarks.bench_twins import f1_of, read_zoo_table
from benchmarks.bench_zoo import part_of
from benchmarks.measure import Measurement
from onoma.resolve.api import resolve

__all__ = ["run"]

TABLES = (
    "linkage/febrl1",
    "linkage/fake_1000",
    "linkage/restaurants",
    "linkage/historical_50k",
    "linkage/cddb",
    "cora/cora",
    "zoo/arxiv-hep-authors",
    "zoo/football-big5",
    "zoo/football-clubs-europe",
    "zoo/jedai-census",
    "zoo/musicbrainz-20k",
)
_UNUSED = ("id", "rec_id", "unique_id", "person_id", "source", "cluster_id")
"""Ids, and what gives the answer away."""


def run(*, quick: bool) -> Iterator[Measurement]:
    """Score the records of each table, in one column and in their own."""
    folder = Path(os.environ["ONOMA_DATA"]) / "resolution"
    kept = []
    for name in TABLES[:1] if quick else TABLES:
        table = part_of(read_zoo_table(folder / f"{name}.csv.gz"))
        columns = [each for each in table.column_names if each not in _UNUSED]
        by_columns = f1_of(table, resolve(table.select(columns)).recalibrated().clustering.labels)
        yield Measurement("F1, own columns", by_columns, None, None, "pairwise F1", f"{name}, {len(table):,} rows")
        for called, sign in (("commas", ", "), ("spaces", " ")):
            records = in_one_column(table.select(columns), sign)
            found = resolve(records).recalibrated()
            score = f1_of(table, found.clustering.labels)
            best = max(f1_of(table, each) for each in tfidf_components(records, ["record"], None).values())
            kept.append(score >= best)
            apart = "apart" if len(found.fields.fields) > 1 else "whole"
            about = f"{name}, {called}, taken {apart}, {'' if found.quality.calibrated else 'not '}calibrated"
            ratio = score / best if best else None
            yield Measurement(
                "F1, one column", score, best, ratio, "pairwise F1", about, peer_name="tf-idf at its best"
            )
    yield Measurement("one column not below tf-idf at its best", float(np.sum(kept)), None, None, f"of {len(kept)}", "")


def in_one_column(table: pa.Table, sign: str) -> pa.Table:
    """Return the values of each row, those that are there, as one text."""
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return pa.table({"record": [sign.join(str(value) for value in row if value not in (None, "")) for row in rows]})
