"""Learning to link: L3M, PL3M and binary classifiers over one set of features.

A mention's antecedent is latent: the annotation says which mentions are one thing, not which one a reader would link
to. With cost(i, j) for wrong choices and p the softmax of (score + cost)/γ, p′ that of score/γ among the right
antecedents, the loss of mention i and its gradient are

    γ log Σ_j exp((w·φ(i,j) + cost(i,j))/γ) − γ log Σ_{j right} exp(w·φ(i,j)/γ),     Σ_j (p_j − p′_j) φ(i,j):

PL3M(γ). As γ → 0 this is the latent structural SVM, L3M: the best under score + cost against the best right one. The
binary learners take each pair by itself, the closest antecedent against all wrong ones. Steps are AdaGrad's, one for
each mention, with an L1 penalty; weights are averaged over the second half of the passes.

Chang, Samdani and Roth, "A constrained latent variable model for coreference resolution", EMNLP 2013; costs of three
kinds as in Durrett and Klein, "Easy victories and uphill battles in coreference resolution", EMNLP 2013.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.coref._learning_kernels import BINARY, LATENT, SVM, learn_document
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
        `"latent"`, `"binary"` (logistic loss) or `"svm"` (binary, squared hinge loss).
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
    runs
        Weights are the mean of so many runs, each with its own order of documents: a linear model's cheap ensemble.
    recall
        The share of annotated mentions that the filter of candidates is to keep; 1 for no filter.
    relaxed
        Whether an annotated mention that no candidate matches teaches through one with the same head.
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
    runs: int = 1
    recall: float = 1.0
    relaxed: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        if self.learner not in _KINDS:
            raise SettingsError(f"there is no learner {self.learner!r}; there are {', '.join(_KINDS)}")
        if self.gamma < 0 or self.rate <= 0 or self.penalty < 0 or self.epochs < 1 or not 8 <= self.bits <= 26:
            raise SettingsError(
                f"gamma {self.gamma}, rate {self.rate}, penalty {self.penalty}, epochs {self.epochs}, bits {self.bits}"
                "; allowed: gamma and penalty from 0, rate above 0, epochs from 1, bits 8 to 26"
            )
        if self.runs < 1 or not 0 < self.recall <= 1:
            raise SettingsError(f"runs {self.runs}, recall {self.recall}; allowed: runs from 1, recall above 0 to 1")


_KINDS = {"latent": LATENT, "binary": BINARY, "svm": SVM}


@dataclass(frozen=True, eq=False)
class Example:
    """A document to learn from.

    Parameters
    ----------
    prepared
        Its mentions.
    chains
        The chain of each, -1 for a mention that is in none, `HIDDEN` for one that is not to be looked at.
    taught
        Which mentions teach; None: all.
    """

    prepared: Prepared
    chains: NDArray[np.int64]
    taught: NDArray[np.bool_] | None = None

    def only(self, kept: NDArray[np.bool_]) -> "Example":
        """Return some of its mentions."""
        return Example(self.prepared.only(kept), self.chains[kept], None if self.taught is None else self.taught[kept])


def learn(
    examples: Sequence[Example],
    settings: LearningSettings,
    *,
    start: NDArray[np.float64] | None = None,
    progress: Progress = SILENT,
) -> tuple[NDArray[np.float64], list[float]]:
    """Return the weights, averaged, and the mean loss of each pass; `start` may hold weights to begin with."""
    if not any(len(example.prepared) for example in examples):
        raise DataError("there is no mention to learn from")
    total = np.zeros(1 << settings.bits)
    losses: list[float] = []
    with progress.task("learning to link", settings.runs * settings.epochs * len(examples), "documents") as task:
        for run in range(settings.runs):
            weights, lost = _run(examples, settings, settings.seed + run, start, lambda: task.advance(1))
            total += weights
            losses += lost
    return total / settings.runs, losses


def _run(
    examples: Sequence[Example],
    settings: LearningSettings,
    seed: int,
    start: NDArray[np.float64] | None,
    advance: Callable[[], None],
) -> tuple[NDArray[np.float64], list[float]]:
    size = 1 << settings.bits
    weights = np.zeros(size) if start is None else start.copy()
    squares, gradient, total = np.full(size, 1e-3), np.zeros(size), np.zeros(size)
    costs = np.array(settings.costs)
    packed = np.array(
        [_KINDS[settings.learner], settings.gamma, settings.window, settings.rate, settings.penalty], np.float64
    )
    n_mentions = sum(len(example.prepared) for example in examples)
    first_kept, losses = settings.epochs // 2, []
    for epoch in range(settings.epochs):
        loss = 0.0
        for k in stream(seed, "coref", epoch).permutation(len(examples)):
            loss += _pass(examples[k], costs, packed, (weights, squares, gradient))
            advance()
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
        np.ones(len(one.chains), np.int64) if one.taught is None else one.taught.astype(np.int64),
        costs,
        packed,
        weights,
        squares,
        gradient,
    )
    return float(loss)
