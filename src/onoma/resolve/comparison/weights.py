"""Weights: what it means that two records agree.

For each field a pair of records is at one of a few ordered *levels*, from `equal` to `different`, or the value is
missing on a side and says nothing. Three classes of pairs have a distribution over levels each: *copied* (one record
is the other's copy), *related* (another entity from the same surroundings) and *fresh* (strangers). A pair's log
Bayes factor is the sum over fields of log P(level | copied) − log P(level | fresh); equal values weigh the more the
rarer they are.

Fields are not independent (city and postcode; a name and the full name). They form a tree in each class: a field's
distribution depends on the level of its parent field, with the parent chosen by mutual information (Chow and Liu,
1968). A field that repeats another adds nothing.

How many fields of a copy differ is a matter of its own (`slips.py`). How weights are learnt is told in
`weight_learning.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.parts import in_parts
from onoma.resolve.comparison._weights_kernels import score_pairs
from onoma.resolve.comparison.compare import LazyShares
from onoma.resolve.comparison.noise import Noise

__all__ = [
    "COPIED",
    "FRESH",
    "NEXT",
    "OWN",
    "RANDOM",
    "RELATED",
    "Evidence",
    "WeightSettings",
    "Weights",
    "edge_weights",
    "log_bayes_factors",
]

COPIED, RELATED, FRESH = 0, 1, 2
RANDOM, NEXT, OWN = 0, 1, 2
"""Pairs of the background: drawn from those that are no candidates, next to the best of a record in the other source,
and near in its own source."""
_CLIP = 60.0  # log weights beyond this are certain
_AHEAD = 8.0
"""By how much, as a logarithm, a relation can outweigh a copy."""
_TIMES_AHEAD = np.exp(_AHEAD)
_AT_ONCE = 16_384
"""Pairs weighed together: what is known of them fits into the second cache of a core."""
_WORTH_THREADS = 25_000
"""Pairs from which on threads pay: to start two takes as long as to weigh some thousand."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is known about the candidate pairs, and about pairs in general."""

    n: int
    """Records."""
    a: NDArray[np.int32]
    b: NDArray[np.int32]
    levels: NDArray[np.int8]
    """Level of each candidate pair (row) in each field; -1: missing."""
    log_share: "NDArray[np.float32] | LazyShares"
    """Where two records are equal, the log of the share of records with that value."""
    n_levels: NDArray[np.int64]
    """Levels of each field."""
    background: NDArray[np.int8]
    """Levels of pairs that stand for the pairs outside the candidates."""
    background_weight: NDArray[np.float64]
    """How many pairs each of them stands for."""
    n_pairs: float
    """Pairs there are in all."""
    names: NDArray[np.bool_]
    """The fields that hold names of people and organisations."""
    identity: NDArray[np.bool_]
    """The fields that name the thing: a title, where one says most, or else names."""
    own: NDArray[np.bool_]
    """The fields that no relative shares: a date of birth is one person's, but for twins."""
    words: NDArray[np.float64]
    """Words in a value of each field, on average."""
    linking: bool = False
    """Pairs are between sources only: strangers are known from the background alone, and a match is exclusive."""
    contrast: int = -1
    """The field that says how a pair compares with the rivals of its records, if there is one."""
    noise: Noise | None = None
    """How copies agree in each field, before the table is looked at; None: nothing is known of the fields' kinds."""
    taught: int = -1
    """The field of which other tables have taught what its levels mean, if there is one (`taught.py`)."""
    taught_counts: NDArray[np.int64] | None = None
    """Of that field, candidates at each level after the first in a part of the table; None: the table is small."""
    near: NDArray[np.int8] | None = None
    """Between two sources, what each pair of the background is: `RANDOM`, `NEXT` or `OWN`."""
    near_weight: NDArray[np.float64] | None = None
    """For each of them, how much it counts among its like."""
    background_pairs: tuple[NDArray[np.int32], NDArray[np.int32]] | None = None
    """The records of the pairs of the background, where these are random; None: it is not known."""
    outside: NDArray[np.bool_] | None = None
    """Records that are here as neighbours only, where the evidence is about some records: their own origins, and the
    other half of the pairs with them, are not."""

    def some(self, pairs: NDArray[np.int64]) -> "Evidence":
        """Return what is known about some of the candidate pairs."""
        a, levels, log_share = self.a[pairs], self.levels[pairs], self.log_share
        some = log_share.of(a, levels) if isinstance(log_share, LazyShares) else log_share[pairs]
        return replace(self, a=a, b=self.b[pairs], levels=levels, log_share=some)


