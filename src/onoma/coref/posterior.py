"""How sure a clustering of a document is: probabilities of coreference from left-links.

With p(j | i) ∝ exp(score(i, j) / T) and choices of different mentions independent, mention i is coreferent with an
earlier mention k if its antecedent is k or coreferent with k, so

    c(i, k) = Σ_{j<i} p(j | i) c(j, k),     c(j, j) = 1:

no sampling; links of probability below 10⁻⁶ are passed over, so it costs O(n² × links that matter). The number of
entities is the sum of independent "begins anew", so its distribution is exact as well (a Poisson binomial). T, a shift
of "none" and the interval's spread are fitted on development documents so that stated probabilities are frequencies.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from onoma.coref._posterior_kernels import fill_coreferent

__all__ = ["Calibration", "Posterior", "Stretches", "fit_calibration", "fit_joined", "link_probabilities", "posterior"]

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
    spread
        By how much intervals are wider than independence says.
    """

    links: Floats
    coreferent: Floats
    spread: float = 1.0

    def entities(self, coverage: float = 0.95) -> tuple[float, int, int]:
        """Return the expected number of entities and the interval that holds it with the given probability."""
        return _count(np.diag(self.links), coverage, self.spread)

    def link(self, i: int) -> tuple[int, float]:
        """Return the most likely antecedent of mention i (i itself for none) and its probability."""
        best = int(self.links[i, : i + 1].argmax())
        return best, float(self.links[i, best])

    def alone(self, i: int) -> float:
        """Return the probability that mention i has no antecedent."""
        return float(self.links[i, i])

    def coreference(self, i: int, k: int) -> float:
        """Return the probability that two mentions are one thing."""
        return float(self.coreferent[i, k])

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


