"""Which earlier name is copied: the parent model.

Every earlier mention is as likely a parent as any other, except that writers copy from texts like their own: with c the
category of a pair (of one document, of one topic, neither), m_c the share of descents in category c and u_c(x) that of
mentions in that category, seen from x, a parent's weight is m_c / u_c(x). The shares m are learnt; without documents
and topics all pairs are alike. Against all of them stands α, the weight of coming from nowhere, which is learnt from
the number of entities.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["ParentModel", "concentration_of"]

SAME_DOCUMENT, SAME_TOPIC, ELSEWHERE = range(3)
_EXPECTED = np.array([0.1, 0.3, 0.6])
_STRENGTH = 20.0


class ParentModel:
    """The prior weight of each directed pair of nodes.

    Parameters
    ----------
    parents, children
        The directed pairs.
    often
        The mentions of each node.
    documents, topics
        Of each node; None: not known.
    scale
        For each directed pair, how many it stands for.
    """

    def __init__(
        self,
        parents: NDArray[np.int32],
        children: NDArray[np.int32],
        often: NDArray[np.float64],
        *,
        documents: NDArray[np.int32] | None = None,
        topics: NDArray[np.int32] | None = None,
        scale: NDArray[np.float64] | None = None,
    ) -> None:
        n = len(often)
        self._n_mentions = float(often.sum())
        self._log_base = np.log(often)[parents]
        if scale is not None:
            self._log_base = self._log_base + np.log(scale)
        base = np.zeros((n, 3))
        category = np.full(len(parents), ELSEWHERE, dtype=np.int8)
        for of, number in ((topics, SAME_TOPIC), (documents, SAME_DOCUMENT)):
            if of is not None:
                category[of[parents] == of[children]] = number
                base[:, number] = np.bincount(of, often)[of] - often
        if topics is not None and documents is not None:
            both = np.unique(topics.astype(np.int64) * (int(documents.max()) + 1) + documents, return_inverse=True)[1]
            base[:, SAME_TOPIC] -= np.bincount(both, often)[both] - often
        base[:, ELSEWHERE] = self._n_mentions - often - base[:, :ELSEWHERE].sum(1)
        self._known = [documents is not None, topics is not None, True]
        self._category = category
        self._log_u = np.log((base + 0.5) / (base + 0.5).sum(1, keepdims=True))[children, category]
        self.shares = self._expected()
        self.concentration = concentration_of(int(self._n_mentions), 0.7 * n)

    def _expected(self) -> NDArray[np.float64]:
        found = np.where(self._known, _EXPECTED, 0.0)
        return found / found.sum()

    def log_weights(self) -> NDArray[np.float64]:
        """Return the log prior weight of each directed pair, beside 0 for coming from nowhere."""
        found = self._log_base - np.log(self.concentration)
        if sum(self._known) > 1:
            found = found + np.log(np.maximum(self.shares, 1e-300))[self._category] - self._log_u
        return found

    def learn(self, descended: NDArray[np.float64], n_entities: float | None) -> None:
        """Fit the shares to the descents seen, and α to the number of entities (None: it stays)."""
        if sum(self._known) > 1:
            counts = np.bincount(self._category, descended, 3) + _STRENGTH * self._expected()
            self.shares = np.where(self._known, counts, 0.0) / counts[self._known].sum()
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
