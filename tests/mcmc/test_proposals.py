import numpy as np

from onoma.graph.factor_graph import FactorGraph
from onoma.mcmc.proposals import flips, pair_flips
from onoma.numerics.rng import stream
from reference.random_graphs import random_graph


def test_flips_choose_all_other_values_alike():
    graph = FactorGraph()
    graph.variable("a", range(3))
    graph.variable("b", range(2))
    graph.variable("seen", range(2))
    graph.observe("seen", 1)
    compiled = graph.compile()
    world = compiled.world({"a": 1})
    propose, rng, counts = flips(compiled), stream(1), {}
    for _ in range(6000):
        change = propose(rng, world).change
        counts[change.variables, change.new] = counts.get((change.variables, change.new), 0) + 1
    assert set(counts) == {((0,), (0,)), ((0,), (2,)), ((1,), (1,))}
    assert abs(counts[(0,), (0,)] - 1500) < 150
    assert abs(counts[(1,), (1,)] - 3000) < 200


def test_pairs_change_two_free_variables_of_one_factor():
    graph, _ = random_graph(5)
    propose, rng, world = pair_flips(graph), stream(2), graph.world()
    scopes = [set(graph.factor_variables(f).tolist()) for f in range(graph.n_factors)]
    for _ in range(200):
        proposal = propose(rng, world)
        assert len(set(proposal.change.variables)) == 2
        assert any(set(proposal.change.variables) <= scope for scope in scopes)
        assert np.isin(proposal.change.variables, graph.arrays.free).all()
        assert proposal.log_q_ratio == 0.0
        assert proposal.d_objective is None
