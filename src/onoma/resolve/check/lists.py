"""Lists: what answers are worth where one field says nearly all, told by what such answers were worth elsewhere.

Weights are taught there (`comparison/taught.py`), so decoys and copies, which are weighed by them, cannot find them
wrong. Two things can be told all the same, from how near each row's nearest other row is:

*Are there duplicates at all?* The nearest of many strangers looks like a copy. But where nothing is a copy, few
rows have a very near neighbour among those that have a near one, whatever the list is of: families make many near rows
and few very near ones, copies the other way round. Where the very near ones are as few as in lists without duplicates
(`is_all_different`), rows whose values differ are left apart.

*How much is right and found?* The log odds of precision and recall are sums of a few signs, with coefficients learnt
from labelled lists (empirical Bayes: what other tables show is the prior for this one). The interval is the spread of
these lists around the sum. They are lists with few duplicates, mostly pairs: where more rows are joined than in any of
them (`DENSEST`), decoys and copies are all there is. Both are fitted by `python -m benchmarks.train_lists`, which also
says what leaving each list out gives.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.comparison.weights import Evidence
from onoma.resolve.fields.kinds.likeness import likeness_model

if TYPE_CHECKING:
    from onoma.resolve.check.probing import Probe

__all__ = [
    "PRECISION",
    "RECALL",
    "Experience",
    "Signs",
    "is_all_different",
    "is_list",
    "log_odds",
    "nearest",
    "signs_of",
]

Floats = NDArray[np.float64]
VERY_NEAR, NEARER, NEAR = 2.0, 1.0, -1.0
"""Log odds of likeness, as taught: before the share of matches is looked at in this table."""
FEW_VERY_NEAR, FEW_NEARER = 0.15, 0.4
"""The parts of the rows with a near neighbour that have a very near (nearer) one, below which a list has no duplicates.
"""
_FEW = 0.5, 5.0
"""Rows added to those nearer and to those near: a share of few says little, and speaks for none."""
_SURELY, _HARDLY = 1.0, -2.0
"""Log weights of a row's best pair, in this table."""
_EDGE = 0.01
"""Shares are taken to be at least this far from 0 and 1."""


class Signs(NamedTuple):
    """What precision and recall of a list are told by; log odds, but for the last."""

    nearer: float
    """The part of the rows with a near neighbour that have a nearer one."""
    surely: float
    """The part of the rows with a pair that weighs something that have one that weighs much."""
    found: float
    """Of the matches that the stated probabilities expect, the part that is reported."""
    planted: float
    """The share of planted copies that was found."""
    links: float
    """The logarithm of links for each row."""


@dataclass(frozen=True)
class Experience:
    """Log odds of a share as a sum of signs, and how far such sums were off on labelled lists."""

    intercept: float
    coefficients: Signs
    spread: float

    def __call__(self, signs: Signs) -> float:
        """Return the log odds expected."""
        return self.intercept + float(np.dot(self.coefficients, signs))


PRECISION = Experience(-1.96, Signs(nearer=1.03, surely=0.0, found=0.0, planted=1.87, links=-0.80), 0.84)
RECALL = Experience(0.72, Signs(nearer=0.0, surely=0.55, found=0.43, planted=0.0, links=0.0), 0.77)
DENSEST = 0.45
"""Links for each row of the densest list learnt from."""


def is_list(evidence: Evidence) -> bool:
    """Say whether one field says nearly all, and its likeness means what other tables have taught."""
    return evidence.taught >= 0 and not evidence.linking


def nearest(evidence: Evidence) -> Floats:
    """Return for each row the log odds of its nearest other row with another value; -inf: it has none."""
    level = evidence.levels[:, evidence.taught].astype(np.int64)
    differ = np.flatnonzero(level > 0)
    odds = likeness_model().level_log_odds()[level[differ]]
    found = np.full(evidence.n, -np.inf)
    for end in (evidence.a, evidence.b):
        np.maximum.at(found, end[differ], odds)
    return found


def is_all_different(near: Floats) -> bool:
    """Say whether rows are as near to each other as those of lists without duplicates.

    Examples
    --------
    >>> strangers, copies = np.array([-1.5] * 60 + [-0.5] * 30 + [1.2] * 6), np.array([2.5] * 20)
    >>> is_all_different(strangers), is_all_different(np.append(strangers, copies))
    (True, False)
    """
    return part(near, VERY_NEAR, NEAR) < FEW_VERY_NEAR and part(near, NEARER, NEAR) < FEW_NEARER


def part(values: Floats, above: float, of: float) -> float:
    """Return the part that lies above one value of those that lie above another."""
    return (float((values > above).sum()) + _FEW[0]) / (float((values > of).sum()) + _FEW[1])


def log_odds(value: float) -> float:
    """Return the log odds of a share, which is taken to be neither 0 nor 1."""
    kept = min(max(value, _EDGE), 1.0 - _EDGE)
    return float(np.log(kept / (1.0 - kept)))


def signs_of(probe: "Probe", planted: float) -> Signs:
    """Return the signs of an answer.

    Parameters
    ----------
    planted
        The share of planted copies that was found.
    """
    pairs, best = probe.posterior.pairs, np.full(probe.n, -np.inf)
    for end in (probe.evidence.a, probe.evidence.b):
        np.maximum.at(best, end, probe.log_weight)
    reported = probe.labels[pairs.a] == probe.labels[pairs.b]
    expected = float(pairs.probability.sum())
    return Signs(
        nearer=log_odds(part(nearest(probe.evidence), NEARER, NEAR)),
        surely=log_odds(part(best, _SURELY, _HARDLY)),
        found=log_odds(float(pairs.probability[reported].sum()) / max(expected, 1e-9)),
        planted=log_odds(planted),
        links=float(np.log(max(probe.n_links, 1) / probe.n)),
    )
