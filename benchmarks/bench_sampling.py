"""Sampling: factors scored per second, a peer on an Ising grid, and what sampled factors save on star models.

pgmpy's GibbsSampling tabulates, for every variable, the conditional under every assignment of all other variables: on a
10×10 grid that is 2**99 rows. Its sampling loop is measured there all the same, with those tables replaced by ones that
look at the neighbours only, made when first asked for (which favours pgmpy); and as it is on a grid it can tabulate.
"""

import contextlib
import io
import logging
import time
import warnings
from collections.abc import Iterator

import numpy as np

from benchmarks.measure import Measurement, seconds
from onoma.graph.compiled import CompiledGraph
from onoma.graph.factor_graph import FactorGraph
from onoma.mcmc.chains import Chains, ChainsSettings
from onoma.mcmc.gibbs import Gibbs
from onoma.mcmc.metropolis import Metropolis
from onoma.mcmc.minibatch import Poisson
from onoma.mcmc.subsampling import Confidence, Exact, Uniform
from onoma.pipeline.studies.monte_carlo_mcmc import TOLERANCE, measure, stars

COUPLING, FIELD = 0.3, 0.1


def run(*, quick: bool) -> Iterator[Measurement]:
    yield from _throughput(quick=quick)
    yield from _peer(quick=quick)
    yield from _fewer_factors(quick=quick)
    for n_factors in (1000,) if quick else (1000, 10_000):
        yield from _less_time(n_factors, quick=quick)


def ising(rows: int, columns: int) -> CompiledGraph:
    def name(i: int, j: int) -> str:
        return f"{i},{j}"

    graph = FactorGraph()
    graph.variables([name(i, j) for i in range(rows) for j in range(columns)], [0, 1])
    graph.factors([[name(i, j)] for i in range(rows) for j in range(columns)], [0.0, FIELD])
    down = [[name(i, j), name(i + 1, j)] for i in range(rows - 1) for j in range(columns)]
    right = [[name(i, j), name(i, j + 1)] for i in range(rows) for j in range(columns - 1)]
    graph.factors(down + right, COUPLING * np.eye(2))
    return graph.compile()


def star_graph(n_models: int, n_factors: int) -> tuple[CompiledGraph, np.ndarray]:
    """All star models as one graph of unconnected labels, and their true marginals."""
    models = stars(n_models, n_factors, 0, is_spread=True)
    graph = FactorGraph()
    graph.variables([f"label {i}" for i in range(n_models)], [0, 1])
    for i, model in enumerate(models):
        graph.factors([[f"label {i}"]] * n_factors, model.graph.arrays.cells.reshape(-1, 2))
    return graph.compile(), np.array([model.probability for model in models])


def sweeps(graph: CompiledGraph, sampler: Gibbs | Metropolis, n: int) -> int:
    """Run one chain for n sweeps on one thread; return how many factors it scored."""
    chains = Chains(graph, ChainsSettings(sampler, 1, 1, keep_worlds=False), start=graph.world())
    chains.run(n, every=n, threads=1)
    return int(chains.trace["n_factors"][-1].as_py())


def _throughput(*, quick: bool) -> Iterator[Measurement]:
    grids = [("Ising 10×10", ising(10, 10), 2000 if quick else 20_000)]
    if not quick:
        grids.append(("Ising 300×300", ising(300, 300), 20))
        grids.append(("100 stars of 1,000 factors", star_graph(100, 1000)[0], 300))
    for data, graph, n in grids:
        for sampler in (Gibbs(), Metropolis()):
            n_factors = sweeps(graph, sampler, n)
            took = seconds(lambda graph=graph, sampler=sampler, n=n: sweeps(graph, sampler, n))
            name = f"factors scored, {type(sampler).__name__}"
            yield Measurement(name, n_factors / took / 1e6, None, None, "million/s, one core", data)


def _peer(*, quick: bool) -> Iterator[Measurement]:
    for rows, columns, helped in ((3, 3, False), (10, 10, True)):
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            logging.disable(logging.WARNING)
            sampler = _pgmpy_gibbs(rows, columns, helped=helped)
            n_peer = 20 if quick else 200
            peer = _pgmpy_seconds(sampler, n_peer) / n_peer
            logging.disable(logging.NOTSET)
        graph, n = ising(rows, columns), 2000 if quick else 20_000
        ours = seconds(lambda graph=graph, n=n: sweeps(graph, Gibbs(), n)) / n
        yield Measurement(
            "Gibbs sampling, variables updated",
            rows * columns / ours,
            rows * columns / peer,
            peer / ours,
            "per second",
            f"Ising {rows}×{columns}",
            peer_name="pgmpy" + " with neighbourhood tables" * helped,
        )


