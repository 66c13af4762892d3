"""How many matches the canopies missed, told without any truth.

What was never compared cannot be joined, unless through others. Two estimates:

* *direct*: of the pairs that the samples hold together, the share that was compared. The rest was joined through
  others, which is no loss, but shows how far the canopies reach.
* *found*: some records, drawn at random, are compared with **all** others by the learnt weights. What was not compared
  before is counted by entity. With w the mean weight of the unseen pairs between a record and the members of another
  entity, and s and t the sizes of the two, joining them has the odds w·2st/(s + t) beside staying apart (1) and beside
  the other entities that compete for either. Matches found and missed are summed over the drawn records:

      found = Σ E(size of the entity − 1) / (Σ E(size of the entity − 1) + Σ expected missed matches),

  with an interval from drawing the records again (bootstrap), never shorter than the number of matches seen allows.

In large tables only others that share rare enough values are looked at, whatever the canopies made of these: together
at least as rare as √n of n records. That is said (`exhaustive`).

It is the model's own judgement: a match that the model would not believe in if it saw it is not missed.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.numerics.distinct import distinct
from onoma.numerics.parts import n_threads
from onoma.numerics.rng import stream
from onoma.resolve.comparison.compare import compare_records, log_shares
from onoma.resolve.comparison.swaps import mark_swaps
from onoma.resolve.comparison.weights import edge_weights
from onoma.resolve.fields.field import FieldData
from onoma.resolve.posterior.samples import Roots
from onoma.resolve.report.explanation import fitted

if TYPE_CHECKING:
    from onoma.resolve.result import Resolution

__all__ = ["CanopyRecall", "estimate_recall"]

N_RECORDS = 300
BUDGET = 2_000_000
"""Pairs that are compared, about, where records are compared with all others."""
_FEWER_RECORDS = 100
"""Records that are checked in a table too large for that, or nearly."""
_CHUNK = 1 << 18
"""Pairs that are compared at a time: what is known of them is near while it is worked on."""
_NEGLIGIBLE = 1e-4
"""Weights below this are not summed."""
_NO_MATCH = 3.0
"""Matches that may be missed, at 95 %, where none of many was seen to be."""


class CanopyRecall(NamedTuple):
    """What part of the matches was compared."""

    direct: float
    """Of the pairs held together by the samples, the share that was compared."""
    found: float
    """Of all expected matches of the records checked, the share that was not missed."""
    low: float
    high: float
    """An interval for it at 95 %."""
    n_records: int
    """Records that were checked."""
    exhaustive: bool
    """They were compared with all others, not only with those that share rare values."""


def estimate_recall(
    resolution: "Resolution", *, n_records: int = N_RECORDS, budget: int = BUDGET
) -> CanopyRecall | None:
    """Estimate the recall of the canopies; None where no match is expected at all.

    Examples
    --------
    >>> from onoma.corpus.simulate import simulate_people
    >>> from onoma.resolve.api import resolve
    >>> recall = estimate_recall(resolve(simulate_people(300, seed=1)))
    >>> 0.9 < recall.found <= recall.high <= 1.0
    True
    """
    fit = fitted(resolution)
    n = fit.evidence.n
    size, n_together = _sizes(fit.draws.roots)
    if n_together == 0:
        return None
    exhaustive = budget // n >= min(_FEWER_RECORDS, n)
    n_drawn = min(n, n_records, max(budget // n, _FEWER_RECORDS))
    drawn = np.sort(stream(resolution.config.seed, "recall").choice(n, n_drawn, replace=False)).astype(np.int32)
    check = _Check(resolution, drawn, exhaustive=exhaustive)
    step = max(_CHUNK // n, 1)
    missed = np.concatenate([check.missed(drawn[first : first + step]) for first in range(0, n_drawn, step)])
    found, low, high = _with_interval(size[drawn] - 1.0, missed, resolution.config.seed)
    direct = min(float(fit.draws.together.sum()) / n_together, 1.0)
    return CanopyRecall(direct, found, low, high, n_drawn, exhaustive)


def _sizes(roots: Roots) -> tuple[NDArray[np.float64], float]:
    """Return over samples the mean size of each record's entity, and the mean number of pairs held together."""
    total, pairs = np.zeros(roots.shape[1]), 0.0
    for sample in roots:
        sizes = np.bincount(sample, minlength=roots.shape[1])
        total += sizes[sample]
        pairs += float((sizes * (sizes - 1.0) / 2).sum())
    return total / max(len(roots), 1), pairs / max(len(roots), 1)


