"""What every measure is made of, so that reports and intervals need to know nothing of any one of them.

A measure is a function of a few *sums* over the items. `sums` computes them exactly from the overlaps. `contributions`
says what one item of each cell adds to them, so that they can be added up over documents or over entities. `values`
turns sums into scores.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.evaluate.contingency import Contingency
from onoma.evaluate.score import LinkScore, Score, VMeasure, ratios

__all__ = ["TRIPLE", "Metric", "columns"]

TRIPLE = ("precision", "recall", "f1")
"""What most measures give."""


@dataclass(frozen=True)
class Metric:
    """One measure of a predicted clustering against a gold one."""

    name: str
    sums: Callable[[Contingency], NDArray[np.float64]]
    """The k sums of the measure."""
    contributions: Callable[[Contingency], NDArray[np.float64]]
    """For each cell (row of `Contingency.cells`), what one item of it adds to the k sums."""
    values: Callable[[NDArray[np.float64]], NDArray[np.float64]] = ratios
    """From sums (…, k) to scores (…, parts)."""
    result: Callable[..., Score | LinkScore | VMeasure | float] = Score
    """From k sums to what a caller holds in hand."""
    parts: tuple[str, ...] = TRIPLE
    """The names of the scores; one empty name for a measure that is a single number."""
    made_of: tuple["Metric", ...] = ()
    """Measures whose sums, one after another, are this one's sums."""


def columns(*parts: NDArray[np.floating] | NDArray[np.integer] | NDArray[np.bool_]) -> NDArray[np.float64]:
    """Put columns side by side."""
    return np.stack([np.asarray(part, dtype=np.float64) for part in parts], axis=-1)