def _pgmpy_gibbs(rows: int, columns: int, *, helped: bool) -> object:
    from pgmpy.factors.discrete import DiscreteFactor
    from pgmpy.models import DiscreteMarkovNetwork
    from pgmpy.sampling import GibbsSampling

    nodes = [f"{i},{j}" for i in range(rows) for j in range(columns)]
    links = [(f"{i},{j}", f"{i + 1},{j}") for i in range(rows - 1) for j in range(columns)]
    links += [(f"{i},{j}", f"{i},{j + 1}") for i in range(rows) for j in range(columns - 1)]
    model = DiscreteMarkovNetwork(links)
    model.add_factors(*(DiscreteFactor([node], [2], [1.0, np.exp(FIELD)]) for node in nodes))
    model.add_factors(*(DiscreteFactor(list(link), [2, 2], np.exp(COUPLING * np.eye(2)).ravel()) for link in links))
    if not helped:
        return GibbsSampling(model)
    sampler = GibbsSampling()
    sampler.variables = np.array(nodes)
    sampler.latents = set()
    sampler.cardinalities = dict.fromkeys(nodes, 2)
    sampler.add_variables_from(nodes, [2] * len(nodes))
    sampler.transition_models = {node: _Neighbours(node, nodes, links) for node in nodes}
    return sampler


class _Neighbours(dict):
    """A conditional table keyed by the values of all other variables, filled in as it is asked for."""

    def __init__(self, node: str, nodes: list[str], links: list[tuple[str, str]]) -> None:
        others = [other for other in nodes if other != node]
        self._places = [i for i, other in enumerate(others) if (node, other) in links or (other, node) in links]
        self._known: dict[int, np.ndarray] = {}

    def __getitem__(self, values: tuple[int, ...]) -> np.ndarray:
        ones = sum(int(values[i]) for i in self._places)
        if ones not in self._known:
            scores = np.array([COUPLING * (len(self._places) - ones), FIELD + COUPLING * ones])
            self._known[ones] = np.exp(scores) / np.exp(scores).sum()
        return self._known[ones]


def _pgmpy_seconds(sampler: object, n: int) -> float:
    sampler.sample(size=2, seed=1)
    start = time.perf_counter()
    sampler.sample(size=n + 1, seed=1)
    return time.perf_counter() - start


def _fewer_factors(*, quick: bool) -> Iterator[Measurement]:
    models, budget = stars(100, 100, 0, is_spread=True), 30_000 if quick else 100_000
    exact = measure(models, "exact", Exact(), budget=budget, seed=0).reached(TOLERANCE)
    settings = (Uniform(0.2), Uniform(0.1), Confidence(0.01), Confidence(0.005), Poisson())
    for scoring in settings:
        reached = measure(models, str(scoring), scoring, budget=budget, seed=0).reached(TOLERANCE)
        yield Measurement(
            f"factors looked at to L1 error {TOLERANCE}, {scoring}",
            reached,
            exact,
            exact / reached,
            "factors",
            "100 stars of 100 factors, unsaturated",
            peer_name="exact Gibbs",
        )


def _less_time(n_factors: int, *, quick: bool) -> Iterator[Measurement]:
    graph, truth = star_graph(100, n_factors)
    n_sweeps = 1000 if quick else 3000
    exact = None
    for scoring in (Exact(), Uniform(20 / n_factors), Confidence(1.0 / n_factors), Poisson()):
        needed = _sweeps_needed(graph, truth, Gibbs(scoring=scoring), n_sweeps)
        if needed is None:
            continue
        took = seconds(lambda scoring=scoring, needed=needed: sweeps(graph, Gibbs(scoring=scoring), needed), repeat=5)
        if exact is None:
            exact = took
            continue
        yield Measurement(
            f"time to L1 error {TOLERANCE}, {scoring}",
            1000 * took,
            1000 * exact,
            exact / took,
            "ms",
            f"100 stars of {n_factors:,} factors, unsaturated ({needed} sweeps)",
            peer_name="exact Gibbs",
        )


def _sweeps_needed(graph: CompiledGraph, truth: np.ndarray, sampler: Gibbs, n: int) -> int | None:
    """Return after how many sweeps the mean L1 error is, and stays, within the tolerance; the mean of eight chains."""
    chains = Chains(graph, ChainsSettings(sampler, 2, 8), start=graph.world())
    chains.run(n, every=n, threads=1)
    running = np.cumsum(chains.worlds, axis=1) / np.arange(1, n + 1)[None, :, None]
    error = 2 * np.abs(running - truth).mean(axis=(0, 2))
    above = np.flatnonzero(error > TOLERANCE)
    return None if len(above) and above[-1] + 1 >= n else int(above[-1]) + 2 if len(above) else 1
