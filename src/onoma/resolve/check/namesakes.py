"""Trees, checked by names: how many people have a name by chance.

Rows cannot be planted in trees: what these score is learnt from whole entities. But what trees get wrong is mostly that
two people of one name are taken for one, and how many people have a name by chance is known without labels: λ, the
share of the given name times that of the family name, of all the names there are (`whole_names.name_scores`; an initial
stands for all names that begin with it). Rows of a name that nobody else would have are one person's however little
else they share. Of rows that trees join, with λ of the more frequent of their two names,

    odds of two people = λ / MISTAKEN,   OTHERWISE times that where the two names are not the same.

Where names tell nothing (a table of names that were chosen because many people have them, or within blocks), the odds
are `UNNAMED` whatever the name. What is missed, no name tells.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.rng import stream
from onoma.resolve.check.quality import DOUBTED, FEWEST_LINKS, SAFE, Quality, Share
from onoma.resolve.contract import Posterior

if TYPE_CHECKING:
    from onoma.resolve.result import Resolution

__all__ = ["Namesakes", "told_by_names"]

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
MISTAKEN = 50.0
"""Namesakes by chance from which on two rows that trees join are as likely two people's as one's. Fitted with the next
two by likelihood on tables of authors and inventors of six kinds (`benchmarks/train_namesakes.py`), each kind counting
alike: 39 and 70 on two draws of 31 and 30 parts; without any one kind 27 to 76."""
OTHERWISE = 5.0
"""How much likelier two people are where the names of the two rows differ: 4.8 and 5.6; without any one kind 2.4 to
5.9."""
UNNAMED = 0.2
"""The odds of two people where names tell nothing: .16 and .23; without any one kind .10 to .34."""
OFF_NAMES = 1.0
"""How far the precision of pairs was off by names on these tables: the standard deviation of its log odds."""
N_DRAWN, N_DRAWS = 20_000, 400
"""Pairs of an entity that are drawn to tell the share that is right, and draws of what is not known of it."""


class Namesakes:
    """How many people have the name of each row by chance.

    Parameters
    ----------
    expected
        By row, λ; not finite: it has no whole name.
    name
        By row, a number for its name.
    is_told
        Whether names tell people apart.
    """

    def __init__(self, expected: Floats, name: Whole, *, is_told: bool) -> None:
        self.expected, self.name, self.is_told = expected, name, is_told

    @classmethod
    def of(cls, resolution: "Resolution") -> "Namesakes":
        """Read the names that the trees of an answer were grown by."""
        from onoma.resolve.models.hierarchical.grow import tree_names  # trees take long to load
        from onoma.resolve.models.hierarchical.whole_names import name_scores

        n = len(resolution.table)
        names = tree_names(resolution.fields.fields, resolution.block)[1]
        if not names:
            return cls(np.full(n, np.inf), np.zeros(n, dtype=np.int64), is_told=False)
        given, family = names
        by_given, by_family = name_scores(given, family)
        known = (given.codes >= 0) & (family.codes >= 0)
        expected = np.full(n, np.inf)
        expected[known] = np.exp(by_given[given.codes[known]] + by_family[family.codes[known]].astype(np.float64))
        return cls(expected, given.codes.astype(np.int64) * (len(family.forms) + 1) + family.codes, is_told=True)

    def right(self, a: Whole, b: Whole) -> Floats:
        """Return how likely two rows that trees join are one person's.

        Examples
        --------
        >>> rows = Namesakes(np.array([0.1, 0.1, 40.0, np.inf]), np.array([0, 0, 1, 2]), is_told=True)
        >>> rows.right(np.array([0, 0, 0]), np.array([1, 2, 3])).round(2).tolist()
        [1.0, 0.2, 0.83]
        """
        most = np.maximum(self.expected[a], self.expected[b])
        odds = most / MISTAKEN * np.where(self.name[a] == self.name[b], 1.0, OTHERWISE)
        return np.asarray(1.0 / (1.0 + np.where(np.isfinite(odds), odds, UNNAMED)))


def told_by_names(resolution: "Resolution", posterior: Posterior) -> Quality:
    """Return what names say of the answer that trees gave."""
    namesakes, pairs = Namesakes.of(resolution), posterior.pairs
    a, b = pairs.a.astype(np.int64), pairs.b.astype(np.int64)
    right = namesakes.right(a, b)
    n, labels = len(resolution.table), posterior.clustering.labels.astype(np.int64)
    inside = labels[a] == labels[b]
    n_links = n - posterior.clustering.n_entities
    why = "trees are checked by how many people have a name by chance, and by nothing else"
    if not namesakes.is_told:
        why = "names do not tell people apart here, and nothing else checks trees"
    return Quality(
        calibrated=False,
        because=(why,),
        n_links=n_links,
        precision=_precision(resolution, labels, namesakes) if n_links >= FEWEST_LINKS else None,
        n_safe=int((right[inside] >= SAFE).sum()),
        probability=posterior.probability * _of_rows(n, a[inside], b[inside], right[inside]),
        pair_probability=pairs.probability * right,
        ceiling=DOUBTED,
        by="the names",
    )


def _of_rows(n: int, a: Whole, b: Whole, right: Floats) -> Floats:
    """Return for each row the mean over its pairs; 1 for a row without any."""
    ends, twice = np.concatenate([a, b]), np.tile(right, 2)
    counts = np.bincount(ends, minlength=n)
    return np.where(counts > 0, np.bincount(ends, twice, n) / np.maximum(counts, 1), 1.0)


def _precision(resolution: "Resolution", labels: Whole, namesakes: Namesakes) -> Share:
    """Return the share of reported pairs that is right, with an interval: of pairs drawn at random."""
    rng = stream(resolution.config.seed, "namesakes")
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    weight = sizes * (sizes - 1.0)
    entity = np.searchsorted(np.cumsum(weight), rng.random(N_DRAWN) * weight.sum(), side="right")
    size = sizes[entity]
    one = (rng.random(N_DRAWN) * size).astype(np.int64)
    other = (one + 1 + (rng.random(N_DRAWN) * (size - 1)).astype(np.int64)) % size
    share = float(namesakes.right(order[starts[entity] + one], order[starts[entity] + other]).mean())
    odds = np.log(share / max(1.0 - share, 1e-9)) + rng.normal(0.0, OFF_NAMES, N_DRAWS)
    n_joined = int(np.count_nonzero(sizes > 1))  # an entity is right or wrong as a whole, nearly
    drawn = rng.binomial(n_joined, 1.0 / (1.0 + np.exp(-odds)), N_DRAWS) / n_joined
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Share(share, min(float(low), share), max(float(high), share))
