import numpy as np
import pytest

from onoma.errors import DataError, UnsupportedError
from onoma.graph.exact import best_world, enumerate_worlds, is_forest, max_product, solve, sum_product
from onoma.graph.factor_graph import FactorGraph
from reference.random_graphs import random_graph


def random_forest(seed):
    """A forest with factors over one to three variables, some cells forbidden, some variables observed."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    sizes = rng.integers(1, 4, size=n)
    graph = FactorGraph()
    for i in range(n):
        graph.variable(f"v{i}", range(sizes[i]))
    for i in rng.integers(n, size=n):
        graph.factor([f"v{i}"], rng.normal(size=sizes[i]))
    i = 1
    while i < n:
        scope = [int(rng.integers(i)), *range(i, min(n, i + int(rng.integers(1, 3))))]
        i = max(scope) + 1
        rng.shuffle(scope)
        table = rng.normal(size=sizes[scope])
        table[rng.random(table.shape) < 0.15] = -np.inf
        if rng.random() < 0.8:
            graph.factor([f"v{v}" for v in scope], table)
    if rng.random() < 0.3:
        graph.observe("v0", 0)
    return graph.compile()


@pytest.mark.parametrize("seed", range(60))
def test_message_passing_agrees_with_enumeration_on_forests(seed):
    graph = random_forest(seed)
    assert is_forest(graph)
    try:
        enumeration = enumerate_worlds(graph)
    except DataError:
        with pytest.raises(DataError, match="every world"):
            sum_product(graph)
        with pytest.raises(DataError, match="every world"):
            max_product(graph)
        return
    expected, found = enumeration.solution(), sum_product(graph)
    assert found.log_z == pytest.approx(expected.log_z, abs=1e-9)
    for a, b in zip(found.probabilities, expected.probabilities, strict=True):
        assert a == pytest.approx(b, abs=1e-9)
    world, log_score = max_product(graph)
    assert log_score == pytest.approx(enumeration.best()[1], abs=1e-9)
    assert graph.log_score(world) == log_score


def loop(observed=None):
    graph = FactorGraph()
    graph.variables("abc", [0, 1])
    for pair in ("ab", "bc", "ca"):
        graph.factor(list(pair), [[1.0, 0.0], [0.0, 1.0]])
    if observed is not None:
        graph.observe("a", observed)
    return graph.compile()


def test_a_cycle_is_refused_and_solved_by_enumeration():
    graph = loop()
    assert not is_forest(graph)
    for method in (sum_product, max_product):
        with pytest.raises(UnsupportedError, match="cycles"):
            method(graph)
    assert solve(graph).probabilities[0] == pytest.approx([0.5, 0.5])
    assert best_world(graph)[1] == 3.0


def test_two_factors_between_the_same_variables_are_a_cycle():
    graph = FactorGraph()
    graph.variables("ab", [0, 1])
    graph.factors([["a", "b"], ["a", "b"]], np.eye(2))
    assert not is_forest(graph.compile())


def test_observing_a_variable_may_cut_the_cycle():
    graph = loop(observed=1)
    assert is_forest(graph)
    expected = enumerate_worlds(graph).solution()
    assert sum_product(graph).log_z == pytest.approx(expected.log_z)
    assert solve(graph).table().to_pylist()[1] == {"variable": "a", "value": "1", "probability": 1.0}


def test_factors_over_observed_variables_alone_count_in_log_z():
    graph = FactorGraph()
    graph.variables("ab", [0, 1])
    graph.factor(["a", "b"], [[0.0, 0.0], [0.0, 2.5]])
    graph.observe("a", 1)
    graph.observe("b", 1)
    compiled = graph.compile()
    assert sum_product(compiled).log_z == 2.5
    assert enumerate_worlds(compiled).log_z == 2.5
    assert enumerate_worlds(compiled).world(0).tolist() == [1, 1]
    assert enumerate_worlds(compiled).index(np.array([[1, 1]])).tolist() == [0]


def test_too_many_worlds_are_refused():
    graph = FactorGraph()
    graph.variables([f"v{i}" for i in range(40)], [0, 1])
    with pytest.raises(UnsupportedError, match="are enumerated"):
        enumerate_worlds(graph.compile())
    assert solve(graph.compile()).log_z == pytest.approx(40 * np.log(2))


def test_worlds_and_indices_are_inverse():
    _, enumeration = random_graph(2)
    worlds = np.array([enumeration.world(i) for i in range(len(enumeration.probabilities))])
    assert enumeration.index(worlds).tolist() == list(range(len(worlds)))
    assert enumeration.probabilities.sum() == pytest.approx(1.0)


def test_a_long_chain_is_solved_in_linear_time():
    n = 20_000
    graph = FactorGraph()
    graph.variables([f"v{i}" for i in range(n)], [0, 1])
    graph.factors([[f"v{i}", f"v{i + 1}"] for i in range(n - 1)], [[0.5, 0.0], [0.0, 0.5]])
    graph.factor(["v0"], [0.0, 1.0])
    solution = sum_product(graph.compile())
    # Z of an Ising chain: the field's 1 + e, times one factor of 1 + e^0.5 for each link.
    assert solution.log_z == pytest.approx(np.log(1 + np.e) + (n - 1) * np.log(1 + np.exp(0.5)))
    assert solution.probabilities[-1] == pytest.approx([0.5, 0.5])
