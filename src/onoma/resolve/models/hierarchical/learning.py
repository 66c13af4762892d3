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
        from scipy import sparse

        row = np.repeat(np.arange(len(labels)), np.diff(bags.offsets))
        use = labels[row] >= 0
        shape = (int(labels.max()) + 1, max(len(bags.words), 1))
        table = sparse.csr_array((np.ones(int(use.sum())), (labels[row[use]], bags.ids[use])), shape=shape)
        table.sum_duplicates()
        lengths = np.diff(bags.offsets)[mentions]
        pair = np.repeat(np.arange(len(mentions)), lengths)
        place = np.arange(len(pair)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        words = bags.ids[bags.offsets[mentions][pair] + place]
        is_own = labels[mentions] == entities
        count = np.asarray(table[entities[pair], words]).ravel() if len(pair) else np.zeros(0)
        count = count - is_own[pair]
        total = np.asarray(table.sum(axis=1)).ravel()[entities] - is_own * lengths
        gone = np.bincount(pair, (count == 0) & is_own[pair], minlength=len(mentions))
        types = (np.diff(table.indptr)[entities] - gone).astype(np.float64)
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
    """Return the weights, 0 to 1, with which features tell mentions of an entity from strangers best."""
    from scipy.optimize import minimize  # slow to load, and not every table is of people

    sign = np.where(is_own, 1.0, -1.0)

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        margin = sign * (features @ weights[:-1] + weights[-1])
        slope = -sign / (1.0 + np.exp(np.clip(margin, -500.0, 500.0)))
        return float(np.logaddexp(0.0, -margin).mean()), np.append(features.T @ slope, slope.sum()) / len(sign)

    n = features.shape[1]
    bounds = [(0.02, 1.0)] * n + [(None, None)]
    found = minimize(loss, np.append(np.full(n, 0.5), 0.0), jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(found.x[:-1])
