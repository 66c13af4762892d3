"""How far the stated probabilities hold, where the truth is known."""

from typing import TYPE_CHECKING

import numpy as np

from onoma.corpus.clustering import ABSENT, Clustering
from onoma.resolve.report.explanation import answered

if TYPE_CHECKING:
    from onoma.resolve.result import Resolution

__all__ = ["STATED", "calibration_bins"]

STATED = 0.01
"""Pairs below this probability are not stated."""


def calibration_bins(resolution: "Resolution", gold: Clustering, *, n_bins: int = 10) -> list[dict[str, float]]:
    """Return, for pairs in bins of stated probability: mean stated, share truly the same, an interval, the count.

    Of the candidate pairs stated at 1 % or more, those with both rows labelled. The interval is Wilson's at 95 %.
    """
    pairs = answered(resolution).pairs
    one, other = gold.labels[pairs.a], gold.labels[pairs.b]
    use = (pairs.probability >= STATED) & (one != ABSENT) & (other != ABSENT)
    stated, same = pairs.probability[use], (one == other)[use]
    place = np.minimum((stated * n_bins).astype(np.int64), n_bins - 1)
    rows = []
    for b in np.unique(place).tolist():
        inside = place == b
        n, true = int(inside.sum()), float(same[inside].mean())
        half = 1.96 * np.sqrt(true * (1 - true) / n + 1.96**2 / (4 * n * n)) / (1 + 1.96**2 / n)
        middle = (true + 1.96**2 / (2 * n)) / (1 + 1.96**2 / n)
        row = {"stated": float(stated[inside].mean()), "true": true, "low": middle - half, "high": middle + half}
        rows.append({name: round(float(value), 6) for name, value in row.items()} | {"pairs": n})
    return rows
