"""How a semi-Markov CRF learns from labelled texts.

* `lbfgs`: L-BFGS on the penalised log-likelihood Σ_t log P(s_t | x_t) − ½ l2 |θ|²; convex, one optimum.
* `adagrad`: stochastic gradients of the same objective, one text a step, each weight with its own falling rate
  (Duchi, Hazan and Singer, 2011); the penalty is paid by the weights that a step touches, at their share.
* `sgd`: the same with one rate η = rate / (1 + t / n) for all weights.
* `perceptron`: the averaged structured perceptron (Collins, 2002); no penalty, no probabilities.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult, minimize
from threadpoolctl import threadpool_limits

from onoma.errors import DataError, SettingsError
from onoma.learning.sequences._semicrf_arrays import Layout, Texts
from onoma.learning.sequences._semicrf_count_kernels import add_gold, evaluate_texts
from onoma.learning.sequences._semicrf_online_kernels import gradient_epoch, perceptron_epoch
from onoma.learning.sequences.semicrf_layout import Segmentation
from onoma.numerics.rng import stream
from onoma.progress import SILENT, Progress

__all__ = ["Training", "objective", "train"]

Floats = NDArray[np.float64]
_STEPS_KEPT = 20
"""L-BFGS remembers so many steps. A thousand MIT restaurant texts: with 60 for 15 the rounds are fewer by a tenth, but
each takes longer by a third."""
_CURVATURE = 0.05
"""What one occurrence of a feature adds to the curvature of the objective, p (1 − p) on average: weights are searched
for in units of 1 / √(l2 + this × occurrences). A thousand MIT restaurant texts: after 20 rounds 12 % above the optimum,
and four times it without; between .05 and .2 it makes little difference."""


@dataclass(frozen=True)
class Training:
    """How to learn.

    Parameters
    ----------
    solver
        ``"lbfgs"``, ``"adagrad"``, ``"sgd"`` or ``"perceptron"``.
    l2
        Weight of the penalty ½ l2 |θ|².
    n_rounds
        At most so many iterations (L-BFGS) or passes (the others).
    tolerance
        L-BFGS ends when ten iterations improve the objective by less than this share of it.
    rate
        Length of the first step of `adagrad` and `sgd`.
    seed
        Of the order of the texts.
    """

    solver: Literal["lbfgs", "adagrad", "sgd", "perceptron"] = "lbfgs"
    l2: float = 1.0
    n_rounds: int = 200
    tolerance: float = 3e-3
    rate: float = 0.1
    seed: int = 0

    def __post_init__(self) -> None:
        if self.solver not in ("lbfgs", "adagrad", "sgd", "perceptron"):
            raise SettingsError(f"solver is {self.solver!r}; allowed are 'lbfgs', 'adagrad', 'sgd' and 'perceptron'")
        if not self.l2 >= 0.0 or self.n_rounds < 1 or not self.rate > 0.0 or not self.tolerance >= 0.0:
            raise SettingsError(
                f"l2 is {self.l2}, n_rounds {self.n_rounds}, tolerance {self.tolerance}, rate {self.rate}; allowed: l2 "
                "and tolerance from 0, n_rounds from 1, rate above 0"
            )


def train(
    texts: Texts,
    layout: Layout,
    gold: Segmentation,
    start: Floats,
    training: Training,
    progress: Progress = SILENT,
) -> tuple[Floats, list[float]]:
    """Return the learnt weights and what each round gave (objective, or number of wrong texts)."""
    if len(texts.offsets) < 2:
        raise DataError("there are no texts to learn from")
    if training.solver == "lbfgs":
        return _quasi_newton(texts, layout, gold, start, training, progress)
    if training.solver == "perceptron":
        return _perceptron(texts, layout, gold, start, training, progress)
    return _stochastic(texts, layout, gold, start, training, progress)


def objective(texts: Texts, layout: Layout, observed: Floats, weights: Floats, l2: float) -> tuple[float, Floats]:
    """Return −Σ log P + ½ l2 |θ|² and its gradient; `observed` are the features of the gold segments."""
    expected = np.zeros(len(weights))
    log_z = evaluate_texts(np.arange(len(texts.offsets) - 1), texts, layout, weights, expected)
    value = log_z - observed @ weights + 0.5 * l2 * (weights @ weights)
    expected -= observed
    expected += l2 * weights
    return float(value), expected


def _quasi_newton(
    texts: Texts, layout: Layout, gold: Segmentation, start: Floats, training: Training, progress: Progress
) -> tuple[Floats, list[float]]:
    observed, trace = np.zeros(len(start)), list[float]()
    add_gold(np.arange(len(texts.offsets) - 1), texts, layout, gold.labels, gold.lengths, observed)
    with progress.task("learning weights", training.n_rounds, "rounds") as task:

        def after(intermediate_result: OptimizeResult) -> None:
            trace.append(float(intermediate_result.fun))
            task.advance(1, objective=trace[-1])
            if len(trace) > 10 and trace[-11] - trace[-1] < training.tolerance * abs(trace[-1]):
                raise StopIteration

        # Rare and common features differ in curvature by orders of magnitude; weights that no text touches stay.
        weights, live = start.copy(), np.flatnonzero(_occurs(texts, layout, len(start)) | (start != 0.0))
        unit = 1.0 / np.sqrt(training.l2 + _CURVATURE * (observed[live] + 1.0))

        def value(scaled: Floats) -> tuple[float, Floats]:
            weights[live] = scaled * unit
            found, slope = objective(texts, layout, observed, weights, training.l2)
            return found, slope[live] * unit

        # Products of a few vectors: more threads would only wait for each other.
        with threadpool_limits(1):
            found = minimize(
                value,
                start[live] / unit,
                jac=True,
                method="L-BFGS-B",
                callback=after,
                options={
                    "maxcor": _STEPS_KEPT,
                    "maxiter": training.n_rounds,
                    "maxfun": 10 * training.n_rounds,
                    "ftol": 0.0,
                    "gtol": 1e-6,
                },
            )
    if not np.isfinite(found.fun):
        raise DataError("the objective is not finite", hint="Do the gold segments use a transition that is barred?")
    weights[live] = found.x * unit
    return weights, trace


def _occurs(texts: Texts, layout: Layout, n_weights: int) -> NDArray[np.bool_]:
    """Return which features some text can touch; all but those of attributes that are nowhere."""
    found = np.ones(n_weights, bool)
    for tables, ids in (((layout.inside, layout.begin, layout.end), texts.ids), ((layout.segment,), texts.segment_ids)):
        for ptr in tables:
            is_there = np.zeros(len(ptr) - 1, bool)
            if len(is_there):
                is_there[ids] = True
                found[ptr[0] : ptr[-1]] = np.repeat(is_there, np.diff(ptr))
    return found


def _stochastic(
    texts: Texts, layout: Layout, gold: Segmentation, start: Floats, training: Training, progress: Progress
) -> tuple[Floats, list[float]]:
    weights, squares, trace = start.copy(), np.full(len(start), 1e-8), list[float]()
    n = len(texts.offsets) - 1
    with progress.task("learning weights", training.n_rounds, "rounds") as task:
        for round_ in range(training.n_rounds):
            order = stream(training.seed, "semicrf", round_).permutation(n)
            loss = gradient_epoch(
                order,
                texts,
                layout,
                gold.labels,
                gold.lengths,
                weights,
                squares,
                (training.rate, training.l2 / n, float(round_ * n), float(training.solver == "adagrad")),
            )
            trace.append(float(loss + 0.5 * training.l2 * (weights @ weights)))
            task.advance(1, objective=trace[-1])
    return weights, trace


def _perceptron(
    texts: Texts, layout: Layout, gold: Segmentation, start: Floats, training: Training, progress: Progress
) -> tuple[Floats, list[float]]:
    weights, past, trace = start.copy(), np.zeros(len(start)), list[float]()
    n = len(texts.offsets) - 1
    with progress.task("learning weights", training.n_rounds, "rounds") as task:
        for round_ in range(training.n_rounds):
            order = stream(training.seed, "semicrf", round_).permutation(n)
            n_wrong = perceptron_epoch(
                order, texts, layout, gold.labels, gold.lengths, weights, past, float(round_ * n)
            )
            trace.append(float(n_wrong))
            task.advance(1, wrong=n_wrong)
            if n_wrong == 0:
                break
    # After step s the sum of all weights so far is s w − past (see `averaging`).
    return weights - past / (len(trace) * n), trace
