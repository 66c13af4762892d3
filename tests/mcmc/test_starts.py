import numpy as np
import pytest

from onoma.errors import DataError
from onoma.graph.factor_graph import FactorGraph
from onoma.mcmc.starts import allowed_world


def colouring(n, colours, edges):
    graph = FactorGraph()
    graph.variables([f"v{i}" for i in range(n)], range(colours))
    graph.factors([[f"v{a}", f"v{b}"] for a, b in edges], np.where(np.eye(colours), -np.inf, 0.0), name="differ")
    return graph.compile()


def test_a_puzzle_is_solved_and_depends_on_seed_and_keys_alone():
    n = 60
    graph = colouring(n, 3, [(i, (i + 1) % n) for i in range(n)] + [(i, (i + 2) % n) for i in range(0, n, 3)])
    world = allowed_world(graph, 1, 0)
    assert graph.log_score(world) == 0.0
    assert (world == allowed_world(graph, 1, 0)).all()
    assert (world != allowed_world(graph, 1, 1)).any()


def test_observed_values_are_kept():
    graph = FactorGraph()
    graph.variables("ab", [0, 1])
    graph.factor(["a", "b"], [[-np.inf, 0.0], [0.0, -np.inf]])
    graph.observe("a", 1)
    assert allowed_world(graph.compile(), 3).tolist() == [1, 0]


def test_a_contradiction_is_reported_with_its_factors():
    with pytest.raises(DataError, match=r"no allowed world found.*'differ"):
        allowed_world(colouring(3, 2, [(0, 1), (1, 2), (2, 0)]), 1)
