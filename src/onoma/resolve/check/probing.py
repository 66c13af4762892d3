"""Probing an answer: decoys and copies planted in its table, all at once, and where they end up."""

from copy import copy
from dataclasses import replace
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from onoma.corpus.clustering import Clustering
from onoma.numerics.rng import stream
from onoma.numerics.union_find import components
from onoma.resolve.check.abstain import strongest_tree
from onoma.resolve.check.calibrate import sureness
from onoma.resolve.check.copies import CHANGES, OFF_RECALL, SAME, changes_of, copies
from onoma.resolve.check.decoys import contradicts, mirrors, near_strangers, siblings, strangers
from onoma.resolve.check.planting import Planted, Rows, plant
from onoma.resolve.check.scoring import Seen, look
from onoma.resolve.check.values import Values
from onoma.resolve.comparison.compare import compare_records
from onoma.resolve.comparison.weights import edge_weights
from onoma.resolve.contract import PairEvidence, Posterior
from onoma.resolve.fields.kinds.serial import CODES

if TYPE_CHECKING:
    from onoma.resolve.result import Resolution

__all__ = ["COPIES", "DECOYS", "Probe", "lonely"]

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
Found = dict[str, tuple[int, float]]
"""By name: how many copies there were, and the share found."""
DECOYS = ("strangers", "siblings", "mirrors")
COPIES = ("copies", "harsher copies")
_LEAST_APART = 0.05
"""The share of decoys that stay apart is taken to be at least this."""
_FEW_ROWS = 3
"""Rows that have a code, at most, which says of two of them that they are one."""
_ENOUGH = 10
"""Links that have both values from which on the share that contradicts is told."""
_NORMAL = np.array([NormalDist().inv_cdf((k + 0.5) / 25) for k in range(25)])
"""The normal distribution, in so many parts that are as likely."""
FEWEST_PLANTED, MOST_PLANTED = 100, 400
"""Siblings or mirrors, and copies: half as many as there are rows, within these. Of strangers and harsher copies there
are half of that, and half again of copies that need originals of their own."""


