import numpy as np
import pytest

from onoma.errors import DataError, SettingsError
from onoma.graph.factor_graph import FactorGraph
from onoma.mcmc.chains import Chains, ChainsSettings
from onoma.mcmc.gibbs import Gibbs
from onoma.mcmc.metropolis import Metropolis
from onoma.mcmc.minibatch import Poisson
from onoma.mcmc.schedules import Geometric
from onoma.mcmc.subsampling import Adaptive, Confidence, Uniform
from reference.random_graphs import random_graph

SAMPLERS = [
    Gibbs(),
    Gibbs("random", Uniform(0.4)),
    Gibbs(scoring=Confidence(0.5)),
    Gibbs(scoring=Adaptive(100)),
    Gibbs(scoring=Poisson(0.1, fallback=False)),
    Metropolis(0.3),
    Metropolis(scoring=Uniform(0.4)),
]


@pytest.fixture(scope="module")
def graph():
    return random_graph(6)[0]


def without_seconds(table):
    return table.drop_columns(["seconds"])


@pytest.mark.parametrize("sampler", SAMPLERS, ids=str)
def test_threads_change_nothing(graph, sampler):
    runs = []
    for threads in (1, 2, 8):
        chains = Chains(graph, ChainsSettings(sampler, 11, 8, burn_in=10, thin=3))
        chains.run(200, threads=threads)
        runs.append(chains)
    for other in runs[1:]:
        assert (runs[0].worlds == other.worlds).all()
        assert (runs[0].n_factors == other.n_factors).all()
        assert without_seconds(runs[0].trace).equals(without_seconds(other.trace))


@pytest.mark.parametrize("sampler", SAMPLERS, ids=str)
def test_a_resumed_chain_is_the_uninterrupted_one(graph, sampler, tmp_path):
    settings = ChainsSettings(sampler, 5, 2, Geometric(2.0, 0.5, 200), burn_in=20, thin=3)
    whole = Chains(graph, settings)
    whole.run(200, every=10)
    part = Chains(graph, settings)
    part.run(83, every=10)
    part.save(tmp_path / "chains.npz")
    resumed = Chains.load(tmp_path / "chains.npz", graph)
    assert resumed.settings == settings
    assert resumed.sweep == 83
    resumed.run(200, every=10)
    assert (resumed.worlds == whole.worlds).all()
    assert (resumed.current == whole.current).all()
    assert (resumed.n_factors == whole.n_factors).all()
    assert without_seconds(resumed.trace).equals(without_seconds(whole.trace))
    assert resumed.best()[1] == whole.best()[1]
    assert not (tmp_path / "chains.npz.part").exists()


def test_seeds_and_chains_differ(graph):
    chains = Chains(graph, ChainsSettings(seed=1, n_chains=2))
    other = Chains(graph, ChainsSettings(seed=2, n_chains=2))
    for each in (chains, other):
        each.run(50)
    assert (chains.worlds[0] != chains.worlds[1]).any()
    assert (chains.worlds != other.worlds).any()


def test_burn_in_and_thinning_keep_the_right_worlds(graph):
    every = Chains(graph, ChainsSettings(seed=3, n_chains=1))
    every.run(50)
    some = Chains(graph, ChainsSettings(seed=3, n_chains=1, burn_in=10, thin=4))
    some.run(50)
    assert (some.worlds[0] == every.worlds[0][13::4]).all()
    none = Chains(graph, ChainsSettings(seed=3, n_chains=1, keep_worlds=False))
    none.run(50)
    assert none.worlds.shape == (1, 0, graph.n_variables)
    assert (none.current == every.current).all()


def test_a_trace_has_a_row_every_so_many_sweeps(graph):
    chains = Chains(graph, ChainsSettings(Gibbs(scoring=Uniform(0.3)), seed=3, n_chains=2))
    chains.run(25, every=10)
    trace = chains.trace
    assert trace["sweep"].to_pylist() == [10, 20, 10, 20]
    assert trace["n_proposals"].to_pylist()[:2] == [10 * len(graph.arrays.free), 20 * len(graph.arrays.free)]
    assert trace["log_score"].to_pylist()[1] == pytest.approx(graph.log_score(chains.worlds[0, 19]))


@pytest.mark.parametrize("sampler", [Gibbs(), Metropolis(0.4)], ids=str)
def test_the_best_world_is_found_inside_sweeps_too(graph, sampler):
    """Replay the chain with sweeps of one update: the best world of any update must be the one reported."""
    chains = Chains(graph, ChainsSettings(sampler, 7, 1))
    chains.run(40, every=1)
    best_world, best = chains.best()
    assert graph.log_score(best_world) == best
    assert best >= max(graph.log_score(world) for world in chains.worlds[0])
    assert chains.trace["best_log_score"][-1].as_py() == pytest.approx(best)


def test_the_running_score_does_not_drift(graph):
    chains = Chains(graph, ChainsSettings(Metropolis(0.4), 7, 1, keep_worlds=False))
    chains.run(10_000, every=10_000)
    assert chains.trace["log_score"][-1].as_py() == pytest.approx(graph.log_score(chains.current[0]), abs=1e-9)


def test_an_interrupted_run_stays_whole_and_can_be_finished(graph):
    whole = Chains(graph, ChainsSettings(seed=2, n_chains=3))
    whole.run(100, every=5)
    chains = Chains(graph, ChainsSettings(seed=2, n_chains=3))

    class Interrupting:
        calls = 0

        def task(self, name, total=None, unit=""):
            return self

        def __enter__(self):
            return self

        def __exit__(self, *error):
            return None

        def advance(self, n=1, **facts):
            self.calls += 1
            if self.calls == 7:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        chains.run(100, every=5, threads=1, progress=Interrupting())
    assert chains.sweep < 100
    chains.run(100, every=5)
    assert (chains.worlds == whole.worlds).all()
    assert without_seconds(chains.trace).equals(without_seconds(whole.trace))


def test_a_graph_in_which_nothing_is_free_stands_still():
    builder = FactorGraph()
    builder.variable("a", ["only"])
    builder.variable("b", [0, 1])
    builder.observe("b", 1)
    builder.factor(["b"], [0.0, 2.0])
    for sampler in (Gibbs(), Metropolis()):
        chains = Chains(builder.compile(), ChainsSettings(sampler, 1, 1))
        chains.run(5)
        assert chains.worlds[0].tolist() == [[0, 1]] * 5


def test_a_graph_without_factors_is_uniform():
    builder = FactorGraph()
    builder.variable("a", [0, 1])
    for sampler in SAMPLERS:
        chains = Chains(builder.compile(), ChainsSettings(sampler, 1, 1))
        chains.run(2000)
        assert chains.worlds[0, 100:].mean() == pytest.approx(0.5, abs=0.06)


def test_bad_starts_and_settings_are_refused(graph):
    forbidden = FactorGraph()
    forbidden.variable("a", [0, 1])
    forbidden.factor(["a"], [-np.inf, 0.0])
    compiled = forbidden.compile()
    with pytest.raises(DataError, match="starting world is forbidden"):
        Chains(compiled, ChainsSettings(seed=1), start=compiled.world())
    with pytest.raises(SettingsError, match="n_chains is 0"):
        ChainsSettings(seed=1, n_chains=0)
    chains = Chains(graph, ChainsSettings(seed=1))
    with pytest.raises(SettingsError, match="every is 0"):
        chains.run(10, every=0)
    with pytest.raises(SettingsError, match="threads is 0"):
        chains.run(10, threads=0)
    with pytest.raises(SettingsError, match="GiB"):
        chains.run(10**9)
