"""Simulation-based calibration of the whole pipeline: simulated tables of varied overlap, noise and families.

Tables of people are simulated with dials drawn at random: duplicates 0 to 90 %, typing errors, missing values,
households, how unevenly duplicates fall, moves. Each is resolved and checked with the defaults. For each: the rank of
the true number of entities among the model's own samples and among the draws of the checks, and whether the intervals
of the number of entities, of precision and of recall hold the truth. Uniform ranks (Talts and others, 2018) are
summarised by the chi-square test over ten bins; `peer` is what would be ideal.
"""

from collections.abc import Iterator

import numpy as np
from scipy.stats import chisquare

from benchmarks.bench_checks import _real
from benchmarks.measure import Measurement
from onoma.corpus.clustering import Clustering
from onoma.corpus.simulate import PeopleSettings, simulate_people
from onoma.numerics.rng import stream
from onoma.resolve.api import resolve

N_TABLES, N_QUICK, N_ROWS = 100, 4, 300


def run(*, quick: bool) -> Iterator[Measurement]:
    found = [one_table(seed) for seed in range(N_QUICK if quick else N_TABLES)]
    data = f"{len(found)} simulated tables of {N_ROWS} rows"
    checked = [each for each in found if "checked rank" in each]
    some = f"{len(checked)} of {len(found)} simulated tables of {N_ROWS} rows, those with links enough to check"
    for name, which, rows in (("model", "model rank", found), ("checks", "checked rank", checked)):
        ranks = np.array([each[which] for each in rows if which in each])
        counts = np.histogram(ranks, bins=10, range=(0, 1))[0]
        value = float(chisquare(counts).pvalue) if len(ranks) else float("nan")
        told = f"{data}; ranks in tenths {counts.tolist()}"
        yield Measurement(f"ranks of the number of entities, {name}: p of uniform", value, 0.5, None, "p", told)
    for name in ("model holds", "checks hold", "precision holds", "recall holds"):
        rows = found if name == "model holds" else checked
        values = [each[name] for each in rows if name in each]
        yield Measurement(
            name, float(np.mean(values)) if values else 0.0, 0.95, None, "share", some if checked else data
        )
    for name in ("precision off", "recall off"):
        values = [each[name] for each in checked if name in each]
        yield Measurement(name, _mean(values), 0.0, None, "share", f"{some}; mean")


def one_table(seed: int) -> dict[str, float]:
    """Simulate, resolve and check one table; return ranks and what held."""
    rng = stream(seed, "sbc")
    dials = {
        "duplicates": float(rng.uniform(0.0, 0.9)),
        "clumping": float(rng.uniform(0.0, 2.0)),
        "households": float(rng.uniform(0.0, 0.8)),
        "typos": float(rng.uniform(0.0, 0.2)),
        "missing": float(rng.uniform(0.0, 0.3)),
        "moves": float(rng.uniform(0.0, 0.5)),
    }
    table = simulate_people(N_ROWS, seed=seed, settings=PeopleSettings(**dials))
    gold = Clustering.from_labels(table["cluster_id"])
    found = resolve(table, truth="cluster_id", seed=seed)
    drawn = found.posterior.n_entities if found.posterior is not None else None
    out: dict[str, float] = {}
    if drawn is not None:
        out["model rank"] = _rank(drawn.astype(np.float64), gold.n_entities, rng)
        low, high = np.quantile(drawn, [0.025, 0.975])
        out["model holds"] = float(np.floor(low) <= gold.n_entities <= np.ceil(high))
    quality = found.quality
    if quality.entity_draws is None or quality.entities is None or quality.precision is None or quality.recall is None:
        return out
    out["checked rank"] = _rank(quality.entity_draws, gold.n_entities, rng)
    out["checks hold"] = float(quality.entities[0] <= gold.n_entities <= quality.entities[1])
    for name, share, real in zip(
        ("precision", "recall"),
        (quality.precision, quality.recall),
        _real(found.clustering.labels, gold.labels),
        strict=True,
    ):
        if not np.isnan(real):
            out[f"{name} holds"] = float(share.low <= real <= share.high)
            out[f"{name} off"] = abs(share.estimate - real)
    return out


def _mean(values: list[float]) -> float:
    return float(np.mean(values)) if values else float("nan")


def _rank(drawn: np.ndarray, truth: int, rng: np.random.Generator) -> float:
    """Return the share of draws below the truth, those equal to it parted at random."""
    below, equal = float((drawn < truth).mean()), float((np.abs(drawn - truth) < 0.5).mean())
    return min(below + float(rng.random()) * equal, 1.0)
