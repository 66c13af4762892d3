"""Rows of two types in one file: what each comes to, beside the same rows as a table of their own.

Two development tables about different things are put into one file, in an order drawn at random: whole entities of up
to 1,200 rows, one to one, nine to one and one to nine. Columns of one name are one column. The figure is the pairwise
F1 of each table's rows, beside that of the table alone (in the same order), and what it is if all rows are taken for
one type (`one_type`). Then every development table alone, as it is, with three values in ten blanked, and with each
column blanked in half of the rows: how many are taken for several types, which none should be. Needs the folder that
the environment variable ONOMA_DATA names.
"""

import os
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.bench_twins import f1_of, read_zoo_table
from benchmarks.measure import Measurement
from onoma.numerics.rng import stream
from onoma.resolve.api import resolve
from onoma.resolve.config import ResolveConfig
from onoma.resolve.ready import make_ready

__all__ = ["run"]

PAIRS = (
    ("linkage/dblp-acm", "linkage/restaurants"),
    ("cora/cora", "linkage/restaurants"),
    ("linkage/febrl3", "linkage/abt-buy"),
    ("linkage/fake_1000", "linkage/restaurants"),  # both have a city
    ("zoo/football-big5", "zoo/football-clubs-europe"),  # both have a name
    ("zoo/football-clubs-europe", "linkage/restaurants"),  # both have a name and a city
    ("linkage/cddb", "linkage/dblp-acm"),  # both have a title and a year
)
_QUICK = PAIRS[1:2]
_SHARES = ((1, 1), (9, 1), (1, 9))
_MOST_ROWS = 1_200
_UNUSED = ("id", "rec_id", "person_id", "source", "cluster_id")


def run(*, quick: bool) -> Iterator[Measurement]:
    """Score rows of two types, and count tables that are wrongly taken for several."""
    lost: dict[str, list[float]] = {"one type": [], "types": []}
    for one, other in _QUICK if quick else PAIRS:
        for share in _SHARES[:1] if quick else _SHARES:
            yield from _measure(one, other, share, lost)
    for what, each in lost.items():
        kept = sum(abs(x) <= 0.02 for x in each)
        yield Measurement(f"{what}: parts within .02 of the table alone", kept, None, None, f"of {len(each)}", "")
    yield from _guard(quick=quick)


def _measure(one: str, other: str, share: tuple[int, int], lost: dict[str, list[float]]) -> Iterator[Measurement]:
    tables = [_part(name, _MOST_ROWS * k // max(share)) for name, k in zip((one, other), share, strict=True)]
    n = [len(each) for each in tables]
    order = stream(0, "types", one, other).permutation(sum(n))
    rows = pa.concat_tables([_evidence(each) for each in tables], promote_options="default").take(pa.array(order))
    of = (order >= n[0]).astype(np.int64)
    scores = {what: _score(rows, tables, of, order, one_type=what == "one type") for what in lost}
    for k, (name, table) in enumerate(zip((one, other), tables, strict=True)):
        mine = order[of == k] - k * n[0]
        ordered = table.take(pa.array(mine))
        alone = f1_of(ordered, _answer(_evidence(ordered)))
        for what, found in scores.items():
            lost[what].append(alone - found[k])
            data = f"{name}, {n[k]:,} rows, with {n[1 - k]:,} of {(one, other)[1 - k]}"
            ratio = found[k] / alone if alone else None
            yield Measurement(f"F1, {what}", found[k], alone, ratio, "pairwise F1", data, peer_name="the table alone")


def _score(
    rows: pa.Table, tables: list[pa.Table], of: NDArray[np.int64], order: NDArray[np.int64], *, one_type: bool
) -> list[float]:
    """Return the F1 of either table's rows."""
    labels = _answer(rows, one_type=one_type)
    found = []
    for k, table in enumerate(tables):
        mine = order[of == k] - k * len(tables[0])
        found.append(f1_of(table.take(pa.array(mine)), labels[of == k]))
    return found


def _answer(rows: pa.Table, *, one_type: bool = False) -> NDArray[np.int64]:
    return resolve(rows, one_type=one_type).recalibrated().clustering.labels


def _evidence(table: pa.Table) -> pa.Table:
    return table.drop_columns([name for name in table.column_names if name in _UNUSED])


@cache
def _read(name: str) -> pa.Table:
    return read_zoo_table(Path(os.environ["ONOMA_DATA"]) / "resolution" / f"{name}.csv.gz")


def _part(name: str, most: int) -> pa.Table:
    table = _read(name)
    share = most / max(len(table), 1)
    groups = table["cluster_id"].to_pylist()
    kept = [zlib.crc32(f"part {group or i}".encode()) < share * 2**32 for i, group in enumerate(groups)]
    return table if share >= 1.0 else table.filter(pa.array(kept))


def _guard(*, quick: bool) -> Iterator[Measurement]:
    """Count tables that are taken for several types though they are of one."""
    folder = Path(os.environ["ONOMA_DATA"]) / "resolution"
    names = [f"linkage/{path.name[:-7]}" for path in sorted((folder / "linkage").glob("*.csv.gz"))]
    zoo = sorted(path.name[:-7] for path in (folder / "zoo").glob("[a-m]*.csv.gz") if ".pairs." not in path.name)
    names += ["cora/cora", *(f"zoo/{name}" for name in zoo)]
    wrong = {"as they are": 0, "three values in ten blanked": 0, "a column blanked in half of the rows": 0}
    n_tried = dict.fromkeys(wrong, 0)
    for name in names[:3] if quick else names:
        table = _evidence(_read(name))
        rng = stream(0, "blanks", name)
        hidden = rng.random((len(table), table.num_columns)) < 0.3
        half = rng.random(len(table)) < 0.5
        tried = [("as they are", table), ("three values in ten blanked", _blanked(table, hidden))]
        for c in range(table.num_columns if table.num_columns > 1 else 0):
            only = np.zeros_like(hidden)
            only[half, c] = True
            tried.append(("a column blanked in half of the rows", _blanked(table, only)))
        for what, rows in tried:
            n_tried[what] += 1
            wrong[what] += bool(make_ready(rows, ResolveConfig()).types)
    for what, n in wrong.items():
        yield Measurement(f"tables taken for several types, {what}", n, None, None, f"of {n_tried[what]}", "")


def _blanked(table: pa.Table, hidden: NDArray[np.bool_]) -> pa.Table:
    columns = {
        name: pa.array([None if gone else value for value, gone in zip(column.to_pylist(), hidden[:, c], strict=True)])
        for c, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True))
    }
    return pa.table({name: column.cast(pa.string()) for name, column in columns.items()})
