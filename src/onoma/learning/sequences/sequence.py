"""Labels for sequences: a linear-chain conditional random field over hashed features, learnt online.

Of a sentence x with labels y the model says (Lafferty, McCallum and Pereira, 2001)

    p(y | x) = exp( Σ_i  Σ_{f in x_i} w[f, y_i]  +  a[y_{i-1}, y_i] ) / Z(x)

Features come as ids from `templates`, so that w has 2**n_bits rows, whatever the text. Weights are learnt by AdaGrad
(Duchi, Hazan and Singer, 2011) on the log-likelihood of one sentence at a time; those used are the mean over the ends
of the passes of the second half, which steadies them.
Transitions that a scheme of labels forbids (I-PER after B-ORG) have probability 0.

Cost: learning about 4 µs a token, pass and fifty templates with nine labels; decoding a tenth of it. Memory: 8 bytes ×
2**n_bits × labels while learning. Once stored, weights are 8-bit numbers times one scale a label.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError, SettingsError
from onoma.learning.sequences._sequence_kernels import OUTSIDE, crf_epoch, marginals, span_probabilities, viterbi
from onoma.numerics.rng import stream
from onoma.progress import SILENT, Progress

__all__ = ["OUTSIDE", "ChainTraining", "LinearChain", "bio_transitions", "learn_chain"]


@dataclass(frozen=True, eq=False)
class LinearChain:
    """A learnt linear-chain model.

    Parameters
    ----------
    labels
        The labels, in the order of their codes.
    weights
        Features × labels; as bytes, they are counted in units of `scale`.
    transitions
        Labels + 1 × labels; the last row stands for the beginning; -inf forbids.
    scale
        What a weight of each label is counted in; default 1.

    Examples
    --------
    >>> ids = np.array([[0], [1], [0]], np.int32)
    >>> model = learn_chain(ids, np.array([0, 2, 3]), np.array([0, 1, 0]), ["A", "B"], 2, ChainTraining(n_epochs=20))
    >>> model.decode(ids, np.array([0, 2, 3])).tolist()
    [0, 1, 0]
    """

    labels: tuple[str, ...]
    weights: NDArray[np.float32] | NDArray[np.int8]
    transitions: NDArray[np.float64]
    scale: NDArray[np.float32] | None = None

    @cached_property
    def _unit(self) -> NDArray[np.float32]:
        return np.ones(len(self.labels), np.float32) if self.scale is None else self.scale

    def decode(self, ids: NDArray[np.int32], sentence_ptr: NDArray[np.integer]) -> NDArray[np.int32]:
        """Return the code of the label of each token on the best path of each sentence.

        A token whose first id is `OUTSIDE` has the first label; where it is `OUTSIDE` - m, one of the m after it.
        """
        return viterbi(sentence_ptr.astype(np.int32), ids, self.weights, self._unit, self.transitions)

    def marginals(self, ids: NDArray[np.int32], sentence_ptr: NDArray[np.integer]) -> NDArray[np.float32]:
        """Return the probability of each label of each token."""
        return marginals(sentence_ptr.astype(np.int32), ids, self.weights, self._unit, self.transitions)

    def span_probabilities(
        self,
        ids: NDArray[np.int32],
        sentence_ptr: NDArray[np.integer],
        codes: NDArray[np.int32],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        """Return, for each span in order, the probability that its tokens have exactly the labels `codes`."""
        ptr = sentence_ptr.astype(np.int32)
        return span_probabilities(ptr, ids, self.weights, self._unit, self.transitions, codes, starts, ends)

    def as_bytes(self) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
        """Return the weights as 8-bit numbers and the scale of each label: weights ≈ bytes × scale."""
        if self.weights.dtype == np.int8:
            return self.weights.astype(np.int8, copy=False), self._unit
        scale = (np.maximum(np.abs(self.weights).max(axis=0, initial=0.0), 1e-12) / 127).astype(np.float32)
        return np.rint(self.weights / scale).astype(np.int8), scale


@dataclass(frozen=True, kw_only=True, eq=False)
class ChainTraining:
    """How a linear chain is learnt."""

    n_epochs: int = 8
    """Passes over the sentences."""
    rate: float = 0.1
    """Size of a step."""
    l2: float = 1e-4
    """Strength of the L2 regularisation."""
    least: float = 0.0
    """Weights smaller than this become 0 at the end, for a small file."""
    least_count: int = 2
    """How often a feature must be met to have a weight, where features are counted."""
    importance: NDArray[np.float64] | None = None
    """How much each sentence counts; None: 1."""
    seed: int = 0
    """Of the order of the sentences."""

    def __post_init__(self) -> None:
        if self.n_epochs < 1 or not self.rate > 0.0 or not self.l2 >= 0.0:
            given = f"n_epochs {self.n_epochs}, rate {self.rate}, l2 {self.l2}"
            raise SettingsError(f"{given}; allowed: from 1, above 0, from 0 up")


def learn_chain(
    ids: NDArray[np.int32],
    sentence_ptr: NDArray[np.integer],
    y: NDArray[np.integer],
    labels: Sequence[str],
    n_features: int,
    training: ChainTraining | None = None,
    *,
    forbidden: NDArray[np.bool_] | None = None,
    progress: Progress = SILENT,
) -> LinearChain:
    """Learn a linear chain.

    Parameters
    ----------
    ids
        Tokens × templates: features, -1 for none.
    sentence_ptr
        Sentence s is the tokens from sentence_ptr[s] to before sentence_ptr[s + 1].
    y
        The code of each token's label.
    labels
        The labels.
    n_features
        Ids are below it.
    training
        How it is learnt.
    forbidden
        Labels + 1 × labels: transitions that cannot be.
    progress
        Shows passes.
    """
    training = training or ChainTraining()
    n_epochs, rate, l2, importance = training.n_epochs, training.rate, training.l2, training.importance
    n_sentences, n_labels = len(sentence_ptr) - 1, len(labels)
    if len(y) != len(ids) or len(y) != sentence_ptr[-1]:
        raise DataError(f"{len(ids):,} rows of features, {len(y):,} labels, sentences of {sentence_ptr[-1]:,} tokens")
    w, w_squares = (np.zeros((n_features, n_labels), np.float32) for _ in range(2))
    a = np.zeros((n_labels + 1, n_labels))
    if forbidden is not None:
        a[forbidden] = -np.inf
        _check_paths(y, sentence_ptr, forbidden)
    a_squares, a_mean, w_mean = np.zeros_like(a), np.zeros_like(a), np.zeros_like(w)
    weight = np.ones(n_sentences) if importance is None else importance.astype(np.float64)
    given = (sentence_ptr.astype(np.int32), ids, y.astype(np.int32), weight)
    with progress.task("learning labels", n_epochs, "passes") as task:
        for epoch in range(n_epochs):
            order = stream(training.seed, "sequence", epoch).permutation(n_sentences)
            fit = crf_epoch(order, *given, rate, l2, w, w_squares, a, a_squares)
            if epoch >= n_epochs // 2:
                w_mean += w / np.float32(n_epochs - n_epochs // 2)
                a_mean += a / (n_epochs - n_epochs // 2)
            task.advance(1, log_likelihood=fit)
    w_mean[np.abs(w_mean) < training.least] = 0.0
    return LinearChain(tuple(labels), w_mean, a_mean)


def bio_transitions(labels: Sequence[str]) -> NDArray[np.bool_]:
    """Return which transitions a BIO or BILOU scheme forbids, labels + 1 × labels.

    Examples
    --------
    >>> bio_transitions(["O", "B-PER", "I-PER"]).tolist()
    [[False, False, True], [False, False, False], [False, False, False], [False, False, True]]
    """
    closes = any(label.startswith(("L-", "U-")) for label in labels)
    forbidden = np.zeros((len(labels) + 1, len(labels)), np.bool_)
    for x, before in enumerate([*labels, "O"]):
        for z, label in enumerate(labels):
            goes_on = label[:2] in ("I-", "L-")
            is_open = before[:2] in (("B-", "I-") if closes else ("B-", "I-", "L-"))
            fits = is_open and before[2:] == label[2:]
            forbidden[x, z] = (goes_on and not fits) or (closes and is_open and not goes_on)
    return forbidden


def _check_paths(y: NDArray[np.integer], sentence_ptr: NDArray[np.integer], forbidden: NDArray[np.bool_]) -> None:
    before = np.concatenate([[forbidden.shape[1]], y[:-1]]).astype(np.int64)
    starts = sentence_ptr[:-1][np.diff(sentence_ptr) > 0]
    before[starts] = forbidden.shape[1]
    bad = forbidden[before, y]
    if bad.any():
        raise DataError(f"the label of token {int(np.flatnonzero(bad)[0]):,} may not follow the one before it")
