"""The checks without labels beside the truth: the zoo (a–m chosen on, n–z not) and the older tables, same defaults.

Needs ONOMA_DATA. Tables of more than 2,500 rows are cut to whole entities drawn at random, so that what is true stays
true. For each table: expected against real precision and recall of pairs, the share that is true of pairs stated at
95 % or more before and after recalibration, the calibration error before and after, whether the interval of the number
of entities holds the truth, and whether the run says that it is not calibrated. Tables of labelled pairs are left out:
the truth about the pairs reported is not known there. The truth scores and is used for nothing else.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench_zoo import LINKED, part_of
from benchmarks.measure import Measurement
from onoma.corpus.clustering import Clustering
from onoma.corpus.readers.table import read_table
from onoma.pipeline.reproduce import Context
from onoma.pipeline.resolution import Job, Outcome, run_job
from onoma.resolve.config import ResolveConfig

OLDER = (
    "abt-buy",
    "amazon-google",
    "dblp-acm",
    "walmart-amazon",
    "cddb",
    "fake_1000",
    "febrl1",
    "febrl3",
    "restaurants",
)
OLDER += ("rldata500", "patstat_nl", "historical_50k")
OLDER_LINKED = ("abt-buy", "amazon-google", "dblp-acm", "walmart-amazon")


def run(*, quick: bool) -> Iterator[Measurement]:
    for group, names in groups(quick=quick).items():
        found = []
        for path in names:
            outcome, gold, spent = measure(path)
            lines, held = told(path.name.removesuffix(".csv.gz"), outcome, gold, spent)
            found.append(held)
            yield from lines
        yield from totals(group, found)


def groups(*, quick: bool) -> dict[str, list[Path]]:
    """Return the tables: of the zoo by halves, and the older ones."""
    zoo = Context().file("resolution/zoo/README.md").parent
    older = Context().file("resolution/README.md").parent / "linkage"
    tables = sorted(path for path in zoo.glob("*.csv.gz") if ".pairs." not in path.name)
    tables = [path for path in tables if not path.with_name(path.name.replace(".csv", ".pairs.csv")).exists()]
    if quick:
        return {"quick": [path for path in tables if path.name.startswith(("hotel-rooms", "stoxx50"))]}
    halves = {"a–m": [p for p in tables if p.name[0] <= "m"], "n–z": [p for p in tables if p.name[0] > "m"]}
    return halves | {"older tables": [older / f"{name}.csv.gz" for name in OLDER]}


def measure(path: Path) -> tuple[Outcome, Clustering, float]:
    """Resolve a table, or a part of it, and check the answer; return also the processor seconds it took."""
    table = part_of(read_table(path).table)
    name = path.name.removesuffix(".csv.gz")
    source = "source" if "source" in table.column_names else None
    key = "id" if "id" in table.column_names else None
    config = ResolveConfig(id=key, source=source, link=name in (*LINKED, *OLDER_LINKED), truth="cluster_id")
    begun = time.process_time()
    outcome = run_job(Job(table=table, config=config), recall=False)
    assert outcome.gold is not None
    return outcome, outcome.gold, time.process_time() - begun


def told(name: str, outcome: Outcome, gold: Clustering, spent: float) -> tuple[list[Measurement], dict[str, float]]:
    """Return the lines of a table, and what held (1) or not (0), where it can be said."""
    resolution, quality = outcome.resolution, outcome.quality
    assert quality is not None
    known = gold.labels >= 0
    precision, recall = _real(resolution.clustering.labels[known], gold.labels[known])
    sure = outcome.stated.get("true_of_sure_checked")
    said = "calibrated" if quality.calibrated else f"not calibrated, because {'; and '.join(quality.because)}"
    data = f"{name}, {len(resolution.table):,} rows, model {resolution.config.model}: {said}"
    held: dict[str, float] = {"calibrated": float(quality.calibrated)}
    lines = []
    for what, share, real, most in (
        ("precision", quality.precision, precision, 0.07),
        ("recall", quality.recall, recall, 0.10),
    ):
        if share is not None and not np.isnan(real):
            lines.append(_line(f"expected {what}", share.estimate, real, f"{data}; {share.low:.3f} – {share.high:.3f}"))
            held[what] = float(abs(share.estimate - real) <= most)
            held[f"interval of {what}"] = float(share.low <= real <= share.high)
    for what in ("true_of_sure", "calibration_error"):
        before, after = (outcome.stated.get(f"{what}_{name}") for name in ("unchecked", "checked"))
        if after is not None:
            lines.append(_line(f"{what.replace('_', ' ')}, checked (peer: unchecked)", after, before, data))
    held["sure pairs honest or not calibrated"] = float(sure is None or sure >= 0.9 or not quality.calibrated)
    if "calibration_error_checked" in outcome.stated:
        held["calibration error ≤ .05"] = float(outcome.stated["calibration_error_checked"] <= 0.05)
    if known.all():
        entities, low, high = resolution.entity_count()
        lines.append(
            _line("entities", float(entities), float(gold.n_entities), f"{data}; {low:,} – {high:,}", "entities")
        )
        held["interval of entities"] = float(low <= gold.n_entities <= high)
    lines.append(_line("share of the time", outcome.seconds.get("checks", 0.0) / outcome.seconds["total"], None, data))
    lines.append(_line("processor time", spent, None, data, "s"))
    return lines, held


def totals(group: str, found: list[dict[str, float]]) -> Iterator[Measurement]:
    """Yield on how many tables each thing held: all that say something, and those that say they are calibrated."""
    names = dict.fromkeys(name for each in found for name in each)
    for name in names:
        for which, some in (("", found), (", of those calibrated", [each for each in found if each["calibrated"]])):
            values = [each[name] for each in some if name in each]
            if values and not (which and name == "calibrated"):
                yield _line(f"{name}{which}", float(np.mean(values)), None, f"{len(values)} tables, {group}")


def _line(name: str, ours: float, real: float | None, data: str, unit: str = "share") -> Measurement:
    return Measurement(name, ours, real, None, unit, data, peer_name="" if real is None else "the truth")


def _real(labels: NDArray[np.int64], gold: NDArray[np.int64]) -> tuple[float, float]:
    """Return pairwise precision and recall; NaN where there is nothing to be right about."""
    both = labels.astype(np.int64) * (int(gold.max(initial=0)) + 1) + gold
    found, true, right = (_pairs(each) for each in (labels, gold, both))
    return right / found if found else float("nan"), right / true if true else float("nan")


def _pairs(labels: NDArray[np.int64]) -> float:
    sizes = np.unique(labels, return_counts=True)[1].astype(np.float64)
    return float((sizes * (sizes - 1.0)).sum())
