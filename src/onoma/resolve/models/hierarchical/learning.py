"""What trees score, learnt without labels: from names that are too rare for two people to share them.

If given names and family names were independent, a table of D different names would hold λ = D·p(given)·p(family)
people of one name. Where λ is small, all mentions of that name are one person's, nearly surely. Such people show how an
entity repeats itself: for each field α and d make the words of a mention most probable given the person's others, and
the weights of fields tell a person's mention from a stranger's (logistic regression). The number of people of a name is
also what an entity of that name scores for being one: log λ.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from onoma.numerics.bounded import minimise_within
from onoma.numerics.rng import stream
from onoma.resolve.models.hierarchical.mentions import BagColumn
from onoma.resolve.models.hierarchical.trees import BagScores

__all__ = ["AUTHOR_BAGS", "FEWEST", "learn_bags"]

FEWEST = 200
"""Mentions of known entities from which on what fields score is learnt."""

_ALPHAS = np.geomspace(0.3, 3000.0, 25)
_DISCOUNTS = np.arange(9) / 10
_SAMPLE = 20_000
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
        use = labels[row] >= 0
        n_entities, n_words = int(labels.max()) + 1, max(len(bags.words), 1)
        held, times = np.unique(labels[row[use]] * n_words + bags.ids[use], return_counts=True)
        lengths = np.diff(bags.offsets)[mentions]
        pair = np.repeat(np.arange(len(mentions)), lengths)
        place = np.arange(len(pair)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        words = bags.ids[bags.offsets[mentions][pair] + place]
        is_own = labels[mentions] == entities
        wanted = entities[pair] * n_words + words
        at = np.minimum(np.searchsorted(held, wanted), len(held) - 1)
        count = np.where(held[at] == wanted, times[at], 0.0) - is_own[pair]
        total = np.bincount(held // n_words, times, minlength=n_entities)[entities] - is_own * lengths
        gone = np.bincount(pair, (count == 0) & is_own[pair], minlength=len(mentions))
        types = (np.bincount(held // n_words, minlength=n_entities)[entities] - gone).astype(np.float64)
        counts = bags.counts
        share = counts / max(int(counts.sum()), 1)
        return cls(pair, place, count, share[words], total, types, lengths)

    def joint(self, alpha: float, discounts: Iterable[float]) -> Iterator[NDArray[np.float64]]:
        """Yield for each discount, by mention, how much more probable its words are from the entity than at random."""
        met = np.flatnonzero(self.count > 0)
        count, share = self.count[met], self.share[met]
        others = np.log(alpha + self.total[self.pair] + self.place)
        for discount in discounts:
            each = np.log(alpha + discount * self.types)[self.pair]
            each[met] = np.log(np.maximum(count - discount + alpha * share, 1e-9) / np.maximum(share, 1e-300))
            yield np.where(self.total > 0, np.bincount(self.pair, each - others, minlength=len(self.lengths)), 0.0)

    def gains(self, alpha: float, discount: float) -> NDArray[np.float64]:
        """Return the same, less what the mention's words score alone."""
        k = np.arange(int(self.lengths.max(initial=0)))
        alone = np.concatenate([[0.0], np.cumsum(np.log(alpha + discount * k) - np.log(alpha + k))])
        (joint,) = self.joint(alpha, [discount])
        return joint - np.where(self.total > 0, alone[self.lengths], 0.0)

    def fit(self) -> tuple[float, float]:
        """Return α and d that make the words most probable."""
        if not len(self.pair):
            return float(_ALPHAS[0]), 0.0
        found = [
            (float(joint.mean()), float(alpha), float(discount))
            for alpha in _ALPHAS
            for discount, joint in zip(_DISCOUNTS, self.joint(alpha, _DISCOUNTS), strict=True)
        ]
        return max(found)[1:]


def _separate(features: NDArray[np.float64], is_own: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the weights, 0 to 1, with which features tell mentions of an entity from strangers best."""
    sign = np.where(is_own, 1.0, -1.0)

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        margin = sign * (features @ weights[:-1] + weights[-1])
        slope = -sign / (1.0 + np.exp(np.clip(margin, -500.0, 500.0)))
        return float(np.logaddexp(0.0, -margin).mean()), np.append(features.T @ slope, slope.sum()) / len(sign)

    n = features.shape[1]
    lowest, highest = np.append(np.full(n, 0.02), -np.inf), np.append(np.full(n, 1.0), np.inf)
    return minimise_within(loss, np.append(np.full(n, 0.5), 0.0), lowest, highest)[:-1]
