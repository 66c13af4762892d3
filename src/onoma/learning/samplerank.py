"""SampleRank: learn to rank worlds from the pairs that a sampler visits anyway.

A Markov chain compares the present world with a proposed one. Let Δ = f(proposed) − f(present) be their difference in
features, w·Δ the model's opinion, and ΔF the truth function's. If the model does not prefer the world that the truth
prefers by at least a margin, the weights move towards it:

    if ΔF ≠ 0 and sign(ΔF) · w·Δ ≤ margin:   w ← w + α sign(ΔF) Δ

(Wick, Rohanimanesh, Bellare, Culotta and McCallum, 2011). No marginals, no decoding; a step costs time in what the
change touches. The truth function is an argument: a loss against labels, agreement with the model's own best guess, or
constraints (Singh, Yao, Riedel and McCallum, 2010); `joined` adds them up.

The weights used are the mean over all steps.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError, SettingsError
from onoma.learning.averaging import AveragedWeights
from onoma.learning.inputs import MatrixLike, as_matrix
from onoma.mcmc.metropolis import build_kernel, init
from onoma.mcmc.proposals import Proposal, WorldChange
from onoma.numerics.rng import stream
from onoma.progress import SILENT, Progress

__all__ = ["Move", "SampleRank", "joined"]

AnyWorld = TypeVar("AnyWorld")
Truth = Callable[[AnyWorld, WorldChange[AnyWorld]], float]
"""truth(world, change) -> F(world after the change) − F(world); leaves the world as it was."""


@dataclass(frozen=True)
class Move(Generic[AnyWorld]):
    """A change that may be made, with what it does to the features.

    Attributes
    ----------
    change
        What to do to the world.
    ids, values
        f(after) − f(before), sparse.
    log_q_ratio
        log q(before | after) − log q(after | before).
    """

    change: WorldChange[AnyWorld]
    ids: NDArray[np.int64]
    values: NDArray[np.float64]
    log_q_ratio: float = 0.0


MoveFn = Callable[[np.random.Generator, AnyWorld], Move[AnyWorld]]
"""propose(rng, world) -> Move; leaves the world as it was."""


def joined(*parts: tuple[float, Truth[AnyWorld]]) -> Truth[AnyWorld]:
    """Return the weighted sum of truth functions.

    Examples
    --------
    >>> both = joined((1.0, lambda world, change: 2.0), (10.0, lambda world, change: -1.0))
    >>> both(None, None)
    -8.0
    """

    def truth(world: AnyWorld, change: WorldChange[AnyWorld]) -> float:
        return sum(weight * part(world, change) for weight, part in parts)

    return truth


class SampleRank:
    """Weights that rank worlds as a truth function does.

    Parameters
    ----------
    n_features
        How many features there are.
    rate
        α, the length of a step.
    margin
        The better world must win by more than this to leave the weights alone.
    n_steps
        Proposals per world and epoch (`fit`).
    n_epochs
        How often to go through the worlds, or the pairs.
    temperature
        Of the chain that `fit` runs under the weights as they are.
    seed
        Of the chain and of the order of pairs.

    Attributes
    ----------
    weights_
        The mean over all steps.
    last_weights_
        The weights after the last step.
    n_updates_, n_ranked_
        How many pairs changed the weights, and how many the truth function told apart.

    Examples
    --------
    Rank by the first feature, against the second:

    >>> differences = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 2.0]])
    >>> model = SampleRank(n_features=2, n_epochs=20).fit_pairs(differences, [1.0, -1.0, -1.0])
    >>> np.sign(differences @ model.weights_).tolist()
    [1.0, -1.0, -1.0]
    """

    def __init__(
        self,
        *,
        n_features: int,
        rate: float = 1.0,
        margin: float = 0.0,
        n_steps: int = 1000,
        n_epochs: int = 1,
        temperature: float = 1.0,
        seed: int = 0,
    ) -> None:
        if n_features < 1 or not rate > 0.0 or not margin >= 0.0 or not temperature > 0.0:
            raise SettingsError(
                f"n_features is {n_features}, rate {rate}, margin {margin}, temperature {temperature}; "
                "allowed: n_features from 1, rate and temperature above 0, margin from 0 up"
            )
        if n_steps < 1 or n_epochs < 1:
            raise SettingsError(f"n_steps is {n_steps}, n_epochs {n_epochs}; allowed are numbers from 1 up")
        self.n_features, self.rate, self.margin = n_features, rate, margin
        self.n_steps, self.n_epochs, self.temperature, self.seed = n_steps, n_epochs, temperature, seed
        self.weights_ = np.zeros(n_features)
        self.last_weights_ = np.zeros(n_features)
        self.n_updates_ = self.n_ranked_ = 0

    def fit(
        self,
        worlds: Sequence[AnyWorld],
        propose: MoveFn[AnyWorld],
        truth: Truth[AnyWorld],
        *,
        start: NDArray[np.float64] | None = None,
        progress: Progress = SILENT,
    ) -> Self:
        """Run a chain on each world under the weights as they are, learning from each proposal.

        Parameters
        ----------
        worlds
            Where the chains start; they are changed in place.
        propose
            Proposes moves.
        truth
            Says how much better a change makes a world.
        start
            Weights to start from; default 0.
        progress
            Shows proposals.
        """
        self._begin(start)
        rng = stream(self.seed, "samplerank")
        with progress.task("SampleRank", self.n_epochs * len(worlds) * self.n_steps, "proposals") as task:
            for _ in range(self.n_epochs):
                for world in worlds:
                    self._run(world, propose, truth, rng)
                    task.advance(self.n_steps, updates=self.n_updates_)
        return self._end()

    def fit_pairs(
        self,
        differences: MatrixLike,
        d_objective: Sequence[float] | NDArray[np.float64],
        *,
        start: NDArray[np.float64] | None = None,
    ) -> Self:
        """Learn from given pairs, in a new random order each epoch.

        Parameters
        ----------
        differences
            Pairs × features: f(a) − f(b).
        d_objective
            F(a) − F(b) of each pair; 0 where neither is better.
        start
            Weights to start from; default 0.
        """
        matrix, signs = as_matrix(differences), np.sign(np.asarray(d_objective, np.float64))
        if matrix.shape != (len(signs), self.n_features):
            raise DataError(f"differences are {matrix.shape}; wanted ({len(signs)}, {self.n_features})")
        self._begin(start)
        for epoch in range(self.n_epochs):
            for i in stream(self.seed, "pairs", epoch).permutation(len(signs)):
                entries = slice(matrix.indptr[i], matrix.indptr[i + 1])
                self._learn(matrix.indices[entries], matrix.data[entries], float(signs[i]))
        return self._end()

    def _begin(self, start: NDArray[np.float64] | None) -> None:
        self._averaged = AveragedWeights(self.n_features, start)
        self.n_updates_ = self.n_ranked_ = 0

    def _end(self) -> Self:
        self.weights_, self.last_weights_ = self._averaged.average(), self._averaged.current()
        return self

    def _learn(self, ids: NDArray[Any], values: NDArray[np.float64], d_objective: float) -> None:
        """Look at one pair."""
        if np.isnan(d_objective):
            raise DataError("the truth function returned NaN", hint="It must say which world is better, or 0.")
        sign = float(np.sign(d_objective))
        self.n_ranked_ += sign != 0.0
        if sign != 0.0 and sign * self._averaged.dot(ids, values) <= self.margin:
            self._averaged.add(ids, values, self.rate * sign)
            self.n_updates_ += 1
        self._averaged.tick()

    def _run(
        self, world: AnyWorld, propose: MoveFn[AnyWorld], truth: Truth[AnyWorld], rng: np.random.Generator
    ) -> None:
        """Run one chain; each proposal is scored by the weights as they are, then learnt from."""
        moves: list[Move[AnyWorld]] = []

        def scored(rng: np.random.Generator, world: AnyWorld) -> Proposal[AnyWorld]:
            move = propose(rng, world)
            moves[:] = [move]
            d_log_score = self._averaged.dot(move.ids, move.values)
            return Proposal(move.change, d_log_score, move.log_q_ratio, truth(world, move.change))

        step, state = build_kernel(scored), init(world, 0.0)
        for _ in range(self.n_steps):
            state, info = step(rng, state, self.temperature)
            self._learn(moves[0].ids, moves[0].values, info.proposal.d_objective or 0.0)
