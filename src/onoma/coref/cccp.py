"""L3M by the concave-convex procedure: what stochastic steps are compared with.

The loss of a latent structural SVM is a difference of convex functions,

    λ/2 ‖w‖² + 1/n Σ_i max_j [w·φ(i, j) + cost(i, j)] − 1/n Σ_i max_{j right} w·φ(i, j).

CCCP fixes the antecedents of the last sum at the best right ones under the weights at hand, solves the convex problem
that is left, and begins again; the loss never rises. The convex problem is solved by cutting planes: the most violated
choices of all mentions together are one plane, and the weights are the best under the planes so far, a quadratic
program with as many unknowns as planes. A plane costs a pass over all documents, where a stochastic learner would have
made a step for each mention (Yu and Joachims, "Learning structural SVMs with latent variables", 2009).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from onoma.coref._cccp_kernels import attack, complete
from onoma.coref.learning import Example
from onoma.errors import DataError, SettingsError

__all__ = ["CccpSettings", "hinge_loss", "learn_cccp"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class CccpSettings:
    """How the procedure runs.

    Parameters
    ----------
    costs
        Of a false new entity, a false anaphor, a wrong link.
    decay
        λ, the L2 penalty.
    tolerance
        The convex problem is solved to so much, and a round that gains less is the last.
    rounds, planes
        At most so many rounds, and planes in each.
    bits
        The weight table has 2 to this power rows.
    """

    costs: tuple[float, float, float] = (1.0, 1.0, 1.0)
    decay: float = 0.01
    tolerance: float = 0.05
    rounds: int = 10
    planes: int = 100
    bits: int = 16

    def __post_init__(self) -> None:
        if self.decay <= 0 or self.tolerance <= 0 or self.rounds < 1 or self.planes < 1 or not 8 <= self.bits <= 26:
            raise SettingsError(
                f"decay {self.decay}, tolerance {self.tolerance}, rounds {self.rounds}, planes {self.planes}, bits "
                f"{self.bits}; allowed: decay and tolerance above 0, rounds and planes from 1, bits 8 to 26"
            )


def learn_cccp(
    examples: Sequence[Example], settings: CccpSettings, *, seen: Callable[[Floats, float], None] | None = None
) -> tuple[Floats, list[float]]:
    """Return the weights, and the objective after each round; `seen` is shown both as they come."""
    n = sum(len(one.prepared) for one in examples)
    if not n:
        raise DataError("there is no mention to learn from")
    weights = np.zeros(1 << settings.bits)
    objectives: list[float] = []
    for _ in range(settings.rounds):
        chosen = [_completed(one, weights) for one in examples]
        weights = _solved(examples, chosen, n, settings)
        objectives.append(hinge_loss(examples, weights, settings))
        if seen is not None:
            seen(weights, objectives[-1])
        if len(objectives) > 1 and objectives[-2] - objectives[-1] < settings.tolerance:
            break
    return weights, objectives


def hinge_loss(examples: Sequence[Example], weights: Floats, settings: CccpSettings) -> float:
    """Return the objective: the penalty and the mean latent hinge loss of a mention."""
    n = sum(len(one.prepared) for one in examples)
    plane, cost = _plane(examples, [_completed(one, weights) for one in examples], weights, settings)
    return float(0.5 * settings.decay * weights @ weights + (cost + plane @ weights) / max(n, 1))


def _completed(one: Example, weights: Floats) -> Ints:
    chosen = np.zeros(len(one.prepared), np.int64)
    complete(*_arrays(one), one.chains, weights, chosen)
    return chosen


def _plane(
    examples: Sequence[Example], chosen: Sequence[Ints], weights: Floats, settings: CccpSettings
) -> tuple[Floats, float]:
    """Return the features of the most violated choices less those of the chosen, and what the choices cost."""
    plane, costs, total = np.zeros(len(weights)), np.array(settings.costs), 0.0
    for one, fixed in zip(examples, chosen, strict=True):
        total += attack(*_arrays(one), one.chains, costs, weights, fixed, plane)
    return plane, total


def _arrays(one: Example) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    m = one.prepared.mentions
    return m.table, m.words, m.word_ends, m.modifiers, m.modifier_ends, one.prepared.counts


def _solved(examples: Sequence[Example], chosen: Sequence[Ints], n: int, settings: CccpSettings) -> Floats:
    """Minimise λ/2 ‖w‖² + the loss with antecedents fixed, by cutting planes."""
    weights = np.zeros(1 << settings.bits)
    planes, costs = np.zeros((settings.planes, len(weights)), np.float32), np.zeros(settings.planes)
    products = np.zeros((settings.planes, settings.planes))
    shares = np.zeros(0)
    for k in range(settings.planes):
        plane, cost = _plane(examples, chosen, weights, settings)
        slack = float(np.max(costs[:k] + planes[:k] @ weights)) if k else -np.inf
        if (cost + plane @ weights) / n - slack < settings.tolerance:
            break
        planes[k], costs[k] = plane / n, cost / n
        products[k, : k + 1] = products[: k + 1, k] = planes[: k + 1] @ planes[k]
        own = products[: k + 1, : k + 1] / settings.decay
        shares = _shares(own, costs[: k + 1], np.append(shares, 0.0), settings.tolerance / 10)
        weights = -(shares.astype(np.float32) @ planes[: k + 1]).astype(np.float64) / settings.decay
    return weights


def _shares(products: Floats, costs: Floats, start: Floats, least: float) -> Floats:
    """Return the α ≥ 0 with Σ α = 1 that maximises costs·α − ½ αᵀ products α, to `least`: pairwise steps."""
    shares = start if start.sum() > 0 else np.eye(len(costs))[-1]
    for _ in range(_STEPS):
        gain = costs - products @ shares
        up, down = int(np.argmax(gain)), int(np.argmin(np.where(shares > 0, gain, np.inf)))
        if gain[up] - gain[down] < least:
            break
        bend = products[up, up] + products[down, down] - 2 * products[up, down]
        step = min(shares[down], (gain[up] - gain[down]) / bend if bend > 0 else np.inf)
        shares[up] += step
        shares[down] -= step
    return shares


_STEPS = 20_000
"""Of the quadratic program, at most: far more than it takes."""
