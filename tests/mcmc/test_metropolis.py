import math

import numpy as np
import pytest

from onoma.errors import SettingsError
from onoma.graph.changes import Change
from onoma.graph.exact import enumerate_worlds
from onoma.graph.factor_graph import FactorGraph
from onoma.mcmc.chains import Chains, ChainsSettings
from onoma.mcmc.metropolis import Metropolis, build_kernel, init, search
from onoma.mcmc.minibatch import Poisson
from onoma.mcmc.proposals import Proposal, flips, pair_flips
from onoma.mcmc.schedules import Constant, Geometric
from onoma.mcmc.starts import allowed_world
from onoma.mcmc.subsampling import Confidence, Exact, Uniform
from onoma.numerics.rng import kernel_state, stream
from reference.random_graphs import chi_square, random_graph
from reference.sweeps import flip_sweeps, full_log_score


@pytest.mark.parametrize("scoring", [Exact(), Uniform(0.4), Confidence(0.8)], ids=str)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_sweeps_equal_the_slow_twin(scoring, seed):
    graph, _ = random_graph(seed)
    start, schedule = allowed_world(graph, seed), Geometric(2.0, 0.5, 30)
    chains = Chains(graph, ChainsSettings(Metropolis(scoring=scoring), seed, 1, schedule), start=start)
    chains.run(30, every=30)
    world = start.copy()
    n_scored, n_accepted = flip_sweeps(
        graph, world, scoring, kernel_state(seed, "chain", 0), schedule.temperatures(0, 30)
    )
    row = chains.trace.to_pylist()[-1]
    assert chains.worlds[0, -1].tolist() == world.tolist()
    assert (row["n_factors"], row["n_accepted"]) == (n_scored, n_accepted)
    assert row["log_score"] == pytest.approx(full_log_score(graph, world))


@pytest.mark.parametrize("propose", [flips, pair_flips])
def test_proposals_in_python_score_what_they_do(propose):
    graph, _ = random_graph(1)
    rng, world, proposing = stream(1), graph.world(), propose(graph)
    for _ in range(200):
        before = full_log_score(graph, world)
        proposal = proposing(rng, world)
        assert full_log_score(graph, world) == before
        proposal.change.apply_inplace(world)
        assert full_log_score(graph, world) - before == pytest.approx(proposal.d_log_score, abs=1e-9)
        assert proposal.change


def run_python(graph, propose, n, thin, seed=0):
    step, state, rng = build_kernel(propose), init(graph.world(), graph.log_score(graph.world())), stream(seed)
    worlds = []
    for t in range(n * thin):
        state, _ = step(rng, state, 1.0)
        if t % thin == 0:
            worlds.append(state.world.copy())
    return np.array(worlds), state


def lazy_proposal(graph, *, honest):
    """Flip a binary variable; 1 -> 0 is proposed three times as often as 0 -> 1."""
    forward = {0: 0.25, 1: 0.75}

    def propose(rng, world):
        variable = int(graph.arrays.free[rng.integers(len(graph.arrays.free))])
        value = int(world[variable])
        if rng.random() >= forward[value]:
            return Proposal(Change((), (), ()), 0.0)
        change = Change.of(world, {variable: 1 - value})
        ratio = math.log(forward[1 - value] / forward[value]) if honest else 0.0
        return Proposal(change, graph.d_log_score(world, change), ratio)

    return propose


@pytest.mark.parametrize("honest", [True, False])
def test_the_proposal_ratio_makes_an_unequal_proposal_right_and_its_absence_is_seen(honest):
    graph = FactorGraph()
    graph.variables("abc", [0, 1])
    graph.factors([["a", "b"], ["b", "c"]], [[0.5, 0.0], [0.0, 0.8]])
    compiled = graph.compile()
    worlds, state = run_python(compiled, lazy_proposal(compiled, honest=honest), 2500, 20)
    p_value = chi_square(worlds, enumerate_worlds(compiled))
    assert (p_value > 0.001) is honest
    assert state.log_score == pytest.approx(compiled.log_score(state.world), abs=1e-9)


