"""Expected counts of levels in the three classes of pairs, and the weights that they give."""

import numpy as np
from numpy.typing import NDArray

from onoma.resolve.comparison._weights_kernels import count_levels, order_ratios
from onoma.resolve.comparison.dependence import dependence, spanning_tree
from onoma.resolve.comparison.noise import FIRM, UNRELATED, USUAL, WEAK
from onoma.resolve.comparison.patterns import Patterns
from onoma.resolve.comparison.relatives import draw_to_strangers
from onoma.resolve.comparison.weights import COPIED, FRESH, RANDOM, RELATED, Evidence, Weights, WeightSettings

__all__ = ["LevelCounts"]

_FIRST_EQUAL, _FIRST_BETWEEN = 0.75, 0.2  # a first guess at how copies agree
_STRENGTH = 20.0  # pairs that a distribution by level of the parent must outweigh
_PARTED = 1.5
"""Words of a value, on average, up to which a column of names holds a part of the name."""
_NAMING = 0.5
"""What a column of names says, in bits, as a part of what the most telling one does: offices and ranks that read as
names say less, and change."""
_PACE, _LEAST = 0.5, 1e-3
"""The power by which unrelated values become rarer from round to round, and the least part of `UNRELATED` left."""
_OFTEN, _BY_FAR = 0.25, 100.0
"""Strangers for each copy from which on candidates held apart are strangers rather than matches missed: where random
pairs show nothing, and where they do."""


