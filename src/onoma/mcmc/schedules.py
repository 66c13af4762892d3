"""Annealing: the temperature of each step. A schedule is the only owner of temperature; kernels receive one number.

Scores are divided by the temperature, proposal ratios are not. Temperature 1 samples the model; lower ones sample
sharper versions of it, and a schedule that cools looks for the best world. A step is one sweep in compiled chains
and one proposal in chains with proposals written in Python. Every schedule that ends somewhere uses its last
temperature in its last step, and keeps it afterwards.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from onoma.errors import SettingsError

__all__ = ["Constant", "Geometric", "Linear", "Logarithmic", "Restart", "Schedule"]


class Schedule(Protocol):
    """A temperature for each step."""

    def temperatures(self, first: int, n: int) -> NDArray[np.float64]:
        """Return the temperatures of n steps, from step `first` (counted from 0) on."""


@dataclass(frozen=True)
class Constant:
    """One temperature throughout.

    Examples
    --------
    >>> Constant().temperatures(0, 3).tolist()
    [1.0, 1.0, 1.0]
    """

    temperature: float = 1.0

    def __post_init__(self) -> None:
        _check(temperature=self.temperature)

    def temperatures(self, first: int, n: int) -> NDArray[np.float64]:  # noqa: ARG002 (a schedule's signature)
        """Return the temperatures of n steps, from step `first` on."""
        return np.full(n, float(self.temperature))


@dataclass(frozen=True)
class _Cooling:
    """A way from one temperature to another in so many steps."""

    start: float
    end: float
    n_steps: int

    def __post_init__(self) -> None:
        _check(start=self.start, end=self.end, n_steps=self.n_steps)

    def temperatures(self, first: int, n: int) -> NDArray[np.float64]:
        """Return the temperatures of n steps, from step `first` on."""
        progress = np.minimum(np.arange(first, first + n) / (self.n_steps - 1), 1.0) if self.n_steps > 1 else np.ones(n)
        return np.where(progress >= 1.0, self.end, self._between(progress))

    def _between(self, progress: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the temperature for each part of the way that is done."""
        raise NotImplementedError


@dataclass(frozen=True)
class Geometric(_Cooling):
    """start · (end/start)^(k/(n_steps-1)): each step cools by the same factor.

    Examples
    --------
    >>> Geometric(4.0, 1.0, 3).temperatures(0, 4).tolist()
    [4.0, 2.0, 1.0, 1.0]
    """

    def _between(self, progress: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.start * (self.end / self.start) ** progress


@dataclass(frozen=True)
class Linear(_Cooling):
    """start + (end - start) · k/(n_steps-1).

    Examples
    --------
    >>> Linear(3.0, 1.0, 3).temperatures(0, 4).tolist()
    [3.0, 2.0, 1.0, 1.0]
    """

    def _between(self, progress: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.start + (self.end - self.start) * progress


@dataclass(frozen=True)
class Logarithmic:
    """start · log 2 / log(k + 2): slow enough to find the best world for certain, in the limit (Geman and Geman 1984).

    Examples
    --------
    >>> Logarithmic(2.0).temperatures(0, 3).round(3).tolist()
    [2.0, 1.262, 1.0]
    """

    start: float

    def __post_init__(self) -> None:
        _check(start=self.start)

    def temperatures(self, first: int, n: int) -> NDArray[np.float64]:
        """Return the temperatures of n steps, from step `first` on."""
        return self.start * math.log(2.0) / np.log(np.arange(first, first + n) + 2.0)


@dataclass(frozen=True)
class Restart:
    """Another schedule, begun again every `period` steps.

    Examples
    --------
    >>> Restart(Linear(2.0, 1.0, 2), 3).temperatures(0, 7).tolist()
    [2.0, 1.0, 1.0, 2.0, 1.0, 1.0, 2.0]
    """

    schedule: Schedule
    period: int

    def __post_init__(self) -> None:
        _check(period=self.period)

    def temperatures(self, first: int, n: int) -> NDArray[np.float64]:
        """Return the temperatures of n steps, from step `first` on."""
        return self.schedule.temperatures(0, self.period)[np.arange(first, first + n) % self.period]


def _check(**numbers: float) -> None:
    for name, value in numbers.items():
        if not (value > 0 and math.isfinite(value)):
            raise SettingsError(f"{name} is {value}; a schedule needs finite numbers above 0")
