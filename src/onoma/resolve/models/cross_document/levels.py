"""One level of the hierarchy as a chain: items (mentions, sub-entities, entities) in groups, and moves between them.

All levels have the same model: items together score Σ ψ over their pairs, items apart -Σ ψ. What differs is what items
are, where they may go, and the bias.
"""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.models.cross_document._levels_kernels import (
    IS_FULL,
    N_ACCEPTED,
    N_FREE,
    N_PROPOSED,
    N_STATE,
    Groups,
    Items,
    Reach,
    Rules,
    fill,
    hold,
    sample,
    sum_by,
)

__all__ = ["Features", "Level", "Moves"]


_BITS = 4
"""Bits for each slot of the table of sums by which keys that are not there are told."""


class Moves(NamedTuple):
    """How items of a level are moved."""

    bias: float
    temperature: float = 1.0
    new: float = 0.1
    """Share of proposals that give an item a group of its own."""
    shared: float = 0.0
    """Share of proposals that follow a feature the item shares with another; all others follow chance."""


@dataclass(frozen=True, eq=False)
class Features:
    """Sparse rows: what each item asks for (query) and what it has (key)."""

    offsets: NDArray[np.int64]
    features: NDArray[np.int32]
    query: NDArray[np.float32]
    key: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def summed(self, group: NDArray[np.int64]) -> Self:
        """Return one row for each group (numbered 0, 1, 2…): the sum of its items' rows."""
        n = int(group.max(initial=-1)) + 1
        order = np.argsort(group, kind="stable")
        return type(self)(*sum_by(group, n, order, self.offsets, self.features, self.query, self.key))

    def own(self) -> NDArray[np.float64]:
        """Return Σ query · key of each item with itself."""
        products = np.concatenate([[0.0], np.cumsum(self.query.astype(np.float64) * self.key)])
        return products[self.offsets[1:]] - products[self.offsets[:-1]]

    def mean_product(self) -> float:
        """Return the mean Σ query · key of two different items."""
        n = len(self)
        query, key = (np.bincount(self.features, values, minlength=1) for values in (self.query, self.key))
        return float((query @ key - self.own().sum()) / max(n * (n - 1), 1))

    def unit(self) -> Self:
        """Return the rows with Σ query · key = 1 for each item with itself, so that products are cosines."""
        scale = (1.0 / np.sqrt(np.maximum(self.own(), 1e-12))).astype(np.float32)
        each = np.repeat(scale, np.diff(self.offsets))
        return type(self)(self.offsets, self.features, self.query * each, self.key * each)


