"""The zoo: labelled tables of many domains, the same defaults for each; the development half (a–m) and the other (n–z).

Needs ONOMA_DATA. A table of labelled pairs is scored on its pairs, any other on all pairs of labelled rows. The
baseline is exact match: rows that are equal in every field. The truth scores the result and is used for nothing else.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.measure import Measurement
from onoma.corpus.clustering import Clustering
from onoma.corpus.readers.table import read_table
from onoma.pipeline.reproduce import Context
from onoma.resolve.api import resolve
from onoma.resolve.config import ResolveConfig

LINKED = (
    "football-big5",
    "oaei-persons1",
    "dbpedia-linkedmdb",
    "dailymed-drugbank",
    "oaei14-books",
    "splink-transactions-a",
    "hotel-rooms",
)
"""Tables whose rows are linked between two sources; those of labelled pairs are where they have two."""


def run(*, quick: bool) -> Iterator[Measurement]:
    folder = Context().file("resolution/zoo/README.md").parent
    names = sorted(path.name.removesuffix(".csv.gz") for path in folder.glob("*.csv.gz") if ".pairs." not in path.name)
    halves: dict[str, list[float]] = {"a–m": [], "n–z": []}
    for name in ("hotel-rooms", "stoxx50-companies") if quick else names:
        scores = _measure(folder, name)
        halves["a–m" if name[0] <= "m" else "n–z"].append(scores[0].onoma)
        yield from scores
    for half, found in halves.items():
        yield Measurement(
            "mean pairwise F1", float(np.mean(found)), None, None, "share", f"{len(found)} tables, {half}"
        )


def _measure(folder: Path, name: str) -> list[Measurement]:
    table = read_table(folder / f"{name}.csv.gz").table
    pairs = _pairs(folder / f"{name}.pairs.csv.gz", table)
    source = "source" if "source" in table.column_names else None
    two = source is not None and len(set(table[source].to_pylist())) == 2
    link = name in LINKED or (pairs is not None and two)
    how = ResolveConfig(id="id", source=source, link=link, truth="cluster_id")
    gold = Clustering.from_labels(table["cluster_id"].cast(pa.string())).labels
    found = resolve(table, how)
    exact = resolve(
        table, ResolveConfig(id="id", truth="cluster_id", exclude=(source,) if source else (), model="exact-match")
    )
    data = f"{name}, {len(table):,} rows, model {found.config.model}"
    ours, theirs = (_f1(each.clustering.labels, gold, pairs) for each in (found, exact))
    ratio = ours / theirs if theirs else None
    lines = [Measurement("pairwise F1", ours, theirs, ratio, "share", data, peer_name="exact match")]
    if pairs is None and (gold >= 0).all():
        entities, low, high = found.entity_count()
        said = f"{data}; truth {int(gold.max()) + 1:,}, 95 % interval {low:,} – {high:,}"
        lines.append(Measurement("entities", float(entities), None, None, "entities", said))
    return lines


def _pairs(path: Path, table: pa.Table) -> NDArray[np.int64] | None:
    """Return the labelled pairs as rows of the table and 1 or 0; None if there are none."""
    if not path.exists():
        return None
    place = {str(each): row for row, each in enumerate(table["id"].to_pylist())}
    told = read_table(path).table.to_pylist()
    return np.array([(place[str(q["id_left"])], place[str(q["id_right"])], int(q["label"])) for q in told])


def _f1(labels: NDArray[np.int64], gold: NDArray[np.int64], pairs: NDArray[np.int64] | None) -> float:
    if pairs is not None:
        same, true = labels[pairs[:, 0]] == labels[pairs[:, 1]], pairs[:, 2] == 1
        return float(2 * (same & true).sum() / max(same.sum() + true.sum(), 1))
    known = gold >= 0
    found, true = _count(labels[known]), _count(gold[known])
    both = _count(gold[known] * (int(labels.max()) + 1) + labels[known])
    return 2 * both / max(found + true, 1)


def _count(labels: NDArray[np.int64]) -> int:
    sizes = np.unique(labels, return_counts=True)[1].astype(np.int64)
    return int((sizes * (sizes - 1) // 2).sum())
