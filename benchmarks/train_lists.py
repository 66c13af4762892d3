"""Fit what answers on lists are worth (`resolve/check/lists.py`), and say what leaving each list out gives.

Lists of titles (`names/autofj_records`) whose kinds did not teach likeness, and the two lists of few duplicates of the
development half of the zoo. Each is resolved as it is, which gives signs beside real precision and recall; and once
more without its duplicates (the titles of one side, all of different things), which gives how often rows are left
apart. Needs ONOMA_DATA. Writes `benchmarks/results/lists.json` and prints the constants of `lists.py`.

    python -m benchmarks.train_lists
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.bench_checks import _real
from benchmarks.train_likeness import TITLES
from onoma.corpus.clustering import Clustering
from onoma.corpus.readers.table import read_table
from onoma.numerics.rng import stream
from onoma.pipeline.reproduce import Context
from onoma.resolve.api import resolve
from onoma.resolve.check.lists import Experience, Signs, is_all_different, is_list, log_odds, nearest, signs_of
from onoma.resolve.check.probing import COPIES, Probe

ZOO = ("ca-interest-groups", "geonames-toponyms")
N_ROWS = 1_200
RIDGE = 0.3
"""Of the sum of squared coefficients: signs are log odds, and tables differ by about one."""
SIGNS = {"precision": ("nearer", "planted", "links"), "recall": ("surely", "found")}
"""The signs that each is told by: of all sets of up to three those with nearly the least error with lists left out."""
WITHIN = {"precision": 0.07, "recall": 0.10}


class Outcome(NamedTuple):
    """What came of a list."""

    name: str
    signs: Signs
    precision: float
    recall: float
    different: bool
    """Whether it is taken for a list without duplicates."""
    links: int


def lists(*, duplicates: bool) -> Iterator[tuple[str, pa.Table]]:
    """Yield the lists, whole entities of about `N_ROWS` rows each."""
    context = Context()
    records = read_table(context.file("resolution/names/autofj_records.csv.gz")).table.to_pylist()
    matches = read_table(context.file("resolution/names/autofj_matches.csv.gz")).table.to_pylist()
    for kind in sorted({str(each["dataset"]) for each in records} - set(TITLES)):
        left_of = {str(each["id_right"]): str(each["id_left"]) for each in matches if each["dataset"] == kind}
        rows = [each for each in records if each["dataset"] == kind and (duplicates or each["side"] == "left")]
        keys = [
            str(each["id"]) if each["side"] == "left" else left_of.get(str(each["id"]), f"r{each['id']}")
            for each in rows
        ]
        yield f"titles: {kind}", _part(pa.table({"cluster_id": keys, "title": [str(each["title"]) for each in rows]}))
    for name in ZOO if duplicates else ():
        yield name, _part(read_table(context.file(f"resolution/zoo/{name}.csv.gz")).table)


def _part(table: pa.Table) -> pa.Table:
    gold = Clustering.from_labels(table["cluster_id"].cast(pa.string()))
    order = stream(0, "lists").permutation(gold.n_entities)
    kept = np.zeros(gold.n_entities, dtype=np.bool_)
    kept[order[np.cumsum(gold.sizes[order]) <= N_ROWS]] = True
    return table.take(pa.array(np.flatnonzero((gold.labels >= 0) & kept[np.maximum(gold.labels, 0)])))


def outcome(name: str, table: pa.Table) -> Outcome | None:
    """Resolve a list; None where it is not read as one, or nothing was joined."""
    found = resolve(table, truth="cluster_id", no_check=True)
    if found.posterior is None or found.weighed is None or not is_list(found.weighed.evidence):
        return None
    probe = Probe(found, found.posterior, found.weighed)
    if COPIES[0] not in probe.parts:
        return None
    planted = float(probe.seen.with_base[probe.parts[COPIES[0]]].mean())
    gold = Clustering.from_labels(table["cluster_id"].cast(pa.string())).labels
    precision, recall = _real(found.clustering.labels, gold)
    different = is_all_different(nearest(probe.evidence))
    return Outcome(name, signs_of(probe, planted), precision, recall, different, probe.n_links)


def fit(known: list[Outcome], what: str) -> Experience:
    """Fit the log odds of precision or recall by ridge regression; each list counts alike."""
    signs, wanted = _signs(known, what), np.array([log_odds(getattr(each, what)) for each in known])
    penalty = RIDGE * np.diag([0.0, *np.ones(signs.shape[1] - 1)])
    solved = np.linalg.solve(signs.T @ signs + penalty, signs.T @ wanted)
    spread = float(np.sqrt(np.sum((signs @ solved - wanted) ** 2) / max(len(known) - len(solved), 1)))
    named = dict(zip(SIGNS[what], solved[1:].tolist(), strict=True))
    return Experience(float(solved[0]), Signs(**{name: named.get(name, 0.0) for name in Signs._fields}), spread)


def _signs(known: list[Outcome], what: str) -> NDArray[np.float64]:
    return np.array([[1.0, *(getattr(each.signs, name) for name in SIGNS[what])] for each in known])


def main() -> None:
    """Fit on all lists, and on all but each."""
    found = [each for each in (outcome(*one) for one in lists(duplicates=True)) if each is not None]
    without = [each for each in (outcome(*one) for one in lists(duplicates=False)) if each is not None]
    known = [each for each in found if not each.different]
    rows: list[tuple[str, str, float]] = []
    for what in SIGNS:
        hits, errors, held = [], [], []
        for one in known:
            left = fit([each for each in known if each is not one], what)
            odds, real = left(one.signs), getattr(one, what)
            expected = float(1.0 / (1.0 + np.exp(-odds)))
            rows.append((one.name, f"{what} expected, list left out", expected))
            rows.append((one.name, f"{what} in truth", real))
            errors.append(abs(expected - real))
            hits.append(errors[-1] <= WITHIN[what])
            held.append(abs(odds - log_odds(real)) <= 1.96 * left.spread)
        plain = [abs(1.0 / (1.0 + np.exp(-each.signs.planted)) - each.recall) for each in known]
        rows.append(("mean", f"error of {what}, list left out", float(np.mean(errors))))
        rows.append(("all", f"{what} within {WITHIN[what]}, list left out", float(np.mean(hits))))
        rows.append(("all", f"interval of {what} holds, list left out", float(np.mean(held))))
        if what == "recall":
            rows.append(("mean", "error of the share of planted copies found", float(np.mean(plain))))
        print(what.upper(), fit(known, what))
    alone = [each for each in without if each.different or not each.links]
    rows.append(("without duplicates", "lists left alone", len(alone) / max(len(without), 1)))
    rows.append(("with duplicates", "lists taken for lists without", 1.0 - len(known) / max(len(found), 1)))
    print(*(row for row in rows if not row[0].startswith("titles")), sep="\n")
    result = Path(__file__).with_name("results") / "lists.json"
    result.write_text(json.dumps(_as_study(rows), indent=1) + "\n", encoding="utf-8")


def _as_study(rows: list[tuple[str, str, float]]) -> dict[str, object]:
    """Return what was measured in the form of a study, which the page of results shows."""
    return {
        "study": "lists",
        "title": "What answers on lists are worth, learnt from other lists",
        "paper": "No paper",
        "command": "python -m benchmarks.train_lists",
        "rows": [
            {"setting": name, "metric": metric, "paper": None, "ours": round(value, 4), "unit": ""}
            for name, metric, value in rows
        ],
        "notes": ["Every list is judged by coefficients that were learnt from the others."],
    }


if __name__ == "__main__":
    main()
