"""Fit how often trees take namesakes for one person (`check/namesakes.py`), and say what leaving each kind out gives.

Needs ONOMA_DATA. Parts of tables of authors and inventors: AMiner (names chosen because many people have them), the ACL
Anthology (many family names; one), PatentsView, two development tables of the zoo. The trees of each are grown with
the defaults; the constants are those of the greatest likelihood of the pairs that are stated, every kind counting
alike. Printed: the constants by all kinds and without each, and for each table the calibration error of its pairs as
the model states them, with no probability above .9, and by the constants of the other kinds.

    python -m benchmarks.train_namesakes
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from scipy.optimize import minimize

from onoma.corpus.clustering import Clustering
from onoma.corpus.readers.table import read_table
from onoma.numerics.rng import stream
from onoma.pipeline.evaluation import gold_labels
from onoma.pipeline.reproduce import Context
from onoma.resolve.api import resolve
from onoma.resolve.check.namesakes import MISTAKEN, OTHERWISE, UNNAMED, Namesakes

Floats = NDArray[np.float64]
FAMILIES = ("Wang", "Zhang", "Chen", "Kim")
"""Of the Anthology, each a table of its own."""
PARTS = ((2_500, 0), (2_500, 11), (2_500, 12), (1_200, 1), (800, 13), (6_000, 14))
"""Rows and seeds of the parts of the zoo's tables."""
_START = np.log([MISTAKEN, OTHERWISE, UNNAMED])


class Grown(NamedTuple):
    """What trees state of the pairs of a table, the truth, and the names."""

    kind: str
    name: str
    stated: Floats
    same: NDArray[np.bool_]
    expected: Floats
    """Namesakes by chance, of the more frequent name of the two; not finite where names tell nothing."""
    otherwise: NDArray[np.bool_]
    """Where the two names differ."""

    def right(self, constants: Floats) -> Floats:
        """Return how likely each pair is, by the logarithms of the constants."""
        mistaken, otherwise, unnamed = np.exp(constants)
        odds = self.expected / mistaken * np.where(self.otherwise, otherwise, 1.0)
        return np.asarray(self.stated / (1.0 + np.where(np.isfinite(odds), odds, unnamed)))


def tables() -> Iterator[tuple[str, str, pa.Table]]:
    """Yield kind, name and table."""
    yield from _aminer()
    yield from _anthology()
    yield from _patents()
    for name in ("arxiv-hep-authors", "inspire-wang"):
        table = read_table(Context().file(f"resolution/zoo/{name}.csv.gz")).table
        for most, seed in PARTS:
            yield name, f"{name}, {most:,} rows, seed {seed}", _part(table, "cluster_id", most, seed)


def grown(kind: str, name: str, table: pa.Table) -> Grown:
    """Grow the trees of a table."""
    key = "id" if "id" in table.column_names else None
    found = resolve(table, model="hierarchical", id=key, truth="cluster_id")
    assert found.posterior is not None
    gold = Clustering.from_labels(gold_labels(table["cluster_id"])).labels
    names, (a, b, stated) = Namesakes.of(found), found.posterior.pairs
    use = (gold[a] >= 0) & (gold[b] >= 0)
    a, b = a[use], b[use]
    expected = np.maximum(names.expected[a], names.expected[b])
    return Grown(kind, name, stated[use], gold[a] == gold[b], expected, names.name[a] != names.name[b])


def fit(runs: Sequence[Grown]) -> Floats:
    """Return the logarithms of the constants under which what is true is likeliest, every kind counting alike."""
    share = Counter(run.kind for run in runs)

    def loss(constants: Floats) -> float:
        total = 0.02 * float(((constants - _START) ** 2).sum())  # where no table says anything, they stay
        for run in runs:
            p = np.clip(run.right(constants), 0.005, 0.995)
            total -= float(np.where(run.same, np.log(p), np.log1p(-p)).mean()) / share[run.kind]
        return total

    return np.asarray(minimize(loss, _START, method="Nelder-Mead").x)


def main() -> None:
    """Fit, and print."""
    runs = [grown(*each) for each in tables()]
    print("all kinds", _told(fit(runs)))
    for kind in dict.fromkeys(run.kind for run in runs):
        others = fit([run for run in runs if run.kind != kind])
        print(f"without {kind}", _told(others))
        for run in runs:
            if run.kind == kind:
                most = np.where(run.stated > 0.8, (run.stated + 0.8) / 2.0, run.stated)
                errors = [calibration_error(each, run.same) for each in (run.stated, most, run.right(others))]
                print(
                    f"  {run.name}: as stated {errors[0]:.3f}, none above .9 {errors[1]:.3f}, by names {errors[2]:.3f}"
                )
                sys.stdout.flush()


