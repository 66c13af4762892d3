"""Learning to link: L3M, PL3M and binary classifiers over one set of features.

A mention's antecedent is latent: the annotation says which mentions are one thing, not which one a reader would link
to. With cost(i, j) for wrong choices and p the softmax of (score + cost)/γ, p′ that of score/γ among the right
antecedents, the loss of mention i and its gradient are

    γ log Σ_j exp((w·φ(i,j) + cost(i,j))/γ) − γ log Σ_{j right} exp(w·φ(i,j)/γ),     Σ_j (p_j − p′_j) φ(i,j):

PL3M(γ). As γ → 0 this is the latent structural SVM, L3M: the best under score + cost against the best right one. The
binary learner takes each pair by itself, the closest antecedent against all wrong ones. Steps are AdaGrad's, one for
each mention, with an L1 penalty; weights are averaged over the second half of the passes.

Chang, Samdani and Roth, "A constrained latent variable model for coreference resolution", EMNLP 2013; costs of three
kinds as in Durrett and Klein, "Easy victories and uphill battles in coreference resolution", EMNLP 2013.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.coref._learning_kernels import BINARY, LATENT, learn_document
from onoma.coref.features import Prepared
from onoma.errors import DataError, SettingsError
from onoma.numerics.rng import stream
from onoma.progress import SILENT, Progress

__all__ = ["Example", "LearningSettings", "learn"]


@dataclass(frozen=True)
class LearningSettings:
    """How weights are learnt.

    Parameters
    ----------
    learner
        `"latent"` or `"binary"`.
    gamma
        γ of PL3M; 0 is L3M.
    costs
        Of a false new entity, a false anaphor, a wrong link.
    rate, penalty
        The step of AdaGrad and the L1 penalty.
    epochs
        Passes over the documents.
    bits
        The weight table has 2 to this power rows.
    min_word_count
        Words seen less often are known by their tag alone: rich lexical features overfit few documents.
    window
        How many mentions back an antecedent may lie.
    seed
        Of the order of documents.
    """

    learner: str = "latent"
    gamma: float = 1.0
    costs: tuple[float, float, float] = (1.0, 1.0, 1.0)
    rate: float = 0.1
    penalty: float = 0.01
    epochs: int = 6
    bits: int = 20
    min_word_count: int = 20
    window: int = 1_000_000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.learner not in _KINDS:
            raise SettingsError(f"there is no learner {self.learner!r}; there are {', '.join(_KINDS)}")
        if self.gamma < 0 or self.rate <= 0 or self.penalty < 0 or self.epochs < 1 or not 8 <= self.bits <= 26:
            raise SettingsError(
                f"gamma {self.gamma}, rate {self.rate}, penalty {self.penalty}, epochs {self.epochs}, bits {self.bits}"
                "; allowed: gamma and penalty from 0, rate above 0, epochs from 1, bits 8 to 26"
            )


_KINDS = {"latent": LATENT, "binary": BINARY}


@dataclass(frozen=True, eq=False)
class Example:
    """A document to learn from: its mentions and the chain of each, -1 for a mention that is in none."""

    prepared: Prepared
    chains: NDArray[np.int64]


def learn(
    examples: Sequence[Example], settings: LearningSettings, *, progress: Progress = SILENT
) -> tuple[NDArray[np.float64], list[float]]:
    """Return the weights, averaged, and the mean loss of each pass."""
    if not any(len(example.prepared) for example in examples):
        raise DataError("there is no mention to learn from")
    size = 1 << settings.bits
    weights, squares, gradient, total = np.zeros(size), np.full(size, 1e-3), np.zeros(size), np.zeros(size)
    costs = np.array(settings.costs)
    kind = _KINDS[settings.learner]
    packed = np.array([kind, settings.gamma, settings.window, settings.rate, settings.penalty])
    first_kept = settings.epochs // 2
    losses = []
    n_mentions = sum(len(example.prepared) for example in examples)
    with progress.task("learning to link", settings.epochs * len(examples), "documents") as task:
        for epoch in range(settings.epochs):
            loss = 0.0
            for k in stream(settings.seed, "coref", epoch).permutation(len(examples)):
                one = examples[k]
                loss += _pass(one, costs, packed, (weights, squares, gradient))
                task.advance(1)
            losses.append(loss / n_mentions)
            if epoch >= first_kept:
                total += weights
    return total / (settings.epochs - first_kept), losses


def _pass(
    one: Example, costs: NDArray[np.float64], packed: NDArray[np.float64], state: tuple[NDArray[np.float64], ...]
) -> float:
    m = one.prepared.mentions
    weights, squares, gradient = state
    loss = learn_document(
        m.table,
        m.words,
        m.word_ends,
        m.modifiers,
        m.modifier_ends,
        one.prepared.counts,
        one.chains,
        costs,
        packed,
        weights,
        squares,
        gradient,
    )
    return float(loss)
