"""A second look at edits, learnt from annotated essays: maximum entropy over few signs of each edit.

Fifty essays cannot teach words, but they can say how far each kind of evidence is to be trusted for each type of edit.
The signs of an edit are its score by artificial slips, what n-grams and native choices say of it, how far it is behind
the best edit of its place, and how much the sentence's other edits weigh; score, n-grams and native choice have a
weight of their own for each type. Two weights a sign (right, wrong), drawn to zero.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from onoma.correct.corrector import Corrector
from onoma.correct.lists import TYPES
from onoma.correct.model import EditRows
from onoma.learning.hashed import score_rows, softmax_groups
from onoma.learning.maxent import MaxEnt

__all__ = ["Reranker", "Signs", "signs_of"]

_LEAST = 0.003
"""Edits that artificial slips find less probable than this are not looked at again."""
_VARIANCE = 0.005
"""Of the weights; .05 is worse on the prompts of CoNLL-2013 (F0.5 of edits 32.3 and 32.0)."""


@dataclass(frozen=True)
class Signs:
    """Which rows are looked at, and their signs."""

    rows: NDArray[np.int64]
    values: NDArray[np.float64]
    n_all: int


def signs_of(corrector: Corrector, edits: EditRows) -> Signs:
    """Return the signs of edits."""
    groups = edits.rows.groups
    sizes = np.diff(groups)
    place = np.repeat(np.arange(len(sizes)), sizes)
    score = score_rows(edits.rows.ptr, edits.rows.ids, edits.rows.values, corrector.weights)
    p = softmax_groups(score, groups)
    is_edit = edits.types >= 0
    best = np.maximum.reduceat(np.where(is_edit, score, -np.inf), groups[:-1])[place]
    mass = np.bincount(edits.sentence, np.where(is_edit, p, 0.0))[edits.sentence]
    length = np.bincount(edits.sentence, edits.types < 0)[edits.sentence]
    lm, native = edits.lm[:, 0] / 1000.0, edits.native.astype(np.float64)
    common = (
        score, np.log(p + 1e-9), lm, edits.lm[:, 1], edits.lm[:, 2], native, np.log(sizes)[place], score - best,
        p[groups[:-1]][place], mass / length, length,
    )  # fmt: skip
    rows = np.flatnonzero(is_edit & (p > _LEAST))
    types = np.eye(len(TYPES))[edits.types[rows]]
    by_type = [types, *(types * values[rows, None] for values in (score, lm, native))]
    values = np.concatenate([np.stack(common, 1)[rows], *by_type], 1)
    return Signs(rows, values, len(edits.types))


class Reranker:
    """Learns which edits are right."""

    def fit(self, signs: Signs, right: NDArray[np.bool_], *, known: NDArray[np.bool_] | None = None) -> "Reranker":
        """Learn which rows are right; `known` says of every row whether it may be learnt from."""
        mine = np.ones(len(signs.rows), bool) if known is None else known[signs.rows]
        self._mean = signs.values[mine].mean(0)
        self._spread = signs.values[mine].std(0) + 1e-6
        self._model = MaxEnt(variance=_VARIANCE, solver="lbfgs").fit(
            self._matrix(signs)[np.flatnonzero(mine)], right[signs.rows][mine].tolist()
        )
        return self

    def probabilities(self, signs: Signs) -> NDArray[np.float64]:
        """Return the probability of every row that it is right; 0 where it was not looked at."""
        out = np.zeros(signs.n_all)
        out[signs.rows] = np.exp(self._model.predict_log_proba(self._matrix(signs))[:, 1])
        return out

    def _matrix(self, signs: Signs) -> sp.csr_array:
        scaled = (signs.values - self._mean) / self._spread
        return sp.csr_array(np.concatenate([np.full((len(scaled), 1), 30.0), scaled], 1))
