"""Running a chain so that it can be stopped between sweeps and taken up again.

A chain that was stopped after any sweep and went on later is the chain that was never stopped: what it counts are whole
numbers, and its state is all that the next sweep needs. So a stopped run has an answer (from the draws so far), and a
resumed one gives the same bytes as one that ran through.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from onoma.errors import DataError
from onoma.progress import NEVER, Stop, Task
from onoma.resolve.posterior.copying import Draws, Watch

__all__ = ["Chain", "Sampler", "SamplerChain", "Stopped", "Tally", "WatchedChain", "run_chain"]

_LOOK_EVERY = 0.5
"""Seconds between two looks at whether to stop, for chains that do not look themselves."""
_GLIMPSE = 5
"""Sweeps that give an answer where the chain was stopped before any was kept."""

Arrays = dict[str, NDArray[np.generic]]


class Sampler(Protocol):
    """Something with a state."""

    STATE: ClassVar[tuple[str, ...]]
    """The arrays that the next sweep needs."""


class Chain(Protocol):
    """A sampler with its weights."""

    def run(self, n_sweeps: int, n_kept: int) -> Draws:
        """Run some sweeps and say what they saw; the last ones are kept whole."""

    def state(self) -> Arrays:
        """Return all that the next sweep needs."""

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go back to a state."""


@dataclass(eq=False)
class Tally:
    """What the sweeps so far saw, as whole numbers."""

    n_done: int
    """Sweeps, those of the burn-in included."""
    counts: NDArray[np.uint32]
    """For each pair the sweeps in which it was copied, related, together, akin (row by row)."""
    n_entities: NDArray[np.int64]
    roots: NDArray[np.int32]

    @classmethod
    def empty(cls, n: int, m: int, n_samples: int) -> "Tally":
        """Return a tally of n records and m pairs with room for so many samples."""
        counts = np.zeros((4, m), dtype=np.uint32)
        return cls(0, counts, np.zeros(n_samples, dtype=np.int64), np.zeros((n_samples, n), dtype=np.int32))

    @property
    def shape(self) -> tuple[int, ...]:
        """How many pairs, samples and records it is about."""
        return (self.counts.shape[1], *self.roots.shape)

    def add(self, draws: Draws, first: int) -> None:
        """Count some more sweeps, the first of which is this sample."""
        seen = (draws.copied, draws.related, draws.together, draws.akin)
        for row, shares in zip(self.counts, seen, strict=True):
            pairs = np.flatnonzero(shares)  # few of them: most candidates are strangers
            row[pairs] += np.rint(shares[pairs] * draws.n_sweeps).astype(np.uint32)
        self.n_entities[first : first + draws.n_sweeps] = draws.n_entities
        if isinstance(draws.roots, np.ndarray) and draws.roots.shape == self.roots.shape:  # all: no room for them twice
            self.roots = draws.roots
        else:
            self.roots[first : first + draws.n_sweeps] = draws.roots

    def draws(self, n_samples: int) -> Draws:
        """Return what the first samples saw."""
        copied, related, together, akin = (row / max(n_samples, 1) for row in self.counts)
        return Draws(n_samples, copied, related, together, akin, self.n_entities[:n_samples], self.roots[:n_samples])


@dataclass(frozen=True, eq=False)
class Stopped:
    """Where a chain stood when it was stopped."""

    tally: Tally
    state: Arrays
    of: str = ""
    """What it samples, as a fingerprint."""


def run_chain(
    chain: Chain,
    tally: Tally,
    *,
    n_burn_in: int,
    n_samples: int,
    stop: Stop = NEVER,
    task: Task | None = None,
) -> tuple[Draws, Stopped | None]:
    """Run a chain to its end or until it is stopped; return what it saw and, if it was stopped, where.

    Parameters
    ----------
    chain
        The chain; where the tally has sweeps already, in the state after them.
    tally
        Counted into.
    n_burn_in, n_samples
        Sweeps in all: not looked at, and counted.
    """
    total = n_burn_in + n_samples
    with stop.heeded() as asked:

        def watch(n_entities: int) -> bool:
            if task is not None:
                task.advance(1, entities=float(n_entities))
            return asked()

        size = 1
        while tally.n_done < total and not asked():
            begun = time.perf_counter()
            kept = tally.n_done >= n_burn_in
            left = (total if kept else n_burn_in) - tally.n_done
            n_sweeps = left if isinstance(chain, WatchedChain) else min(size, left)
            draws = _run(chain, n_sweeps, n_sweeps if kept else 0, watch)
            if kept:
                tally.add(draws, tally.n_done - n_burn_in)
            tally.n_done += draws.n_sweeps
            # How many sweeps make a look worth it is a matter of time; what they see is not.
            size = max(1, int(_LOOK_EVERY * n_sweeps / max(time.perf_counter() - begun, 1e-6)))
    if tally.n_done == total:
        return tally.draws(n_samples), None
    stopped = Stopped(tally, {name: array.copy() for name, array in chain.state().items()})
    n_kept = tally.n_done - n_burn_in
    if n_kept > 0:
        return tally.draws(n_kept), stopped
    return chain.run(_GLIMPSE, _GLIMPSE), stopped


def _run(chain: Chain, n_sweeps: int, n_kept: int, watch: Watch) -> Draws:
    """Run some sweeps; the watch is told of each, between them if the chain can do that."""
    if isinstance(chain, WatchedChain):
        return chain.run_watched(n_sweeps, n_kept, watch)
    draws = chain.run(n_sweeps, n_kept)
    for found in draws.n_entities.tolist():
        watch(found)
    return draws


@dataclass(frozen=True, eq=False)
class SamplerChain:
    """A sampler whose state is some of its arrays, changed in place."""

    sampler: Sampler
    sweeps: Callable[[int, int], Draws]

    def run(self, n_sweeps: int, n_kept: int) -> Draws:
        """Run some sweeps and say what they saw."""
        return self.sweeps(n_sweeps, n_kept)

    def state(self) -> Arrays:
        """Return all that the next sweep needs."""
        return {name: getattr(self.sampler, name) for name in self.sampler.STATE}

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Go back to a state."""
        for name in self.sampler.STATE:
            mine, stored = getattr(self.sampler, name), state.get(name)
            if stored is None or stored.shape != mine.shape or stored.dtype != mine.dtype:
                raise DataError(f"the state of the stopped chain does not fit: {name}", hint="Leave out --resume.")
            mine[:] = stored


@dataclass(frozen=True, eq=False)
class WatchedChain(SamplerChain):
    """One that looks at its watch between sweeps, and ends when that says so: to begin anew costs as much as sweeps."""

    watched: Callable[[int, int, Watch], Draws]

    def run_watched(self, n_sweeps: int, n_kept: int, watch: Watch) -> Draws:
        """Run some sweeps, or fewer."""
        return self.watched(n_sweeps, n_kept, watch)
