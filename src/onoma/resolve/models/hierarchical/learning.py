"""What trees score, learnt without labels: from names that are too rare for two people to share them.

If given names and family names were independent, a table of D different names would hold λ = D·p(given)·p(family)
people of one name. Where λ is small, all mentions of that name are one person's, nearly surely. Such people show how an
entity repeats itself: for each field α and d make the words of a mention most probable given the person's others, and
the weights of fields tell a person's mention from a stranger's (logistic regression). The number of people of a name is
also what an entity of that name scores for being one: log λ.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.rng import stream
from onoma.resolve.models.hierarchical.mentions import BagColumn
from onoma.resolve.models.hierarchical.trees import BagScores

__all__ = ["AUTHOR_BAGS", "FEWEST", "learn_bags"]

FEWEST = 200
"""Mentions of known entities from which on what fields score is learnt."""

_ALPHAS = np.geomspace(0.3, 3000.0, 25)
_DISCOUNTS = np.arange(9) / 10
_SAMPLE = 20_000
_LEAST = 0.02
"""The weight that a field keeps in any case."""
_NEWTON = 100
"""Newton's steps at most; ten are enough for most tables."""
AUTHOR_BAGS = {
    "people": BagScores(evidence=0.5, alpha=6.5, discount=0.5, cosine=2.0),
    "text": BagScores(evidence=0.33, alpha=400.0, discount=0.0, cosine=2.0),
    "category": BagScores(evidence=0.5, alpha=5.0, discount=0.1),
}
"""Where there is nobody to learn from: about what authors' co-authors, titles and venues teach."""


def learn_bags(
    bags: Sequence[BagColumn], labels: NDArray[np.int64], start: Sequence[BagScores], *, seed: int
) -> list[BagScores]:
    """Return what fields score, learnt from mentions whose entity is thought to be known.

    Parameters
    ----------
    bags
        The words of each field.
    labels
        By mention its entity, of at least two mentions; -1: not known.
    start
        What fields score otherwise; those without evidence are left as they are.
    """
    rng = stream(seed, "trees", "learning")
    known = np.flatnonzero(labels >= 0)
    fields = [f for f, each in enumerate(start) if each.evidence > 0.0]
    if len(known) < FEWEST or not fields:
        return list(start)
    some = rng.choice(known, min(_SAMPLE, len(known)), replace=False)
    strangers = labels[rng.choice(known, len(some))]
    some, strangers = some[strangers != labels[some]], strangers[strangers != labels[some]]
    learnt, columns = list(start), []
    for f in fields:
        own = _Meetings.of(bags[f], labels, some, labels[some])
        other = _Meetings.of(bags[f], labels, some, strangers)
        alpha, discount = own.fit()
        learnt[f] = replace(start[f], alpha=alpha, discount=discount)
        columns.append(np.concatenate([each.gains(alpha, discount) for each in (own, other)]))
    weights = _separate(np.stack(columns, axis=1), np.arange(2 * len(some)) < len(some))
    for f, weight in zip(fields, weights.tolist(), strict=True):
        learnt[f] = replace(learnt[f], evidence=weight)
    return learnt


