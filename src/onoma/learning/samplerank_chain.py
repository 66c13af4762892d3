"""SampleRank on linear chains with the truth functions of constraint-driven learning.

A chain changes the label of one token at a time; each proposal is ranked by the model and by a truth function F, and
where they disagree the weights move (`samplerank` has the rule; this is the same rule as a kernel). Truth functions of
Singh, Yao, Riedel and McCallum (2010), on unlabelled texts:

    self         −L(y, ŷ), ŷ the model's own best guess after learning from the labelled texts
    cons         Σ_i p_i c_i(y), c_i: +1 satisfied, −1 violated, 0 does not apply
    self+cons    self + λ_s cons
    model+cons   θ·f(y) + λ_m cons

On labelled texts F is always −L(y, y*). `codl` is the comparison of that paper, constraint-driven learning by
self-training (Chang, Ratinov and Roth, 2007): label the unlabelled texts by model and constraints together, learn from
them as from labels, average with the supervised weights; repeat.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError, SettingsError
from onoma.learning._samplerank_chain_kernels import samplerank_epoch
from onoma.learning.sequences.semicrf import SemiCRF
from onoma.learning.sequences.semicrf_layout import Segmentation, Sequences
from onoma.numerics.rng import kernel_state, stream
from onoma.progress import SILENT, Progress

__all__ = ["ChainSampleRank", "CodlSettings", "ConstraintScores", "TruthName", "codl"]

Floats = NDArray[np.float64]
TruthName = Literal["labelled", "self", "cons", "self+cons", "model+cons"]


@dataclass(frozen=True)
class ConstraintScores:
    """Σ p_i c_i as tables: what each choice adds.

    Attributes
    ----------
    tokens
        Tokens × labels.
    borders
        Classes of borders × labels × labels.
    once
        Of each label, what every run beyond its first adds (0, or below).
    """

    tokens: Floats
    borders: Floats
    once: Floats

    @classmethod
    def nothing(cls, sequences: Sequences, n_labels: int) -> "ConstraintScores":
        """Return constraints that say nothing."""
        borders = np.zeros((sequences.n_classes, n_labels, n_labels))
        return cls(np.zeros((sequences.n_tokens, n_labels)), borders, np.zeros(n_labels))


@dataclass(frozen=True)
class ChainSampleRank:
    """How to learn by SampleRank.

    Parameters
    ----------
    truth
        The truth function on unlabelled texts; ``"labelled"`` leaves them out.
    strength
        λ_s or λ_m; default 10 and 0.0001, as in the paper.
    rate, margin, temperature
        Of SampleRank.
    n_labelled, n_unlabelled
        Passes over the labelled texts alone, then over all texts.
    per_token
        Proposals a token and pass.
    seed
        Of the chains.
    """

    truth: TruthName = "self+cons"
    strength: float | None = None
    rate: float = 1.0
    margin: float = 0.0
    temperature: float = 1.0
    n_labelled: int = 20
    n_unlabelled: int = 5
    per_token: float = 20.0
    seed: int = 0

    def __post_init__(self) -> None:
        allowed = ("labelled", "self", "cons", "self+cons", "model+cons")
        if self.truth not in allowed:
            raise SettingsError(f"truth is {self.truth!r}; allowed are {', '.join(allowed)}")
        if not (self.rate > 0 and self.margin >= 0 and self.temperature > 0 and self.per_token > 0):
            raise SettingsError("rate, temperature and per_token must be above 0, margin from 0 up")
        if self.n_labelled < 1 or self.n_unlabelled < 1:
            raise SettingsError("n_labelled and n_unlabelled are numbers of passes, from 1 up")

    def shares(self) -> tuple[float, float, float]:
        """Return what agreement, constraints and the model's score count in F on an unlabelled text."""
        strength = self.strength
        if self.truth == "self+cons":
            return 1.0, 10.0 if strength is None else strength, 0.0
        if self.truth == "model+cons":
            return 0.0, 1e-4 if strength is None else strength, 1.0
        return (1.0, 0.0, 0.0) if self.truth == "self" else (0.0, 1.0, 0.0)

    def fit(
        self,
        model: SemiCRF,
        sequences: Sequences,
        labels: NDArray[np.int64],
        is_labelled: NDArray[np.bool_],
        constraints: ConstraintScores | None = None,
        *,
        progress: Progress = SILENT,
    ) -> SemiCRF:
        """Change the weights of a linear chain in place; `begin` must have laid them out.

        Parameters
        ----------
        model
            A linear chain without taxonomy.
        sequences
            All texts.
        labels
            The label of each token; read on labelled texts alone.
        is_labelled
            Which texts are labelled.
        constraints
            What the constraints say of each choice.
        progress
            Shows passes.
        """
        if not model.structure.is_chain or any(up >= 0 for up in model.structure.parents):
            raise DataError("SampleRank here takes linear chains without taxonomy")
        if constraints is None:
            constraints = ConstraintScores.nothing(sequences, model.structure.n_labels)
        offsets = sequences.texts.offsets
        by_token = np.repeat(is_labelled, np.diff(offsets))
        targets = np.where(by_token, labels, 0)
        shares = np.zeros((len(is_labelled), 3))
        shares[:, 0] = 1.0
        total = self.n_labelled + (0 if self.truth == "labelled" else self.n_unlabelled)
        with progress.task("SampleRank", total, "passes") as task:
            self._run(
                model, sequences, targets, shares, constraints, np.flatnonzero(is_labelled), self.n_labelled, task
            )
            if self.truth != "labelled":
                guess = model.predict(sequences).tokens()
                targets = np.where(by_token, labels, guess)
                shares[~is_labelled] = self.shares()
                everything = np.arange(len(is_labelled))
                self._run(model, sequences, targets, shares, constraints, everything, self.n_unlabelled, task)
        return model

    def _run(
        self,
        model: SemiCRF,
        sequences: Sequences,
        targets: NDArray[np.int64],
        shares: Floats,
        constraints: ConstraintScores,
        texts: NDArray[np.int64],
        n_passes: int,
        task: object,
    ) -> None:
        """Run chains from the model's best guess; leave the mean of the weights over all steps."""
        world = model.predict(sequences).tokens()
        weights, past, step = model.weights_.copy(), np.zeros(len(model.weights_)), 0.0
        for round_ in range(n_passes):
            step = samplerank_epoch(
                stream(self.seed, "order", round_).permutation(texts),
                sequences.texts,
                model.layout(),
                world,
                (targets, shares, constraints.tokens, constraints.borders, constraints.once),
                weights,
                past,
                (self.rate, self.margin, self.temperature, self.per_token, step),
                kernel_state(self.seed, "chain", round_, len(texts)),
            )
            task.advance(1)  # type: ignore[attr-defined]
        if step:
            model.weights_ = weights - past / step