class Probe:
    """One resolution, what is planted in it, and where that ended up.

    Parameters
    ----------
    resolution
        The answer.
    posterior, fit
        Its posterior, and what pairs share.
    """

    def __init__(self, resolution: "Resolution", posterior: Posterior, fit: PairEvidence) -> None:
        self.resolution, self.posterior, self.fit = resolution, posterior, fit
        self.fields, self.evidence = resolution.fields.fields, fit.evidence
        self.n = self.evidence.n
        self.leader = np.arange(self.n) if fit.leader is None else fit.leader
        self.n_compared = int(np.count_nonzero(self.leader == np.arange(self.n)))
        self.clustering = resolution.clustering
        self.labels = self.clustering.labels.astype(np.int64)
        self.rng = stream(resolution.config.seed, "check")
        self.source = (
            None if resolution.source is None else Clustering.from_labels(resolution.source).labels.astype(np.int32)
        )
        self.apart = 1 if resolution.config.link and self.source is not None else 0
        self.values = [Values(each, self.labels, self.rng) for each in self.fields]
        self.weight, self._relative = edge_weights(self.evidence, fit.weights)
        self.log_weight = np.log(self.weight)
        self.n_planted = int(np.clip(self.n_compared // 2, FEWEST_PLANTED, MOST_PLANTED))
        self.n_links = self.n - self.clustering.n_entities
        self.groups = near_strangers(self.evidence, self.labels, self.weight)
        self._parts: list[Rows] = []
        self.parts: dict[str, slice] = {}

        self._plant_decoys()
        self._plant_copies()
        self.planted, source = self._planted()
        config = resolution.config
        self.seen: Seen = look(self.planted, fit.weights, source, one_to_one=config.one_to_one, seed=config.seed)

    @cached_property
    def sure(self) -> Floats:
        """The sureness of each stated pair."""
        stated = self.posterior.pairs
        log_weight = self.log_weight if len(stated.a) == len(self.log_weight) else np.zeros(len(stated.a))
        return sureness(stated.probability, log_weight)

    @cached_property
    def tree(self) -> Whole:
        """The pairs that hold entities together: of each the strongest tree."""
        return strongest_tree(self.posterior.pairs, self.labels, self.sure)

    def giving_up(self, links: NDArray[np.bool_]) -> "Probe":
        """Return the probe of the answer without some of the links in `tree`; what was planted stays where it was."""
        pairs, kept = self.posterior.pairs, self.tree[~links]
        touched = np.zeros(self.clustering.n_entities, dtype=np.bool_)
        touched[self.labels[pairs.a[self.tree[links]]]] = True
        part = components(self.n, pairs.a[kept].astype(np.int64), pairs.b[kept].astype(np.int64))
        found = copy(self)
        found.clustering = Clustering.from_labels(np.where(touched[self.labels], self.n + part, self.labels))
        found.labels = found.clustering.labels.astype(np.int64)
        found.n_links = self.n - found.clustering.n_entities
        found.__dict__["tree"] = kept
        return found

    def any_joined(self, kind: str) -> Floats:
        """Return for each planted row of a kind the share of samples in which a record was with it."""
        return self.seen.any_joined[self.parts[kind]]

    def decoy_pairs(self, kind: str) -> tuple[Floats, Whole]:
        """Return the sureness of the pairs with decoys of a kind, and for each which of the kind's rows it is of.

        Of siblings those pairs alone are told that they have with the record they were made of.
        """
        part, evidence, first = self.parts[kind], self.planted.evidence, self.planted.first
        row = evidence.b[first:].astype(np.int64) - self.n
        mine = (row >= part.start) & (row < part.stop)
        if kind == "siblings":
            mine &= evidence.a[first:] == self.planted.base[row]
        log_weight = np.log(edge_weights(evidence, self.fit.weights)[0][first:][mine])
        return sureness(self.seen.together[mine], log_weight), row[mine] - part.start

    def worth(self, kind: str, *, missed: bool = True) -> Floats:
        """Return how many false links of the table each decoy of a kind stands for.

        Parameters
        ----------
        missed
            Rows of two sources that were left alone may have a partner that was missed; else none has.
        """
        part = self.parts[kind]
        m = part.stop - part.start
        if self.evidence.linking and self.source is not None:
            return self._worth_by_side(part, self._missed() if missed else np.zeros(1))
        if kind == "siblings":
            joined = float(self.seen.with_base[part].mean())
            return np.full(m, len(self.groups) / max(m, 1) / max(1.0 - joined, _LEAST_APART))
        return np.full(m, self.n_compared / (2.0 * m))

    def _worth_by_side(self, part: slice, missed: Floats) -> Floats:
        """Return the rows without a partner on a decoy's side, for each decoy there; both sides tell one half each."""
        sides = _whole(self.rows.source)[part]
        worth = np.zeros(len(sides))
        for side in (0, 1):
            mine = sides == side
            if mine.any():
                n, joined = int(np.count_nonzero(self.source == side)), float(self.seen.any_joined[part][mine].mean())
                worth[mine] = lonely(n, self.n_links, joined, missed) / mine.sum() / len(np.unique(sides))
        return worth

    def _missed(self) -> Floats:
        """Return how many matches are missed for each that was found: some values, each as likely as the others."""
        part = self.parts.get(COPIES[0])
        if part is None:
            return np.zeros(1)
        found = self.seen.with_base[part]
        return np.exp(np.log((1.0 - found).sum() + 0.5) - np.log(found.sum() + 0.5) + OFF_RECALL * _NORMAL)

    def found_by_change(self) -> tuple[Found, Found]:
        """Return how many copies were found, by the field that was changed and by what was done to it."""
        part = self.parts.get(COPIES[0])
        if part is None:
            return {}, {}
        copy, base = np.arange(part.start, part.stop) + self.n, self.rows.base[part]
        levels = compare_records(self.extended, base.astype(np.int32), copy.astype(np.int32))
        there = np.stack([each.codes[base] >= 0 for each in self.extended], axis=1)
        n_levels = np.array([len(each.levels) for each in self.extended])
        changes, found = changes_of(levels, n_levels, there), self.seen.with_base[part]
        by_field = {each.name: _share(found, changes[:, f] != SAME) for f, each in enumerate(self.fields)}
        by_change = {name: _share(found, (changes == c).any(axis=1)) for c, name in enumerate(CHANGES) if c != SAME}
        return {k: v for k, v in by_field.items() if v[0]}, {k: v for k, v in by_change.items() if v[0]}

    @cached_property
    def contradicted(self) -> NDArray[np.bool_]:
        """Which stated pairs have unrelated values in a field whose values are seldom replaced."""
        n = len(self.posterior.pairs.a)
        return contradicts(self.evidence) if n == len(self.evidence.a) else np.zeros(n, dtype=np.bool_)

    @cached_property
    def differing(self) -> NDArray[np.bool_]:
        """Which stated pairs have different values in the field that other tables have taught; none without one.

        A code that they have in common, and hardly another row, says that they are one all the same.
        """
        n, taught, levels = len(self.posterior.pairs.a), self.evidence.taught, self.evidence.levels
        if taught < 0 or n != len(self.evidence.a):
            return np.zeros(n, dtype=np.bool_)
        found = levels[:, taught] > 0
        for f, field in enumerate(self.fields):
            if field.kind in CODES:
                own = field.counts[field.codes[self.evidence.a]] <= _FEW_ROWS
                found &= ~(own & (levels[:, f] == 0))
        return found

    def contradictions(self) -> float:
        """Return the greatest share, over firm fields, of links whose values are unrelated, of those that have both."""
        noise, levels = self.evidence.noise, self.evidence.levels
        if noise is None or len(self.posterior.pairs.a) != len(levels):
            return 0.0
        most = 0.0
        for f in np.flatnonzero(noise.firm).tolist():
            known = levels[self.tree, f][levels[self.tree, f] >= 0]
            if len(known) >= _ENOUGH:
                most = max(most, float((known >= noise.unrelated[f]).mean()))
        return most

    def _plant_decoys(self) -> None:
        m, block = self.n_planted, self.resolution.block
        self._add("strangers", strangers(self.values, m // 2, self.source, block, self.rng))
        if self.evidence.linking and self.source is not None:
            made = mirrors(self.fields, m, self.source, block, self.rng)
            self._add("mirrors", replace(made, apart_from=self.leader[made.apart_from]))
        elif len(self.groups):
            kin = siblings(self.values, self.evidence, self.groups, m, self.source, block, self.rng)
            if len(kin):  # all may have come out as rows that are there
                self._add("siblings", replace(kin, source=self._elsewhere(kin.source)))

    def _plant_copies(self) -> None:
        """Plant copies of rows, or where a row has one partner only, new rows with their copies."""
        pairs, most = self._matches(), self.n_planted
        if len(pairs) == 0:
            return
        for twice, name in enumerate(COPIES, 1):
            m = most // (2 * twice) if self.evidence.linking else most // twice
            examples = [self._example(pairs, m) for _ in range(twice)]
            if self.evidence.linking and self.source is not None:
                made = strangers(self.values, m, self.source, self.resolution.block, self.rng)
                first = self.n + sum(map(len, self._parts))
                self._add(f"originals of {name}", made)
                codes, base = made.codes, np.arange(first, first + m)
                source, block = self._elsewhere(made.source), made.block
            else:
                base = self.leader[self.rng.integers(0, self.n, m)]
                codes = np.stack([each.codes[base].astype(np.int64) for each in self.fields], axis=1)
                source = self._elsewhere(None if self.source is None else self.source[base])
                block = None if self.resolution.block is None else self.resolution.block[base]
            changed = copies(self.values, codes, examples)
            none = np.full(m, -1, dtype=np.int64)
            self._add(name, Rows(changed, base, source, block, none))

    def _elsewhere(self, source: NDArray[np.int32] | None) -> NDArray[np.int32] | None:
        """Return other sources, where rows of one are not compared; else the same."""
        if source is None or not self.apart or self.source is None:
            return source
        return ((source + 1) % (int(self.source.max()) + 1)).astype(np.int32)

    def _matches(self) -> Whole:
        """Return the pairs that are reported as one entity and do not contradict each other."""
        evidence = self.evidence
        same = self.labels[evidence.a] == self.labels[evidence.b]
        good = same & ~contradicts(evidence)
        return np.flatnonzero(good if good.any() else same)

    def _example(self, pairs: Whole, m: int) -> tuple[Whole, Whole]:
        drawn = pairs[self.rng.integers(0, len(pairs), m)]
        turned = self.rng.random(m) < 0.5
        ends = self.evidence.a[drawn].astype(np.int64), self.evidence.b[drawn].astype(np.int64)
        return np.where(turned, ends[1], ends[0]), np.where(turned, ends[0], ends[1])

    def _add(self, kind: str, rows: Rows) -> None:
        first = sum(map(len, self._parts))
        self.parts[kind] = slice(first, first + len(rows))
        self._parts.append(rows)

    def _planted(self) -> tuple[Planted, NDArray[np.int32] | None]:
        """Compare what was planted with the table."""
        self.rows = rows = Rows.joined(self._parts)
        self.extended = [each.extended(rows.codes[:, f]) for f, each in enumerate(self.values)]
        source = None if self.source is None else np.concatenate([self.source, _whole(rows.source)])
        block = self.resolution.block
        block = None if block is None else np.concatenate([block, _whole(rows.block)])
        weight = (self.weight, self._relative)
        return plant(self.evidence, self.extended, rows, source, block, self.apart, weight, self.leader), source


def lonely(n: int, n_links: float, joined: float, missed: Floats) -> float:
    """Return how many of n rows of a source have no partner in the other, in the mean over what may have been missed.

    Of the rows that were not linked, u = n - l, some are lonely and were not joined with anybody, and some have a
    partner that was missed: u = a (1 - j) + k (l - a j), with a lonely rows, of which the share j is joined, and k
    matches missed for each that was found.

    Parameters
    ----------
    n_links
        Links between the sources.
    joined
        The share of lonely rows that is joined, by the decoys.
    missed
        Matches missed for each that was found; several values: the mean is returned.

    Examples
    --------
    >>> lonely(100, 60, 0.0, np.array([0.0])), lonely(100, 60, 0.0, np.array([0.5]))
    (40.0, 10.0)
    """
    apart = np.maximum(1.0 - joined * (1.0 + missed), _LEAST_APART)
    return float(np.clip((n - n_links * (1.0 + missed)) / apart, 0.0, n).mean())


def _share(found: Floats, which: NDArray[np.bool_]) -> tuple[int, float]:
    n = int(which.sum())
    return n, float(found[which].mean()) if n else 0.0


def _whole(array: NDArray[np.int32] | None) -> NDArray[np.int32]:
    return np.zeros(0, dtype=np.int32) if array is None else array
