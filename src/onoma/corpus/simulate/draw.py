"""Drawing many things at once: sizes with a tail, Zipfian ranks, ragged ranges, values that last until they change."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["around_one", "lasting", "power_law_sizes", "ragged", "spread_sizes", "zipf_ranks"]


def power_law_sizes(rng: np.random.Generator, n: int, *, exponent: float, largest: int) -> NDArray[np.int32]:
    """Return sizes that sum to n, each k in 1…largest with probability ∝ k**-exponent (the last may be cut short)."""
    sizes = np.arange(1, min(largest, n) + 1, dtype=np.int64)
    weights = sizes.astype(np.float64) ** -exponent
    cumulative = np.cumsum(weights) / weights.sum()
    mean = float((sizes * weights).sum() / weights.sum())
    drawn = np.empty(0, dtype=np.int64)
    while drawn.sum() < n:
        more = int((n - drawn.sum()) / mean * 1.05) + 16
        picks = np.searchsorted(cumulative[:-1], rng.random(more), side="right")
        drawn = np.concatenate([drawn, sizes[picks]])
    total = np.cumsum(drawn)
    count = int(np.searchsorted(total, n)) + 1
    result = drawn[:count].astype(np.int32)
    result[-1] -= total[count - 1] - n
    return result


def spread_sizes(rng: np.random.Generator, n: int, *, duplicates: float, clumping: float) -> NDArray[np.int32]:
    """Return sizes that sum to n: every entity has one record, a share of all rows is dealt out as further ones.

    An entity's chance of a further record is Gamma distributed with mean 1 and coefficient of variation `clumping`.
    """
    extra = min(round(n * duplicates), n - 1)
    entities = n - extra
    weight = around_one(rng, entities, variation=clumping) + 1e-12  # Gamma may round to zero
    cumulative = np.cumsum(weight)
    owner = np.searchsorted(cumulative[:-1], rng.random(extra) * cumulative[-1], side="right")
    return (1 + np.bincount(owner, minlength=entities)).astype(np.int32)


def around_one(rng: np.random.Generator, n: int, *, variation: float) -> NDArray[np.float64]:
    """Return n Gamma-distributed numbers with mean 1 and the given coefficient of variation; below 0.001, all ones."""
    return np.ones(n) if variation < 1e-3 else rng.gamma(1 / variation**2, variation**2, n)


def zipf_ranks(rng: np.random.Generator, n: int, *, among: int, exponent: float = 1.0) -> NDArray[np.int32]:
    """Return n ranks in 0…among-1, rank r with probability ∝ ∫ x**-exponent from r+1 to r+2: close to Zipf's law.

    The inverse of the distribution has a closed form, so a draw costs one power.
    """
    u = rng.random(n, dtype=np.float32)
    top = float(among + 1)
    if abs(exponent - 1.0) < 1e-6:
        x = np.power(np.float32(top), u)
    else:
        power = 1.0 - exponent
        x = np.power(1.0 + u * np.float32(top**power - 1.0), np.float32(1.0 / power))
    # Single precision may round up to the open end.
    return np.minimum(x.astype(np.int32) - 1, among - 1).astype(np.int32)


def ragged(starts: NDArray[np.integer], lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the ranges starts[i] … starts[i] + lengths[i] - 1, one after the other.

    Examples
    --------
    >>> ragged(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(starts - (ends - lengths), lengths)


def lasting(
    first: NDArray[Any], fresh: NDArray[Any], *, starts: NDArray[np.bool_], changes: NDArray[np.bool_]
) -> NDArray[Any]:
    """Return values that last until they change, run after run: `first` where a run starts, `fresh` where it changes.

    Examples
    --------
    >>> starts, changes = np.array([True, False, False, True]), np.array([False, True, False, False])
    >>> lasting(np.array([1, 1, 1, 2]), np.array([7, 8, 9, 9]), starts=starts, changes=changes).tolist()
    [1, 8, 8, 2]
    """
    last = np.maximum.accumulate(np.where(starts | changes, np.arange(len(first)), 0))
    return np.where(changes & ~starts, fresh, first)[last]
