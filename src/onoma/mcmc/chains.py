"""Several chains over a compiled graph, in threads: run, look, interrupt, save, resume.

Each chain has its own random stream, named by seed and chain, so results do not depend on the number of threads. The
state of a chain is a handful of arrays; running to sweep 100 and then to 200 is the same as running to 200, also with
a save, a new process and a load between.
"""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.errors import DataError, SettingsError
from onoma.graph.changes import World
from onoma.graph.compiled import CompiledGraph
from onoma.mcmc import checkpoint
from onoma.mcmc._chain_arrays import (
    ACCEPTED,
    FACTORS,
    PROPOSALS,
    SWEEPS,
    ChainArrays,
    Keep,
    Scratch,
    new_chain,
    new_scratch,
)
from onoma.mcmc._chain_kernels import run_sweeps
from onoma.mcmc.gibbs import Gibbs
from onoma.mcmc.metropolis import Metropolis
from onoma.mcmc.minibatch import Poisson, no_minibatch, prepare
from onoma.mcmc.schedules import Constant, Schedule
from onoma.mcmc.starts import allowed_world
from onoma.mcmc.trace import Trace
from onoma.numerics.rng import kernel_state
from onoma.progress import SILENT, Progress, Task

__all__ = ["Chains", "ChainsSettings"]

MOST_KEPT = 4 * 2**30
"""Bytes of kept worlds beyond which `run` refuses to start."""


@dataclass(frozen=True)
class ChainsSettings:
    """How chains run.

    Parameters
    ----------
    sampler
        `Gibbs` or `Metropolis`, with its scoring strategy.
    seed
        Names the random streams, with the chain's number.
    n_chains
        How many chains; four let R̂ say something.
    schedule
        The temperature of each sweep.
    burn_in, thin
        Worlds are kept after `burn_in` sweeps, then every `thin` sweeps.
    keep_worlds
        Whether to keep worlds at all; a search for the best world need not.
    """

    sampler: Gibbs | Metropolis = Gibbs()
    seed: int = 0
    n_chains: int = 4
    schedule: Schedule = Constant()
    burn_in: int = 0
    thin: int = 1
    keep_worlds: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        if self.n_chains < 1 or self.thin < 1 or self.burn_in < 0:
            raise SettingsError(
                f"n_chains is {self.n_chains}, thin {self.thin}, burn_in {self.burn_in}; the least are 1, 1 and 0"
            )

    def n_kept(self, sweep: int) -> int:
        """Return how many worlds a chain has kept after so many sweeps."""
        return max(0, sweep - self.burn_in) // self.thin if self.keep_worlds else 0


@dataclass(eq=False)
class _Chain:
    """One chain: its state, and what has been kept of it."""

    arrays: ChainArrays
    scratch: Scratch
    trace: Trace = field(default_factory=Trace)
    worlds: list[NDArray[np.int32]] = field(default_factory=list)
    n_factors: list[NDArray[np.int64]] = field(default_factory=list)
    seconds: float = 0.0


