"""Things that are named over and over: lists of names with repetition, and tables that name a thing in passing.

Needs ONOMA_DATA. Names of inventors and assignees (whole entities of about 6,000 rows; of assignees 12,000 rows drawn
at random), Dutch patent applicants, and rows of development tables drawn again and again, with a day and a quantity
beside what they name. Pairwise F1 beside that of the ten-line answer: rows of which the first of these columns (of
people: the names together) is equal. Development data, all of it looked at while the rules were made.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.bench_zoo import f1
from benchmarks.measure import Measurement
from onoma.corpus.clustering import Clustering
from onoma.corpus.readers.table import read_table
from onoma.numerics.rng import stream
from onoma.pipeline.reproduce import Context
from onoma.resolve.api import resolve

PEOPLE = ("lai2011", "ens", "israeli", "als")
FIRMS = ("air_umass", "nber")
DRAWN = (
    ("zoo/musicbrainz-20k", ("title", "artist")),
    ("zoo/musicbrainz-20k", ("title",)),
    ("linkage/restaurants", ("name",)),
    ("linkage/restaurants", ("name", "city")),
    ("zoo/football-clubs-europe", ("name",)),
    ("zoo/geonames-toponyms", ("name",)),
    ("zoo/geonames-toponyms", ("name", "country")),
    ("linkage/abt-buy", ("name",)),
    ("linkage/amazon-google", ("title", "manufacturer")),
    ("linkage/dblp-acm", ("title",)),
)
_ENTITIES, _ROWS = 500, 3_000
_STEEP, _MOST = 1.7, 200
"""How often rows are drawn: by Zipf's law with this exponent, at most so many times as often as the rarest."""


def run(*, quick: bool) -> Iterator[Measurement]:
    folder = Context().file("resolution/README.md").parent
    for name in PEOPLE[:1] if quick else PEOPLE:
        table = _whole(read_table(folder / f"patentsview/bench_{name}_inventors.csv.gz").table, 6_000)
        yield _measure(f"inventors, {name}", table.select(["first", "last", "cluster_id"]), ["first", "last"])
    for name in () if quick else FIRMS:
        table = read_table(folder / f"patentsview/bench_{name}_assignees.csv.gz").table
        rows = np.sort(stream(0, "repeats").choice(len(table), 12_000, replace=False))
        yield _measure(f"assignees, {name}", table.take(rows).select(["organization", "cluster_id"]), ["organization"])
    if not quick:
        yield _measure("applicants", read_table(folder / "linkage/patstat_nl.csv.gz").table, ["name"], id="person_id")
    for name, columns in DRAWN[2:3] if quick else DRAWN:
        drawn = _drawn(folder / f"{name}.csv.gz", columns)
        said = f"{name}, {' and '.join(columns)}, drawn again"
        yield _measure(said, drawn, list(columns[:1]))
        yield _measure(f"{said}, with a day and a quantity", _with_occasions(drawn), list(columns[:1]))


def _measure(said: str, table: pa.Table, named: list[str], **options: str) -> Measurement:
    gold = _labels(table["cluster_id"])
    found = resolve(table, truth="cluster_id", **options).recalibrated()
    ours = f1(found.clustering.labels, gold, None)
    words = [" ".join(each or "" for each in row) for row in zip(*(table[c].to_pylist() for c in named), strict=True)]
    theirs = f1(np.unique(np.array(words), return_inverse=True)[1], gold, None)
    data = f"{said}, {len(table):,} rows"
    return Measurement(
        "pairwise F1", ours, theirs, ours / theirs if theirs else None, "share", data, peer_name="equal names"
    )


def _whole(table: pa.Table, n_rows: int) -> pa.Table:
    """Return whole entities of about so many rows."""
    gold = _labels(table["cluster_id"])
    kept = stream(0, "repeats").random(int(gold.max()) + 1) < n_rows / len(table)
    return table if len(table) <= n_rows else table.filter(pa.array(kept[gold]))


def _drawn(path: Path, columns: tuple[str, ...]) -> pa.Table:
    """Return rows of some entities, a few of them drawn very often."""
    rng, table = stream(0, "repeats"), read_table(path).table
    gold = _labels(table["cluster_id"])
    rows = np.flatnonzero(np.isin(gold, rng.permutation(int(gold.max()) + 1)[:_ENTITIES]))
    often = np.minimum(rng.zipf(_STEEP, len(rows)), _MOST).astype(np.float64)
    return table.take(rng.choice(rows, _ROWS, p=often / often.sum())).select([*columns, "cluster_id"])


def _with_occasions(table: pa.Table) -> pa.Table:
    rng, n = stream(1, "repeats"), len(table)
    days = [f"20{y:02d}-{m:02d}-{d:02d}" for y, m, d in zip(*(rng.integers(*each, n) for each in _DAY), strict=True)]
    return table.append_column("day", pa.array(days)).append_column("quantity", pa.array(rng.integers(1, 9, n)))


_DAY = ((10, 24), (1, 13), (1, 29))


def _labels(column: pa.ChunkedArray) -> NDArray[np.int64]:
    return Clustering.from_labels(column.cast(pa.string())).labels