def constrained_guess(
    model: SemiCRF, sequences: Sequences, constraints: ConstraintScores, strength: float
) -> Segmentation:
    """Return the best labelling by model and constraints together; runs beyond the first are not weighed.

    The tables of tokens become one attribute a token and label, the tables of borders are added to the transitions.
    """
    from onoma.learning.sequences._semicrf_kernels import best_segments
    from onoma.learning.sequences._semicrf_score_kernels import lattice_scores, transition_scores

    texts, layout = sequences.texts, model.layout()
    labels, lengths = np.full(sequences.n_tokens, -1), np.zeros(sequences.n_tokens, np.int64)
    T = transition_scores(layout, model.weights_) + strength * constraints.borders
    for t in range(len(sequences)):
        first, last = texts.offsets[t], texts.offsets[t + 1]
        if last > first:
            scores = lattice_scores(t, texts, layout, model.weights_)
            scores[:, 0, :] += strength * constraints.tokens[first:last]
            best_segments(scores, texts.edges[first:last], T, labels[first:last], lengths[first:last])
    return Segmentation(labels, lengths)


@dataclass(frozen=True, kw_only=True)
class CodlSettings:
    """How constraint-driven self-training learns."""

    strength: float = 1.0
    """Of the constraints, beside the model."""
    share: float = 0.9
    """How much of the supervised weights stays (γ)."""
    n_rounds: int = 3


def codl(
    supervised: SemiCRF,
    learn: "type[ChainSampleRank] | ChainSampleRank",
    sequences: Sequences,
    labels: NDArray[np.int64],
    is_labelled: NDArray[np.bool_],
    constraints: ConstraintScores,
    settings: CodlSettings | None = None,
) -> SemiCRF:
    """Constraint-driven self-training: label by model and constraints, learn, mix with the supervised weights.

    The paper's top-K labellings are here the best one (K = 1).
    """
    settings = settings or CodlSettings()
    by_token = np.repeat(is_labelled, np.diff(sequences.texts.offsets))
    teacher = learn if isinstance(learn, ChainSampleRank) else learn()
    base = supervised.weights_.copy()
    for _ in range(settings.n_rounds):
        guess = constrained_guess(supervised, sequences, constraints, settings.strength).tokens()
        student = SemiCRF(supervised.structure)
        student.layout_, student.weights_ = supervised.layout(), np.zeros(len(base))
        everything = np.ones(len(is_labelled), bool)
        replace(teacher, truth="labelled").fit(student, sequences, np.where(by_token, labels, guess), everything)
        supervised.weights_ = settings.share * base + (1 - settings.share) * student.weights_
    return supervised