@dataclass(frozen=True, eq=False)
class _Meetings:
    """Mentions, each with an entity that it may join: word by word, how often the entity has it."""

    pair: NDArray[np.int64]
    place: NDArray[np.int64]
    """The place of a word among those of its mention."""
    count: NDArray[np.float64]
    share: NDArray[np.float64]
    total: NDArray[np.float64]
    types: NDArray[np.float64]
    lengths: NDArray[np.int64]

    @classmethod
    def of(
        cls, bags: BagColumn, labels: NDArray[np.int64], mentions: NDArray[np.int64], entities: NDArray[np.int64]
    ) -> "_Meetings":
        """Look the words of mentions up in entities; a mention is taken out of its own first."""
        row = np.repeat(np.arange(len(labels)), np.diff(bags.offsets))
        use, n_words = labels[row] >= 0, max(len(bags.words), 1)
        size = int(labels.max()) + 1
        keys, often = np.unique(labels[row[use]] * n_words + bags.ids[use], return_counts=True)
        lengths = np.diff(bags.offsets)[mentions]
        pair = np.repeat(np.arange(len(mentions)), lengths)
        place = np.arange(len(pair)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        words = bags.ids[bags.offsets[mentions][pair] + place]
        is_own = labels[mentions] == entities
        wanted = entities[pair] * n_words + words
        at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        count = np.where(keys[at] == wanted, often[at], 0).astype(np.float64) if len(keys) else np.zeros(len(pair))
        count = count - is_own[pair]
        total = np.bincount(labels[row[use]], minlength=size)[entities] - is_own * lengths.astype(np.float64)
        gone = np.bincount(pair, (count == 0) & is_own[pair], minlength=len(mentions))
        types = (np.bincount(keys // n_words, minlength=size)[entities] - gone).astype(np.float64)
        counts = bags.counts
        share = counts / max(int(counts.sum()), 1)
        return cls(pair, place, count, share[words], total, types, lengths)

    def joint(self, alpha: float, discount: float) -> NDArray[np.float64]:
        """Return by mention how much more probable its words are from the entity than at random."""
        old = np.log(np.maximum(self.count - discount + alpha * self.share, 1e-9) / np.maximum(self.share, 1e-300))
        new = np.log(alpha + discount * self.types[self.pair])
        each = np.where(self.count > 0, old, new) - np.log(alpha + self.total[self.pair] + self.place)
        return np.where(self.total > 0, np.bincount(self.pair, each, minlength=len(self.lengths)), 0.0)

    def gains(self, alpha: float, discount: float) -> NDArray[np.float64]:
        """Return the same, less what the mention's words score alone."""
        k = np.arange(int(self.lengths.max(initial=0)))
        alone = np.concatenate([[0.0], np.cumsum(np.log(alpha + discount * k) - np.log(alpha + k))])
        return self.joint(alpha, discount) - np.where(self.total > 0, alone[self.lengths], 0.0)

    def fit(self) -> tuple[float, float]:
        """Return α and d that make the words most probable."""
        if not len(self.pair):
            return float(_ALPHAS[0]), 0.0
        found = [(float(self.joint(a, d).mean()), float(a), float(d)) for d in _DISCOUNTS for a in _ALPHAS]
        return max(found)[1:]


def _separate(features: NDArray[np.float64], is_own: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the weights, 0.02 to 1, with which features tell mentions of an entity from strangers best.

    Logistic regression by Newton's method; what is at a bound and would go beyond it stays.
    """
    sign = np.where(is_own, 1.0, -1.0)
    signed = np.column_stack([features, np.ones(len(sign))]) * sign[:, None]
    n = features.shape[1]
    low, high = np.append(np.full(n, _LEAST), -np.inf), np.append(np.ones(n), np.inf)

    def loss(weights: NDArray[np.float64]) -> float:
        return float(np.logaddexp(0.0, -np.einsum("ij,j->i", signed, weights)).mean())

    weights = np.append(np.full(n, 0.5), 0.0)
    value = loss(weights)
    for _ in range(_NEWTON):
        p = 1.0 / (1.0 + np.exp(np.clip(np.einsum("ij,j->i", signed, weights), -500.0, 500.0)))
        slope = -np.einsum("ij,i->j", signed, p) / len(sign)
        free = ~(((weights <= low) & (slope > 0.0)) | ((weights >= high) & (slope < 0.0)))
        curve = np.einsum("ij,ik,i->jk", signed, signed, p * (1.0 - p)) / len(sign) + 1e-9 * np.eye(n + 1)
        newton = np.zeros(n + 1)
        newton[free] = -np.linalg.solve(curve[np.ix_(free, free)], slope[free])
        tried = (np.clip(weights + 0.5**k * step, low, high) for step in (newton, -slope) for k in range(20))
        there = next((each for each in tried if loss(each) < value), weights)  # bounds may spoil Newton's direction
        gained, weights, value = value - loss(there), there, loss(there)
        if gained < 1e-12:
            break
    return weights[:-1]
