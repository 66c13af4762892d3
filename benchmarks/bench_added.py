"""What a table's own rows come to when rows that match nobody are added: decoys, and rows of another table.

Decoys are made crudely, from outside: the first half of the words of one value and the second half of another's, with
the pattern of missing values of a row drawn at random; a third as many as there are rows. Unrelated rows are those of
another table, put into the columns in their order; a tenth as many. The figure is the pairwise F1 of the real rows (of
labelled pairs where there are only these), beside that of the table alone. Development tables only; needs the folder
that the environment variable ONOMA_DATA names; tables of more than 2,500 rows are cut to whole entities of about so
many.
"""

import os
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.bench_twins import LINKED, f1_of, kinds_by_reading, read_zoo_table
from benchmarks.measure import Measurement
from onoma.numerics.rng import stream
from onoma.resolve.api import resolve

__all__ = ["decoys_of", "rows_of_another", "run"]

TABLES = (
    "zoo/arxiv-hep-authors",
    "zoo/ca-interest-groups",
    "zoo/dailymed-drugbank",
    "zoo/dbpedia-linkedmdb",
    "zoo/football-big5",
    "zoo/football-clubs-europe",
    "zoo/geonames-toponyms",
    "zoo/hotel-rooms",
    "zoo/jedai-census",
    "zoo/musicbrainz-20k",
    "linkage/abt-buy",
    "linkage/restaurants",
    "linkage/rldata500",
    "linkage/fake_1000",
)
_QUICK = ("zoo/hotel-rooms", "linkage/rldata500")
_MOST_ROWS = 2_500


def run(*, quick: bool) -> Iterator[Measurement]:
    """Score the real rows, table by table."""
    folder = Path(os.environ["ONOMA_DATA"]) / "resolution"
    columns = {name: list(kinds) for name, kinds in kinds_by_reading().items()}
    names = [name for name in TABLES if name in columns and (not quick or name in _QUICK)]
    tables = {name: _part_of(read_zoo_table(folder / f"{name}.csv.gz")) for name in names}
    lost: dict[str, list[float]] = {"decoys": [], "unrelated rows": []}
    for at, name in enumerate(names):
        table, real = tables[name], tables[name].select(columns[name])
        alone = _score(name, table, real, real.slice(0, 0))
        another = names[at - 1]
        added = {
            "decoys": decoys_of(real, len(real) // 3, seed=at),
            "unrelated rows": rows_of_another(real, tables[another].select(columns[another]), len(real) // 10),
        }
        for what, rows in added.items():
            found = _score(name, table, real, rows)
            lost[what].append(alone - found)
            data = f"{name}, {len(real):,} rows and {len(rows):,} {what}"
            ratio = found / alone if alone else None
            yield Measurement(f"F1 with {what}", found, alone, ratio, "pairwise F1", data, peer_name="the table alone")
    for what, each in lost.items():
        kept = sum(abs(x) <= 0.01 for x in each)
        yield Measurement(f"tables that {what} move by at most .01", kept, None, None, f"of {len(each)}", "")


def decoys_of(table: pa.Table, n_wanted: int, *, seed: int) -> pa.Table:
    """Return rows that look like a table's and match nobody: halves of two values recombined, column by column."""
    rng = stream(seed, "decoys")
    like = rng.integers(0, max(len(table), 1), n_wanted)
    made = {}
    for name in table.column_names:
        values = table[name].to_pylist()
        known = [value for value in values if value]
        column: list[str | None] = []
        for row in like.tolist():
            if not values[row] or not known:
                column.append(None)
                continue
            one, other = (known[k] for k in rng.integers(0, len(known), 2).tolist())
            column.append(_recombined(one, other))
        made[name] = pa.array(column, pa.string())
    return pa.table(made)


def _recombined(one: str, other: str) -> str:
    """Return the first half of one value and the second half of another, by words or, in one word, by letters."""
    parts, rest = one.split(), other.split()
    if len(parts) > 1 and len(rest) > 1:
        return " ".join([*parts[: (len(parts) + 1) // 2], *rest[len(rest) // 2 :]])
    return one[: (len(one) + 1) // 2] + other[len(other) // 2 :]


def rows_of_another(table: pa.Table, another: pa.Table, n_wanted: int) -> pa.Table:
    """Return rows of another table in this one's columns, one after the other; what is left over is missing."""
    some = another.slice(0, n_wanted)
    names = some.column_names
    return pa.table(
        {
            name: some[names[k]] if k < len(names) else pa.nulls(len(some), pa.string())
            for k, name in enumerate(table.column_names)
        }
    )


def _score(name: str, table: pa.Table, real: pa.Table, added: pa.Table) -> float:
    """Return the F1 of the real rows, resolved together with the added ones."""
    n_all = len(real) + len(added)
    frame = pa.concat_tables([real.cast(pa.schema([(each, pa.string()) for each in real.column_names])), added])
    frame = frame.append_column("row key", pa.array([f"r{i}" for i in range(n_all)]))
    has_source = "source" in table.column_names
    if has_source:
        sources = table["source"].to_pylist()
        drawn = stream(0, "sources", name).integers(0, len(sources), len(added)).tolist()
        frame = frame.append_column("from", pa.array([*sources, *(sources[k] for k in drawn)], pa.string()))
    link = has_source and name.split("/")[-1] in LINKED
    found = resolve(frame, id="row key", source="from" if has_source else None, link=link)
    return f1_of(table, found.clustering.labels[: len(real)])


def _part_of(table: pa.Table) -> pa.Table:
    share = _MOST_ROWS / max(len(table), 1)
    groups = table["cluster_id"].to_pylist()
    kept = np.array([zlib.crc32(f"part {group or i}".encode()) < share * 2**32 for i, group in enumerate(groups)])
    return table if share >= 1.0 else table.filter(pa.array(kept))
