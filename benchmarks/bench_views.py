"""Views: random parts of development tables, as other people's tables are parts of what could be known.

Whole entities are drawn, some of them are left with one row, columns are left out, two may stand in one, headers and
capitals may be gone, and sources may be told or not. For each view: pairwise F1 beside tf-idf components at the best
threshold for the view, which nobody would know. What is looked for are views where ten lines are far ahead: there the
program is wrong in a way that its own tables do not show. Tables n–z of the zoo are not among them. Needs ONOMA_DATA.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks._zoo_peers import tfidf_components
from benchmarks.bench_twins import f1_of, read_zoo_table
from benchmarks.measure import Measurement
from onoma.numerics.rng import stream
from onoma.pipeline.reproduce import Context
from onoma.resolve.api import resolve
from onoma.resolve.config import ResolveConfig
from onoma.resolve.result import Resolution

__all__ = ["View", "run", "scored", "view_of"]

TABLES = (
    *(f"cora/{name}" for name in ("cora", "cora_1879")),
    *(f"linkage/{name}" for name in ("abt-buy", "amazon-google", "cddb", "chicago_sites", "dblp-acm", "fake_1000")),
    *(f"linkage/{name}" for name in ("febrl1", "febrl2", "febrl3", "historical_50k", "patstat_nl", "restaurants")),
    *(f"linkage/{name}" for name in ("rldata500", "rldata10000", "walmart-amazon")),
    *(f"zoo/{name}" for name in ("arxiv-hep-authors", "ca-interest-groups", "dbpedia-linkedmdb", "football-big5")),
    *(f"zoo/{name}" for name in ("football-clubs-europe", "geonames-toponyms", "jedai-census", "musicbrainz-20k")),
    *(f"patentsview/{name}" for name in ("bench_nber_assignees", "mentions")),
    "names/everypolitician_names",
)
_UNUSED = (
    *("id", "cluster_id", "unique_id", "rec_id", "person_id", "mention_id"),
    *("source_record_id", "pv20220630_id", "block", "Source"),
)
"""Ids, and what gives the answer away."""
_VIEWS, _FEW = 150, 3
_ROWS, _SINGLE = (150, 400, 1_000, 2_500), (0.0, 0.0, 0.5, 0.9)
"""Rows of a view, and the share of entities that are left with one."""
_FAR = 0.1


class View(NamedTuple):
    """A part of a table."""

    name: str
    table: pa.Table
    link: bool
    how: str


def run(*, quick: bool) -> Iterator[Measurement]:
    """Score views, one after the other."""
    yield from scored(view_of(number) for number in range(_FEW if quick else _VIEWS))


def scored(views: Iterable[View], what: str = "views") -> Iterator[Measurement]:
    """Score views beside tf-idf at its best, one after the other, and in sum.

    Parameters
    ----------
    what
        What they are called in sum.
    """
    ours, best, calibrated, held = [], [], [], []
    for view in views:
        columns = [name for name in view.table.column_names if name not in ("cluster_id", "source")]
        if not any(value for name in columns for value in view.table[name].to_pylist()):
            continue
        evidence = view.table.drop_columns(["cluster_id"])
        config = ResolveConfig(source="source", link=True) if view.link else ResolveConfig()
        found = resolve(evidence, config).recalibrated()
        source = np.unique(view.table["source"].to_pylist(), return_inverse=True)[1] if view.link else None
        peer = max(f1_of(view.table, each) for each in tfidf_components(evidence, columns, source).values())
        score = f1_of(view.table, found.clustering.labels)
        ours.append(score)
        best.append(peer)
        calibrated.append(found.quality.calibrated)
        held.append(_holds(view.table, found))
        about = f"{view.name}, {len(view.table):,} rows, {', '.join(columns)}; {view.how}; model {found.config.model}"
        ratio = score / peer if peer else None
        yield Measurement("pairwise F1", score, peer, ratio, "share", about, peer_name="tf-idf at its best")
    behind = np.array(best) - np.array(ours)
    name, of = "tf-idf at its best", f"of {len(ours)} {what}"
    yield Measurement("mean F1", float(np.mean(ours)), float(np.mean(best)), None, "share", of, peer_name=name)
    yield Measurement("views not below", float((behind <= 0.0).sum()), None, None, "views", of, peer_name=name)
    yield Measurement("views far below", float((behind > _FAR).sum()), None, None, f"by {_FAR:g} or more", of)
    sure = np.array(calibrated)
    yield Measurement("calibrated", float(sure.sum()), None, None, "views", of)
    for k, each in enumerate(("precision", "recall", "entities")):
        good = np.array([one[k] for one in held], dtype=np.float64)
        told = ~np.isnan(good)
        for which, some in (("", told), (", of those calibrated", told & sure)):
            among = f"of {int(some.sum())} {what}"
            yield Measurement(f"interval of {each} holds{which}", float(good[some].sum()), None, None, "views", among)


def _holds(table: pa.Table, found: Resolution) -> tuple[float, float, float]:
    """Say whether the intervals of precision, recall and the number of entities hold the truth: 1, 0, or NaN."""
    gold = np.unique(table["cluster_id"].to_pylist(), return_inverse=True)[1].astype(np.int64)
    labels, quality = found.clustering.labels.astype(np.int64), found.quality
    pairs = [_pairs(each) for each in (labels, gold, labels * (int(gold.max()) + 1) + gold)]
    held = []
    for share, of in ((quality.precision, pairs[0]), (quality.recall, pairs[1])):
        none = share is None or not of
        held.append(float("nan") if share is None or none else float(share.low <= pairs[2] / of <= share.high))
    _, low, high = found.entity_count()
    return held[0], held[1], float(low <= int(gold.max()) + 1 <= high)


def _pairs(labels: NDArray[np.int64]) -> float:
    sizes = np.unique(labels, return_counts=True)[1].astype(np.float64)
    return float((sizes * (sizes - 1.0)).sum() / 2.0)


def view_of(number: int, tables: Sequence[str] = TABLES, load: Callable[[str], pa.Table] | None = None) -> View:
    """Return a view, drawn by its number.

    Parameters
    ----------
    tables, load
        Names of tables, and what reads one.
    """
    rng = stream(number, "views")
    name = tables[int(rng.integers(len(tables)))]
    table = (load or _table)(name)
    rows = _rows(table["cluster_id"].to_pylist(), rng)
    columns = [each for each in table.column_names if each not in (*_UNUSED, "source")]
    n_columns = len(columns) if rng.random() < 0.4 else int(rng.integers(1, len(columns) + 1))
    kept = set(rng.choice(columns, n_columns, replace=False).tolist())
    columns = [each for each in columns if each in kept]
    part = table.take(pa.array(rows))
    link = "source" in table.column_names and rng.random() < 0.6 and len(set(part["source"].to_pylist())) == 2
    part = part.select(["cluster_id", *(["source"] if link else []), *columns])
    drawn, how = rng.random(), "linked" if link else "one source"
    if drawn < 0.15:
        part, how = _without_headers(part, columns), f"{how}, no headers, small letters"
    elif drawn < 0.3 and len(columns) > 1:
        first = int(rng.integers(len(columns) - 1))
        part, how = _put_together(part, columns[first : first + 2], str(rng.choice([" ", ", "]))), f"{how}, two in one"
    return View(name, part, link, how)


@cache
def _table(name: str) -> pa.Table:
    return read_zoo_table(Context().file(f"resolution/{name}.csv.gz"))


def _rows(gold: list[str | None], rng: np.random.Generator) -> list[int]:
    """Draw whole entities up to a number of rows; of some, one row is kept."""
    entities: dict[str, list[int]] = {}
    for row, label in enumerate(gold):
        if label:
            entities.setdefault(label, []).append(row)
    most, single, rows = int(rng.choice(_ROWS)), float(rng.choice(_SINGLE)), []
    for label in rng.permutation(list(entities)).tolist():
        some = entities[label]
        rows += [some[int(rng.integers(len(some)))]] if rng.random() < single else some
        if len(rows) >= most:
            break
    return [int(row) for row in rng.permutation(rows)]


def _without_headers(table: pa.Table, columns: list[str]) -> pa.Table:
    for number, name in enumerate(columns):
        low = pa.array([None if value is None else value.lower() for value in table[name].to_pylist()], pa.string())
        table = table.set_column(table.column_names.index(name), f"c{number}", low)
    return table


def _put_together(table: pa.Table, columns: list[str], sign: str) -> pa.Table:
    pairs = zip(*(table[name].to_pylist() for name in columns), strict=True)
    both = [sign.join(value for value in pair if value) or None for pair in pairs]
    return table.drop_columns(columns).append_column("_".join(columns), pa.array(both, pa.string()))