class Chains:
    """Chains over one graph.

    Parameters
    ----------
    graph
        What to sample.
    settings
        How.
    start
        The world every chain starts from, which must not be forbidden; by default each starts from its own
        `allowed_world`.

    Examples
    --------
    >>> from onoma.graph.factor_graph import FactorGraph
    >>> graph = FactorGraph()
    >>> graph.variable("coin", ["heads", "tails"])
    >>> graph.factor(["coin"], [0.0, 1.0])
    >>> chains = Chains(graph.compile(), ChainsSettings(seed=7, n_chains=2, burn_in=10))
    >>> chains.run(1010)
    >>> chains.worlds.shape
    (2, 1000, 1)
    """

    def __init__(self, graph: CompiledGraph, settings: ChainsSettings, *, start: World | None = None) -> None:
        self.graph = graph
        self.settings = settings
        self._plan = settings.sampler.scoring.plan()
        self._minibatch = prepare(graph) if isinstance(settings.sampler.scoring, Poisson) else no_minibatch()
        self._chains = [self._begin(number, start) for number in range(settings.n_chains)]

    def _begin(self, number: int, start: World | None) -> _Chain:
        seed = self.settings.seed
        world = allowed_world(self.graph, seed, number) if start is None else self.graph.check_world(start)
        log_score = self.graph.log_score(world)
        if log_score == -np.inf:
            raise DataError(
                "the starting world is forbidden (log score -inf)", hint="Leave `start` out, or see `allowed_world`."
            )
        arrays = new_chain(world, log_score, kernel_state(seed, "chain", number))
        return _Chain(arrays, new_scratch(self.graph.arrays))

    @property
    def sweep(self) -> int:
        """How many sweeps every chain has done (the least, after an interruption)."""
        return min(int(chain.arrays.tally[SWEEPS]) for chain in self._chains)

    def run(
        self, until: int, *, every: int | None = None, threads: int | None = None, progress: Progress = SILENT
    ) -> None:
        """Run every chain on to sweep `until`.

        Parameters
        ----------
        until
            Counted from the start of the chain, so that an interrupted run is finished by asking again.
        every
            A row of the trace every so many sweeps; by default a hundred rows in all.
        threads
            By default one for each chain, as far as there are processors. Changes nothing but the time.
        progress
            Shows how far it is. Interrupting (Ctrl-C) ends each chain after its current row; the chains stay whole.
        """
        every = max(1, until // 100) if every is None else every
        if every < 1:
            raise SettingsError(f"every is {every}; a row of the trace is made every 1 or more sweeps")
        if threads is not None and threads < 1:
            raise SettingsError(f"threads is {threads}; at least 1 is needed")
        self._check_memory(until)
        stop = threading.Event()
        n_threads = min(len(self._chains), os.cpu_count() or 1) if threads is None else threads
        total = sum(until - int(chain.arrays.tally[SWEEPS]) for chain in self._chains)
        with (
            progress.task("sampling", total=max(0, total), unit="sweeps") as task,
            ThreadPoolExecutor(max_workers=n_threads) as pool,
        ):
            jobs = [pool.submit(self._advance, number, until, every, stop, task) for number in range(len(self._chains))]
            try:
                for job in jobs:
                    job.result()
            finally:
                stop.set()  # reached early by an interruption: the others end after their current row

    def _advance(self, number: int, until: int, every: int, stop: threading.Event, task: Task) -> None:
        """Run one chain on, from row to row of the trace."""
        chain = self._chains[number]
        while not stop.is_set() and (first := int(chain.arrays.tally[SWEEPS])) < until:
            last = min(until, (first // every + 1) * every)
            self._run_part(chain, first, last)
            if last % every == 0:
                self._observe(number, chain, last)
            task.advance(last - first, log_score=float(chain.arrays.log_scores[0]))

    def _run_part(self, chain: _Chain, first: int, last: int) -> None:
        settings, n = self.settings, last - first
        n_kept = settings.n_kept(last) - settings.n_kept(first)
        keep = Keep(
            settings.burn_in,
            settings.thin,
            np.empty((n_kept, self.graph.n_variables), dtype=np.int32),
            np.empty(n_kept, dtype=np.int64),
        )
        started = time.perf_counter()
        run_sweeps(
            self.graph.arrays,
            self._plan,
            self._minibatch,
            settings.sampler.moves(),
            chain.arrays,
            chain.scratch,
            settings.schedule.temperatures(first, n),
            settings.sampler.scoring.proportions(first, n),
            keep,
        )
        chain.seconds += time.perf_counter() - started
        chain.worlds.append(keep.worlds)
        chain.n_factors.append(keep.n_factors)

    def _observe(self, number: int, chain: _Chain, sweep: int) -> None:
        """Add a row to the trace. Where factors are sampled the score is not known: score the world in full."""
        arrays = chain.arrays
        log_score = float(arrays.log_scores[0])
        if np.isnan(log_score):
            log_score = self.graph.log_score(arrays.world)
            if log_score > arrays.log_scores[1]:
                arrays.log_scores[1] = log_score
                arrays.best_world[:] = arrays.world
        temperature = self.settings.schedule.temperatures(sweep - 1, 1)[0]
        counts = (int(arrays.tally[i]) for i in (FACTORS, PROPOSALS, ACCEPTED))
        chain.trace.add(number, sweep, temperature, log_score, float(arrays.log_scores[1]), *counts, chain.seconds)

    def _check_memory(self, until: int) -> None:
        size = 4 * self.graph.n_variables * self.settings.n_kept(until) * len(self._chains)
        if size > MOST_KEPT:
            raise SettingsError(
                f"keeping these worlds takes {size / 2**30:.1f} GiB; at most {MOST_KEPT / 2**30:.0f} are allowed",
                hint="Keep fewer (raise `thin`), or none (`keep_worlds=False`).",
            )

    @property
    def worlds(self) -> NDArray[np.int32]:
        """The kept worlds [chain, sample, variable]; as many of each chain as all have."""
        empty = np.empty((0, self.graph.n_variables), dtype=np.int32)
        parts = [np.concatenate([empty, *chain.worlds]) for chain in self._chains]
        return np.stack([part[: min(map(len, parts))] for part in parts])

    @property
    def n_factors(self) -> NDArray[np.int64]:
        """How many factors each chain had scored when each kept world was reached [chain, sample]."""
        parts = [np.concatenate([np.empty(0, np.int64), *chain.n_factors]) for chain in self._chains]
        return np.stack([part[: min(map(len, parts))] for part in parts])

    @property
    def trace(self) -> pa.Table:
        """The trace of all chains, one after another."""
        return pa.concat_tables([chain.trace.table() for chain in self._chains])

    @property
    def current(self) -> NDArray[np.int32]:
        """Each chain's world as it is now [chain, variable]."""
        return np.stack([chain.arrays.world for chain in self._chains])

    def best(self) -> tuple[World, float]:
        """Return the best world any chain has seen, and its log score.

        With every factor scored all worlds count; with factors sampled, those that made a row of the trace.
        """
        scores = [self.graph.log_score(chain.arrays.best_world) for chain in self._chains]
        first = int(np.argmax(scores))
        return self._chains[first].arrays.best_world.copy(), scores[first]

    def save(self, path: str | Path) -> None:
        """Write everything needed to go on: one .npz file of arrays and settings, replaced in one step."""
        arrays: dict[str, NDArray[np.generic]] = {}
        for number, chain in enumerate(self._chains):
            arrays |= {f"{number}.{name}": array for name, array in chain.arrays._asdict().items()}
            arrays[f"{number}.trace"] = chain.trace.array()
            arrays[f"{number}.seconds"] = np.array(chain.seconds)
            arrays[f"{number}.worlds"] = np.concatenate(
                [np.empty((0, self.graph.n_variables), np.int32), *chain.worlds]
            )
            arrays[f"{number}.n_factors"] = np.concatenate([np.empty(0, np.int64), *chain.n_factors])
        checkpoint.write(Path(path), self.settings, self.graph.fingerprint, arrays)

    @classmethod
    def load(cls, path: str | Path, graph: CompiledGraph) -> "Chains":
        """Return chains as they were saved; the graph must be the one they ran on."""
        settings, arrays = checkpoint.read(Path(path), ChainsSettings, graph.fingerprint)
        chains = cls(graph, settings, start=arrays["0.world"])
        for number, chain in enumerate(chains._chains):
            fields = {name: np.ascontiguousarray(arrays[f"{number}.{name}"]) for name in ChainArrays._fields}
            chain.arrays = ChainArrays(**fields)
            chain.trace = Trace(arrays[f"{number}.trace"])
            chain.seconds = float(arrays[f"{number}.seconds"])
            chain.worlds = [arrays[f"{number}.worlds"]]
            chain.n_factors = [arrays[f"{number}.n_factors"]]
        return chains
