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

__all__ = ["Bin", "Calibration", "calibrate", "sureness"]

Floats = NDArray[np.float64]
CERTAIN = 0.995
"""Stated probabilities from which on pairs are told apart by the weight of their evidence."""
_EDGES = (0.01, 0.1, 0.3, 0.5, 0.7, 0.9, CERTAIN)
_HEAVIEST = 60.0
_TOP_BINS, _FEWEST = 6, 40
"""Bins of pairs that are as good as certain, and the fewest pairs of one."""
_MANY = 0.4
_EVEN = 0.5
"""Two rows that are one thing with less than this probability are more likely two."""
_LEAST_RIGHT = 1.0 / 3.0
"""Links of a kind of which less is right are given up. That raises F1 where the share is below half of F1, which is
about two thirds where there is doubt. At one half, references of which one in five has a partner lost a quarter of
their right links (F1 .92 → .83; at a third .94); films stay at .82, a part of two catalogues is .70 → .76 by both."""
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
    convicted: NDArray[np.bool_]
    """The bins of pairs that are stated as one and are mostly wrong by the decoys."""
    spared: float = 0.0
    """The share of pairs for which decoys were taken for none."""

    def __call__(self, sure: Floats) -> Floats:
        """Return the share that is true of pairs as sure as this, at most what is stated."""
        place = np.searchsorted(self.edges, sure, side="right") - 1
        return np.where(place < 0, sure, np.minimum(self.true[np.maximum(place, 0)], sure))

    def convicts(self, sure: Floats) -> NDArray[np.bool_]:
        """Say of pairs as sure as this whether most of their kind are wrong, beyond what counting decoys explains."""
        place = np.searchsorted(self.edges, sure, side="right") - 1
        return (place >= 0) & self.convicted[np.maximum(place, 0)]


def calibrate(sure: Floats, stated: Floats, decoys: Floats, weight: Floats, *, safe: float = np.inf) -> Calibration:
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
        Pairs at least as sure are taken for true where there are many decoys among them (`_MANY`), and these for no
        decoys: of all bins that share of pairs is taken off.
    """
    edges = _bins(sure)
    n = len(edges)
    place, mine = (np.searchsorted(edges, each, side="right") - 1 for each in (sure, decoys))
    targets = np.bincount(place[place >= 0], minlength=n).astype(np.float64)
    false = np.bincount(mine[mine >= 0], weight[mine >= 0], n)
    n_decoys = np.bincount(mine[mine >= 0], minlength=n)
    spared = float(weight[decoys >= safe].sum()) / max(float((sure >= safe).sum()), 1.0)
    spared = min(spared, 1.0) if spared >= _MANY else 0.0
    false = np.maximum(false - spared * targets, 0.0)
    unit = float(weight.mean()) if len(weight) else 0.0
    share = np.clip(1.0 - (false + unit * _HALF / n) / np.maximum(targets, 1.0), 0.0, 1.0)
    true = isotonic(share, np.maximum(targets, 1e-3))
    spread = unit * np.sqrt(n_decoys + 1.0) / np.maximum(targets, 1.0)
    # Where each of the surest pairs has a decoy, these say nothing of the others.
    convicted = (edges >= _EVEN) & (true < _LEAST_RIGHT) & (targets > 0.0) & (spared < 1.0)
    # Single bins hold few decoys: those that are mostly wrong are convicted together, or not at all.
    counted = unit * np.sqrt(float(n_decoys[convicted].sum()) + 1.0)
    convicted &= float(false[convicted].sum()) - 1.96 * counted > (1.0 - _LEAST_RIGHT) * float(targets[convicted].sum())
    # Nor do they say which are right where they speak against the surest.
    if convicted[np.flatnonzero(targets)[-1:]].any():
        convicted[:] = False
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
    return Calibration(edges, true, bins, convicted, spared)


def _bins(sure: Floats) -> Floats:
    """Return where bins begin: as listed, and quantiles of the pairs that are as good as certain."""
    top = np.sort(sure[sure >= 1.0])
    n = int(np.clip(len(top) // _FEWEST, 1, _TOP_BINS))
    inner = top[(np.arange(1, n) * len(top)) // n] if len(top) else np.zeros(0)
    return np.unique(np.concatenate([_EDGES, inner]))
