"""Online learning of structures with hidden parts: a latent structural SVM by stochastic subgradients.

Some of the structure is not in the labels (which antecedent a mention chose, which mention an entity was copied from).
For an example with hidden part h, the loss is

    max_{y,h} [w·φ(x,y,h) + loss(y)] − max_h w·φ(x,y*,h),

and a step takes the subgradient at the two maximisers, found by two decoders that are arguments:

    w ← (1 − η λ) w − η (φ(loss-augmented best) − φ(best that agrees with the labels)),   η = η₀ / (1 + η₀ λ t)

(Yu and Joachims, 2009; online for coreference, Chang, Samdani and Roth, 2013). With a probabilistic decoder, the same
loop does stochastic gradient descent on a latent log-linear model: let the decoders return expected features.
"""

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError, SettingsError
from onoma.learning.averaging import AveragedWeights
from onoma.numerics.rng import stream
from onoma.progress import SILENT, Progress

__all__ = ["Decoded", "LatentStructured"]

Example = TypeVar("Example")


class Decoded(NamedTuple):
    """What a decoder found: its features, sparse, and its loss (0 when it agrees with the labels)."""

    ids: NDArray[np.int64]
    values: NDArray[np.float64]
    loss: float = 0.0


Score = Callable[[NDArray[np.int64], NDArray[np.float64]], float]
"""score(ids, values) -> w · φ under the weights as they are."""

Decoder = Callable[[Score, Example], Decoded]


class LatentStructured(Generic[Example]):
    """Online latent structured learning.

    Parameters
    ----------
    n_features
        How many features there are.
    completes
        completes(score, example): the best hidden part that agrees with the labels.
    attacks
        attacks(score, example): the best structure under score + loss.
    n_epochs
        How often to go through the examples.
    rate
        η₀.
    decay
        λ, the L2 penalty.
    averaged
        Whether `weights_` are the mean over all steps or the last ones.
    seed
        Of the order of the examples.

    Attributes
    ----------
    weights_
        The weights.
    losses_
        The mean hinge loss of each epoch, as met on the way.

    Examples
    --------
    Each example offers candidates; which of the right ones is meant is hidden.

    >>> def best(score, candidates, allowed, cost):
    ...     return max(allowed, key=lambda k: score(*candidates[k]) + cost(k))
    >>> def completes(score, example):
    ...     return Decoded(*example[0][best(score, example[0], example[1], lambda k: 0.0)])
    >>> def attacks(score, example):
    ...     wrong = lambda k: float(k not in example[1])
    ...     k = best(score, example[0], range(len(example[0])), wrong)
    ...     return Decoded(*example[0][k], wrong(k))
    >>> one, two = (np.array([0]), np.array([1.0])), (np.array([1]), np.array([1.0]))
    >>> model = LatentStructured(n_features=2, completes=completes, attacks=attacks).fit([([one, two], [1])] * 4)
    >>> bool(model.weights_[1] > model.weights_[0])
    True
    """

    def __init__(
        self,
        *,
        n_features: int,
        completes: Decoder[Example],
        attacks: Decoder[Example],
        n_epochs: int = 5,
        rate: float = 0.1,
        decay: float = 1e-4,
        averaged: bool = True,
        seed: int = 0,
    ) -> None:
        if n_features < 1 or n_epochs < 1 or not rate > 0.0 or not 0.0 <= decay * rate < 1.0:
            raise SettingsError(
                f"n_features is {n_features}, n_epochs {n_epochs}, rate {rate}, decay {decay}; "
                "allowed: n_features and n_epochs from 1, rate above 0, decay from 0 with rate × decay below 1"
            )
        self.n_features, self.completes, self.attacks = n_features, completes, attacks
        self.n_epochs, self.rate, self.decay, self.averaged, self.seed = n_epochs, rate, decay, averaged, seed
        self.weights_ = np.zeros(n_features)
        self.losses_: list[float] = []

    def fit(
        self, examples: Sequence[Example], *, start: NDArray[np.float64] | None = None, progress: Progress = SILENT
    ) -> Self:
        """Learn the weights.

        Parameters
        ----------
        examples
            Whatever the decoders understand.
        start
            Weights to start from; default 0.
        progress
            Shows examples.
        """
        if len(examples) == 0:
            raise DataError("there are no examples to learn from")
        weights, self.losses_, t = AveragedWeights(self.n_features, start), [], 0
        with progress.task("latent structures", self.n_epochs * len(examples), "examples") as task:
            for epoch in range(self.n_epochs):
                loss = 0.0
                for k in stream(self.seed, "latent", epoch).permutation(len(examples)):
                    loss += self._step(weights, examples[k], self.rate / (1.0 + self.rate * self.decay * t))
                    t += 1
                    task.advance(1)
                self.losses_.append(loss / len(examples))
        self.weights_ = weights.average() if self.averaged else weights.current()
        return self

    def _step(self, weights: AveragedWeights, example: Example, rate: float) -> float:
        """Learn from one example; return its hinge loss before the step."""
        right = self.completes(weights.dot, example)
        wrong = self.attacks(weights.dot, example)
        hinge = weights.dot(wrong.ids, wrong.values) + wrong.loss - weights.dot(right.ids, right.values)
        if not np.isfinite(hinge):
            raise DataError(f"an example has the loss {hinge}", hint="Features and losses must be finite.")
        if self.decay:
            weights.shrink(1.0 - rate * self.decay)
        if hinge > 0.0:
            weights.add(wrong.ids, wrong.values, -rate)
            weights.add(right.ids, right.values, rate)
        weights.tick()
        return max(hinge, 0.0)