class _Check:
    """Compares records with all others."""

    def __init__(self, resolution: "Resolution", drawn: NDArray[np.int32], *, exhaustive: bool) -> None:
        self.resolution = resolution
        self.exhaustive = exhaustive
        self.fit = fitted(resolution)
        evidence = self.fit.evidence
        self.label = resolution.clustering.labels.astype(np.int64)
        self.size = resolution.clustering.sizes.astype(np.float64)
        weight = np.add(*edge_weights(evidence, self.fit.weights))
        # Members of one entity do not compete, unless a record has one partner only.
        weight[(self.label[evidence.a] == self.label[evidence.b]) & (not evidence.linking)] = 0.0
        self.rivals = np.bincount(evidence.a, weight, evidence.n) + np.bincount(evidence.b, weight, evidence.n)
        # Values are fewer than records. Within blocks and between sources few of their pairs are wanted.
        is_whole = exhaustive and resolution.block is None and not resolution.config.link
        self.tables = _tables(resolution.fields.fields, drawn) if is_whole else None

    def missed(self, records: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return for each record the matches it is expected to have missed."""
        unseen = self._unseen(records)
        place, other = np.nonzero(unseen)
        one, apart = records[place], other.astype(np.int32)
        levels = self._levels(one, apart) if self.tables is None else self._looked_up(records, unseen, self.tables)
        copy, relative = self._weights(one, apart, levels)
        # By record and entity, where there is anything to speak of.
        key = place * len(self.size) + self.label[other]
        keys = distinct(key[copy > _NEGLIGIBLE])
        at = np.minimum(np.searchsorted(keys, key), len(keys) - 1) if len(keys) else np.zeros(0, dtype=np.int64)
        mine = np.flatnonzero(keys[at] == key) if len(keys) else np.zeros(0, dtype=np.int64)
        at, m = at[mine], len(keys)
        n_unseen = np.bincount(at, minlength=m)
        place, entity = keys // len(self.size), keys % len(self.size)
        s, t = self.size[self.label[records[place]]], self.size[entity]
        attachments = 2.0 * s * t / (s + t) / np.maximum(n_unseen, 1)
        joined, kin = (np.bincount(at, side[mine], m) * attachments for side in (copy, relative))
        odds = joined + kin
        rivals = np.bincount(at, self.rivals[other[mine]], m) / np.maximum(n_unseen, 1)
        others = np.bincount(place, odds, len(records))[place] - odds + self.rivals[records[place]]
        if self.fit.evidence.linking:
            chance = joined / (1.0 + odds + others + rivals)
        else:
            chance = 0.5 * joined * (1.0 / (1.0 + odds + 0.5 * others) + 1.0 / (1.0 + odds + 0.5 * rivals))
        return np.asarray(np.bincount(place, chance * n_unseen, len(records)), dtype=np.float64)

    def _levels(self, one: NDArray[np.int32], other: NDArray[np.int32]) -> NDArray[np.int8]:
        """Return the level of each pair in each field."""
        return compare_records(self.resolution.fields.fields, one, other)

    def _looked_up(
        self, records: NDArray[np.int32], wanted: NDArray[np.bool_], tables: Sequence["_Table"]
    ) -> NDArray[np.int8]:
        """Return the level of each pair that is wanted (record by all) in each field."""
        levels = np.empty((*wanted.shape, len(tables)), dtype=np.int8)
        for f, table in enumerate(tables):
            levels[:, :, f] = table.levels[table.rows[records]].take(table.codes, axis=1)
        return levels[wanted]

    def _weights(
        self, one: NDArray[np.int32], other: NDArray[np.int32], levels: NDArray[np.int8]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the weights of pairs that are no candidates, as copy and as relative."""
        fields = self.resolution.fields.fields
        evidence = self.fit.evidence
        mark_swaps(fields, one, other, levels)
        shares = log_shares(fields, one, levels)
        more = len(evidence.n_levels) - len(fields)
        if more:  # how a pair compares with its rivals is known of candidates alone
            levels = np.append(levels, np.full((len(one), more), -1, dtype=np.int8), axis=1)
            shares = np.append(shares, np.zeros((len(one), more), dtype=np.float32), axis=1)
        return edge_weights(replace(evidence, a=one, b=other, levels=levels, log_share=shares), self.fit.weights)

    def _unseen(self, records: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return (record by all) which pairs could be the same, are no candidates and not of one entity."""
        evidence = self.fit.evidence
        unseen = self.label[records][:, None] != self.label[None, :]
        place = np.full(evidence.n, -1)
        place[records] = np.arange(len(records))
        for one, other in ((evidence.a, evidence.b), (evidence.b, evidence.a)):
            mine = place[one] >= 0
            unseen[place[one[mine]], other[mine]] = False
        block = self.resolution.block
        if block is not None:
            unseen &= block[records][:, None] == block[None, :]
        if self.resolution.config.link and self.resolution.source is not None:
            source = Clustering.from_labels(self.resolution.source).labels
            unseen &= source[records][:, None] != source[None, :]
        return unseen if self.exhaustive else unseen & self._share_much(records)

    def _share_much(self, records: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return (record by all) which pairs have equal values that are, together, rare enough."""
        rare = np.zeros((len(records), self.fit.evidence.n), dtype=np.float32)
        for field in self.resolution.fields.fields:
            log_share = np.log(field.counts / max(int(field.counts.sum()), 1))
            for row, record in enumerate(records):
                code = field.codes[record]
                if code >= 0:
                    rare[row, field.codes == code] -= log_share[code]
        return rare >= 0.5 * np.log(self.fit.evidence.n)


class _Table(NamedTuple):
    """How the values of some records agree with all values of a field."""

    levels: NDArray[np.int8]
    """By value of those records and by value; the last of either stand for missing ones."""
    rows: NDArray[np.int64]
    """By record, the row of its value."""
    codes: NDArray[np.int64]
    """By record, the column of its value."""


def _tables(fields: Sequence[FieldData], records: NDArray[np.int32]) -> list[_Table]:
    """Return for each field how the values of some records agree with all its values."""

    def table(field: FieldData) -> _Table:
        n, codes = len(field.values), field.codes.astype(np.int64)
        mine = np.unique(codes[records])
        mine = mine[mine >= 0]
        levels = np.full((len(mine) + 1, n + 1), -1, dtype=np.int8)
        one, other = np.repeat(mine, n), np.tile(np.arange(n), len(mine))
        low, high = np.minimum(one, other), np.maximum(one, other)
        found = np.zeros(len(low), dtype=np.int8)
        differ = np.flatnonzero(low < high)
        found[differ] = field.compare_different(low[differ], high[differ], once=True)
        levels[:-1, :-1] = found.reshape(len(mine), n)
        rows = np.searchsorted(mine, codes)  # right for these records, and no others are asked for
        return _Table(levels, np.where(codes < 0, len(mine), rows), np.where(codes < 0, n, codes))

    with ThreadPoolExecutor(n_threads()) as pool:
        return list(pool.map(table, fields))


def _with_interval(found: NDArray[np.float64], missed: NDArray[np.float64], seed: int) -> tuple[float, float, float]:
    """Return the share found and an interval at 95 %."""
    total = found.sum() + missed.sum()
    if total <= 0.0:
        return 1.0, 0.0, 1.0
    again = stream(seed, "recall", "bootstrap").integers(0, len(found), (1000, len(found)))
    all_found, all_missed = found[again].sum(axis=1), missed[again].sum(axis=1)
    shares = all_found / np.maximum(all_found + all_missed, 1e-12)
    low, high = np.quantile(shares, [0.025, 0.975])
    share = float(found.sum() / total)
    least = max(0.0, 1.0 - _NO_MATCH / float(total))
    return share, float(min(low, least, share)), float(max(high, share))