@dataclass(frozen=True, eq=False)
class Stretches:
    """What is known of a long document's chains: a posterior for each stretch of it, overlapping by half.

    Parameters
    ----------
    parts
        The number of each stretch's first mention, and its posterior.
    step
        How far apart stretches begin.
    """

    parts: Sequence[tuple[int, Posterior]]
    step: int

    def _part(self, i: int) -> tuple[int, Posterior]:
        return self.parts[i // self.step]

    def link(self, i: int) -> tuple[int, float]:
        """Return the most likely antecedent of mention i (i itself for none) and its probability."""
        low, part = self._part(i)
        best, probability = part.link(i - low)
        return best + low, probability

    def alone(self, i: int) -> float:
        """Return the probability that mention i has no antecedent."""
        low, part = self._part(i)
        return part.alone(i - low)

    def coreference(self, i: int, k: int) -> float:
        """Return the probability that two mentions are one thing; 0 where no stretch holds both."""
        low, part = self._part(max(i, k))
        return part.coreference(i - low, k - low) if min(i, k) >= low else 0.0

    def entities(self, coverage: float = 0.95) -> tuple[float, int, int]:
        """Return the expected number of entities and the interval that holds it with the given probability."""
        begins = np.concatenate(
            [np.diag(part.links)[k * self.step - low :] for k, (low, part) in enumerate(self.parts)]
        )
        return _count(begins, coverage, self.parts[0][1].spread)


def _count(begins: Floats, coverage: float, spread: float) -> tuple[float, int, int]:
    """Return the mean of a sum of independent events, and its interval, widened by `spread`."""
    tail, mean = (1 - coverage) / 2, float(begins.sum())
    if len(begins) <= _EXACT:
        counts = np.ones(1)
        for p in begins:
            counts = np.convolve(counts, [1 - p, p])
        low, high = (int(np.searchsorted(np.cumsum(counts), share)) for share in (tail, 1 - tail))
    else:
        reach = float(special.ndtri(1 - tail)) * float(np.sqrt((begins * (1 - begins)).sum()))
        low, high = int(np.floor(mean - reach)), int(np.ceil(mean + reach))
    low = int(np.floor(mean - spread * max(mean - low, 0.0)))  # the mean lies inside, though it is no whole number
    high = int(np.ceil(mean + spread * max(high - mean, 0.0)))
    return mean, max(low, min(len(begins), 1)), min(high, len(begins))


_TINY = 1e-9
_EXACT = 2000
"""Beyond so many events their sum is taken as normal."""


@dataclass(frozen=True)
class Calibration:
    """What makes stated probabilities frequencies, fitted on development documents.

    Parameters
    ----------
    temperature
        Scores are divided by it.
    none
        Added to the score of "no antecedent": training weighs mistakes unevenly, and so shifts it.
    spread
        Intervals of the number of entities are widened by it: choices are less independent than the model holds.
    slope, lift
        Of the log-odds that two neighbours of a chain are one thing: the decoder joins what is likely, so what it
        joined is right more often than any two mentions of the same probability are.
    top
        What that probability is at most: where the text itself says who is who, it may still be misread.
    """

    temperature: float = 1.0
    none: float = 0.0
    spread: float = 1.0
    slope: float = 1.0
    lift: float = 0.0
    top: float = 1.0

    def of_joined(self, probability: float) -> float:
        """Return the probability of coreference of two mentions that are neighbours in a chain.

        Examples
        --------
        >>> Calibration().of_joined(0.25)
        0.25
        >>> Calibration(slope=0.5).of_joined(0.1)
        0.25
        >>> Calibration(top=0.9).of_joined(1.0)
        0.9
        """
        if self.slope == 1.0 and self.lift == 0.0:
            return self.top * probability
        clipped = min(max(probability, _TINY), 1 - _TINY)
        return round(self.top * float(special.expit(self.slope * special.logit(clipped) + self.lift)), 12)


def link_probabilities(scores: Floats, calibration: Calibration = Calibration()) -> Floats:  # noqa: B008  (frozen)
    """Return p(j | i) for each mention; rows sum to one."""
    if not len(scores):
        return scores
    scaled = scores / calibration.temperature
    scaled[np.diag_indices(len(scaled))] += calibration.none / calibration.temperature
    weights = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def posterior(scores: Floats, calibration: Calibration = Calibration()) -> Posterior:  # noqa: B008  (frozen)
    """Return the probabilities of links and of coreference.

    Examples
    --------
    >>> half = np.log(np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0]]) + 1e-300)
    >>> found = posterior(half)
    >>> found.coreferent.round(2).tolist()
    [[1.0, 0.5, 0.25], [0.5, 1.0, 0.5], [0.25, 0.5, 1.0]]
    >>> found.entities()
    (2.0, 1, 3)
    """
    links = link_probabilities(scores, calibration)
    coreferent = np.eye(len(links))
    fill_coreferent(links, coreferent)
    return Posterior(links, coreferent, calibration.spread)


def fit_joined(calibration: Calibration, stated: Floats, right: NDArray[np.bool_]) -> Calibration:
    """Return the calibration with the slope, lift and top that make neighbours of chains most likely.

    `stated` are probabilities of coreference before, `right` whether the two are one thing. Few pairs change little:
    the prior is a unit normal around no change.
    """
    odds = special.logit(np.clip(stated, _TINY, 1 - _TINY))

    def loss(values: Floats) -> float:
        p = np.exp(-(values[2] ** 2)) * special.expit(values[0] * odds + values[1])
        missed = -np.log(np.maximum(np.where(right, p, 1.0 - p), _TINY)).sum()
        return float(missed + 0.5 * ((values[0] - 1.0) ** 2 + values[1] ** 2 + values[2] ** 2))

    found = optimize.minimize(
        loss, np.array([1.0, 0.0, 0.1]), method="Nelder-Mead", options={"xatol": 1e-4, "fatol": 1e-4}
    )
    slope, lift, top = found.x.tolist()
    return replace(calibration, slope=slope, lift=lift, top=float(np.exp(-(top**2))))


def fit_calibration(scores: Sequence[Floats], chains: Sequence[NDArray[np.int64]]) -> Calibration:
    """Return the calibration that makes the annotated chains of development documents most likely.

    The likelihood of a mention is that its antecedent is one of its own chain, or none if it has none there. The spread
    is the one at which 95 % intervals hold the true number in 95 % of the documents.
    """
    same = [np.tril((chain[:, None] == chain[None, :]) & (chain >= 0)[:, None], -1) for chain in chains]

    def loss(values: Floats) -> float:
        calibration = Calibration(float(np.exp(values[0])), float(values[1]))
        total = 0.0
        for one, right in zip(scores, same, strict=True):
            if len(one):
                links = link_probabilities(one, calibration)
                share = np.where(right.any(axis=1), (links * right).sum(axis=1), np.diag(links))
                total -= float(np.log(np.maximum(share, 1e-12)).sum())
        return total

    found = optimize.minimize(loss, np.zeros(2), method="Nelder-Mead", options={"maxfev": 80, "xatol": 0.01})
    fitted = Calibration(float(np.exp(found.x[0])), float(found.x[1]))
    misses = []
    for one, right in zip(scores, same, strict=True):
        if len(one):
            begins = np.diag(link_probabilities(one, fitted))
            deviation = max(float(np.sqrt((begins * (1 - begins)).sum())), 0.5)
            misses.append(abs(float((~right.any(axis=1)).sum()) - float(begins.sum())) / (1.96 * deviation))
    return replace(fitted, spread=max(1.0, float(np.quantile(misses, 0.95)))) if misses else fitted
