"""Which earlier name is copied: the parent model.

Every earlier mention is as likely a parent as any other, except that writers copy from texts like their own: of the
same document, and where it is another one, of the same topic, in the same language, of about the same time. For each
such circumstance, with m_c the share of descents in its category c and u_c(x) that of mentions in that category, seen
from x, a parent's weight has the factor m_c / u_c(x). The shares m are learnt. Against all parents stands α, the weight
of coming from nowhere, which is learnt from the number of entities.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

__all__ = ["Circumstance", "ParentModel", "concentration_of", "in_documents", "of_a_kind", "of_a_time"]

_STRENGTH = 20.0
"""Descents that what is expected of a circumstance is worth."""
_NEAR = (1.0, 10.0)
"""Years apart up to which two texts are of one year, of one time."""

Pairs = tuple[NDArray[np.int32], NDArray[np.int32]]


@dataclass(frozen=True, eq=False)
class Circumstance:
    """How parents and children stand to each other in one respect."""

    name: str
    category: NDArray[np.int8]
    """Of each directed pair; -1: not known."""
    log_u: NDArray[np.float64]
    """For each directed pair, the log share of mentions in its category, seen from the child."""
    expected: NDArray[np.float64]
    """The shares of descents by category that are expected before any are seen."""


def in_documents(
    pairs: Pairs, often: NDArray[np.float64], place: NDArray[np.int32], documents: NDArray[np.int32]
) -> Circumstance:
    """Say of pairs of nodes whether they stand in a document together.

    Parameters
    ----------
    often
        Mentions of each node.
    place, documents
        Node and document of each mention.
    """
    size = (len(often), int(documents.max(initial=-1)) + 1)
    mentions = sp.csr_matrix((np.ones(len(place)), (place, documents)), shape=size)
    there = mentions.sign()
    shared = np.asarray(there[pairs[0]].multiply(there[pairs[1]]).sum(axis=1)).ravel() > 0
    around: NDArray[np.float64] = np.asarray(there @ np.asarray(mentions.sum(axis=0)).ravel())
    around = np.minimum(around, often.sum()) - often
    base = np.stack([around, often.sum() - often - around], axis=1)
    return _circumstance("document", pairs, np.where(shared, 0, 1), base, (0.1, 0.9))


def of_a_kind(
    name: str,
    pairs: Pairs,
    often: NDArray[np.float64],
    values: NDArray[np.int32],
    expected: tuple[float, float] = (0.35, 0.65),
) -> Circumstance:
    """Say of pairs of nodes whether they have the same value: topic, language; -1: not known."""
    known = values >= 0
    counts = np.bincount(values[known], often[known], minlength=1)
    same = np.where(known, counts[values] - often, 0.0)
    base = np.stack([same, often[known].sum() - often - same], axis=1)
    category = np.where(values[pairs[0]] == values[pairs[1]], 0, 1)
    category = np.where(known[pairs[0]] & known[pairs[1]], category, -1)
    return _circumstance(name, pairs, category, base, expected)


def of_a_time(pairs: Pairs, often: NDArray[np.float64], years: NDArray[np.float64]) -> Circumstance:
    """Say of pairs of nodes whether they are of one year, of one time, or of different times; NaN: not known."""
    known = np.isfinite(years)
    apart = np.abs(years[pairs[0]] - years[pairs[1]])
    category = np.where(np.isfinite(apart), np.searchsorted(np.array(_NEAR), apart), -1)
    order = np.argsort(np.where(known, years, np.inf), kind="stable")
    mass = np.concatenate([[0.0], np.cumsum(np.where(known, often, 0.0)[order])])
    ranked = np.where(known, years, np.inf)[order]
    within = []
    for near in _NEAR:
        low, high = np.searchsorted(ranked, years - near, "left"), np.searchsorted(ranked, years + near, "right")
        within.append(mass[high] - mass[low] - often)
    base = np.stack([within[0], within[1] - within[0], mass[-1] - often - within[1]], axis=1)
    return _circumstance("date", pairs, category, base, (0.4, 0.3, 0.3))


def _circumstance(
    name: str, pairs: Pairs, category: NDArray[np.integer], base: NDArray[np.float64], expected: Sequence[float]
) -> Circumstance:
    base = np.maximum(base, 0.0) + 0.5
    log_u = np.log(base / base.sum(axis=1, keepdims=True))[pairs[1], np.maximum(category, 0)]
    return Circumstance(name, category.astype(np.int8), log_u, np.array(expected))


class ParentModel:
    """The prior weight of each directed pair of nodes.

    Parameters
    ----------
    parents
        Of the directed pairs.
    often
        The mentions of each node.
    circumstances
        What is known of the pairs. Where the first is that of documents, the others count between documents only.
    scale
        For each directed pair, how many it stands for.
    """

    def __init__(
        self,
        parents: NDArray[np.int32],
        often: NDArray[np.float64],
        *,
        circumstances: Sequence[Circumstance] = (),
        scale: NDArray[np.float64] | None = None,
    ) -> None:
        self._n_mentions = float(often.sum())
        self._log_base = np.log(often)[parents]
        if scale is not None:
            self._log_base = self._log_base + np.log(scale)
        self._circumstances = list(circumstances)
        self._counted = [each.category >= 0 for each in circumstances]
        if circumstances and circumstances[0].name == "document":
            for counted in self._counted[1:]:
                counted &= circumstances[0].category != 0
        self.shares = {each.name: each.expected / each.expected.sum() for each in circumstances}
        """By circumstance, the learnt shares of descents in each category."""
        self.concentration = concentration_of(int(self._n_mentions), 0.7 * len(often))

    def log_weights(self) -> NDArray[np.float64]:
        """Return the log prior weight of each directed pair, beside 0 for coming from nowhere."""
        found: NDArray[np.float64] = self._log_base - np.log(self.concentration)
        for each, counted in zip(self._circumstances, self._counted, strict=True):
            factor = np.log(self.shares[each.name])[np.maximum(each.category, 0)] - each.log_u
            found = found + np.where(counted, factor, 0.0)
        return found

    def learn(self, descended: NDArray[np.float64], n_entities: float | None) -> None:
        """Fit the shares to the descents seen, and α to the number of entities (None: it stays)."""
        for each, counted in zip(self._circumstances, self._counted, strict=True):
            counts = np.bincount(each.category[counted], descended[counted], len(each.expected))
            counts = counts + _STRENGTH * each.expected / each.expected.sum()
            self.shares[each.name] = counts / counts.sum()
        if n_entities is not None:
            self.concentration = concentration_of(int(self._n_mentions), n_entities)


def concentration_of(n: int, n_entities: float) -> float:
    """Return the weight α of coming from nowhere for which n mentions are expected to be of so many entities.

    The t-th comes from nowhere with probability α / (α + t).

    Examples
    --------
    >>> round(concentration_of(100, 50.0), 1)
    39.1
    """
    places = np.arange(n)
    low, high = -10.0, 25.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        expected = float(np.sum(1.0 / (1.0 + places * np.exp(-middle))))
        low, high = (middle, high) if expected < n_entities else (low, middle)
    return float(np.exp(0.5 * (low + high)))