class LevelCounts:
    """Expected level counts of the three classes, and the weights they give."""

    def __init__(self, evidence: Evidence, settings: WeightSettings) -> None:
        self.evidence, self.settings = evidence, settings
        self.k = int(evidence.n_levels.max())
        self.f = len(evidence.n_levels)
        self.parent = np.full(self.f, -1)
        if evidence.contrast >= 0:
            self.parent[np.arange(self.f) != evidence.contrast] = evidence.contrast
        self.counts = np.zeros((3, self.f, self.k + 1, self.k))
        self.patterns, self.strangers = Patterns.of(evidence.levels), Patterns.of(evidence.background)
        self.apart = np.ones(len(evidence.background), dtype=np.bool_)
        """The pairs of the background that are of two entities."""
        self._weigh_strangers(1.0)
        self.background = self._background()
        self.lifted = self._lifted()
        self.typical = self._typical()
        self.n_inside = float(evidence.n if evidence.outside is None else np.count_nonzero(~evidence.outside))
        self.counted = np.ones(1)
        if evidence.outside is not None:
            half = evidence.outside[evidence.a] | evidence.outside[evidence.b]
            self.counted = np.where(half, 0.5, 1.0)
        self.present = (evidence.levels >= 0).mean(axis=0) if len(evidence.a) else np.zeros(self.f)
        self.most = np.full(self.f, UNRELATED)
        """By field, the most that unrelated values can be among copies."""
        self.alike, self.held = self._alike(), self._held()

    def heed_partners(self, share: float) -> None:
        """Count strangers anew, now that the share of records is known that have a partner in the other source.

        Those who have one show the nearest strangers by what is next to it, those who have none by what is nearest in
        their own source (`gathering._between`).
        """
        self._weigh_strangers(share)
        self.background, self.lifted = self._background(), self._lifted()

    def heed_entities(self, root: NDArray[np.int32]) -> None:
        """Count no pair of one entity among strangers.

        Where a thing has more records than a record has candidates, random pairs are matches, too. They are few, but of
        those that share a rare name they may be all, and would explain away what copies have in common.

        Parameters
        ----------
        root
            The first record of each record's entity.
        """
        if self.evidence.background_pairs is None:
            return
        one, other = self.evidence.background_pairs
        apart = root[one] != root[other]
        if not np.array_equal(apart, self.apart):
            self.apart = apart
            self._weigh_strangers(1.0)
            self.background, self.lifted = self._background(), self._lifted()

    def _weigh_strangers(self, share: float) -> None:
        """Say how many pairs each pattern of the background stands for, and how many it has."""
        weight, near, near_weight = self.evidence.background_weight, self.evidence.near, self.evidence.near_weight
        count = np.ones(len(weight))
        if near is not None and near_weight is not None:
            counted = np.array([0.0, share, 1.0 - share])[near] * near_weight
            weight = np.where(near == RANDOM, weight, counted * len(self.evidence.a) / max(counted.sum(), 1e-9))
            count = np.where(near == RANDOM, 1.0, counted)
        weight, count = weight * self.apart, count * self.apart
        self.strangers_weight, self.n_strangers = self.strangers.sums(weight), self.strangers.sums(count)

    def _background(self) -> NDArray[np.float64]:
        counts = np.zeros((self.f, self.k + 1, self.k))
        count_levels(self.strangers.levels, self.parent, self.strangers_weight, counts)
        if self.evidence.contrast >= 0:
            counts[self.evidence.contrast] = 0.0  # the candidates themselves tell how often strangers are ahead
            last = self.evidence.n_levels[self.evidence.contrast] - 1
            counts[self.evidence.contrast, self.k, last] = self.evidence.n_pairs - len(self.evidence.a)
        return counts

    def _typical(self) -> NDArray[np.float64]:
        """Return for each field the mean log share of the values that candidates have in common."""
        equal = self.evidence.levels == 0
        return np.where(equal, self.evidence.log_share, 0.0).sum(axis=0) / np.maximum(equal.sum(axis=0), 1)

    def _lifted(self) -> NDArray[np.float64]:
        """Return the pairs of the background, not what they stand for, by field, level of the parent and level."""
        counts = np.zeros((self.f, self.k + 1, self.k))
        count_levels(self.strangers.levels, self.parent, self.n_strangers, counts)
        return counts[:, :-1]

    def start(self) -> Weights:
        """Return a first guess: copies mostly agree, relatives look like any candidate, strangers like the rest."""
        every = np.ones(len(self.evidence.a))
        self.add(1.0, 0.0 * every, every, 0.0 * every)
        for f in range(self.f):
            k = int(self.evidence.n_levels[f])
            self.counts[COPIED, f, self.k, :k] = 100.0 * self._expected(f)
        links = 0.2 * self.n_inside
        return self.weights(links, links if self.settings.relatives and not self.evidence.linking else 0.0)

    def _expected(self, f: int) -> NDArray[np.float64]:
        """Return the share of each level of a field among copies, before anything is learnt."""
        k, noise = int(self.evidence.n_levels[f]), self.evidence.noise
        if noise is not None and f != self.evidence.contrast:
            return noise.shares[f, :k]
        found = np.full(k, _FIRST_BETWEEN / max(k - 2, 1))
        found[0], found[k - 1] = _FIRST_EQUAL, 1.0 - _FIRST_EQUAL - _FIRST_BETWEEN
        return found

    def _prior(self, kind: int, f: int) -> NDArray[np.float64]:
        """Return pseudo-counts of a field's levels in a class."""
        noise = self.evidence.noise
        if kind == COPIED and noise is not None and f != self.evidence.contrast:
            return (FIRM * self.n_inside if noise.firm[f] else WEAK) * self._expected(f)
        return _prior(kind, int(self.evidence.n_levels[f]))

    def add(
        self, step: float, copied: NDArray[np.float64], related: NDArray[np.float64], akin: NDArray[np.float64]
    ) -> None:
        """Move the counts a step towards those of new expectations.

        Parameters
        ----------
        akin
            How likely it is that a pair has one origin; between two sources, that either record has a partner: what a
            pair weighs is its chance against that of both staying alone, so those that are taken count for nothing.
        """
        new = np.zeros_like(self.counts)
        self._count(copied, new[COPIED])
        self._count(related, new[RELATED])
        if self.evidence.linking:
            # Candidates are the best of all pairs; that they are not matched is known of few. Strangers come from
            # the background, but for how often they are ahead of their rivals.
            apart = np.zeros_like(new[FRESH])
            self._count(1.0 - akin, apart)
            if self.evidence.contrast >= 0:
                new[FRESH, self.evidence.contrast] = apart[self.evidence.contrast]
        else:
            self._count(self.counted * (1.0 - akin), new[FRESH])
        new[FRESH] += self.background
        self.counts += step * (new - self.counts)

    def _count(self, weight: NDArray[np.float64], counts: NDArray[np.float64]) -> None:
        count_levels(self.patterns.levels, self.parent, self.patterns.sums(weight), counts)

    def grow_tree(self) -> None:
        """Choose each field's parent, and count again by parent."""
        self.parent = spanning_tree(self._dependence(), self._precedence())
        self.background = self._background()
        self.lifted = self._lifted()
        self.held = self._held()
        self.counts[:] = 0.0

    def _dependence(self) -> NDArray[np.float64]:
        strength = dependence(self.strangers.levels, self.k, self.n_strangers)
        if self.evidence.contrast >= 0:
            strength[self.evidence.contrast] = strength[:, self.evidence.contrast] = 0.0
        return strength

    def _precedence(self) -> NDArray[np.float64]:
        """Return which field is to be the root of a tree: among names the part before the whole, the telling first.

        How rare a value is counts in full only at the root. Two names that are alike as wholes, but for a nickname,
        weigh by how rare the surname is that they share: the surname must come first, and the whole name after it.
        """
        levels = self.background.sum(axis=1)
        telling = 1.0 - levels[:, 0] / np.maximum(levels.sum(axis=1), 1.0)
        return np.where(self.evidence.names, telling / np.maximum(np.round(self.evidence.words), 1.0), 0.0)

    def _alike(self) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
        """Return the fields in groups that have as many levels, and are bounded alike, with pseudo-counts by class.

        What is done to many small tables at once takes as long as what is done to one.
        """
        contrast, noise = self.evidence.contrast, self.evidence.noise
        groups: dict[tuple[int, int, bool], list[int]] = {}
        for f, k in enumerate(self.evidence.n_levels.tolist()):
            unrelated = k if noise is None else int(noise.unrelated[f]) if f != contrast else k
            groups.setdefault((k, unrelated, f == contrast), []).append(f)
        every = (COPIED, RELATED, FRESH)
        return [
            (np.array(group), np.array([[self._prior(kind, f) for f in group] for kind in every]))
            for group in groups.values()
        ]

    def weights(self, links: float, related: float) -> Weights:
        """Return the weights that the counts give."""
        tables = np.full((3, self.f, self.k + 1, self.k), -np.inf)
        keep = np.ones((self.f, self.k + 1))
        strangers, contrast = self._strangers(), self.evidence.contrast
        for fields, prior in self.alike:
            k = prior.shape[-1]
            by_parent = self.counts[:, fields, :-1, :k]
            by_parent[FRESH] = strangers[fields, :, :k]
            if contrast >= 0:
                # What is behind all its rivals was not singled out by being alike: it is as any other pair.
                by_parent[:, self.parent[fields] == contrast, self.evidence.n_levels[contrast] - 1] = 0.0
            found = _log_shares(self.counts[:, fields, :, :k], by_parent, prior)
            if contrast not in fields:
                self._keep_firm(found[COPIED], fields)
            if contrast >= 0:  # few pairs are ahead of their rivals: that levels are in order steadies
                for copied, fresh in zip(found[COPIED], found[FRESH], strict=True):
                    order_ratios(copied, fresh)
            # Relatives are one kind of thing: with levels that depend on each other they would split into kinds, one
            # of them the copies.
            found[RELATED, :, :-1] = found[RELATED, :, -1:]
            if contrast not in fields:
                _cap_levels(found[COPIED], found[FRESH], self.typical[fields, None, None])
            equal = found[FRESH, :, :, 0]
            kept = np.clip(equal / np.minimum(equal[:, -1:], -1e-9), 0.0, 1.0)
            keep[fields] = np.where(self.parent[fields, None] >= 0, kept, 1.0)
            tables[:, fields, :, :k] = found
        if contrast >= 0:
            keep[contrast] = 0.0  # a level of contrast is no value that could be rare
        relatives = self.settings.relatives and not self.evidence.linking
        if relatives:
            self._bound_relatives(tables)
        return Weights(
            parent=self.parent.copy(),
            tables=tables,
            keep=keep,
            kappa=max(links, 0.5) / self.evidence.n_pairs,
            sigma=max(related, 0.5) / self.evidence.n_pairs if relatives else 0.0,
            n_levels=self.evidence.n_levels,
        )

    def heed_noise(self) -> None:
        """Take unrelated values for rarer where more of the copies have them than in any table known (`noise.py`)."""
        for f, unrelated in self.held:
            levels = self.counts[COPIED, f].sum(axis=0)
            if levels.sum() >= _STRENGTH:
                share = max(float(levels[unrelated:].sum() / levels.sum()), 1e-9)
                self.most[f] = np.clip(self.most[f] * (USUAL / share) ** _PACE, _LEAST * UNRELATED, UNRELATED)

    def _held(self) -> list[tuple[int, int]]:
        """Return the fields whose unrelated values are held to what is usual, with the first level of these.

        They are names, and days where people are named: what families share is all but these. A year may be that of an
        occasion, and another edition has another.
        """
        noise = self.evidence.noise
        if noise is None:
            return []
        held = self._telling_names() | self.evidence.own
        fields = np.flatnonzero(noise.firm & held[: len(noise.firm)])  # of contrast nothing is known
        return [(f, int(noise.unrelated[f])) for f in fields.tolist()]

    def _telling_names(self) -> NDArray[np.bool_]:
        """Return the names, but for parts of such as stand whole in another field, and such as say little."""
        names, levels = self.evidence.names, self.background.sum(axis=1)
        bits = -np.log((levels[:, 0] + 0.5) / (levels.sum(axis=1) + 1.0))
        whole = names & (self.evidence.words >= _PARTED)
        naming = whole if whole.any() else names
        return np.asarray(naming & (bits >= _NAMING * bits[names].max(initial=0.0)))

    def _keep_firm(self, tables: NDArray[np.float64], fields: NDArray[np.int64]) -> None:
        """Bound the share of unrelated values among copies where values are seldom replaced (`noise.py`)."""
        noise = self.evidence.noise
        if noise is not None:
            tables[:] = np.log(noise.bounded(int(fields[0]), np.exp(tables), self.most[fields, None, None]))

    def _strangers(self) -> NDArray[np.float64]:
        """Return the pairs of strangers by field, level of the parent and level.

        Random pairs show it, but candidates are not among them, and those have nearly all that strangers share in a
        small table. Candidates held apart show it too, but some of them are matches after all and would explain matches
        away. They are taken where strangers outnumber the copies by far, and for columns that repeat a name, which are
        tied so strongly that nothing else will do. And where random pairs are never at a level of the parent, but
        strangers are, often enough: strangers of one e-mail address have one first name, and in a large table there are
        such strangers.
        """
        names, apart = self.evidence.names, self.counts[FRESH, :, :-1]
        strangers = apart.sum(axis=2, keepdims=True)
        copies = self.counts[COPIED, :, :-1].sum(axis=2, keepdims=True)
        seldom = self.lifted.sum(axis=2, keepdims=True) < _STRENGTH
        repeats = (self.parent >= 0) & names & names[self.parent]
        trusted = (strangers >= _BY_FAR * copies) | (seldom & (strangers >= _OFTEN * copies))
        return np.where(trusted | repeats[:, None, None], apart, self.lifted)

    def _bound_relatives(self, tables: NDArray[np.float64]) -> None:
        """Let relatives share no more than a part of what copies share: of the names, and of all; nothing of own."""
        tables[RELATED, self.evidence.own] = tables[FRESH, self.evidence.own]
        every = np.ones(self.f, dtype=np.bool_)
        for fields, bound in (
            (self._own_names(tables), self.settings.names_bound),
            (every, self.settings.relatives_bound),
        ):
            tables[RELATED] = draw_to_strangers(
                tables[RELATED], tables[COPIED], tables[FRESH], presence=self.present, fields=fields, bound=bound
            )

    def _own_names(self, tables: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return the fields that name one thing alone: of a name in several columns, one may be the family's.

        Households share a surname as they share an address, and nothing else of a name: where a name comes in parts
        (and nowhere whole), the part that relatives share most is their surroundings.
        """
        own = self.evidence.identity.copy()
        names = np.flatnonzero(own & (self.present > 0.0))
        if len(names) > 1 and (self.evidence.words[names] < _PARTED).all():
            related, fresh = tables[RELATED, names, -1], tables[FRESH, names, -1]
            with np.errstate(invalid="ignore"):
                shared = np.where(np.isfinite(related), np.exp(related) * (related - fresh), 0.0).sum(axis=1)
            own[names[shared.argmax()]] = False
        return own


def _log_shares(
    counts: NDArray[np.float64], by_parent: NDArray[np.float64], prior: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return log probabilities by class, field, level of the parent (last: of any) and level, drawn towards the whole.

    Parameters
    ----------
    counts, by_parent
        Pairs by class, field, level of the parent (only those in `counts`: the last, none) and level.
    prior
        Pseudo-counts by class, field and level.
    """
    whole = counts.sum(axis=2) + prior
    whole /= whole.sum(axis=2, keepdims=True)
    given = (by_parent + _STRENGTH * whole[:, :, None]) / (by_parent.sum(axis=3, keepdims=True) + _STRENGTH)
    return np.log(np.concatenate([given, whole[:, :, None]], axis=2))


def _cap_levels(copied: NDArray[np.float64], fresh: NDArray[np.float64], typical: NDArray[np.float64]) -> None:
    """Let no level speak more for a copy than sharing an ordinary value does.

    A level that strangers are hardly ever at would else outweigh equality itself, whose weight is bounded by how rare a
    value can be seen to be.
    """
    cap = copied[..., :1] - np.minimum(typical, fresh[..., :1])
    fresh[..., 1:] = np.maximum(fresh[..., 1:], copied[..., 1:] - np.maximum(cap, 0.0))


def _prior(kind: int, k: int) -> NDArray[np.float64]:
    """Return pseudo-counts: a copy agrees rather than not; otherwise as little as keeps every level possible."""
    if kind == COPIED:
        falling = np.exp(-3.0 * np.arange(k) / max(k - 1, 1))
        falling[0] *= 2.0
        return 6.0 * falling / falling.sum()
    return np.full(k, (4.0 if kind == RELATED else 2.0) / k)
