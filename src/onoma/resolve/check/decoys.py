"""Decoys: rows that look like the table's own and match nobody.

Three kinds, each blind where another sees:

* *strangers*: every value is that of another thing (`values.py`), with the pattern of missing values of a row drawn at
  random. They show what things share by chance: common names, common words.
* *siblings*: two near records of different entities say what members of a group share (a household its surname and
  street, a product family its brand and series). The decoy keeps what the two share and has all else redrawn. They show
  what things share because they belong together.
* *mirrors*, where two sources are linked: a row of one source is looked for in its own. Whatever it finds, itself set
  aside, is another thing, as far as a source has no duplicates. Nothing is made up: families, frequencies and
  dependences are those of the table.

After target-decoy competition in proteomics (Elias and Gygi, 2007).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.check.planting import Rows
from onoma.resolve.check.values import Values
from onoma.resolve.comparison.weights import Evidence
from onoma.resolve.fields.field import FieldData

__all__ = ["contradicts", "mirrors", "near_strangers", "siblings", "strangers"]

Whole = NDArray[np.int64]
NEAREST = 2
"""Neighbours of each record, of other entities, whose shared values are looked at."""


def strangers(
    values: Sequence[Values],
    n_wanted: int,
    source: NDArray[np.int32] | None,
    block: NDArray[np.int32] | None,
    rng: np.random.Generator,
) -> Rows:
    """Draw strangers."""
    like = rng.integers(0, len(values[0].field.codes), n_wanted)
    codes = np.full((n_wanted, len(values)), -1, dtype=np.int64)
    for f, each in enumerate(values):
        for d in np.flatnonzero(each.field.codes[like] >= 0).tolist():
            codes[d, f] = each.of_another()
    return _rows(codes, np.full(n_wanted, -1, dtype=np.int64), like, source, block)


def siblings(
    values: Sequence[Values],
    evidence: Evidence,
    groups: Whole,
    n_wanted: int,
    source: NDArray[np.int32] | None,
    block: NDArray[np.int32] | None,
    rng: np.random.Generator,
) -> Rows:
    """Draw siblings, each of a record that is in one of the pairs given.

    Parameters
    ----------
    groups
        Pairs of `evidence` whose records are near each other and of different entities.
    """
    drawn = groups[rng.integers(0, len(groups), n_wanted)]
    turned = rng.random(n_wanted) < 0.5
    one = np.where(turned, evidence.b[drawn], evidence.a[drawn]).astype(np.int64)
    other = np.where(turned, evidence.a[drawn], evidence.b[drawn]).astype(np.int64)
    codes = np.full((n_wanted, len(values)), -1, dtype=np.int64)
    for f, each in enumerate(values):
        last = len(each.field.levels) - 1
        looked_at = (each.field.codes[one], each.field.codes[other], evidence.levels[drawn, f])
        for d, (mine, theirs, level) in enumerate(zip(*(side.tolist() for side in looked_at), strict=True)):
            if mine < 0 or (level == 0 and theirs >= 0):
                codes[d, f] = mine
            elif 0 < level < last:
                codes[d, f] = each.of_sibling(mine, theirs)
            else:
                codes[d, f] = each.of_another()
    rows = _rows(codes, one, one, source, block)
    kept = ~_repeats(codes, one, [each.field for each in values])
    return _some(rows, np.flatnonzero(kept))


def mirrors(
    fields: Sequence[FieldData], n_wanted: int, source: NDArray[np.int32], block: NDArray[np.int32] | None,
    rng: np.random.Generator,
) -> Rows:  # fmt: skip
    """Set rows of two sources against their own source."""
    n = len(source)
    drawn = np.sort(rng.choice(n, min(n_wanted, n), replace=False))
    codes = np.stack([each.codes[drawn].astype(np.int64) for each in fields], axis=1)
    rows = _rows(codes, np.full(len(drawn), -1, dtype=np.int64), drawn, 1 - source, block)
    return Rows(rows.codes, rows.base, rows.source, rows.block, drawn)


def near_strangers(evidence: Evidence, labels: Whole, weight: NDArray[np.float64]) -> Whole:
    """Return, for each record, the pairs with its nearest records of other entities; each pair once."""
    open_ = np.flatnonzero(labels[evidence.a] != labels[evidence.b])
    order = open_[np.argsort(-weight[open_], kind="stable")]
    ends = np.concatenate([evidence.a[order], evidence.b[order]])
    by_record = np.lexsort((np.tile(np.arange(len(order)), 2), ends))
    starts = np.searchsorted(ends[by_record], np.arange(evidence.n))
    rank = np.empty(len(ends), dtype=np.int64)
    rank[by_record] = np.arange(len(ends)) - starts[ends[by_record]]
    near = np.minimum(rank[: len(order)], rank[len(order) :]) < NEAREST
    return np.sort(order[near])


def contradicts(evidence: Evidence) -> NDArray[np.bool_]:
    """Return which pairs have unrelated values in a field whose values are seldom replaced (`noise.py`)."""
    found = np.zeros(len(evidence.a), dtype=np.bool_)
    if evidence.noise is None:
        return found
    for f in np.flatnonzero(evidence.noise.firm).tolist():
        found |= evidence.levels[:, f] >= evidence.noise.unrelated[f]
    return found


def _repeats(codes: Whole, base: Whole, fields: Sequence[FieldData]) -> NDArray[np.bool_]:
    """Return the rows that came out as the record they were made of."""
    same = np.ones(len(base), dtype=np.bool_)
    for f, field in enumerate(fields):
        same &= codes[:, f] == field.codes[base]
    return same


def _rows(
    codes: Whole, base: Whole, like: Whole, source: NDArray[np.int32] | None, block: NDArray[np.int32] | None
) -> Rows:
    none = np.full(len(codes), -1, dtype=np.int64)
    mine = None if source is None else source[like].copy()
    return Rows(codes, base, mine, None if block is None else block[like].copy(), none)


def _some(rows: Rows, kept: Whole) -> Rows:
    return Rows(
        rows.codes[kept],
        rows.base[kept],
        None if rows.source is None else rows.source[kept],
        None if rows.block is None else rows.block[kept],
        rows.apart_from[kept],
    )