class Level:
    """Items in groups.

    Parameters
    ----------
    features
        What items are compared by.
    group
        The group of each item, numbered from 0, below the number of items.
    size
        Mentions of each item; None: one.
    pool
        Items only move between groups of one pool (numbered from 0); None: anywhere.
    above
        For each group the group of the level above it is in; None: no matter.
    informed
        Prepare to propose by shared features.
    by_pairs
        Score pairs one by one, as the model was published, instead of against the sums of groups: to compare costs.
    """

    def __init__(
        self,
        features: Features,
        group: NDArray[np.int64],
        *,
        size: NDArray[np.int64] | None = None,
        pool: NDArray[np.int64] | None = None,
        above: NDArray[np.int64] | None = None,
        informed: bool = False,
        by_pairs: bool = False,
    ) -> None:
        n = len(features)
        self._n_listed = n if by_pairs else 0
        # Who has a feature is asked by those alone who propose by it.
        holders = _holders(features) if informed else (np.zeros(1, np.int64), np.zeros(0, np.int32))
        chance = _chances(features, np.diff(holders[0])) if informed else np.zeros(len(features.features), np.float32)
        size = np.ones(n, np.int64) if size is None else size
        self._items = Items(
            features.offsets, features.features, features.query, features.key, size, features.own(), chance
        )
        pool = np.zeros(n, np.int64) if pool is None else pool
        counts = np.bincount(pool, minlength=1)
        members = np.argsort(pool, kind="stable")
        self._reach = Reach(pool, np.concatenate([[0], np.cumsum(counts)]), members, *holders)
        padded = np.zeros(n, np.int64)
        if above is not None:
            padded[: len(above)] = above
        self._groups = self._table(group.astype(np.int64).copy(), padded, np.zeros(N_STATE, np.int64))
        self.gained = 0.0
        """Log score gained so far."""

    def _table(self, of: NDArray[np.int64], above: NDArray[np.int64], state: NDArray[np.int64]) -> Groups:
        n = len(of)
        n_slots = 1 << max(4, int(2 * len(self._items.features) + 64).bit_length())
        slots = np.empty((n_slots, 2), np.int64)
        state[IS_FULL] = 0
        groups = Groups(
            of,
            np.zeros(n, np.int64),
            np.zeros(n, np.int64),
            above,
            np.zeros(n, np.int64),
            slots[:, 0],
            slots.view(np.float64)[:, 1],
            np.empty(n_slots, np.int32),
            np.empty(n_slots * _BITS // 64, np.uint64),
            state,
            np.zeros(n, np.int64),
            np.full(n, -1, np.int64),
            np.zeros((n, 2)),
            np.zeros(self._n_listed, np.int64),
            np.zeros(self._n_listed, np.int64),
            np.zeros(self._n_listed, np.int64),
        )
        fill(self._items, groups)
        return groups

    @property
    def group(self) -> NDArray[np.int64]:
        """The group of each item."""
        return self._groups.of

    @property
    def above(self) -> NDArray[np.int64]:
        """For each item, the group of the level above that its group is in."""
        return self._groups.above[self._groups.of]

    @property
    def n_groups(self) -> int:
        """How many groups have items."""
        return len(self._groups.of) - int(self._groups.state[N_FREE])

    @property
    def acceptance(self) -> tuple[int, int]:
        """Moves made, and proposed."""
        return int(self._groups.state[N_ACCEPTED]), int(self._groups.state[N_PROPOSED])

    def run(self, rng: NDArray[np.uint64], moves: Moves, n_steps: int) -> None:
        """Make steps of the chain; the table of sums is made anew when groups that are gone have filled it."""
        rules = Rules(float(moves.bias), float(moves.temperature), float(moves.new), float(moves.shared))
        if len(self._items.size) < 2:
            return
        while n_steps > 0:
            done, gained = sample(rng, self._items, self._reach, self._groups, rules, n_steps)
            self.gained += gained
            n_steps -= done
            if self._groups.state[IS_FULL]:
                self._groups = self._table(self._groups.of, self._groups.above, self._groups.state)

    def log_score(self, bias: float) -> float:
        """Return Σ ψ over the pairs together, twice: the log score but for a constant."""
        _, of = np.unique(self._groups.of, return_inverse=True)
        items = self._items
        sums = Features(items.offsets, items.features, items.query, items.key).summed(of)
        sizes = np.bincount(of, items.size)
        pairs = (np.sum(sizes**2) - np.sum(items.size.astype(np.float64) ** 2)) / 2.0
        return float(sums.own().sum() - items.own.sum() - 2.0 * bias * pairs)


def _holders(features: Features) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return, feature after feature, the items that have it."""
    n = int(features.features.max(initial=-1)) + 1
    return hold(features.offsets, features.features, features.key, n)


def _chances(features: Features, n_holders: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the running chance of an item's features to propose: what it asks for, where others may have it.

    What few have tells more: weights fall with the number of holders. A name like one's own is asked for, not had: one
    holder is another then.
    """
    many = n_holders[features.features]
    others = many - (features.key != 0.0)
    weight = np.where(others > 0, np.maximum(features.query, 0.0) / np.sqrt(np.maximum(many, 1)), 0.0)
    running = np.cumsum(weight, dtype=np.float64)
    before = np.concatenate([[0.0], running])[features.offsets[:-1]]
    lengths = np.diff(features.offsets)
    total = np.concatenate([[0.0], running])[features.offsets[1:]] - before
    each = np.repeat(np.where(total > 0.0, total, 1.0), lengths)
    return ((running - np.repeat(before, lengths)) / each).astype(np.float32)
