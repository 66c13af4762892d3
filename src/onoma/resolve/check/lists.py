"""Lists: are there duplicates at all, where one field says nearly all there is to say?

Weights are taught there (`comparison/taught.py`), so decoys and copies, which are weighed by them, cannot find them
wrong. What can be told all the same is how near each row's nearest other row is. The nearest of many strangers looks
like a copy. But where nothing is a copy, few of the rows that have a near neighbour have a very near one, whatever the
list is of: families make many near rows and few very near ones, copies the other way round. Where these are as few as
in lists without duplicates, rows whose values differ are left apart. `python -m benchmarks nodup` measures both: lists
without duplicates, and what lists with duplicates lose.
"""

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.comparison.weights import Evidence
from onoma.resolve.fields.field import FieldData
from onoma.resolve.fields.kinds.likeness import likeness_model

__all__ = ["is_all_different", "is_list", "nearest", "repeats_itself"]

Floats = NDArray[np.float64]
VERY_NEAR, NEARER, NEAR = 2.0, 1.0, -1.0
"""Log odds of likeness, as taught: before the share of matches is looked at in this table."""
FEW_VERY_NEAR, FEW_NEARER = 0.15, 0.4
"""The parts of the rows with a near neighbour that have a very near (a nearer) one, below which a list has no
duplicates. Of 43 kinds of titles, 800 rows each, the first is below .15 in 38 lists without duplicates and in 13 with
them, in most of which little was found before, too. From 200 to 2,400 rows both hardly move. At .25 in place of
.4 lists with duplicates lose as much (mean F1 of fifteen .475 → .457, at .4 .455), and ten instead of seven of fifteen
without them are left alone at .4."""
EVEN, MOST_EVEN = 0.0, 0.4
"""And the part of all rows that may have a neighbour which is rather the same than not: where nearly every row has one,
that none is would be strange, however near they are. Of 28 kinds of titles, 800 rows without duplicates each, it is .34
at most; 25 of the 28 are left alone, and of the same kinds with duplicates five are, in which F1 was .19 in the mean
(.36 at most)."""
MOST_ITSELF = 0.5
"""The part of the rows that may say what an earlier one says. A list without duplicates repeats nothing, but two things
of one name; where most rows are repeated, things come again, and where some values are nearer, do so written otherwise,
too."""
_FEW = 0.5, 5.0
"""Rows added to those nearer and to those near: a share of few says little, and speaks for none."""


def is_list(evidence: Evidence) -> bool:
    """Say whether one field says nearly all, and its likeness means what other tables have taught."""
    return evidence.taught >= 0 and not evidence.linking


def repeats_itself(field: FieldData, near: Floats) -> bool:
    """Say whether most rows say what another one says, and some say nearly that.

    Parameters
    ----------
    field
        The one that says nearly all.
    near
        The log odds of the nearest row with another value, for each row.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from onoma.resolve.fields.prepare import prepare_fields
    >>> field = prepare_fields(pa.table({"title": ["Blue river song", "Green stone waltz"] * 3})).fields[0]
    >>> repeats_itself(field, np.full(6, -2.0)), repeats_itself(field, np.full(6, 1.5))
    (False, True)
    """
    again = len(field.counts) < (1.0 - MOST_ITSELF) * int(field.counts.sum())
    return again and bool((near > NEARER).any())


def nearest(evidence: Evidence) -> Floats:
    """Return for each row the log odds of its nearest other row with another value; -inf: it has none."""
    level = evidence.levels[:, evidence.taught].astype(np.int64)
    differ = np.flatnonzero(level > 0)
    model = likeness_model()
    odds = model.level_log_odds()[level[differ]] + model.by_words(float(evidence.words[evidence.taught]))
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
    >>> is_all_different(np.array([0.5] * 50 + [-1.5] * 50))
    False
    """
    few = _part(near, VERY_NEAR) < FEW_VERY_NEAR and _part(near, NEARER) < FEW_NEARER
    return few and float((near > EVEN).mean()) < MOST_EVEN


def _part(near: Floats, above: float) -> float:
    """Return the part that lies above this of those that are near."""
    return (float((near > above).sum()) + _FEW[0]) / (float((near > NEAR).sum()) + _FEW[1])
