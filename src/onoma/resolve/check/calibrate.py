"""From stated probabilities to those that the decoys bear out.

Pairs are put in order by how sure they are said to be: by the stated probability, and where that is as good as 1 by the
weight of the evidence. In each of some bins of that order, with t pairs of the table's own records and f pairs that
decoys say are false (each decoy stands for so many of the table's rows),

    true share = 1 - f / t,

made monotone by pooling neighbours (isotonic regression). It lowers what is stated and never raises it: decoys show
how many pairs are false at least, since the table may hold more structure than they do.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.isotonic import isotonic

__all__ = ["MANY", "Bin", "Calibration", "calibrate", "given_up", "sureness"]

Floats = NDArray[np.float64]
CERTAIN = 0.995
"""Stated probabilities from which on pairs are told apart by the weight of their evidence."""
_EDGES = (0.01, 0.1, 0.3, 0.5, 0.7, 0.9, CERTAIN)
_HEAVIEST = 60.0
_TOP_BINS, _FEWEST = 6, 40
"""Bins of pairs that are as good as certain, and the fewest pairs of one."""
MANY = 0.4
"""Decoys among the surest links, as a share of these, from which on they may be duplicates rather than families."""
_LEAST_RIGHT = 1.0 / 3.0
"""Links that are right as often are not given up. At one half, references of which one in five has a partner lost a
quarter of their right links (F1 .92 → .83; at a third .94): decoys may convict too many."""
_MOST = 0.5
"""Links that may be given up, as a part of all. Of some 200 linked tables and views four have links to give up: .44 of
all, F1 .617 → .642; .40, .806 → .815; .02, .035 → .029; and .82, which would be .672 → .376."""
_HALF = 0.5
"""Jeffreys' pseudo-count of decoys, for all bins together."""


def sureness(probability: Floats, log_weight: Floats) -> Floats:
    """Return by what pairs are put in order: up to 1 the stated probability, above it the weight of the evidence.

    Examples
    --------
    >>> sureness(np.array([0.4, 1.0, 1.0]), np.array([9.0, 3.0, 30.0])).round(2).tolist()
    [0.4, 1.05, 1.5]
    """
    return np.where(probability < CERTAIN, probability, 1.0 + np.clip(log_weight, 0.0, _HEAVIEST) / _HEAVIEST)


@dataclass(frozen=True)
class Bin:
    """Pairs that are about as sure."""

    stated: float
    """The mean of their stated probabilities."""
    true: float
    """The share that is true, by the decoys."""
    low: float
    high: float
    pairs: float
    """How many there are in the table."""
    decoys: int
    """How many pairs with decoys there were."""


@dataclass(frozen=True, eq=False)
class Calibration:
    """A monotone map from sureness to the share that is true."""

    edges: Floats
    """Where bins begin."""
    true: Floats
    """The share of each bin."""
    bins: tuple[Bin, ...]
    """Those that have pairs."""
    spared: float = 0.0
    """The share of pairs for which decoys were taken for none."""

    def __call__(self, sure: Floats) -> Floats:
        """Return the share that is true of pairs as sure as this, at most what is stated."""
        place = np.searchsorted(self.edges, sure, side="right") - 1
        return np.where(place < 0, sure, np.minimum(self.true[np.maximum(place, 0)], sure))


