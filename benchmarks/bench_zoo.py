"""The zoo: labelled tables of many domains, the same defaults for each; the development half (a–m) and the other (n–z).

Needs ONOMA_DATA. A table of labelled pairs is scored on its pairs, any other on all pairs of labelled rows; one of more
than `MOST` rows is cut to whole entities drawn at random, for Onoma and peers alike. For each table: pairwise F1 beside
exact match (rows that are equal in every field) and components of tf-idf (the best of fourteen thresholds for that
table; and one threshold for all, the best in the mean over a–m); of the pairs stated at 95 % or more the share that is
true (both rows so sure of their place); whether the interval of the number of entities holds the truth. The truth
scores the result and is used for nothing else. Splink has a benchmark of its own (`zoo_splink`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks._zoo_peers import THRESHOLDS, tfidf_components
from benchmarks.measure import Measurement
from onoma.corpus.clustering import Clustering
from onoma.corpus.readers.table import read_table
from onoma.numerics.rng import stream
from onoma.pipeline.reproduce import Context
from onoma.resolve.api import resolve
from onoma.resolve.config import ResolveConfig

MOST = 2_500
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
HALVES = ("a–m", "n–z")


@dataclass
class _Half:
    """What was found on the tables of a half."""

    ours: list[float] = field(default_factory=list)
    tfidf: list[dict[float, float]] = field(default_factory=list)
    honest: list[bool] = field(default_factory=list)
    """Of tables with sure pairs: whether nine in ten of these are true."""
    held: list[bool] = field(default_factory=list)
    """Of tables with complete gold: whether the interval of the number of entities holds the truth."""


def run(*, quick: bool) -> Iterator[Measurement]:
    folder, names = tables(quick=quick)
    halves = {half: _Half() for half in HALVES}
    for name in names:
        yield from _measure(folder, name, halves[HALVES[name[0] > "m"]])
    yield from _totals(halves)


def tables(*, quick: bool) -> tuple[Path, list[str]]:
    """Return the folder of the zoo, and the names of its tables."""
    folder = Context().file("resolution/zoo/README.md").parent
    if quick:
        return folder, ["hotel-rooms", "stoxx50-companies"]
    return folder, sorted(p.name.removesuffix(".csv.gz") for p in folder.glob("*.csv.gz") if ".pairs." not in p.name)


def _totals(halves: dict[str, _Half]) -> Iterator[Measurement]:
    chosen_on = halves[HALVES[0]].tfidf or halves[HALVES[1]].tfidf
    one = max(THRESHOLDS, key=lambda threshold: np.mean([each[threshold] for each in chosen_on]))
    for half, found in halves.items():
        data = f"{len(found.ours)} tables, {half}"
        best = [max(each.values()) for each in found.tfidf]
        ours = float(np.mean(found.ours))
        for peer, scores in (
            ("tf-idf, best threshold of each table", best),
            (f"tf-idf, threshold {one}", [each[one] for each in found.tfidf]),
        ):
            if scores:
                theirs = float(np.mean(scores))
                yield Measurement("mean pairwise F1", ours, theirs, ours / theirs, "share", data, peer_name=peer)
        above = sum(mine >= theirs - 0.0005 for mine, theirs in zip(found.ours, best, strict=True))
        yield Measurement("tables not below tf-idf at its best", float(above), None, None, "tables", data)
        for what, held in (("sure pairs: nine in ten true", found.honest), ("interval of entities holds", found.held)):
            yield Measurement(what, float(sum(held)), float(len(held)), None, "tables", data, peer_name="of")


def _measure(folder: Path, name: str, half: _Half) -> Iterator[Measurement]:
    table, pairs, source, link = read(folder, name)
    how = ResolveConfig(id="id", source=source, link=link, truth="cluster_id")
    gold = Clustering.from_labels(table["cluster_id"].cast(pa.string())).labels
    found = resolve(table, how).recalibrated()
    labels = found.clustering.labels
    said = "calibrated" if found.quality.calibrated else "not calibrated"
    data = f"{name}, {len(table):,} rows, model {found.config.model}, {said}"
    ours = f1(labels, gold, pairs)
    half.ours.append(ours)
    for peer, theirs in _peers(table, source, gold, pairs, half, link=link):
        yield Measurement("pairwise F1", ours, theirs, ours / theirs if theirs else None, "share", data, peer_name=peer)
    sure, true = _sure(found.probability >= 0.95, labels, gold, pairs)
    if sure:
        half.honest.append(true >= 0.9 * sure)
        yield Measurement("true of pairs stated at 95 % or more", true / sure, None, None, "share", f"{data}; {sure:,}")
    if pairs is None and (gold >= 0).all():
        entities, low, high = found.entity_count()
        truth = int(gold.max()) + 1
        half.held.append(low <= truth <= high)
        told = f"{data}; truth {truth:,}, 95 % interval {low:,} – {high:,}"
        yield Measurement("entities", float(entities), float(truth), None, "entities", told, peer_name="the truth")


def _peers(
    table: pa.Table, source: str | None, gold: NDArray[np.int64], pairs: NDArray[np.int64] | None, half: _Half,
    *, link: bool,
) -> Iterator[tuple[str, float]]:  # fmt: skip
    """Yield each peer and its score."""
    columns = [name for name in table.column_names if name not in ("id", "source", "cluster_id")]
    sides = Clustering.from_labels(table[source].cast(pa.string())).labels if link and source else None
    equal = ResolveConfig(id="id", truth="cluster_id", exclude=(source,) if source else (), model="exact-match")
    yield "exact match", f1(resolve(table, equal).clustering.labels, gold, pairs)
    scores = {at: f1(each, gold, pairs) for at, each in tfidf_components(table, columns, sides).items()}
    half.tfidf.append(scores)
    best = max(scores, key=lambda threshold: scores[threshold])
    yield f"tf-idf, threshold {best}, the best here", scores[best]


def read(folder: Path, name: str) -> tuple[pa.Table, NDArray[np.int64] | None, str | None, bool]:
    """Return a table or a part of it, its labelled pairs, its column of sources, and whether these are linked."""
    table = read_table(folder / f"{name}.csv.gz").table
    pairs = _pairs(folder / f"{name}.pairs.csv.gz", table)
    table = table if pairs is not None else part_of(table)
    source = "source" if "source" in table.column_names else None
    two = source is not None and len(set(table[source].to_pylist())) == 2
    return table, pairs, source, name in LINKED or (pairs is not None and two)


def part_of(table: pa.Table) -> pa.Table:
    """Return a table, or whole entities of it with at most `MOST` rows."""
    if len(table) <= MOST:
        return table
    gold = Clustering.from_labels(table["cluster_id"].cast(pa.string()))
    order = stream(0, "checks").permutation(gold.n_entities)
    kept = np.zeros(gold.n_entities, dtype=np.bool_)
    kept[order[np.cumsum(gold.sizes[order]) <= MOST]] = True
    return table.take(pa.array(np.flatnonzero((gold.labels >= 0) & kept[np.maximum(gold.labels, 0)])))


def _sure(
    sure: NDArray[np.bool_], labels: NDArray[np.int64], gold: NDArray[np.int64], pairs: NDArray[np.int64] | None
) -> tuple[int, int]:
    """Return how many pairs of one entity have rows that are both sure, and how many of them are true."""
    if pairs is not None:
        a, b, label = pairs.T
        stated = (labels[a] == labels[b]) & sure[a] & sure[b]
        return int(stated.sum()), int((stated & (label == 1)).sum())
    use = sure & (gold >= 0)
    return _count(labels[use]), _count(gold[use] * (int(labels.max(initial=0)) + 1) + labels[use])


def _pairs(path: Path, table: pa.Table) -> NDArray[np.int64] | None:
    """Return the labelled pairs as rows of the table and 1 or 0; None if there are none."""
    if not path.exists():
        return None
    place = {str(each): row for row, each in enumerate(table["id"].to_pylist())}
    told = read_table(path).table.to_pylist()
    return np.array([(place[str(q["id_left"])], place[str(q["id_right"])], int(q["label"])) for q in told])


def f1(labels: NDArray[np.int64], gold: NDArray[np.int64], pairs: NDArray[np.int64] | None) -> float:
    """Return pairwise F1 on the labelled pairs, or on all pairs of labelled rows."""
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
