"""Learning from expectations: what a model should do on average over unlabelled texts, in place of labels.

A *constraint* bounds the expectation of a function of segmentations, summed over all texts: "arizona is a STATE in at
least half of its occurrences" (Mann and McCallum, 2008; Bellare, Druck and McCallum, 2009). Three kinds:

    affine   E[g'] ≥ u          λ ≥ 0
    l2       E[g'] ≈ u          penalty on the squared difference, strength 1 / slack
    box      |E[g'] − u| ≤ slack

Four ways to learn from them:

* `online`: alternating projections, one text a step, rates by AdaGrad. q_{θ,λ} ∝ exp(θ·G + λ·G') is the model pulled
  towards the constraints; λ climbs the dual, θ follows q: θ += η (E_q[g] − E_p[g] − α θ / n).
* `paper`: the same with the one rate η = 1 / (t + t₀), to the letter (Singh, Hillard and Leggetter, 2010). Constraints
  that fire seldom then move little; `online` gives each its own rate.
* `batch`: posterior regularisation (Ganchev, Graça, Gillenwater and Taskar, 2010): λ to the optimum of the dual for
  fixed θ (an I-projection: its Karush–Kuhn–Tucker conditions hold), then θ to the optimum for fixed q; alternately.
* `ge`: generalised expectation: −½ Σ (u − E_p[g'])² / N² by L-BFGS. Its gradient is a covariance, taken here as the
  derivative of E_q[g] along the residual.

A pass costs two runs of forward–backward a text.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import Bounds, minimize
from threadpoolctl import threadpool_limits

from onoma.errors import DataError, SettingsError
from onoma.learning.sequences._expectations_kernels import evaluate_projected, projections_epoch
from onoma.learning.sequences._semicrf_arrays import Layout
from onoma.learning.sequences.semicrf import SemiCRF
from onoma.learning.sequences.semicrf_layout import Segmentation, Sequences, n_weights
from onoma.learning.sequences.semicrf_training import objective
from onoma.numerics.rng import stream
from onoma.progress import SILENT, Progress

__all__ = ["ConstraintSet", "Expectations", "Projection", "project", "satisfied"]

Floats = NDArray[np.float64]
KINDS = ("affine", "l2", "box")
_STEPS, _PENALTY = 2_000, 0.004
"""Steps that AdaGrad needs at least, and α for each text. With 30 and 100 requests for restaurants and for films, 600
others labelled, span F1 goes from .14, .15, .37, .23 (five passes, α = 30) to .29, .24, .47, .29; with 1,000 it is .58,
.42 (.59, .43 before), and with all of them α is what it was."""


@dataclass(frozen=True)
class ConstraintSet:
    """Constraints on the same texts as a model.

    Attributes
    ----------
    sequences
        The base features' attributes, on the model's tokens.
    layout
        Where the base features lie; same labels and longest segments as the model.
    matrix
        Constraints × base features: each constraint is a weighted sum of them.
    targets
        u: the bound of each constraint, summed over all texts.
    kinds
        0 affine, 1 l2, 2 box.
    slack
        Of l2 and box constraints.
    """

    sequences: Sequences
    layout: Layout
    matrix: sp.csr_array
    targets: Floats
    kinds: NDArray[np.int8]
    slack: Floats

    def __post_init__(self) -> None:
        k, width = self.matrix.shape
        if width != n_weights(self.layout) or not len(self.targets) == len(self.kinds) == len(self.slack) == k:
            raise DataError(f"{k} constraints on {width} base features; targets, kinds and slack must match")

    def rows(self) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
        """Return the matrix as the kernels read it."""
        matrix = self.matrix.tocsr()
        return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data.astype(np.float64)


@dataclass(frozen=True)
class Expectations:
    """How to learn from constraints.

    Parameters
    ----------
    method
        ``"online"``, ``"paper"``, ``"batch"`` or ``"ge"``.
    n_rounds
        Passes, or alternations (`batch`), or iterations (`ge`); None: five, and more for few texts, whose weights would
        else hardly have moved.
    l2
        α, the penalty on θ; None: in proportion to the texts. A bound speaks of every text, so what it asks of θ grows
        with them, unlike what a few labels say.
    rate
        η₀ of `paper`; of `online`, AdaGrad's rate of θ.
    multiplier_rate
        AdaGrad's rate of λ.
    seed
        Of the order of the texts.
    """

    method: Literal["online", "paper", "batch", "ge"] = "online"
    n_rounds: int | None = 5
    l2: float | None = 1.0
    rate: float = 0.1
    multiplier_rate: float = 0.3
    seed: int = 0

    def __post_init__(self) -> None:
        if self.method not in ("online", "paper", "batch", "ge"):
            raise SettingsError(f"method is {self.method!r}; allowed are 'online', 'paper', 'batch' and 'ge'")
        is_wrong = (self.n_rounds is not None and self.n_rounds < 1) or (self.l2 is not None and not self.l2 >= 0)
        if is_wrong or not self.rate > 0 or not self.multiplier_rate > 0:
            raise SettingsError(
                f"n_rounds is {self.n_rounds}, l2 {self.l2}, rate {self.rate}, multiplier_rate {self.multiplier_rate}; "
                "allowed: n_rounds from 1, l2 from 0, rates above 0"
            )

    def rounds(self, n_texts: int) -> int:
        """Return how many passes are made over so many texts."""
        return self.n_rounds or max(5, -(-_STEPS // max(n_texts, 1)))

    def penalty(self, n_texts: int) -> float:
        """Return α for so many texts."""
        return _PENALTY * n_texts if self.l2 is None else self.l2

    def fit(
        self,
        model: SemiCRF,
        sequences: Sequences,
        constraints: ConstraintSet,
        *,
        labelled: tuple[NDArray[np.bool_], Segmentation] | None = None,
        progress: Progress = SILENT,
    ) -> "Projection":
        """Change the model's weights in place (`begin` must have laid them out); return the multipliers.

        Parameters
        ----------
        model
            The model.
        sequences
            All texts, unlabelled and labelled.
        constraints
            On the same texts.
        labelled
            Which texts are labelled, and a segmentation that is right on these; `online` and `paper` only.
        progress
            Shows rounds.
        """
        if labelled is not None and self.method in ("batch", "ge"):
            raise SettingsError(f"method {self.method!r} takes no labelled texts", hint="Use 'online' or 'paper'.")
        with threadpool_limits(1):
            if self.method == "batch":
                return self._alternate(model, sequences, constraints, progress)
            if self.method == "ge":
                return self._generalised(model, sequences, constraints)
            return self._online(model, sequences, constraints, labelled, progress)

    def _online(
        self,
        model: SemiCRF,
        sequences: Sequences,
        constraints: ConstraintSet,
        labelled: tuple[NDArray[np.bool_], Segmentation] | None,
        progress: Progress,
    ) -> "Projection":
        n, k, width = len(sequences), len(constraints.targets), constraints.matrix.shape[1]
        blank = Segmentation(np.full(sequences.n_tokens, -1), np.zeros(sequences.n_tokens, np.int64))
        is_labelled, gold = labelled or (np.zeros(n, bool), blank)
        n_free = max(int((~is_labelled).sum()), 1)
        small = 1e-8 if self.method == "online" else 0.0
        squares = np.full(len(model.weights_) if small else 0, small)
        multipliers, multiplier_squares = np.zeros(k), np.full(k if small else 0, small)
        beside_weights, scale, step = np.zeros(width), 1.0, 0.0
        n_rounds = self.rounds(n)
        with progress.task("alternating projections", n_rounds, "passes") as task:
            for round_ in range(n_rounds):
                scale = projections_epoch(
                    stream(self.seed, "projections", round_).permutation(n),
                    sequences.texts,
                    model.layout(),
                    constraints.sequences.texts,
                    constraints.layout,
                    constraints.rows(),
                    (constraints.targets / n_free, constraints.kinds, constraints.slack),
                    (is_labelled, gold.labels, gold.lengths),
                    (model.weights_, squares, multipliers, multiplier_squares, beside_weights),
                    (self.rate, self.multiplier_rate, self.penalty(n) / n, step, scale),
                )
                step += n
                task.advance(1)
        model.weights_ *= scale
        return Projection(multipliers, float("nan"), np.full(k, np.nan))

    def _alternate(
        self, model: SemiCRF, sequences: Sequences, constraints: ConstraintSet, progress: Progress
    ) -> "Projection":
        found = None
        n_rounds, l2 = self.rounds(len(sequences)), self.penalty(len(sequences))
        with progress.task("posterior regularisation", n_rounds, "rounds") as task:
            for _ in range(n_rounds):
                found = project(model, sequences, constraints, start=None if found is None else found.multipliers)
                observed = _expected(model, sequences, constraints, found.multipliers)[1]

                def value(weights: Floats, observed: Floats = observed) -> tuple[float, Floats]:
                    return objective(sequences.texts, model.layout(), observed, weights, l2)

                model.weights_ = minimize(value, model.weights_, jac=True, method="L-BFGS-B", options={"maxiter": 15}).x
                task.advance(1)
        return found or Projection(np.zeros(0), 0.0, np.zeros(0))

    def _generalised(self, model: SemiCRF, sequences: Sequences, constraints: ConstraintSet) -> "Projection":
        scale = np.maximum(np.abs(constraints.targets), 1.0)
        weights = model.weights_

        def value(theta: Floats) -> tuple[float, Floats]:
            model.weights_ = theta
            _, _, met = _expected(model, sequences, constraints, np.zeros(len(scale)))
            residual = (constraints.targets - met) / scale
            residual[(constraints.kinds == 0) & (residual < 0)] = 0.0
            # d E[g'] / dθ along a direction of constraints = d E_q[g] / dε with λ = ε · direction.
            direction = residual / scale
            epsilon = 1e-4 / max(float(np.abs(direction).max()), 1e-12)
            up = _expected(model, sequences, constraints, epsilon * direction)[1]
            down = _expected(model, sequences, constraints, -epsilon * direction)[1]
            prior = self.penalty(len(sequences)) / len(sequences)
            loss = 0.5 * float(residual @ residual) + 0.5 * prior * float(theta @ theta)
            return loss, -(up - down) / (2 * epsilon) + prior * theta

        model.weights_ = minimize(
            value, weights, jac=True, method="L-BFGS-B", options={"maxiter": self.rounds(len(sequences))}
        ).x
        zero = np.zeros(len(scale))
        return Projection(zero, float("nan"), _expected(model, sequences, constraints, zero)[2])


@dataclass(frozen=True)
class Projection:
    """Where the multipliers ended.

    Attributes
    ----------
    multipliers
        λ.
    dual
        The dual objective Σ log Z_q − λ·u (`batch`, `project`); lower is nearer.
    expectations
        E_q[g'] summed over the texts (`batch`, `project`), E_p[g'] for `ge`.
    """

    multipliers: Floats
    dual: float
    expectations: Floats


def project(
    model: SemiCRF,
    sequences: Sequences,
    constraints: ConstraintSet,
    *,
    start: Floats | None = None,
    n_rounds: int = 30,
    tolerance: float = 1e-9,
) -> Projection:
    """Find the distribution nearest to the model that meets the constraints: a convex problem in λ.

    min_λ  Σ_t log Z_q(x_t) − λ·u  + ½ slack·λ² (l2)  + slack·|λ| (box),  λ ≥ 0 for affine constraints
    """
    k, is_box = len(constraints.targets), constraints.kinds == 2
    # A box constraint's λ is split into its positive and its negative part: both smooth, both bounded.
    begin = np.zeros(k) if start is None else start

    def value(both: Floats) -> tuple[float, Floats]:
        multipliers = both[:k] - both[k:]
        log_z, _, met = _expected(model, sequences, constraints, multipliers)
        l2 = np.where(constraints.kinds == 1, constraints.slack, 0.0)
        box = np.where(is_box, constraints.slack, 0.0)
        dual = log_z - multipliers @ constraints.targets + 0.5 * l2 @ multipliers**2 + box @ (both[:k] + both[k:])
        slope = met - constraints.targets + l2 * multipliers
        return float(dual), np.concatenate([slope + box, -slope + box])

    found = minimize(
        value,
        np.concatenate([np.maximum(begin, 0.0), np.maximum(-begin, 0.0)]),
        jac=True,
        method="L-BFGS-B",
        bounds=Bounds(
            np.zeros(2 * k), np.concatenate([np.full(k, np.inf), np.where(constraints.kinds == 0, 0.0, np.inf)])
        ),
        options={"maxiter": n_rounds, "ftol": tolerance, "gtol": 1e-7},
    )
    multipliers = found.x[:k] - found.x[k:]
    return Projection(multipliers, float(found.fun), _expected(model, sequences, constraints, multipliers)[2])


def satisfied(constraints: ConstraintSet, expectations: Floats, *, tolerance: float = 1e-3) -> NDArray[np.bool_]:
    """Return which constraints expectations meet, within a share of their target."""
    room = tolerance * np.maximum(np.abs(constraints.targets), 1.0) + constraints.slack * (constraints.kinds == 2)
    gap = expectations - constraints.targets
    return np.where(constraints.kinds == 0, gap >= -room, np.abs(gap) <= room)


def _expected(
    model: SemiCRF, sequences: Sequences, constraints: ConstraintSet, multipliers: Floats
) -> tuple[float, Floats, Floats]:
    """Return Σ log Z_q, E_q[g] and E_q[g'] over all texts."""
    out, beside = np.zeros(len(model.weights_)), np.zeros(constraints.matrix.shape[1])
    log_z = evaluate_projected(
        np.arange(len(sequences)),
        sequences.texts,
        model.layout(),
        model.weights_,
        constraints.sequences.texts,
        constraints.layout,
        np.asarray(constraints.matrix.T @ multipliers),
        out,
        beside,
    )
    return float(log_z), out, np.asarray(constraints.matrix @ beside)
