"""The two questions asked of a graph: how likely is each value (`sample`), and which world is best (`maximise`)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from onoma.errors import DataError
from onoma.graph.changes import World
from onoma.graph.compiled import CompiledGraph
from onoma.mcmc.chains import Chains, ChainsSettings
from onoma.mcmc.diagnostics import effective_sample_size, r_hat
from onoma.mcmc.gibbs import Gibbs
from onoma.mcmc.metropolis import Metropolis
from onoma.mcmc.schedules import Geometric, Schedule
from onoma.progress import SILENT, Progress

__all__ = ["Maximum", "Samples", "Work", "maximise", "sample"]


@dataclass(frozen=True, eq=False)
class Samples:
    """Worlds drawn from a graph.

    Attributes
    ----------
    worlds
        [chain, sample, variable].
    n_factors
        How many factors each chain had scored when it reached each sample [chain, sample].
    trace
        What the chains did, as a table.
    """

    graph: CompiledGraph
    worlds: NDArray[np.int32]
    n_factors: NDArray[np.int64]
    trace: pa.Table

    @cached_property
    def probabilities(self) -> tuple[NDArray[np.float64], ...]:
        """The share of samples with each value, for each variable."""
        sizes = self.graph.arrays.n_values
        n = self.worlds.shape[0] * self.worlds.shape[1]
        flat = self.worlds.reshape(n, -1)
        return tuple(np.bincount(flat[:, v], minlength=size) / n for v, size in enumerate(sizes))

    def probability(self, variable: str, value: object) -> float:
        """Return the share of samples in which a variable has a value."""
        position = self.graph.positions.get(variable)
        if position is None:
            raise DataError(f"unknown variable {variable!r}", hint="Variables: " + ", ".join(self.graph.names[:10]))
        domain = self.graph.domains[position]
        if value not in domain:
            raise DataError(f"variable {variable!r}: unknown value {value!r}; allowed: {list(domain)}")
        return float(self.probabilities[position][domain.index(value)])

    def marginals(self) -> pa.Table:
        """Return probability, standard error, effective sample size and R̂ of every value of every variable.

        The standard error is that of a share among independent draws, √(p(1-p)/ess): it knows the chain's
        autocorrelation, and nothing of a bias from sampled factors.
        """
        graph, columns = self.graph, list[NDArray[np.float64]]()
        for v, size in enumerate(graph.arrays.n_values):
            indicators = self.worlds[:, :, v, None] == np.arange(size)
            p, ess = self.probabilities[v], effective_sample_size(indicators)
            columns.append(np.stack([p, np.sqrt(p * (1 - p) / ess), ess, r_hat(indicators)]))
        p, error, ess, rhat = np.concatenate(columns, axis=1)
        names = [name for v, name in enumerate(graph.names) for _ in graph.domains[v]]
        values = [str(value) for domain in graph.domains for value in domain]
        return pa.table(
            {"variable": names, "value": values, "probability": p, "std_error": error, "ess": ess, "r_hat": rhat}
        )


@dataclass(frozen=True, eq=False)
class Maximum:
    """The best world found, its log score, and the trace of the search."""

    graph: CompiledGraph
    world: World
    log_score: float
    trace: pa.Table


@dataclass(frozen=True, eq=False, kw_only=True)
class Work:
    """How chains are run; what they see depends on `start` alone."""

    start: World | None = None
    """Where they begin; None: at random."""
    threads: int | None = None
    progress: Progress = SILENT


def sample(
    graph: CompiledGraph,
    sampler: Gibbs | Metropolis = Gibbs(),
    *,
    seed: int,
    n_samples: int = 1000,
    burn_in: int = 200,
    thin: int = 1,
    n_chains: int = 4,
    work: Work | None = None,
) -> Samples:
    """Draw worlds: `n_samples` of each chain, one every `thin` sweeps after `burn_in` sweeps, at temperature 1.

    Examples
    --------
    >>> from onoma.graph.factor_graph import FactorGraph
    >>> graph = FactorGraph()
    >>> graph.variables(["a", "b"], ["no", "yes"])
    >>> graph.factor(["a"], [0.0, 1.0])
    >>> graph.factor(["a", "b"], [[0.5, 0.0], [0.0, 0.5]])
    >>> samples = sample(graph.compile(), seed=7, n_samples=5000)
    >>> round(samples.probability("a", "yes"), 1)
    0.7
    """
    work = work or Work()
    settings = ChainsSettings(sampler, seed, n_chains, burn_in=burn_in, thin=thin)
    chains = Chains(graph, settings, start=work.start)
    chains.run(burn_in + n_samples * thin, threads=work.threads, progress=work.progress)
    return Samples(graph, chains.worlds, chains.n_factors, chains.trace)


def maximise(
    graph: CompiledGraph,
    sampler: Gibbs | Metropolis = Gibbs(),
    *,
    seed: int,
    n_sweeps: int = 1000,
    schedule: Schedule | None = None,
    n_chains: int = 4,
    work: Work | None = None,
) -> Maximum:
    """Look for the best world by annealing, and return the best one seen.

    The schedule cools from temperature 2 to 0.05 by default; scores far from the order of 1 want their own.
    """
    work = work or Work()
    schedule = Geometric(2.0, 0.05, n_sweeps) if schedule is None else schedule
    settings = ChainsSettings(sampler, seed, n_chains, schedule, keep_worlds=False)
    chains = Chains(graph, settings, start=work.start)
    chains.run(n_sweeps, threads=work.threads, progress=work.progress)
    world, log_score = chains.best()
    return Maximum(graph, world, log_score, chains.trace)
