import numpy as np
import pytest

from onoma.errors import DataError
from onoma.graph.changes import Change
from onoma.graph.factor_graph import FactorGraph
from reference.random_graphs import random_graph
from reference.sweeps import full_log_score


@pytest.fixture(scope="module")
def coats():
    graph = FactorGraph()
    graph.variable("weather", ["dry", "wet"])
    graph.variable("coat", ["none", "heavy"])
    graph.factor(["weather"], [0.5, 0.0], name="climate")
    habit = graph.template("habit", {"suits": 1.5, "heavy": -0.5})
    habit.factor(
        ["weather", "coat"],
        lambda weather, coat: {"suits": (weather == "wet") == (coat != "none"), "heavy": coat == "heavy"},
    )
    return graph.compile()


@pytest.mark.parametrize("seed", range(20))
def test_scores_equal_the_sum_read_off_the_tables(seed):
    graph, enumeration = random_graph(seed)
    rng = np.random.default_rng(seed)
    for index in rng.integers(len(enumeration.probabilities), size=10):
        world = enumeration.world(int(index))
        assert graph.log_score(world) == pytest.approx(full_log_score(graph, world), abs=1e-12)
        assert graph.log_score(world) == pytest.approx(enumeration.log_scores.ravel()[index], abs=1e-12)


def test_incremental_scores_equal_full_rescoring_after_ten_thousand_changes():
    graph, _ = random_graph(1)
    rng, world = np.random.default_rng(0), graph.world()
    log_score = graph.log_score(world)
    free, sizes = graph.arrays.free, graph.arrays.n_values
    for _ in range(10_000):
        variables = rng.choice(free, size=rng.integers(1, len(free) + 1), replace=False)
        change = Change.of(world, {int(v): int(rng.integers(sizes[v])) for v in variables})
        log_score += graph.d_log_score(world, change)
        change.apply_inplace(world)
    assert log_score == pytest.approx(full_log_score(graph, world), abs=1e-9)


def test_a_change_touches_every_factor_of_its_variables_once():
    graph, _ = random_graph(4)
    world = graph.world()
    free = graph.arrays.free[:3]
    change = Change.of(world, {int(v): 1 for v in free})
    factors, _ = graph.touched(world, change)
    expected = [f for f in range(graph.n_factors) if set(graph.factor_variables(f)) & set(free.tolist())]
    assert sorted(factors.tolist()) == expected


def test_features_times_weights_is_the_score_of_template_factors(coats):
    world = coats.world({"weather": "wet", "coat": "heavy"})
    assert coats.features(world).tolist() == [1.0, 1.0]
    assert coats.log_score(world) == pytest.approx(coats.features(world) @ coats.weights)
    change = coats.change(world, {"coat": "none"})
    assert coats.d_features(world, change).tolist() == [-1.0, -1.0]
    assert coats.d_log_score(world, change) == pytest.approx(coats.d_features(world, change) @ coats.weights)


def test_other_weights_rescore_template_factors_and_leave_tables(coats):
    other = coats.with_weights(np.array([0.0, 2.0]))
    world = coats.world({"weather": "dry", "coat": "heavy"})
    assert other.log_score(world) == 2.5
    assert coats.log_score(world) == 0.0
    with pytest.raises(DataError, match="unknown weight"):
        coats.with_weights({"habit.warm": 1.0})
    with pytest.raises(DataError, match="weights; this graph has"):
        coats.with_weights(np.zeros(3))
    with pytest.raises(DataError, match="NaN"):
        coats.with_weights(np.array([np.nan, 0.0]))


def test_explaining_a_world_adds_up_to_its_score(coats):
    world = coats.world({"weather": "wet", "coat": "heavy"})
    table = coats.explain(world)
    assert sum(table["log_score"].to_pylist()) == pytest.approx(coats.log_score(world))
    assert table.to_pylist()[0] == {
        "factor": "habit 1",
        "variables": ["weather", "coat"],
        "values": ["wet", "heavy"],
        "log_score": 1.0,
    }


def test_explaining_a_change_adds_up_to_its_difference(coats):
    world = coats.world({"weather": "wet", "coat": "heavy"})
    change = coats.change(world, {"weather": "dry"})
    table = coats.explain_change(world, change)
    assert sum(table["d_log_score"].to_pylist()) == pytest.approx(coats.d_log_score(world, change))
    assert table["factor"].to_pylist() == ["habit 1", "climate"]
    assert table["new"].to_pylist() == [["dry", "heavy"], ["dry"]]
    assert coats.describe(world)["weather"] == "wet"


def test_factors_of_a_group_are_numbered():
    graph = FactorGraph()
    graph.variables(["a", "b"], [0, 1])
    graph.factors([["a"], ["b"]], [0.0, 1.0], name="bias")
    compiled = graph.compile()
    assert [compiled.factor_name(f) for f in range(2)] == ["bias[0]", "bias[1]"]
    with pytest.raises(DataError, match="factor 2"):
        compiled.factor_name(2)


def test_worlds_are_checked(coats):
    with pytest.raises(DataError, match="shape"):
        coats.log_score(np.zeros(3, dtype=np.int32))
    with pytest.raises(DataError, match="'coat' has value 2"):
        coats.log_score(np.array([0, 2], dtype=np.int32))
    with pytest.raises(DataError, match="unknown variable"):
        coats.world({"hat": "on"})
    with pytest.raises(DataError, match="unknown value"):
        coats.world({"coat": "thin"})


def test_a_world_agrees_with_what_is_observed():
    graph = FactorGraph()
    graph.variables(["a", "b"], ["no", "yes"])
    graph.observe("a", "yes")
    compiled = graph.compile()
    with pytest.raises(DataError, match="observed as 'yes'"):
        compiled.world({"a": "no"})
    with pytest.raises(DataError, match="is observed"):
        compiled.log_score(np.zeros(2, dtype=np.int32))


def test_the_fingerprint_follows_the_scores(coats):
    assert coats.fingerprint == coats.with_weights(coats.weights).fingerprint
    assert coats.fingerprint != coats.with_weights({"habit.suits": 1.0}).fingerprint