def test_python_and_compiled_chains_agree_in_distribution():
    graph, enumeration = random_graph(7)
    flip, pair = flips(graph), pair_flips(graph)
    worlds, _ = run_python(graph, lambda rng, world: (pair if rng.random() < 0.3 else flip)(rng, world), 1500, 40)
    assert chi_square(worlds, enumeration) > 0.001
    chains = Chains(graph, ChainsSettings(Metropolis(0.3), 3, 1, thin=20, burn_in=100))
    chains.run(100 + 1500 * 20)
    assert chi_square(chains.worlds[0], enumeration) > 0.001


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_the_acceptance_rate_follows_the_closed_form(temperature):
    """One binary variable with log odds 1.2: up is always accepted, down with exp(-1.2/τ)."""
    graph = FactorGraph()
    graph.variable("a", [0, 1])
    graph.factor(["a"], [0.0, 1.2])
    compiled = graph.compile()
    down = math.exp(-1.2 / temperature)
    expected = 2 * down / (1 + down)
    n = 200_000
    chains = Chains(compiled, ChainsSettings(Metropolis(), 1, 1, Constant(temperature), keep_worlds=False))
    chains.run(n)
    assert chains.trace["n_accepted"][-1].as_py() / n == pytest.approx(expected, abs=0.01)
    step, state, rng, accepted = build_kernel(flips(compiled)), init(compiled.world(), 0.0), stream(5), 0
    for _ in range(20_000):
        state, info = step(rng, state, temperature)
        accepted += info.is_accepted
    assert accepted / 20_000 == pytest.approx(expected, abs=0.02)


def test_the_temperature_does_not_touch_the_proposal_ratio():
    graph = FactorGraph()
    graph.variable("a", [0, 1])
    compiled = graph.compile()

    def propose(rng, world):
        return Proposal(Change.of(world, {0: 1 - int(world[0])}), -2.0, 0.75)

    _, info = build_kernel(propose)(stream(0), init(compiled.world(), 0.0), 4.0)
    assert info.log_accept == pytest.approx(-2.0 / 4.0 + 0.75)


def test_a_search_ends_in_the_best_world_it_saw():
    graph, enumeration = random_graph(5)
    state = init(graph.world(), graph.log_score(graph.world()))
    found = search(flips(graph), state, n_steps=3000, seed=2, schedule=Geometric(3.0, 0.2, 3000))
    assert found.log_score == pytest.approx(enumeration.best()[1])
    assert graph.log_score(found.world) == pytest.approx(found.log_score)
    assert found.trace["n_proposals"][-1].as_py() == 3000
    assert found.trace["best_log_score"].to_pylist() == sorted(found.trace["best_log_score"].to_pylist())


def test_a_hot_search_still_returns_its_best_world():
    graph, _ = random_graph(8)
    state = init(graph.world(), graph.log_score(graph.world()))
    found = search(flips(graph), state, n_steps=500, seed=4, schedule=Constant(10.0), every=1)
    assert found.last_log_score < found.log_score
    assert graph.log_score(found.world) == pytest.approx(found.log_score)
    assert max(found.trace["log_score"].to_pylist()) == pytest.approx(found.log_score)


@pytest.mark.parametrize("scoring", [Exact(), Uniform(0.1), Confidence(5.0)], ids=str)
def test_what_is_forbidden_is_never_visited(scoring):
    graph = FactorGraph()
    graph.variables("ab", [0, 1])
    graph.factors([["a"]] * 300 + [["b"]] * 300, [0.0, 0.01])
    graph.factor(["a", "b"], [[0.0, 0.0], [0.0, -np.inf]])
    chains = Chains(graph.compile(), ChainsSettings(Metropolis(0.5, scoring), 5, 2))
    chains.run(2000)
    assert {tuple(world) for world in chains.worlds.reshape(-1, 2).tolist()} == {(0, 0), (0, 1), (1, 0)}


def test_settings_are_checked():
    with pytest.raises(SettingsError, match="pair_share is 1"):
        Metropolis(1.0)
    with pytest.raises(SettingsError, match="Poisson"):
        Metropolis(scoring=Poisson())
