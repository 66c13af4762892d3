"""What a measure returns: precision, recall and F1 with the sums they come from.

Sums can be added over documents and resampled; ratios cannot. 0/0 is 0, as the reference scorer of the CoNLL shared
tasks prints it: a system is not rewarded for what there was no occasion to do.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["LinkScore", "Score", "Scored", "VMeasure", "harmonic_mean", "ratio", "ratios"]


class Scored(Protocol):
    """Anything with precision, recall and F1."""

    @property
    def precision(self) -> float:
        """How much of what was said is right."""

    @property
    def recall(self) -> float:
        """How much of what is right was said."""

    @property
    def f1(self) -> float:
        """One number for both."""


@dataclass(frozen=True)
class Score:
    """Precision and recall as fractions whose parts are kept.

    Examples
    --------
    >>> score = Score(recall_num=2, recall_den=4, precision_num=2, precision_den=2)
    >>> score.precision, score.recall, round(score.f1, 4)
    (1.0, 0.5, 0.6667)
    >>> (score + score).recall_den
    8
    """

    recall_num: float
    recall_den: float
    precision_num: float
    precision_den: float

    @property
    def precision(self) -> float:
        """How much of what was said is right."""
        return float(ratio(self.precision_num, self.precision_den))

    @property
    def recall(self) -> float:
        """How much of what is right was said."""
        return float(ratio(self.recall_num, self.recall_den))

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return float(harmonic_mean(self.precision, self.recall))

    def __add__(self, other: "Score") -> "Score":
        return Score(
            self.recall_num + other.recall_num,
            self.recall_den + other.recall_den,
            self.precision_num + other.precision_num,
            self.precision_den + other.precision_den,
        )


@dataclass(frozen=True)
class LinkScore:
    """BLANC: the mean of two scores, over coreferent and over non-coreferent pairs.

    Where the gold has no pairs of one kind, the other kind is the score; where it has no pairs at all, 0.
    """

    coreferent: Score
    separate: Score

    @property
    def precision(self) -> float:
        """The mean of the two precisions."""
        return self._mean(self.coreferent.precision, self.separate.precision)

    @property
    def recall(self) -> float:
        """The mean of the two recalls."""
        return self._mean(self.coreferent.recall, self.separate.recall)

    @property
    def f1(self) -> float:
        """The mean of the two F1s (not the harmonic mean of precision and recall)."""
        return self._mean(self.coreferent.f1, self.separate.f1)

    def __add__(self, other: "LinkScore") -> "LinkScore":
        return LinkScore(self.coreferent + other.coreferent, self.separate + other.separate)

    def _mean(self, coreferent: float, separate: float) -> float:
        counted = [
            value for value, kind in ((coreferent, self.coreferent), (separate, self.separate)) if kind.recall_den > 0
        ]
        return sum(counted) / len(counted) if counted else 0.0


@dataclass(frozen=True)
class VMeasure:
    """Homogeneity (a predicted entity holds one gold entity), completeness (the reverse), their harmonic mean."""

    homogeneity: float
    completeness: float

    @property
    def v(self) -> float:
        """The harmonic mean."""
        return float(harmonic_mean(self.homogeneity, self.completeness))


def ratio(num: ArrayLike, den: ArrayLike) -> NDArray[np.float64]:
    """Return num / den, and 0 where den is 0."""
    num, den = np.asarray(num, dtype=np.float64), np.asarray(den, dtype=np.float64)
    return np.divide(num, den, out=np.zeros(np.broadcast(num, den).shape), where=den != 0)


def harmonic_mean(a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """Return 2ab / (a + b), and 0 where both are 0."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return ratio(2 * a * b, a + b)


def ratios(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return precision, recall and F1 along the last axis, from a Score's four sums along it."""
    recall = ratio(sums[..., 0], sums[..., 1])
    precision = ratio(sums[..., 2], sums[..., 3])
    return np.stack([precision, recall, harmonic_mean(precision, recall)], axis=-1)