def calibration_error(stated: Floats, same: NDArray[np.bool_], bins: int = 10) -> float:
    """Return the mean gap between stated and true, in bins, of pairs stated at 1 % or more."""
    use = stated >= 0.01
    place = np.minimum((stated[use] * bins).astype(np.int64), bins - 1)
    gap = np.bincount(place, stated[use], bins) - np.bincount(place, same[use], bins)
    return float(np.abs(gap).sum() / max(int(use.sum()), 1))


def _told(constants: Floats) -> str:
    return "MISTAKEN {:.1f}, OTHERWISE {:.2f}, UNNAMED {:.3f}".format(*np.exp(constants))


def _part(table: pa.Table, by: str, most: int, seed: int) -> pa.Table:
    """Return the rows of whole groups, drawn at random, with at most so many rows in all."""
    groups = Clustering.from_labels(table[by].cast(pa.string()))
    order = stream(seed, "namesakes").permutation(groups.n_entities)
    kept = np.zeros(groups.n_entities, dtype=np.bool_)
    kept[order[np.cumsum(groups.sizes[order]) <= most]] = True
    return table.take(pa.array(np.flatnonzero((groups.labels >= 0) & kept[np.maximum(groups.labels, 0)])))


def _aminer() -> Iterator[tuple[str, str, pa.Table]]:
    table = read_table(Context().file("resolution/aminer110/mentions.csv.gz")).table.drop_columns(["paper_id"])
    for seed in range(6):
        yield "aminer", f"aminer, seed {seed}", _part(table, "name_block", 1_000, seed)


def _anthology() -> Iterator[tuple[str, str, pa.Table]]:
    folder = "resolution/acl-anthology"
    rows, papers = (read_table(Context().file(f"{folder}/{name}.csv.gz")).table for name in ("mentions", "papers"))
    first, last = (pc.fill_null(rows[name], "") for name in ("first", "last"))
    name = pc.utf8_trim_whitespace(pc.binary_join_element_wise(first, last, " "))
    about = papers.select(["title", "venue"]).take(pc.index_in(rows["paper_id"], papers["paper_id"].combine_chunks()))
    table = pa.table(
        {
            "name": name,
            "title": about["title"],
            "venue": about["venue"],
            "coauthors": _company(rows["paper_id"].to_pylist(), name.to_pylist()),
            "cluster_id": rows["cluster_id"],
            "family": last,
        }
    )
    table = table.filter(pc.is_valid(table["cluster_id"]))
    for seed in range(4):
        yield "anthology", f"anthology, seed {seed}", _part(table, "family", 2_000, seed).drop_columns(["family"])
    for family in FAMILIES:
        block = table.filter(pc.equal(table["family"], family)).slice(0, 1_500)
        yield "anthology, one family", f"anthology, {family}", block.drop_columns(["family"])


def _patents() -> Iterator[tuple[str, str, pa.Table]]:
    folder = "resolution/patentsview"
    rows, about, everyone = (
        read_table(Context().file(f"{folder}/{name}.csv.gz")).table for name in ("mentions", "patents", "inventors")
    )
    rows = rows.filter(pc.is_valid(rows["cluster_id"]))
    company: dict[str, list[str]] = {}
    for each in everyone.select(["patent_id", "first", "last"]).to_pylist():
        company.setdefault(str(each["patent_id"]), []).append(_whole(each))
    patents = about["patent_id"].cast(pa.string()).combine_chunks()
    told = about.select(["title", "assignee_organizations"]).take(
        pc.index_in(rows["patent_id"].cast(pa.string()), patents)
    )
    others = [
        "; ".join(name for name in company.get(str(each["patent_id"]), []) if name != _whole(each))
        for each in rows.select(["patent_id", "first", "last"]).to_pylist()
    ]
    kept = ["first", "last", "city", "state", "country", "cluster_id", "block"]
    table = pa.table(
        {
            **{name: rows[name] for name in kept},
            "title": told["title"],
            "assignees": told["assignee_organizations"],
            "coinventors": others,
        }
    )
    for seed in range(4):
        yield "patents", f"patents, seed {seed}", _part(table, "block", 2_000, seed).drop_columns(["block"])


def _company(papers: list[str], names: list[str]) -> list[str]:
    """Return for each mention the others of its paper."""
    by_paper: dict[str, list[int]] = {}
    for row, paper in enumerate(papers):
        by_paper.setdefault(paper, []).append(row)
    return ["; ".join(names[other] for other in by_paper[paper] if other != row) for row, paper in enumerate(papers)]


def _whole(person: dict[str, Any]) -> str:
    return f"{person['first'] or ''} {person['last'] or ''}".strip()


if __name__ == "__main__":
    main()
