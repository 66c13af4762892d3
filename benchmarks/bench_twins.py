"""Anonymised twins: every table again with headers c1…cn, values in small letters, columns and rows shuffled.

What a column is must be read off its values, and the answer must hold. For each table: the share of columns whose kind
is right by our own reading (`kinds_by_reading.csv`, tables a–m of the zoo and the older ones), with headers and in the
twin, the share of columns with one kind in both, and pairwise F1 of both (peer: the table with its headers). Sets with
labelled pairs only are scored on these. Needs the folder that the environment variable ONOMA_DATA names; tables of more
than 6,000 rows are cut to whole entities of about so many.
"""

import csv
import gzip
import os
import zlib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.measure import Measurement
from onoma.numerics.rng import stream
from onoma.resolve.api import resolve
from onoma.resolve.fields import Fields, prepare_fields

__all__ = ["LINKED", "f1_of", "kinds_by_reading", "read_zoo_table", "run", "twin_of"]

READING = Path(__file__).parent / "kinds_by_reading.csv"
LINKED = ("football-big5", "dbpedia-linkedmdb", "dailymed-drugbank", "hotel-rooms", "dblp-acm", "abt-buy")
_MOST_ROWS = 6_000
_QUICK = ("zoo/dailymed-drugbank", "linkage/rldata500")
_NOT_RESOLVED = (
    "febrl1",
    "febrl2",
    "febrl4a",
    "febrl4b",
    "acl-anthology",
    "patentsview",
    "cora_1879",
    "historical_50k",
)


def run(*, quick: bool) -> Iterator[Measurement]:
    """Score kinds and answers, table by table."""
    folder = Path(os.environ["ONOMA_DATA"]) / "resolution"
    totals: dict[str, list[float]] = defaultdict(list)
    for name, right in kinds_by_reading().items():
        if quick and name not in _QUICK:
            continue
        yield from _measure(folder, name, right, totals)
    for what, values in totals.items():
        yield Measurement(f"mean: {what}", float(np.mean(values)), None, None, f"{len(values)} values", "all tables")
    lost = [h - t for h, t in zip(totals["F1, headers"], totals["F1, twin"], strict=True)]
    yield Measurement(
        "tables whose twin loses at most .03", sum(x <= 0.03 for x in lost), None, None, f"of {len(lost)}", ""
    )


def _measure(
    folder: Path, name: str, right: dict[str, tuple[str, ...]], totals: dict[str, list[float]]
) -> Iterator[Measurement]:
    table = read_zoo_table(folder / f"{name}.csv.gz")
    evidence = table.select([*right])
    twin, names = twin_of(evidence)
    said, said_of_twin = _kinds(prepare_fields(evidence)), _kinds(prepare_fields(twin))
    back = {names[column]: kind for column, kind in said_of_twin.items()}
    for what, found in (("kinds, headers", said), ("kinds, twin", back)):
        hits = [found[column] in kinds for column, kinds in right.items()]
        totals[what] += hits
        yield Measurement(what, float(np.mean(hits)), None, None, "share right", name)
    agree = [said[column] == back[column] for column in right]
    totals["kinds agree"] += agree
    if any(each in name for each in _NOT_RESOLVED):
        return
    scores = [_f1(folder, name, table, anonymous=anonymous, columns=list(right)) for anonymous in (False, True)]
    totals["F1, headers"].append(scores[0])
    totals["F1, twin"].append(scores[1])
    ratio = scores[1] / scores[0] if scores[0] else None
    yield Measurement("F1 of the twin", scores[1], scores[0], ratio, "pairwise F1", name, peer_name="with headers")


def kinds_by_reading() -> dict[str, dict[str, tuple[str, ...]]]:
    """Return by table and column the kinds that are right."""
    found: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    with READING.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            found[row["table"]][row["column"]] = tuple(row["kinds"].split("|"))
    return found


def read_zoo_table(path: Path) -> pa.Table:
    """Read a table as text, cut to whole entities of about 6,000 rows."""
    csv.field_size_limit(10**9)
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        reader = csv.reader(lines)
        header = next(reader)
        rows = list(reader)
    table = pa.table({name: [row[i] or None for row in rows] for i, name in enumerate(header)})
    if len(table) <= _MOST_ROWS or "-pairs" in path.name:
        return table
    share = _MOST_ROWS / len(table)
    groups = table["cluster_id"].to_pylist()
    kept = [zlib.crc32(str(group or i).encode()) < share * 2**32 for i, group in enumerate(groups)]
    return table.filter(pa.array(kept))


def twin_of(table: pa.Table, *, seed: int = 0) -> tuple[pa.Table, dict[str, str]]:
    """Return the twin, and the name that each of its columns had; rows stay in order where the caller shuffles them."""
    order = stream(seed, "twin").permutation(table.num_columns)
    names = [table.column_names[i] for i in order]
    columns = [pc.utf8_lower(table[name].cast(pa.string())) for name in names]
    new = [f"c{i + 1}" for i in range(len(names))]
    return pa.table(columns, names=new), dict(zip(new, names, strict=True))


def _kinds(fields: Fields) -> dict[str, str]:
    found = {column: each.kind for each in fields.fields for column in each.columns}
    return found | {each.name: "ignore" for each in fields.ignored}


def _f1(folder: Path, name: str, table: pa.Table, *, anonymous: bool, columns: list[str]) -> float:
    short = name.split("/")[-1]
    frame = table.select(columns)
    if anonymous:
        frame, _ = twin_of(frame)
    keys = table["id"] if "id" in table.column_names else pa.chunked_array([np.arange(len(table)).astype(str)])
    frame = frame.append_column("row key", pa.array([f"r{i}" for i in range(len(table))]))
    linked = "source" in table.column_names and (short in LINKED or short.endswith("-pairs"))
    if "source" in table.column_names:
        frame = frame.append_column("from", table["source"])
    rows = stream(1, "twin").permutation(len(table)) if anonymous else np.arange(len(table))
    found = resolve(
        frame.take(pa.array(rows)), id="row key", source="from" if "from" in frame.column_names else None, link=linked
    )
    labels = np.empty(len(table), np.int64)
    labels[rows] = found.clustering.labels
    pairs = folder / f"{name}.pairs.csv.gz"
    if pairs.exists():
        return _f1_of_pairs(pairs, dict(zip(keys.to_pylist(), labels.tolist(), strict=True)))
    return f1_of(table, labels)


def f1_of(table: pa.Table, labels: np.ndarray) -> float:
    """Return the pairwise F1 of a table's rows against its gold entities; a row without one is its own."""
    entities = table["cluster_id"].to_pylist()
    gold = np.unique([value or f"none {i}" for i, value in enumerate(entities)], return_inverse=True)[1]
    return _pairwise_f1(gold, labels)


def _f1_of_pairs(path: Path, entity: dict[str, int]) -> float:
    right = wrong = missed = 0
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            same, true = entity[row["id_left"]] == entity[row["id_right"]], row["label"] == "1"
            right += same and true
            wrong += same and not true
            missed += true and not same
    return 2 * right / max(1, 2 * right + wrong + missed)


def _pairwise_f1(gold: np.ndarray, found: np.ndarray) -> float:
    def pairs(labels: np.ndarray) -> float:
        sizes = np.unique(labels, return_counts=True, axis=0)[1].astype(np.float64)
        return float((sizes * (sizes - 1) / 2).sum())

    both = pairs(np.stack([gold, found], axis=1))
    return 2 * both / max(1.0, pairs(gold) + pairs(found))
