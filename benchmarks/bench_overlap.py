"""Two sources that share much, little or nothing, linked: pairwise F1, and links beside how many there should be.

Development tables that are linked, cut to about `ROWS` rows: of all entities of both sources a share stays in both,
the others in one. Simulated people (households in both registers) stand beside them, with all columns and with some.
The figure is beside that of tf-idf components at the best threshold for the table. Real tables need the folder that
the environment variable ONOMA_DATA names.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks._zoo_peers import tfidf_components
from benchmarks.bench_twins import read_zoo_table
from benchmarks.measure import Measurement
from onoma.corpus.simulate import simulate_people
from onoma.numerics.rng import stream
from onoma.resolve.api import resolve

__all__ = ["run"]

ROWS = 1_200
SHARES = (1.0, 0.3, 0.1, 0.03, 0.0)
TABLES = (
    "zoo/football-big5",
    "zoo/dbpedia-linkedmdb",
    "zoo/dailymed-drugbank",
    "zoo/hotel-rooms",
    "linkage/abt-buy",
    "linkage/amazon-google",
    "linkage/dblp-acm",
    "linkage/walmart-amazon",
)
PEOPLE: dict[str, Sequence[str]] = {
    "all columns": (),
    "name and city": ("given_name", "surname", "city"),
    "name and birthday": ("given_name", "surname", "birth_date"),
    "name and address": ("given_name", "surname", "street", "city", "postcode"),
}
_UNUSED = ("id", "cluster_id")


def run(*, quick: bool) -> Iterator[Measurement]:
    """Link each table at each overlap."""
    scores: dict[tuple[str, float], list[float]] = {}
    for share in SHARES[1::3] if quick else SHARES:
        for kind, name, table in _tables(share, quick=quick):
            for line in _measure(table, f"{name}, {share:.0%} in both, {len(table):,} rows"):
                if line.name == "pairwise F1":
                    scores.setdefault((kind, share), []).append(line.onoma)
                yield line
    for (kind, share), found in scores.items():
        about = f"{len(found)} {kind}, {share:.0%} in both"
        yield Measurement("mean pairwise F1", float(np.mean(found)), None, None, "share", about)


def _tables(share: float, *, quick: bool) -> Iterator[tuple[str, str, pa.Table]]:
    people = simulate_people(1_500, seed=5)
    for name, columns in list(PEOPLE.items())[: 1 if quick else None]:
        some = people.select([*_UNUSED, *columns]) if columns else people
        yield "tables of simulated people", f"simulated people, {name}", _registers(some, share)
    folder = Path(os.environ["ONOMA_DATA"]) / "resolution" if "ONOMA_DATA" in os.environ else None
    if folder is not None:
        for name in TABLES[3:4] if quick else TABLES:
            yield "real tables", name, _cut(read_zoo_table(folder / f"{name}.csv.gz"), share)


def _cut(table: pa.Table, share: float) -> pa.Table:
    """Return some entities: with a chance of `share` all of their rows, else those of one source."""
    rng = stream(0, "overlap")
    entity, source = _numbered(table, "cluster_id"), _numbered(table, "source")
    members = _members(entity)
    in_both = np.array([np.ptp(source[rows]) for rows in members]) > 0
    order = rng.permutation(len(in_both))
    kept: list[int] = []
    for each in order[np.argsort(~in_both[order], kind="stable")].tolist():
        rows, stays, side = members[each], rng.random() < share, rng.integers(2)
        kept += rows[stays | (source[rows] == side)].tolist()
        if len(kept) >= ROWS:
            break
    return table.take(pa.array(np.sort(kept)))


def _numbered(table: pa.Table, column: str) -> NDArray[np.int64]:
    return np.unique([str(each) for each in table[column].to_pylist()], return_inverse=True)[1]


def _members(entity: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    order = np.argsort(entity, kind="stable")
    return np.split(order, np.cumsum(np.bincount(entity))[:-1])


def _registers(people: pa.Table, share: float) -> pa.Table:
    """Put each person into one of two registers, and a share of those that have two rows into both."""
    rng = stream(0, "overlap")
    entity = _numbered(people, "cluster_id")
    source = np.full(len(entity), -1)
    for rows in _members(entity):
        side = int(rng.integers(2))
        source[rows[0]] = side
        if rng.random() < share:
            source[rows[1:2]] = 1 - side
    told = people.append_column("source", pa.array([f"register {each}" for each in source]))
    return told.filter(pa.array(source >= 0))


def _measure(table: pa.Table, data: str) -> Iterator[Measurement]:
    columns = [name for name in table.column_names if name not in (*_UNUSED, "source")]
    found = resolve(table.select([*columns, "source"]), source="source", link=True).recalibrated()
    entity, source = _numbered(table, "cluster_id"), _numbered(table, "source")
    linked, same, right = _counted(found.clustering.labels, entity, source)
    said = f"{data}; {'calibrated' if found.quality.calibrated else 'not calibrated'}"
    if same:
        best = 0.0
        for labels in tfidf_components(table.select(columns), columns, source).values():
            theirs, _, both = _counted(labels, entity, source)
            best = max(best, 2.0 * both / (theirs + same))
        ours = 2.0 * right / (linked + same)
        ratio = ours / best if best else None
        yield Measurement("pairwise F1", ours, best, ratio, "share", said, peer_name="tf-idf, threshold the best here")
    yield Measurement("links", float(linked), float(same), None, "pairs", said, peer_name="the truth")


def _counted(labels: NDArray[np.int64], entity: NDArray[np.int64], source: NDArray[np.int64]) -> tuple[int, int, int]:
    """Return the pairs between the sources that are found, that are the same, and both."""
    both = np.unique(np.stack([labels, entity]), axis=1, return_inverse=True)[1]

    def between(groups: NDArray[np.int64]) -> int:
        one, other = (np.bincount(groups[source == side], minlength=groups.max() + 1) for side in (0, 1))
        return int((one * other).sum())

    return between(np.asarray(labels)), between(entity), between(both.ravel())
