"""How sure a clustering of a document is: exact probabilities of coreference from left-links.

With p(j | i) ∝ exp(score(i, j) / T) and choices of different mentions independent, mention i is coreferent with an
earlier mention k if its antecedent is k or coreferent with k, so

    c(i, k) = Σ_{j<i} p(j | i) c(j, k),     c(j, j) = 1:

exact, no sampling, O(n³) multiplications for n mentions. The number of entities is the sum of independent "begins
anew", so its distribution is exact as well (a Poisson binomial). T is fitted on development documents so that stated
probabilities are frequencies.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

__all__ = ["Posterior", "fit_temperature", "link_probabilities", "posterior"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Posterior:
    """What is known of a document's chains.

    Parameters
    ----------
    links
        `links[i, j]`: the probability that j is i's antecedent; on the diagonal, that i has none.
    coreferent
        `coreferent[i, k]`: the probability that i and k are one thing.
    """

    links: Floats
    coreferent: Floats

    def entities(self, coverage: float = 0.95) -> tuple[float, int, int]:
        """Return the expected number of entities and the interval that holds it with the given probability."""
        begins = np.diag(self.links)
        counts = np.ones(1)
        for p in begins:
            counts = np.convolve(counts, [1 - p, p])
        tail = (1 - coverage) / 2
        below = np.cumsum(counts)
        low = int(np.searchsorted(below, tail))
        high = int(np.searchsorted(below, 1 - tail))
        return float(begins.sum()), low, min(high, len(begins))

    def consensus(self, threshold: float = 0.5) -> NDArray[np.int64]:
        """Return the clustering that joins, from left to right, each mention to the entity it most likely belongs to.

        A mention joins the entity with the largest mean probability over its members where that is above `threshold`
        (one half minimises the expected number of wrong pairs, one mention at a time).
        """
        n = len(self.links)
        labels = np.arange(n)
        for i in range(1, n):
            size = np.bincount(labels[:i], minlength=n)
            mean = np.bincount(labels[:i], self.coreferent[i, :i], n) / np.maximum(size, 1)
            best = int(np.argmax(mean))
            labels[i] = best if mean[best] > threshold else i
        return labels


def link_probabilities(scores: Floats, temperature: float = 1.0) -> Floats:
    """Return p(j | i) for each mention; rows sum to one."""
    if not len(scores):
        return scores
    scaled = scores / temperature
    weights = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def posterior(scores: Floats, temperature: float = 1.0) -> Posterior:
    """Return the exact probabilities of links and of coreference.

    Examples
    --------
    >>> half = np.log(np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0]]) + 1e-300)
    >>> found = posterior(half)
    >>> found.coreferent.round(2).tolist()
    [[1.0, 0.5, 0.25], [0.5, 1.0, 0.5], [0.25, 0.5, 1.0]]
    >>> found.entities()
    (2.0, 1, 3)
    """
    links = link_probabilities(scores, temperature)
    n = len(links)
    coreferent = np.eye(n)
    for i in range(1, n):
        row = links[i, :i] @ coreferent[:i, :i]
        coreferent[i, :i] = coreferent[:i, i] = row
    return Posterior(links, coreferent)


def fit_temperature(scores: Sequence[Floats], chains: Sequence[NDArray[np.int64]]) -> float:
    """Return the temperature that makes the annotated chains of development documents most likely.

    The likelihood of a mention is that its antecedent is one of its own chain, or none if it has none there.
    """

    def loss(log_temperature: float) -> float:
        total = 0.0
        for one, chain in zip(scores, chains, strict=True):
            if not len(chain):
                continue
            links = link_probabilities(one, float(np.exp(log_temperature)))
            same = np.tril((chain[:, None] == chain[None, :]) & (chain >= 0)[:, None], -1)
            first = ~same.any(axis=1)
            right = np.where(first, np.diag(links), (links * same).sum(axis=1))
            total -= float(np.log(np.maximum(right, 1e-12)).sum())
        return total

    found = optimize.minimize_scalar(loss, bounds=(-3.0, 3.0), method="bounded")
    return float(np.exp(found.x))
