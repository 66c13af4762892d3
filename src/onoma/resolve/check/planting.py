"""Rows planted in a table that was resolved: what each shares with the table's own, by the weights already learnt.

Nothing is learnt anew: planted rows cannot move the weights. They are looked for as the table's own rows are
(canopies), compared by the same rules, and sampled together with them, so that they compete for the same partners; two
planted rows are never compared, unless one is the other's copy. Only pairs with a planted row are compared: the rest is
known.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.distinct import distinct, without
from onoma.resolve.blocking.canopies import CanopySettings, find_near, pair_similarity
from onoma.resolve.comparison.compare import compare_records, log_shares
from onoma.resolve.comparison.gathering import contrast_levels
from onoma.resolve.comparison.swaps import mark_swaps
from onoma.resolve.comparison.weights import Evidence
from onoma.resolve.fields.field import FieldData
from onoma.resolve.posterior.exact import pairs_around

__all__ = ["Planted", "Rows", "plant"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows to plant."""

    codes: NDArray[np.int64]
    """By row and field; -1: missing."""
    base: NDArray[np.int64]
    """The record that each was made of; -1: none. Rows of a pair to be found have each other's, from n on."""
    source: NDArray[np.int32] | None
    block: NDArray[np.int32] | None
    apart_from: NDArray[np.int64]
    """A record that each is not compared with, for it is that very record; -1: none."""

    def __len__(self) -> int:
        return len(self.base)

    @classmethod
    def joined(cls, parts: "Sequence[Rows]") -> "Rows":
        """Return all rows, one part after the other."""
        return cls(
            np.concatenate([part.codes for part in parts]),
            np.concatenate([part.base for part in parts]),
            _concatenated([part.source for part in parts]),
            _concatenated([part.block for part in parts]),
            np.concatenate([part.apart_from for part in parts]),
        )


def _concatenated(columns: "Sequence[NDArray[np.int32] | None]") -> NDArray[np.int32] | None:
    there = [each for each in columns if each is not None]
    return np.concatenate(there) if there else None


@dataclass(frozen=True, eq=False)
class Planted:
    """A table's evidence with that of planted rows."""

    n: int
    """Records of the table; planted rows come behind them."""
    evidence: Evidence
    first: int
    """The first pair with a planted row."""
    base: NDArray[np.int64]


def plant(
    evidence: Evidence,
    fields: Sequence[FieldData],
    rows: Rows,
    source: NDArray[np.int32] | None,
    block: NDArray[np.int32] | None,
    apart: int,
    weight: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
    leader: NDArray[np.int64] | None = None,
) -> Planted:
    """Find and compare the pairs of planted rows with the table's own.

    Parameters
    ----------
    evidence
        Of the table.
    fields
        With the values of the planted rows behind those of the table.
    source, block
        Of the table's records and the planted rows.
    apart
        1: only records of different sources are compared.
    weight
        What the table's own pairs weigh as copies and as relatives: those that have nothing to do with a planted row
        are left out, unless it says something of a pair how it compares with all others. None: all pairs stay.
    leader
        For each record the one it follows: planted rows are compared with that alone, as other rows were.
    """
    n = evidence.n
    a, b = _pairs(fields, n, rows, source, block, apart)
    if leader is not None:
        own = (a >= n) | (leader[np.minimum(a, n - 1)] == a)
        a, b = a[own], b[own]
    levels = compare_records(fields, a, b)
    mark_swaps(fields, a, b, levels)
    shares = log_shares(fields, a, levels)
    if weight is not None and evidence.contrast < 0:
        evidence = _some(evidence, pairs_around(n, evidence.a, evidence.b, weight, a))
    both = np.concatenate([evidence.a, a]), np.concatenate([evidence.b, b])
    if evidence.contrast >= 0:
        similarity = pair_similarity(_counted(fields), *both)
        contrast = contrast_levels(n + len(rows), *both, similarity)[len(evidence.a) :]
        levels = np.concatenate([levels, contrast[:, None]], axis=1)
        shares = np.concatenate([shares, np.zeros((len(a), 1), dtype=np.float32)], axis=1)
    whole = replace(
        evidence,
        n=n + len(rows),
        a=both[0],
        b=both[1],
        levels=np.concatenate([evidence.levels, levels]),
        log_share=np.concatenate([evidence.log_share, shares.astype(np.float32)]),
        outside=None,
    )
    return Planted(n, whole, len(evidence.a), rows.base)


def _some(evidence: Evidence, pairs: NDArray[np.int64]) -> Evidence:
    return replace(
        evidence,
        a=evidence.a[pairs],
        b=evidence.b[pairs],
        levels=evidence.levels[pairs],
        log_share=evidence.log_share[pairs],
    )


def _pairs(
    fields: Sequence[FieldData],
    n: int,
    rows: Rows,
    source: NDArray[np.int32] | None,
    block: NDArray[np.int32] | None,
    apart: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the pairs of a record and a planted row, and of planted rows that are each other's."""
    total = n + len(rows)
    own = np.arange(n, total)
    near, mine = find_near(_counted(fields), n, source=source, block=block, apart=apart, settings=CanopySettings())
    keys = near.astype(np.int64) * total + mine
    # A row is always compared with what it was made of, as a record's nearest neighbours are.
    based = np.flatnonzero((rows.base >= 0) & (rows.base < own))
    keys = np.concatenate([keys, rows.base[based] * total + own[based]])
    itself = rows.apart_from[rows.apart_from >= 0] * total + own[rows.apart_from >= 0]
    keys = without(distinct(keys), np.sort(itself))
    return (keys // total).astype(np.int32), (keys % total).astype(np.int32)


def _counted(fields: Sequence[FieldData]) -> list[FieldData]:
    """Return the fields with values counted over planted rows, too, as canopies want them."""
    return [
        replace(each, counts=np.bincount(each.codes[each.codes >= 0], minlength=len(each.values)).astype(np.int64))
        for each in fields
    ]
