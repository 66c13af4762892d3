"""The objective of maximum entropy, in the two forms data come in.

Both forms minimise the same function of the weights w,

    L(w) = Σ_x c(x) log T_w(x) − Σ_t w_t P̃(f_t) + Σ_t w_t² / (2σ²) + λ Σ_t |w_t|,
    T_w(x) = Σ_y exp Σ_t w_t f_t(x, y),

where c(x) counts the samples with context x and P̃(f_t) = Σ c(x, y) f_t(x, y) is what was observed. Counts are not
divided by their sum: σ² is the variance of a Gaussian prior on each weight.

* `product_problem.py`: a context is a row of a sparse matrix X, and there is a feature f_py(x, y') = x_p [y' = y] for
  each pair of a column p and a class y (or for the pairs seen together in the samples). The product is never
  materialised.
* `candidate_problem.py`: each context lists its own candidates and each candidate its own features f_t(x, y).

A problem gives the solvers what they need: expectations (one pass over the samples) and a `State` that sequential
methods update weight by weight.
"""

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from onoma.errors import SettingsError
from onoma.learning._maxent_kernels import Rule
from onoma.learning.inputs import SparseRows

__all__ = ["Penalty", "Problem", "Search", "State", "Store", "column_sharp", "rule_of"]

Floats = NDArray[np.float64]
Store = Literal["float64", "float32", "nothing"]


@dataclass(frozen=True)
class Penalty:
    """Σ w² / (2 variance) + l1 Σ |w|; an infinite variance means no L2 term."""

    variance: float = 10.0
    l1: float = 0.0

    def __post_init__(self) -> None:
        if not self.variance > 0.0:
            raise SettingsError(f"variance is {self.variance}; allowed are numbers above 0 (inf: no L2 penalty)")
        if not 0.0 <= self.l1 < np.inf:
            raise SettingsError(f"l1 is {self.l1}; allowed are finite numbers from 0 up")

    @property
    def inverse_variance(self) -> float:
        """1/σ²."""
        return 1.0 / self.variance

    def value(self, w: Floats) -> float:
        """Return the penalty of some weights."""
        return float(0.5 * self.inverse_variance * (w @ w)) + (self.l1 * float(np.abs(w).sum()) if self.l1 else 0.0)

    def gradient(self, slope: Floats, w: Floats) -> Floats:
        """Return the gradient of the whole from that of the likelihood; with L1, the shortest subgradient."""
        slope = slope + self.inverse_variance * w
        if self.l1 == 0.0:
            return slope
        return np.where(
            w != 0.0, slope + self.l1 * np.sign(w), np.sign(slope) * np.maximum(np.abs(slope) - self.l1, 0.0)
        )


@dataclass(frozen=True)
class Search:
    """The line search of `cd`: steps β^k d, accepted when they bring at least γ of the promised decrease."""

    beta: float = 0.5
    gamma: float = 0.001

    def __post_init__(self) -> None:
        if not 0.0 < self.beta < 1.0 or not 0.0 < self.gamma < 0.5:
            raise SettingsError(f"beta is {self.beta}, gamma {self.gamma}; allowed: 0 < beta < 1, 0 < gamma < 1/2")

    @property
    def safe_range(self) -> float:
        """The largest r with (e^r - r - 1) / r² ≤ 1 - γ: within it a full Newton step needs no test."""
        low, high = 0.5, 2.0
        for _ in range(60):
            r = 0.5 * (low + high)
            low, high = (r, high) if np.expm1(r) - r <= (1.0 - self.gamma) * r * r else (low, r)
        return low


class State(Protocol):
    """What a sequential method keeps: S_w and T_w."""

    def refresh(self, w: Floats) -> None:
        """Compute everything from the weights."""

    def sweep(self, rule: int, w: Floats, penalty: Penalty, search: Search) -> float:
        """Update every weight once, in place; return Σ (∂L/∂w_t)² as met on the way."""

    def log_partition(self, w: Floats) -> float:
        """Return Σ_x c(x) log T_w(x)."""


class Problem(Protocol):
    """What a solver knows of the data."""

    observed: Floats
    counts: Floats
    is_nonnegative: bool

    def sharp(self) -> float:
        """Return f# = max_{x,y} Σ_t f_t(x, y)."""

    def evaluate(self, w: Floats) -> tuple[float, Floats]:
        """Return Σ_x c(x) log T_w(x) and the expectations E_w[f_t]."""

    def scaling(self, w: Floats, z: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the data part of IIS's bound at z, with its first and second derivatives."""

    def state(self, store: Store) -> State:
        """Return room for S_w and T_w."""


def rule_of(method: int, penalty: Penalty, search: Search) -> Rule:
    """Return a method, a penalty and a line search as kernels take them."""
    strength = (float(penalty.inverse_variance), float(penalty.l1))
    return Rule(method, *strength, float(search.gamma), float(search.beta), search.safe_range)


def column_sharp(columns: SparseRows, *, signed: bool) -> Floats:
    """Return max |f| of each column; when values may be negative, -(max - min) with 0 among them."""
    n = len(columns.ptr) - 1
    if len(columns.values) == 0:
        return np.ones(n)
    result = np.ones(n)
    filled = np.flatnonzero(np.diff(columns.ptr))
    if len(filled) == 0:
        return result
    starts = columns.ptr[filled]
    highest = np.maximum(np.maximum.reduceat(columns.values, starts), 0.0)
    lowest = np.minimum(np.minimum.reduceat(columns.values, starts), 0.0)
    result[filled] = -(highest - lowest) if signed else highest
    # A column of stored zeros has no reach; any number will do for it.
    result[result == 0.0] = 1.0
    return result
