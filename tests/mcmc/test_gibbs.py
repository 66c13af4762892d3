import numpy as np
import pytest

from onoma.errors import DataError, SettingsError
from onoma.graph.factor_graph import FactorGraph
from onoma.mcmc.chains import Chains, ChainsSettings
from onoma.mcmc.gibbs import Gibbs, build_kernel, init
from onoma.mcmc.minibatch import Poisson
from onoma.mcmc.schedules import Linear
from onoma.mcmc.starts import allowed_world
from onoma.mcmc.subsampling import Adaptive, Confidence, Exact, Uniform
from onoma.numerics.rng import kernel_state
from reference.random_graphs import random_graph
from reference.sweeps import full_log_score, gibbs_sweeps


@pytest.mark.parametrize("scan", ["systematic", "random"])
@pytest.mark.parametrize("scoring", [Exact(), Uniform(0.4), Confidence(0.8), Adaptive(20, start=0.2, end=0.9)], ids=str)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_sweeps_equal_the_slow_twin(scan, scoring, seed):
    graph, _ = random_graph(seed)
    start, schedule = allowed_world(graph, seed), Linear(2.0, 0.5, 30)
    chains = Chains(graph, ChainsSettings(Gibbs(scan, scoring), seed, 1, schedule), start=start)
    chains.run(30)
    world = start.copy()
    n_scored = gibbs_sweeps(graph, world, scoring, kernel_state(seed, "chain", 0), schedule.temperatures(0, 30), scan)
    assert chains.worlds[0, -1].tolist() == world.tolist()
    assert chains.n_factors[0, -1] == n_scored


def test_steps_equal_sweeps():
    graph, _ = random_graph(3)
    start = allowed_world(graph, 9)
    chains = Chains(graph, ChainsSettings(Gibbs(), 9, 1), start=start)
    chains.run(20)
    step, state, rng_state = build_kernel(graph), init(start, graph), kernel_state(9, "chain", 0)
    n_factors = 0
    for _ in range(20):
        for variable in graph.arrays.free:
            state, info = step(rng_state, state, int(variable), 1.0)
            n_factors += info.n_factors
            assert state.world[variable] == info.new
    assert state.world.tolist() == chains.worlds[0, -1].tolist()
    assert state.log_score == pytest.approx(full_log_score(graph, state.world))
    assert n_factors == chains.n_factors[0, -1]


def test_the_score_is_not_claimed_when_factors_are_sampled():
    graph, _ = random_graph(1)
    step, state, rng_state = build_kernel(graph, Uniform(0.5)), init(graph.world(), graph), kernel_state(3)
    for variable in np.tile(graph.arrays.free, 20):
        state, _ = step(rng_state, state, int(variable), 1.0)
    assert np.isnan(state.log_score)


def test_a_forbidden_start_is_refused():
    graph = FactorGraph()
    graph.variable("a", [0, 1])
    graph.factor(["a"], [-np.inf, 0.0])
    compiled = graph.compile()
    with pytest.raises(DataError, match="forbidden"):
        init(compiled.world(), compiled)


@pytest.mark.parametrize("scoring", [Exact(), Uniform(0.1), Confidence(5.0), Poisson(0.1, fallback=False)], ids=str)
def test_what_is_forbidden_is_never_visited(scoring):
    """One hard factor among hundreds of soft ones, which a sample of factors would nearly always miss."""
    graph = FactorGraph()
    graph.variables("ab", [0, 1])
    graph.factors([["a"]] * 300 + [["b"]] * 300, [0.0, 0.01])
    graph.factor(["a", "b"], [[0.0, 0.0], [0.0, -np.inf]])
    compiled = graph.compile()
    chains = Chains(compiled, ChainsSettings(Gibbs(scoring=scoring), 5, 2))
    chains.run(2000)
    assert not (chains.worlds == 1).all(axis=2).any()
    assert {tuple(world) for world in chains.worlds.reshape(-1, 2).tolist()} == {(0, 0), (0, 1), (1, 0)}


def test_scans_are_named():
    with pytest.raises(SettingsError, match="'systematic', 'random'"):
        Gibbs("sideways")
