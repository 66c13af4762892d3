"""Fit what likeness means (`fields/kinds/likeness.py`) on one-column tables, and say what leaving each out gives.

Needs ONOMA_DATA and scikit-learn. Only tables whose licence allows it are learnt from; every table counts alike, and
pairs are its candidates. Writes `likeness.npz` beside the module and `benchmarks/results/likeness.json`.

    python -m benchmarks.train_likeness
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from onoma.corpus.clustering import Clustering
from onoma.corpus.readers.table import read_table
from onoma.evaluate.report import evaluate
from onoma.numerics.rng import stream
from onoma.pipeline.reproduce import Context
from onoma.resolve.blocking.canopies import find_candidates
from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.kinds import likeness
from onoma.resolve.fields.kinds.likeness import DIRECTIONS, LikenessComparison, LikenessModel, Trees
from onoma.resolve.fields.writing import fold
from onoma.resolve.posterior.consensus import find_consensus
from onoma.resolve.posterior.copying import CopyingSampler

TABLES = (
    ("zoo/geonames-toponyms", ("name",)),
    ("zoo/football-clubs-europe", ("name",)),
    ("zoo/musicbrainz-20k", ("title",)),
    ("cora/cora", ("title",)),
    ("linkage/restaurants", ("name",)),
    ("linkage/abt-buy", ("name",)),
    ("linkage/amazon-google", ("title",)),
    ("linkage/walmart-amazon", ("title",)),
    ("linkage/dblp-acm", ("title",)),
    ("linkage/cddb", ("artist", "title")),
    ("linkage/historical_50k", ("full_name",)),
    ("linkage/fake_1000", ("first_name", "surname")),
    ("patentsview/bench_nber_assignees", ("organization",)),
)
TITLES = ("ShoppingMall", "BasketballTeam", "Monarch", "Hospital", "Artwork", "GovernmentAgency", "RailwayLine")
"""Lists of titles of `names/autofj_records`."""
N_ROWS, N_SAME, N_OTHER = likeness.LARGEST, 2_000, 6_000
"""Rows of a table (whole entities), and pairs of it that are learnt from, about."""


class Column(NamedTuple):
    """One column, its truth and its candidates."""

    name: str
    field: FieldData
    gold: NDArray[np.int64]
    a: NDArray[np.int32]
    b: NDArray[np.int32]
    signs: NDArray[np.float64]


def column(name: str, texts: list[str], entities: list[str]) -> Column:
    """Prepare a column: whole entities up to N_ROWS rows, folded values, candidates."""
    _, gold = np.unique(np.array(entities), return_inverse=True)
    order = stream(1, name).permutation(int(gold.max()) + 1)
    sizes = np.bincount(gold)[order]
    chosen = np.isin(gold, order[: max(int(np.searchsorted(np.cumsum(sizes), N_ROWS)), 1)])
    folded = np.array([fold(text) for text in texts], dtype=object)
    chosen &= folded != ""
    known: dict[str, int] = {}
    codes = np.array([known.setdefault(text, len(known)) for text in folded[chosen].tolist()], np.int32)
    values, counts = list(known), np.bincount(codes).astype(np.int64)
    comparison = LikenessComparison(values, counts)
    field = FieldData(name, "text", "", (name,), values, values, codes, counts, comparison)
    found = find_candidates([field])
    signs = np.zeros((len(found), len(likeness.SIGNS)))
    one, other = codes[found.a], codes[found.b]
    differ = np.flatnonzero(one != other)
    signs[differ] = comparison.signs(one[differ], other[differ])
    return Column(name, field, gold[chosen], found.a, found.b, signs)


def columns() -> Iterator[Column]:
    """Yield the columns that are learnt from."""
    context = Context()
    for path, names in TABLES:
        table = read_table(context.file(f"resolution/{path}.csv.gz")).table
        if "assignees" in path:  # one row for each way of writing an organisation
            table = table.group_by(["cluster_id", *names]).aggregate([])
        table = table.filter(pc.is_valid(table["cluster_id"]))
        parts = [table[name].cast("string").to_pylist() for name in names]
        texts = [" ".join(filter(None, each)) for each in zip(*parts, strict=True)]
        yield column(path, texts, table["cluster_id"].cast("string").to_pylist())
    records = read_table(context.file("resolution/names/autofj_records.csv.gz")).table.to_pylist()
    matches = read_table(context.file("resolution/names/autofj_matches.csv.gz")).table.to_pylist()
    for kind in TITLES:
        left_of = {str(each["id_right"]): str(each["id_left"]) for each in matches if each["dataset"] == kind}
        rows = [each for each in records if each["dataset"] == kind]
        keys = [
            "l" + str(each["id"]) if each["side"] == "left" else "l" + left_of.get(str(each["id"]), f"r{each['id']}")
            for each in rows
        ]
        yield column(f"autofj {kind}", [str(each["title"]) for each in rows], keys)


def pairs_of(one: Column) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]]:
    """Return signs, truth and weights of some pairs that differ; weights sum to one."""
    same = one.gold[one.a] == one.gold[one.b]
    differ = one.field.codes[one.a] != one.field.codes[one.b]
    near = one.signs[:, 0] > np.quantile(one.signs[:, 0], 0.8)
    chance = np.where(same, N_SAME / max(same.sum(), 1), N_OTHER / max((~same).sum(), 1) * np.where(near, 3.0, 0.5))
    chance = np.minimum(chance, 1.0) * differ
    use = stream(2, one.name).random(len(chance)) < chance
    weight = 1.0 / chance[use]
    return one.signs[use], same[use], weight / weight.sum()


def fit(parts: list[Column]) -> LikenessModel:
    """Grow the trees, and learn how sure equal values are.

    A hundred trees of sixteen leaves, slow and shallow, since what holds in another domain is simple. Mean F1 with
    the table left out was .536; with eight leaves .533, without directions .521, by a logistic curve of the same signs
    .518, of the first twelve .502.
    """
    signs, same, weight = (np.concatenate(each) for each in zip(*map(pairs_of, parts), strict=True))
    boosted = HistGradientBoostingClassifier(
        max_leaf_nodes=16,
        max_iter=100,
        learning_rate=0.08,
        min_samples_leaf=200,
        l2_regularization=10.0,
        monotonic_cst=list(DIRECTIONS),
        early_stopping=False,
        random_state=0,
    ).fit(signs, same, sample_weight=weight * len(weight) / weight.sum())
    found = LikenessModel(
        float(boosted._baseline_prediction.item()), _trees(boosted), *_equal(parts), 0.5, np.ones(1), 1.0
    )
    return _with_levels(found, parts)


def _with_levels(model: LikenessModel, parts: list[Column]) -> LikenessModel:
    """Add the share of the same among pairs that differ, and how these and others fall on levels; tables count alike.

    The trees have seen these pairs; held-out ones fall nearly alike (a few hundred leaves, tens of thousands of pairs).
    """
    shares, levels, records = [], [], []
    for one in parts:
        records.append(len(one.gold))
        differ = one.field.codes[one.a] != one.field.codes[one.b]
        same = (one.gold[one.a] == one.gold[one.b])[differ]
        level = np.searchsorted(-np.array(likeness.CUTS), -model.log_odds(one.signs[differ]), side="left")
        counts = np.stack(
            [np.bincount(level[same == kind], minlength=len(likeness.CUTS) + 1) for kind in (True, False)]
        )
        smooth = counts + 0.5 / counts.shape[1]
        levels.append(smooth / smooth.sum(axis=1, keepdims=True))
        shares.append(same.mean())
    typical = float(np.exp(np.mean(np.log(records))))
    return replace(model, share=float(np.mean(shares)), levels=np.mean(levels, axis=0), records=typical)


def _trees(boosted: HistGradientBoostingClassifier) -> Trees:
    """Return the trees of a fitted classifier as arrays."""
    nodes = [each[0].nodes for each in boosted._predictors]
    every = np.concatenate(nodes)
    leaf = every["is_leaf"].astype(bool)
    return Trees(
        starts=np.concatenate([[0], np.cumsum([len(each) for each in nodes])]).astype(np.int64),
        sign=np.where(leaf, -1, every["feature_idx"]).astype(np.int64),
        threshold=np.where(leaf, 0.0, every["num_threshold"]),
        left=every["left"].astype(np.int64),
        right=every["right"].astype(np.int64),
        value=np.where(leaf, every["value"], 0.0),
    )


def _equal(parts: list[Column]) -> tuple[float, float]:
    """Return the log odds of equal values that nobody else has, and what being more common takes off."""
    common, same, weight = [], [], []
    for one in parts:
        equal = np.flatnonzero(one.field.codes[one.a] == one.field.codes[one.b])
        if len(equal) < 10:
            continue
        common.append(np.log(one.field.counts[one.field.codes[one.a[equal]]] / 2.0))
        same.append(one.gold[one.a[equal]] == one.gold[one.b[equal]])
        weight.append(np.full(len(equal), 1.0 / len(equal)))
    w = np.concatenate(weight)
    curve = LogisticRegression(C=1.0).fit(
        np.concatenate(common)[:, None], np.concatenate(same), sample_weight=w * len(w) / w.sum()
    )
    return float(curve.intercept_[0]), float(np.clip(-curve.coef_[0, 0], 0.0, 1.0))


def score(one: Column, model: LikenessModel) -> float:
    """Return the pairwise F1 of a column resolved with a model."""
    equal = one.field.codes[one.a] == one.field.codes[one.b]
    common = np.log(one.field.counts[one.field.codes[one.a]] / 2.0)
    log_odds = np.where(equal, model.equal - model.common * common, model.log_odds(one.signs))
    level = np.searchsorted(-np.array(likeness.CUTS), -log_odds[~equal], side="left")
    words = float(np.average([len(value.split()) for value in one.field.values], weights=one.field.counts))
    log_odds[~equal] += model.shift(np.bincount(level, minlength=len(likeness.CUTS) + 1), len(one.gold), words)
    weight = np.exp(np.clip(log_odds, -30.0, 30.0))
    sampler = CopyingSampler(len(one.gold), one.a, one.b, seed=0)
    sampler.run(weight, 0.0 * weight, n_sweeps=20)
    draws = sampler.run(weight, 0.0 * weight, n_sweeps=30, n_kept=30)
    found = find_consensus(len(one.gold), one.a, one.b, draws.together, draws.roots).clustering
    return float(evaluate(Clustering.from_labels(one.gold), found, metrics=("pairwise",)).as_dict()["pairwise"]["f1"])


def main() -> None:
    """Fit on all tables, and on all but each."""
    parts = list(columns())
    left_out = {one.name: round(score(one, fit([each for each in parts if each is not one])), 4) for one in parts}
    model = fit(parts)
    model.save(Path(likeness.__file__).with_name(likeness.FILE))
    result = Path(__file__).with_name("results") / "likeness.json"
    said = _as_study(left_out)
    result.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")


def _as_study(left_out: dict[str, float]) -> dict[str, object]:
    """Return what was measured in the form of a study, which the page of results shows."""
    mean = round(float(np.mean(list(left_out.values()))), 4)
    rows = [
        {"setting": name, "metric": "pairwise F1, table left out", "paper": None, "ours": value, "unit": ""}
        for name, value in (left_out | {"mean": mean}).items()
    ]
    return {
        "study": "likeness",
        "title": "Likeness of values, learnt from other tables",
        "paper": "No paper",
        "command": "python -m benchmarks.train_likeness",
        "rows": rows,
        "notes": ["Every table is scored by a model that was learnt from the others."],
    }


if __name__ == "__main__":
    main()
