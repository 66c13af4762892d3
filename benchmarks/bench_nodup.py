"""Tables in which nothing is a duplicate: how many rows are joined all the same; households; and tables of one entity.

Needs ONOMA_DATA. Of labelled tables of ten kinds (the development half of the zoo, the older tables) one row for each
entity is kept, up to 1,000, and no source is told; of lists of titles (`names/autofj_records`) those of one side, all
of different things. What the gold of a table leaves apart by mistake counts as joined here: in `ca-interest-groups`
about half of the pairs that were read. Households: simulated people who share surname, street and city, with and
without duplicates. The answer is that of the command: links that the checks give up are given up. What that costs
where there are duplicates is measured on the same kinds of titles with those of the other side (`peer`: pairwise F1
when nothing is given up).
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from benchmarks.bench_zoo import f1
from benchmarks.measure import Measurement
from benchmarks.train_likeness import TITLES
from onoma.corpus.clustering import Clustering
from onoma.corpus.readers.table import read_table
from onoma.corpus.simulate import PeopleSettings, simulate_people
from onoma.numerics.rng import stream
from onoma.pipeline.reproduce import Context
from onoma.resolve.api import resolve

N_ROWS = 1_000
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
    "linkage/restaurants",
    "linkage/cddb",
)
LARGEST = (
    "cora/cora",
    "cora/cora_1879",
    "linkage/patstat_nl",
    "linkage/historical_50k",
    "zoo/arxiv-hep-authors",
    "zoo/inspire-wang",
    "patentsview/bench_nber_assignees",
    "patentsview/mentions",
    "names/everypolitician_names",
)
"""Tables with entities of twenty rows or more; six of each are tables of their own."""
FEWEST, MOST, N_LARGEST = 20, 1_500, 6
_ANSWERS = ("cluster_id", "source", "id", "person_id", "unique_id", "mention_id", "publication_id", "block")
DUPLICATES = (0.0, 0.1, 0.3, 0.6)
FEW = 0.001


def run(*, quick: bool) -> Iterator[Measurement]:
    shares: dict[str, list[float]] = {"tables": [], "lists of titles": []}
    for group, tables in (("tables", _tables(quick=quick)), ("lists of titles", _titles(quick=quick))):
        for name, table in tables:
            share = _joined(table)
            shares[group].append(share)
            yield Measurement(
                "rows joined", share, 0.0, None, "share", f"{name}, {len(table):,} rows", peer_name="none"
            )
    for group, each in shares.items():
        told = f"{len(each)} {group} without duplicates"
        yield Measurement("fewer than 1 in 1,000 joined", sum(x < FEW for x in each), len(each), None, group, told)
        yield Measurement("rows joined, mean", float(np.mean(each)), 0.0, None, "share", told)
    yield from _with_duplicates(quick=quick)
    for duplicates in DUPLICATES:
        yield from _households(duplicates)
    row = simulate_people(500, seed=1, settings=PeopleSettings(duplicates=0.0)).slice(0, 1).to_pylist()[0]
    person = {name: str(value) for name, value in row.items() if name not in ("id", "cluster_id") and value}
    address = {"first": "Katherine", "last": "Montgomery", "street": "17 Larch Street", "city": "Springfield"}
    for one, what in ((address, "name and address"), (person, "all columns of simulated people")):
        yield _one_entity(one, what)
    yield from _largest(quick=quick)


def _tables(*, quick: bool) -> Iterator[tuple[str, pa.Table]]:
    for name in TABLES[7:8] if quick else TABLES:
        table = read_table(Context().file(f"resolution/{name}.csv.gz")).table
        gold = Clustering.from_labels(table["cluster_id"].cast(pa.string())).labels
        order = stream(0, "nodup").permutation(len(table))
        first = order[np.unique(gold[order], return_index=True)[1]]
        first = stream(1, "nodup").permutation(first[gold[first] >= 0])[:N_ROWS]
        kept = [each for each in table.column_names if each not in ("cluster_id", "source", "id")]
        yield name, table.select(kept).take(pa.array(np.sort(first)))


def _titles(*, quick: bool) -> Iterator[tuple[str, pa.Table]]:
    records = read_table(Context().file("resolution/names/autofj_records.csv.gz")).table.to_pylist()
    kinds = sorted({str(each["dataset"]) for each in records} - set(TITLES))
    for kind in kinds[:1] if quick else kinds[::3]:
        titles = [str(each["title"]) for each in records if each["dataset"] == kind and each["side"] == "left"]
        kept = np.sort(stream(0, kind).permutation(len(titles))[:N_ROWS])
        yield kind, pa.table({"title": [titles[row] for row in kept.tolist()]})


def _with_duplicates(*, quick: bool) -> Iterator[Measurement]:
    """Resolve lists of titles with their duplicates; of each the pairwise F1 with and without the checks."""
    records = read_table(Context().file("resolution/names/autofj_records.csv.gz")).table.to_pylist()
    matches = read_table(Context().file("resolution/names/autofj_matches.csv.gz")).table.to_pylist()
    kinds = sorted({str(each["dataset"]) for each in records} - set(TITLES))
    before, after, given_up = [], [], 0
    for kind in kinds[:1] if quick else kinds[::3]:
        left_of = {str(each["id_right"]): str(each["id_left"]) for each in matches if each["dataset"] == kind}
        rows = [each for each in records if each["dataset"] == kind]
        keys = [
            str(each["id"]) if each["side"] == "left" else left_of.get(str(each["id"]), f"r{each['id']}")
            for each in rows
        ]
        gold = Clustering.from_labels(pa.array(keys))
        order = stream(0, kind).permutation(gold.n_entities)
        kept = np.isin(gold.labels, order[np.cumsum(gold.sizes[order]) <= N_ROWS])
        titles = [str(each["title"]) for each, use in zip(rows, kept, strict=True) if use]
        found = resolve(pa.table({"title": titles}))
        scores = [f1(each.clustering.labels, gold.labels[kept], None) for each in (found, found.recalibrated())]
        before.append(scores[0])
        after.append(scores[1])
        given_up += found.quality.all_different
        data = f"{kind}, {len(titles):,} rows with duplicates"
        yield Measurement("pairwise F1", scores[1], scores[0], None, "share", data, peer_name="nothing given up")
    data = f"{len(after)} lists of titles with duplicates, {given_up} taken for lists without"
    mean, peer = float(np.mean(after)), float(np.mean(before))
    yield Measurement("mean pairwise F1", mean, peer, None, "share", data, peer_name="nothing given up")


def _joined(table: pa.Table) -> float:
    """Return the share of rows that are joined with another."""
    found = resolve(table).recalibrated().clustering
    return float((found.sizes[found.labels] > 1).mean())


def _households(duplicates: float) -> Iterator[Measurement]:
    table = simulate_people(1_000, seed=7, settings=PeopleSettings(households=0.8, duplicates=duplicates))
    gold = Clustering.from_labels(table["cluster_id"])
    found = resolve(table, truth="cluster_id").recalibrated()
    both = Clustering.from_labels(found.clustering.labels.astype(np.int64) * (len(gold) + 1) + gold.labels)
    joined, right, true = (float((s * (s - 1.0)).sum()) for s in (found.clustering.sizes, both.sizes, gold.sizes))
    data = f"1,000 simulated people in households, {duplicates:.0%} duplicates"
    sizes, purest = found.clustering.sizes[found.clustering.labels], both.sizes[both.labels]
    yield Measurement("rows joined with another person", float((sizes > purest).mean()), 0.0, None, "share", data)
    if true:
        yield Measurement("precision of pairs", right / max(joined, 1.0), 1.0, None, "share", data)
        yield Measurement("recall of pairs", right / true, 1.0, None, "share", data)


def _one_entity(one: dict[str, str], what: str) -> Measurement:
    """Resolve 500 rows of one person, three in ten values with a letter that is wrong."""
    rng = stream(3, "one entity")
    table = pa.table(
        {name: [_slip(value, rng) if rng.random() < 0.3 else value for _ in range(500)] for name, value in one.items()}
    )
    found = resolve(table).recalibrated()
    data = f"500 rows of one person, {what}, 30 % of the values with a slip"
    return Measurement("entities", float(found.clustering.n_entities), 1.0, None, "entities", data)


def _slip(value: str, rng: np.random.Generator) -> str:
    at = int(rng.integers(0, len(value)))
    return value[:at] + chr(int(rng.integers(97, 123))) + value[at + 1 :]


def _largest(*, quick: bool) -> Iterator[Measurement]:
    """Resolve the largest entities of labelled tables, each by itself: how many are answered with one entity?"""
    answered = []
    for name in LARGEST[5:6] if quick else LARGEST:
        table = read_table(Context().file(f"resolution/{name}.csv.gz")).table
        gold = Clustering.from_labels(table["cluster_id"].cast(pa.string()))
        kept = [each for each in table.column_names if each not in _ANSWERS]
        for entity in np.argsort(-gold.sizes, kind="stable")[:N_LARGEST].tolist():
            rows = np.flatnonzero(gold.labels == entity)
            if FEWEST <= len(rows) <= MOST:
                answered.append(resolve(table.select(kept).take(pa.array(rows))).recalibrated().clustering.n_entities)
                data = f"{name}, its {len(rows):,} rows of one entity"
                yield Measurement("entities", answered[-1], 1, None, "entities", data)
    told = f"{len(answered)} largest entities of {len(LARGEST)} tables"
    one = sum(each == 1 for each in answered)
    yield Measurement("answered with one entity", one, len(answered), None, "tables", told)
