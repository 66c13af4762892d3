"""Looking at some of the factors: how the score of a change is estimated (Singh, Wick and McCallum, EMNLP 2012).

With F the factors a change touches and S a sample of them without replacement, ψ_S = |F| · mean_{f∈S} f stands in for
ψ = Σ_{f∈F} f. What is averaged is a factor's change between the two worlds; in Gibbs sampling, where all values
of a variable compete, its score under each value (one sample serves them all, and the widest interval decides).

`Exact` looks at all of F. `Uniform` and `Confidence` look at |S|; the noise in ψ_S biases what is sampled (by
Jensen's inequality, mostly towards the undecided), the more the more noise. `Adaptive` is cheap in burn-in and ends
exact. `onoma.mcmc.minibatch.Poisson` looks at few factors without bias. Factors with a forbidden (-inf) cell are always
looked at, by every strategy: they are not part of F, so what is forbidden stays so.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from onoma.errors import SettingsError
from onoma.mcmc._subsampling_kernels import CONFIDENCE, EXACT, PROPORTION, ScoringPlan, wants_more

__all__ = ["Adaptive", "Confidence", "Estimate", "Exact", "Strategy", "Uniform", "WithoutProportion", "estimate"]


class Strategy(Protocol):
    """How much to look at; compiled to numbers for the kernels."""

    def plan(self) -> ScoringPlan:
        """Return the strategy as numbers."""

    def proportions(self, first: int, n: int) -> NDArray[np.float64]:
        """Return the proportion of factors for each of n sweeps from the first on (1 where it does not apply)."""


class WithoutProportion:
    """The base of strategies that no proportion tells how much to look at."""

    def proportions(self, first: int, n: int) -> NDArray[np.float64]:  # noqa: ARG002 (a strategy's signature)
        """Return 1 for each sweep."""
        return np.ones(n)


@dataclass(frozen=True)
class Exact(WithoutProportion):
    """Every factor."""

    def plan(self) -> ScoringPlan:
        """Return the strategy as numbers."""
        return ScoringPlan(EXACT)


@dataclass(frozen=True)
class Uniform:
    """A fixed proportion p of the factors, at least one: |S| = max(1, round(p·|F|))."""

    p: float

    def __post_init__(self) -> None:
        _check_proportion("p", self.p)

    def plan(self) -> ScoringPlan:
        """Return the strategy as numbers."""
        return ScoringPlan(PROPORTION)

    def proportions(self, first: int, n: int) -> NDArray[np.float64]:  # noqa: ARG002 (a strategy's signature)
        """Return p for each sweep."""
        return np.full(n, self.p)


@dataclass(frozen=True)
class Confidence(WithoutProportion):
    """Factors until the interval around their mean is narrower than `width`.

    The width is 2 z σ_S/√|S| · √((|F|-|S|)/(|F|-1)); the last root, for a finite population, makes it 0 at S = F, so
    drawing always ends. Two equal scores at the start have σ = 0 and end it at once: with scores of few distinct
    values (0 or 1, say) ask for a larger `minimum`.
    """

    width: float
    z: float = 1.96
    minimum: int = 2

    def __post_init__(self) -> None:
        if not (self.width > 0 and math.isfinite(self.width) and self.z > 0 and math.isfinite(self.z)):
            raise SettingsError(f"Confidence(width={self.width}, z={self.z}); both are numbers above 0")
        if self.minimum < 2:
            raise SettingsError(f"minimum is {self.minimum}; a variance needs 2 factors or more")

    def plan(self) -> ScoringPlan:
        """Return the strategy as numbers."""
        return ScoringPlan(CONFIDENCE, self.width, self.z, self.minimum)


@dataclass(frozen=True)
class Adaptive:
    """A proportion that grows geometrically from `start` to `end` over the first `n_sweeps`, then stays.

    With `end=1` (the default) every sweep from `n_sweeps` on is exact: with a burn-in at least that long the samples
    kept come from the exact chain, merely started from where a cheaper one got to.
    """

    n_sweeps: int
    start: float = 0.05
    end: float = 1.0

    def __post_init__(self) -> None:
        _check_proportion("start", self.start)
        _check_proportion("end", self.end)
        if self.n_sweeps < 1:
            raise SettingsError(f"n_sweeps is {self.n_sweeps}; at least 1 sweep leads from start to end")

    def plan(self) -> ScoringPlan:
        """Return the strategy as numbers."""
        return ScoringPlan(PROPORTION)

    def proportions(self, first: int, n: int) -> NDArray[np.float64]:
        """Return the proportion for each sweep."""
        progress = np.minimum(np.arange(first, first + n) / self.n_sweeps, 1.0)
        grown = self.start * (self.end / self.start) ** progress
        return np.where(progress >= 1.0, self.end, grown)


class Estimate(NamedTuple):
    """An estimated sum over n factors, and how many were looked at."""

    total: float
    n_scored: int


def estimate(
    strategy: Strategy, n: int, score: Callable[[int], float], rng: np.random.Generator, *, sweep: int = 0
) -> Estimate:
    """Estimate Σ_{k<n} score(k) as a strategy says: for models and proposals written in Python.

    Costs O(|S|): drawn positions live in a dictionary, which is Fisher and Yates' shuffle without the array.

    Examples
    --------
    >>> from onoma.numerics.rng import stream
    >>> estimate(Uniform(0.5), 10, float, stream(7)).n_scored
    5
    >>> estimate(Confidence(0.1), 1000, lambda k: 0.25, stream(7))
    Estimate(total=250.0, n_scored=2)
    """
    plan, proportion = strategy.plan(), float(strategy.proportions(sweep, 1)[0])
    if plan.kind == EXACT:
        return Estimate(sum(score(k) for k in range(n)), n)
    moved: dict[int, int] = {}
    k, mean, squares = 0, 0.0, 0.0
    while wants_more(plan, proportion, k, n, squares):
        j = int(rng.integers(k, n))
        item, moved[j] = moved.get(j, j), moved.get(k, k)
        value = score(item)
        k += 1
        step = value - mean
        mean += step / k
        squares += step * (value - mean)
    return Estimate(n * mean, k)


def _check_proportion(name: str, value: float) -> None:
    if not 0.0 < value <= 1.0:
        raise SettingsError(f"{name} is {value}; a proportion of factors is above 0 and at most 1")