def calibrate(
    sure: Floats, stated: Floats, decoys: Floats, weight: Floats, *, safe: float = np.inf, many: float = MANY
) -> Calibration:
    """Learn the map.

    Parameters
    ----------
    sure, stated
        Sureness and stated probability of the table's own pairs.
    decoys
        Sureness of the pairs with decoys.
    weight
        How many false pairs of the table each of these stands for.
    safe
        Pairs at least as sure are taken for true where there are many decoys among them, and these for no decoys: of
        all bins that share of pairs is taken off.
    many
        How many, as a share of these pairs.
    """
    edges = _bins(sure)
    n = len(edges)
    place, mine = (np.searchsorted(edges, each, side="right") - 1 for each in (sure, decoys))
    targets = np.bincount(place[place >= 0], minlength=n).astype(np.float64)
    false = np.bincount(mine[mine >= 0], weight[mine >= 0], n)
    n_decoys = np.bincount(mine[mine >= 0], minlength=n)
    spared = float(weight[decoys >= safe].sum()) / max(float((sure >= safe).sum()), 1.0)
    spared = min(spared, 1.0) if spared >= many else 0.0
    false = np.maximum(false - spared * targets, 0.0)
    unit = float(weight.mean()) if len(weight) else 0.0
    share = np.clip(1.0 - (false + unit * _HALF / n) / np.maximum(targets, 1.0), 0.0, 1.0)
    true = isotonic(share, np.maximum(targets, 1e-3))
    spread = unit * np.sqrt(n_decoys + 1.0) / np.maximum(targets, 1.0)
    means = np.bincount(place[place >= 0], stated[place >= 0], n) / np.maximum(targets, 1.0)
    bins = tuple(
        Bin(
            round(float(means[b]), 6),
            round(float(true[b]), 6),
            round(float(max(true[b] - 1.96 * spread[b], 0.0)), 6),
            round(float(min(true[b] + 1.96 * spread[b], 1.0)), 6),
            float(targets[b]),
            int(n_decoys[b]),
        )
        for b in np.flatnonzero(targets).tolist()
    )
    return Calibration(edges, true, bins, spared)


def given_up(sure: Floats, right: Floats, decoys: Floats, weight: Floats, *, spared: float = 0.0) -> NDArray[np.bool_]:
    """Say which links are to be given up, so that what is left has the greatest F1 that is expected.

    With F that F1, a link that is right with less than F/2 costs more than it adds (Lipton, Elkan and Naryanaswamy,
    2014). Decoys may be off, so none that is right in one case of three or more is given up, and only where all of them
    together are so few beyond the 95 % interval of counting decoys. Where most links would go, decoys are in doubt, and
    not the answer: a shop that offers one thing over and over finds more in itself than in the other shop.

    Parameters
    ----------
    sure, right
        Sureness of links, and how likely they are by the decoys: more likely the surer they are.
    decoys, weight
        Sureness of the pairs with decoys, and how many false pairs each of these stands for.
    spared
        The share of links for which decoys were taken for none.

    Examples
    --------
    >>> sure, right = np.repeat([1.5, 0.8], 60), np.repeat([0.9, 0.05], 60)
    >>> [int(given_up(sure, right, np.full(n, 0.8), np.ones(n)).sum()) for n in (1, 57)]
    [0, 60]
    """
    if spared >= 1.0:  # where each of the surest links has a decoy, these say nothing of the others
        return np.zeros(len(right), dtype=np.bool_)
    order = np.argsort(-right, kind="stable")
    kept = np.arange(1.0, len(order) + 1.0)
    best = float((2.0 * np.cumsum(right[order]) / (kept + right.sum())).max(initial=0.0))
    limit = min(best / 2.0, _LEAST_RIGHT)
    found = right < limit
    if not found.any() or found.mean() > _MOST:
        return np.zeros_like(found)
    among = (decoys >= sure[found].min()) & (decoys <= sure[found].max())
    false = float(weight[among].sum()) - spared * float(found.sum())
    counted = 1.96 * float(weight.mean() if len(weight) else 0.0) * np.sqrt(float(among.sum()) + 1.0)
    return found if false - counted > (1.0 - limit) * float(found.sum()) else np.zeros_like(found)


def _bins(sure: Floats) -> Floats:
    """Return where bins begin: as listed, and quantiles of the pairs that are as good as certain."""
    top = np.sort(sure[sure >= 1.0])
    n = int(np.clip(len(top) // _FEWEST, 1, _TOP_BINS))
    inner = top[(np.arange(1, n) * len(top)) // n] if len(top) else np.zeros(0)
    return np.unique(np.concatenate([_EDGES, inner]))
