"""What a score is worth, type by type: a scale and a shift for each, learnt on annotated essays.

Weights that were learnt from artificial slips rank the edits of one type well, but real writers make some slips more
often than the artificial ones do, and some kinds of context mislead. So the score s of an edit of type t becomes
a_t s + b_t, with a and b from the essays, drawn towards those of all types together:

    minimise  −Σ log P(what was asked for) + λ/2 Σ_t (log a_t − log a)² + (b_t − b)²

Two numbers a type: nothing of the essays but how often such edits are right. After Platt, "Probabilistic outputs for
support vector machines", 1999.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.correct.lists import TYPES

__all__ = ["AS_LEARNT", "Calibration", "fit_calibration"]

_PULL = 4.0
"""λ: a type needs about as many right edits as this to leave the common line."""

AS_LEARNT = ("spelling",)
"""Types that keep their scores: essays for shared tasks were written with a spelling checker and say little of them."""


@dataclass(frozen=True)
class Calibration:
    """Scale and shift of the scores of each type.

    Examples
    --------
    >>> plain = Calibration.none()
    >>> plain.apply(np.array([0.0, 1.5]), np.array([-1, 0])).tolist()
    [0.0, 1.5]
    """

    scale: NDArray[np.float32]
    shift: NDArray[np.float32]

    @classmethod
    def none(cls) -> "Calibration":
        """Return the calibration that leaves scores as they are."""
        return cls(np.ones(len(TYPES), np.float32), np.zeros(len(TYPES), np.float32))

    def apply(self, scores: NDArray[np.float64], types: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return calibrated scores; type -1 (no edit) keeps its 0."""
        return np.where(types >= 0, self.scale[types] * scores + self.shift[types], 0.0)


def fit_calibration(
    scores: NDArray[np.float64], types: NDArray[np.int64], groups: NDArray[np.int64], chosen: NDArray[np.int64]
) -> Calibration:
    """Learn scale and shift of each type.

    Parameters
    ----------
    scores, types
        Of each row; type -1 is the edit that changes nothing, whose score is 0.
    groups
        Where the rows of each place begin, and where the last ends.
    chosen
        The right row of each place.
    """
    from scipy.optimize import minimize  # only training needs it

    n_types = len(TYPES)
    is_edit = types >= 0
    sizes = np.diff(groups)
    place = np.repeat(np.arange(len(sizes)), sizes)
    right = np.zeros(len(scores))
    right[chosen] = 1.0
    t, s = types[is_edit], scores[is_edit]

    def loss(x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        common, own = x[:2], x[2:].reshape(2, n_types)
        scale = np.exp(common[0] + own[0])
        z = np.zeros(len(scores))
        z[is_edit] = scale[t] * s + common[1] + own[1][t]
        top = np.maximum.reduceat(z, groups[:-1])
        e = np.exp(z - top[place])
        total = np.add.reduceat(e, groups[:-1])
        value = float((top + np.log(total)).sum() - z[chosen].sum() + _PULL / 2 * (own**2).sum())
        error = (e / total[place] - right)[is_edit]
        d_shift = np.bincount(t, error, n_types)
        d_scale = np.bincount(t, error * s, n_types) * scale
        gradient = np.concatenate([[d_scale.sum(), d_shift.sum()], d_scale + _PULL * own[0], d_shift + _PULL * own[1]])
        return value, gradient

    start = np.zeros(2 + 2 * n_types)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=_bounds(n_types), options={"maxiter": 60})
    common, own = found.x[:2], found.x[2:].reshape(2, n_types)
    scale, shift = np.exp(common[0] + own[0]), common[1] + own[1]
    for name in AS_LEARNT:
        scale[TYPES.index(name)], shift[TYPES.index(name)] = 1.0, 0.0
    return Calibration(scale.astype(np.float32), shift.astype(np.float32))


def _bounds(n_types: int) -> list[tuple[float, float]]:
    """Scales between e⁻³ and e³: a type without a right edit must not run away."""
    scales, shifts = (-3.0, 3.0), (-12.0, 12.0)
    return [scales, shifts, *[scales] * n_types, *[shifts] * n_types]
