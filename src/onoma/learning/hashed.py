"""Maximum entropy over candidates, learnt online, with hashed features: for millions of examples that come in pieces.

    P_w(c | group) = exp(Σ_f x_cf w_f) / Σ_c' exp(Σ_f x_c'f w_f)

The features of a candidate are numbers of a table of 2^b weights (hashes: collisions are accepted). Each group makes
one AdaGrad step (Duchi, Hazan and Singer, 2011) of its negative log probability, with a pull towards an *anchor*:
zero, or the weights of a model learnt elsewhere that is being adapted. `CandidateMaxEnt` finds the optimum exactly
where everything fits into memory; this one is for where it does not.

Cost: one pass over the features of the candidates; 12 bytes a weight while learning.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from onoma.errors import SettingsError
from onoma.learning._hashed_kernels import fit_groups, perceive_groups, score_rows
from onoma.numerics.rng import stream

__all__ = ["CandidateRows", "HashedMaxEnt", "HashedPerceptron", "score_rows", "softmax_groups"]


@dataclass(frozen=True)
class CandidateRows:
    """Candidates with hashed features, those of one group in consecutive rows.

    Parameters
    ----------
    groups
        Group g owns the rows groups[g] … groups[g + 1] - 1.
    ptr, ids, values
        Row r has the features ids[ptr[r] : ptr[r + 1]] with these values.
    """

    groups: NDArray[np.int64]
    ptr: NDArray[np.int64]
    ids: NDArray[np.uint32]
    values: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.groups) - 1


class HashedMaxEnt:
    """Softmax over the candidates of a group.

    Parameters
    ----------
    bits
        The table has 2^bits weights.
    rate
        The first step of each weight.
    pull
        How strongly each step draws weights towards the anchor.
    anchor
        Weights to start from and to be drawn to; default zero.
    seed
        Of the order of groups.

    Examples
    --------
    >>> rows = CandidateRows(np.array([0, 2]), np.array([0, 1, 2]), np.array([1, 2], np.uint32), np.ones(2, np.float32))
    >>> model = HashedMaxEnt(bits=2, rate=1.0).partial_fit(rows, np.array([1]), n_epochs=20)
    >>> model.probabilities(rows).round(1).tolist()
    [0.0, 1.0]
    """

    def __init__(
        self,
        *,
        bits: int = 20,
        rate: float = 0.1,
        pull: float = 0.0,
        anchor: NDArray[np.float32] | None = None,
        seed: int = 0,
    ) -> None:
        if not 1 <= bits <= 30 or rate <= 0 or pull < 0:
            raise SettingsError(f"bits {bits}, rate {rate}, pull {pull}; bits may be 1 to 30, rate > 0, pull >= 0")
        self.rate, self.pull, self.seed = rate, pull, seed
        self.anchor = np.zeros(1 << bits, np.float32) if anchor is None else anchor.astype(np.float32)
        self.weights_ = self.anchor.copy()
        self._g2 = np.full(len(self.weights_), 1.0, np.float32)
        self.losses_: list[float] = []

    def partial_fit(
        self,
        rows: CandidateRows,
        chosen: NDArray[np.int64],
        *,
        counts: NDArray[np.float64] | None = None,
        n_epochs: int = 1,
    ) -> Self:
        """Learn from some groups; `chosen` is the right row of each, `counts` how much each weighs."""
        weights = np.ones(len(rows)) if counts is None else counts
        for _ in range(n_epochs):
            order = stream(self.seed, "hashed", len(self.losses_)).permutation(len(rows))
            loss = fit_groups(
                order, rows.groups, rows.ptr, rows.ids, rows.values, chosen.astype(np.int64), weights,
                (self.rate, self.pull), self.weights_, self.anchor, self._g2,
            )  # fmt: skip
            self.losses_.append(loss / max(weights.sum(), 1e-12))
        return self

    def scores(self, rows: CandidateRows) -> NDArray[np.float64]:
        """Return the score of each row."""
        return score_rows(rows.ptr, rows.ids, rows.values, self.weights_)

    def probabilities(self, rows: CandidateRows) -> NDArray[np.float64]:
        """Return the probability of each row within its group."""
        return softmax_groups(self.scores(rows), rows.groups)


class HashedPerceptron:
    """Averaged perceptron over the candidates of a group (Freund and Schapire, 1999; Collins, 2002).

    Parameters
    ----------
    bits
        The table has 2^bits weights.
    seed
        Of the order of groups.

    Examples
    --------
    >>> rows = CandidateRows(np.array([0, 2]), np.array([0, 1, 2]), np.array([1, 2], np.uint32), np.ones(2, np.float32))
    >>> model = HashedPerceptron(bits=2).fit(rows, np.array([1]), n_epochs=2)
    >>> model.scores(rows).tolist()
    [-1.0, 1.0]
    """

    def __init__(self, *, bits: int = 20, seed: int = 0) -> None:
        if not 1 <= bits <= 30:
            raise SettingsError(f"bits {bits}; they may be 1 to 30")
        self.seed = seed
        self.weights_ = np.zeros(1 << bits, np.float32)

    def fit(
        self,
        rows: CandidateRows,
        chosen: NDArray[np.int64],
        *,
        counts: NDArray[np.float64] | None = None,
        n_epochs: int = 5,
    ) -> Self:
        """Learn from groups; `chosen` is the right row of each, `counts` how far it moves weights (0: not at all)."""
        w, late, step = np.zeros(len(self.weights_)), np.zeros(len(self.weights_)), 0
        moves = np.ones(len(rows)) if counts is None else counts
        for epoch in range(n_epochs):
            order = stream(self.seed, "perceptron", epoch).permutation(len(rows))
            step = perceive_groups(
                order, rows.groups, rows.ptr, rows.ids, rows.values, chosen.astype(np.int64), moves, step, w, late
            )
        self.weights_ = (w - late / max(step, 1)).astype(np.float32)
        return self

    def scores(self, rows: CandidateRows) -> NDArray[np.float64]:
        """Return the score of each row."""
        return score_rows(rows.ptr, rows.ids, rows.values, self.weights_)


def softmax_groups(scores: NDArray[np.float64], groups: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return probabilities within each group of consecutive rows."""
    if len(scores) == 0:
        return scores
    sizes = np.diff(groups)
    top = np.repeat(np.maximum.reduceat(scores, groups[:-1]), sizes)
    weights = np.exp(scores - top)
    return weights / np.repeat(np.add.reduceat(weights, groups[:-1]), sizes)
