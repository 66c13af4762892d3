"""Rows that say nothing new, folded into one mention before trees are grown, and unfolded when they are told.

Rows of one canopy with the same names and the same words are one leaf that counts as often as there are rows: its words
and names weigh as theirs would, and neither the steps nor the memory of a run grow with them. They are one entity then
whatever the chain does, so rows are folded only if they have words besides their names, and never across a field that
keeps entities apart (two mentions on one paper are two people).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.rng import stream
from onoma.resolve.models.hierarchical.mentions import BagColumn
from onoma.resolve.models.hierarchical.whole_names import NameColumn

__all__ = ["MentionFolding", "fold_mentions"]


@dataclass(frozen=True, eq=False)
class MentionFolding:
    """Which rows are mentions, and the mention of each row.

    Examples
    --------
    >>> folding = MentionFolding(np.array([0, 2]), np.array([0, 0, 1]))
    >>> folding.n_rows.tolist(), folding.rows_of(0).tolist(), folding.unfold(np.array([0, 0])).tolist()
    ([2, 1], [0, 1], [0, 0, 0])
    """

    kept: NDArray[np.int64]
    """The first row of each mention, ascending."""
    place: NDArray[np.int64]
    """By row, the place of its mention among those."""

    @property
    def n_rows(self) -> NDArray[np.int64]:
        """By mention, how many rows it stands for."""
        return np.bincount(self.place, minlength=len(self.kept))

    def rows_of(self, mention: int) -> NDArray[np.int64]:
        """Return the rows of a mention."""
        return np.flatnonzero(self.place == mention)

    def unfold(self, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return by row one row of its entity, from the same of mentions."""
        return self.kept[labels][self.place]


def fold_mentions(
    canopy: NDArray[np.int64], names: Sequence[NameColumn], bags: Sequence[BagColumn], exclusive: Sequence[bool]
) -> MentionFolding:
    """Fold rows of one canopy that have the same names and words.

    Parameters
    ----------
    canopy
        The canopy of each row.
    names, bags
        What is known of rows.
    exclusive
        By field of words, whether two rows that share one are two entities.
    """
    n = len(canopy)
    rng = stream(0, "trees", "folding")
    keys = canopy.astype(np.uint64) * rng.integers(1, 1 << 63, dtype=np.uint64)
    lengths, is_apart = np.zeros(n, np.int64), np.zeros(n, np.bool_)
    for name in names:
        keys += rng.integers(0, 1 << 63, len(name.forms) + 1, dtype=np.uint64)[name.codes]
    for bag, is_exclusive in zip(bags, exclusive, strict=True):
        mine = np.diff(bag.offsets)
        drawn = rng.integers(0, 1 << 63, len(bag.words), dtype=np.uint64)[bag.ids]
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(drawn, dtype=np.uint64)])
        keys += sums[bag.offsets[1:]] - sums[bag.offsets[:-1]]
        lengths += mine
        is_apart |= is_exclusive & (mine > 0)
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    leader = first[group]
    folded = (lengths > 0) & ~is_apart & ~is_apart[leader] & (leader != np.arange(n))
    folded[folded] = _equal(canopy, names, bags, np.flatnonzero(folded), leader[folded])
    leader = np.where(folded, leader, np.arange(n))
    kept, place = np.unique(leader, return_inverse=True)
    return MentionFolding(kept, place)


def _equal(
    canopy: NDArray[np.int64],
    names: Sequence[NameColumn],
    bags: Sequence[BagColumn],
    one: NDArray[np.int64],
    other: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Return which pairs of rows are equal: the same keys have made it likely, this makes it sure."""
    found = canopy[one] == canopy[other]
    for name in names:
        found &= name.codes[one] == name.codes[other]
    for bag in bags:
        lengths = np.diff(bag.offsets)
        found &= lengths[one] == lengths[other]
        alike = np.flatnonzero(found)
        mine, theirs = bag.take(one[alike]), bag.take(other[alike])
        pair = np.repeat(np.arange(len(alike)), np.diff(mine.offsets))
        found[alike[pair[mine.ids != theirs.ids]]] = False
    return found