@dataclass(frozen=True, kw_only=True)
class WeightSettings:
    """How weights are learnt."""

    n_closed: int = 60
    n_stochastic: int = 24
    sweeps: int = 5
    relatives: bool = True
    relatives_bound: float = 0.5
    """The most that relatives share, as a part of the information that copies share."""
    names_bound: float = 0.15
    """The same for the fields that name the thing."""
    dependence: bool = True
    breadth: float = 0.05
    """Copied levels are counted over pairs of origin and copy (0), over all pairs of an entity (1), or between."""


@dataclass(frozen=True, eq=False)
class Weights:
    """The learnt model."""

    parent: NDArray[np.int64]
    """For each field the field it depends on; -1: none."""
    tables: NDArray[np.float64]
    """Log probabilities by class, field, level of the parent (last: missing) and level."""
    keep: NDArray[np.float64]
    """How much the rarity of a shared value counts, by field and level of the parent."""
    kappa: float
    """Weight of an earlier record as origin, before any evidence."""
    sigma: float
    """The same, as relative."""
    n_levels: NDArray[np.int64]
    slips: NDArray[np.float64] = field(default_factory=lambda: np.zeros((1, 1)))
    """What a copy's log probability gains by the number of fields known on both sides and of those that differ; the
    last row and column stand for all beyond."""

    def marginals(self, kind: int, f: int) -> NDArray[np.float64]:
        """Return the probabilities of the levels of one field in one class, whatever its parent."""
        return np.exp(self.tables[kind, f, -1, : self.n_levels[f]])


def log_bayes_factors(evidence: Evidence, weights: Weights) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return for every candidate pair the log Bayes factors "copied" and "related" against "fresh"."""
    copy, relative = np.empty(len(evidence.a)), np.empty(len(evidence.a))
    tables = (weights.parent, weights.tables, weights.keep, weights.slips)

    def score(first: int, end: int) -> None:
        part = slice(first, end)
        score_pairs(evidence.levels[part], evidence.log_share[part], *tables, copy[part], relative[part])

    in_parts(len(copy), score)
    return copy, relative


def edge_weights(evidence: Evidence, weights: Weights) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the weights of every pair as copy and as relative, ready for the sampler."""
    copy, relative = np.empty(len(evidence.a)), np.empty(len(evidence.a))
    tables = (weights.parent, weights.tables, weights.keep, weights.slips)

    def score(first: int, end: int) -> None:
        part = slice(first, end)
        score_pairs(evidence.levels[part], evidence.log_share[part], *tables, copy[part], relative[part])

    return as_weights(copy, relative, weights, score)


def as_weights(
    copy: NDArray[np.float64], relative: NDArray[np.float64], weights: Weights, score: Callable[[int, int], None]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Let log Bayes factors be filled in, part by part, and return the weights that they give, in the same place."""

    def weigh(first: int, end: int) -> None:
        for begin in range(first, end, _AT_ONCE):  # while the numbers are near
            part = slice(begin, min(begin + _AT_ONCE, end))
            score(part.start, part.stop)
            one, other = copy[part], relative[part]
            if weights.sigma > 0:
                other += np.log(weights.sigma)
                np.exp(np.clip(other, -_CLIP, _CLIP, out=other), out=other)
            else:
                other[:] = 0.0
            one += np.log(weights.kappa)
            np.exp(np.clip(one, -_CLIP, _CLIP, out=one), out=one)
            np.minimum(other, np.maximum(_TIMES_AHEAD * one, 1.0), out=other)

    in_parts(len(copy), weigh, least=_WORTH_THREADS)
    return copy, relative


def limit_relatives(copy: NDArray[np.float64], relative: NDArray[np.float64]) -> NDArray[np.float64]:
    """Let a relation outweigh the copy clearly, and no more than that.

    A record has one origin, but a person who moves in with another has two: an earlier record of the same person, and
    the household, whose address and telephone say far more in sum. Without a limit two records of that person are two
    relatives of the household rather than each other's copies. Relations are there so that housemates are not taken for
    copies, and for that it is enough to be the better explanation. Where a copy is out of the question, a relation
    weighs no more than a fresh record.
    """
    return np.minimum(relative, np.maximum(_TIMES_AHEAD * copy, 1.0))
