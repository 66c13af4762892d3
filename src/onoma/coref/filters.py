"""Which candidates are mentions at all: a learnt filter of noun phrases that nothing in a text refers to again.

A tree offers several spans for each noun, and most nouns are mentioned once. The filter is a logistic model of "this
span is annotated" (its words, its place in the tree, how often its head and its words stand in the document); a
candidate below the threshold is dropped before any pair is looked at. The threshold keeps a stated share of the
annotated mentions of documents that the filter did not learn from. Where a scheme annotates mentions that stand alone
(LitBank), the same number says which of them to report.

Chang et al., "Illinois-Coref: the UI system in the CoNLL-2012 shared task", 2012, filter by counts with thresholds;
Recasens, de Marneffe and Potts, "The life and death of discourse entities", 2013, learn what stays alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.coref._features_kernels import filter_scores
from onoma.coref._learning_kernels import learn_filter
from onoma.coref.features import Prepared
from onoma.numerics.rng import stream

__all__ = ["MentionFilter", "train_filter"]

_BITS = 18
_EPOCHS = 6
_RATE = 0.1
_PENALTY = 0.02


@dataclass(frozen=True, eq=False)
class MentionFilter:
    """A filter: its weights, and the log-odds from which a candidate is kept."""

    weights: NDArray[np.float64]
    threshold: float

    def log_odds(self, prepared: Prepared) -> NDArray[np.float64]:
        """Return how likely each candidate is annotated, as log-odds."""
        out = np.empty(len(prepared))
        filter_scores(prepared.mentions.table, prepared.counts, self.weights, out)
        return out

    def keeps(self, prepared: Prepared) -> NDArray[np.bool_]:
        """Say which candidates are kept."""
        return self.log_odds(prepared) >= self.threshold


def train_filter(
    documents: Sequence[Prepared], chains: Sequence[NDArray[np.int64]], recall: float, *, seed: int = 0
) -> MentionFilter:
    """Learn a filter that keeps the share `recall` of annotated candidates in documents that it has not seen.

    The threshold is that of two halves, each judged by a filter learnt from the other.
    """
    scores: list[NDArray[np.float64]] = []
    for half in (0, 1):
        learnt = MentionFilter(_learn(documents[half::2], chains[half::2], seed), 0.0)
        for one, chain in zip(documents[1 - half :: 2], chains[1 - half :: 2], strict=True):
            scores.append(learnt.log_odds(one)[chain >= 0])
    found = np.concatenate(scores) if scores else np.zeros(0)
    threshold = float(np.quantile(found, 1.0 - recall)) if len(found) else -np.inf
    return MentionFilter(_learn(documents, chains, seed), threshold)


def _learn(documents: Sequence[Prepared], chains: Sequence[NDArray[np.int64]], seed: int) -> NDArray[np.float64]:
    weights, squares = np.zeros(1 << _BITS), np.full(1 << _BITS, 1e-3)
    total = np.zeros(1 << _BITS)
    gradient = np.zeros(1 << _BITS)
    for epoch in range(_EPOCHS):
        for k in stream(seed, "coref", "filter", epoch).permutation(len(documents)):
            one = documents[k]
            right = (chains[k] >= 0).astype(np.int64)
            learn_filter(one.mentions.table, one.counts, right, _RATE, _PENALTY, weights, squares, gradient)
        if epoch >= _EPOCHS // 2:
            total += weights
    return total / (_EPOCHS - _EPOCHS // 2)
