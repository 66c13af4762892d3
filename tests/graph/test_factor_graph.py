import numpy as np
import pytest

from onoma.errors import DataError
from onoma.graph.factor_graph import FactorGraph


@pytest.fixture
def graph():
    graph = FactorGraph()
    graph.variable("colour", ["red", "green"])
    graph.variable("shape", ["round", "square", "flat"])
    return graph


def rejects(message):
    return pytest.raises(DataError, match=message)


def test_an_unknown_variable_is_named_and_a_near_one_offered(graph):
    with rejects("unknown variable 'color'") as caught:
        graph.factor(["color"], [0, 0])
    assert "Did you mean colour?" in str(caught.value)


def test_a_table_of_the_wrong_shape_says_both_shapes(graph):
    with rejects(r"shape \(3, 2\).*\(colour, shape\) have shape \(2, 3\)"):
        graph.factor(["colour", "shape"], np.zeros((3, 2)))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_and_plus_infinity_are_refused_with_their_place(graph, bad):
    with rejects(r"cell \(1, 2\)"):
        graph.factor(["colour", "shape"], [[0, 0, 0], [0, 0, bad]])


def test_minus_infinity_is_allowed(graph):
    graph.factor(["colour"], [0.0, -np.inf])
    compiled = graph.compile()
    assert compiled.log_score(compiled.world({"colour": "green"})) == -np.inf


def test_empty_domains_and_values_named_twice_are_refused(graph):
    with rejects("'size': empty domain"):
        graph.variable("size", [])
    with rejects("value 'big' stands twice"):
        graph.variable("size", ["big", "small", "big"])


def test_names_are_unique(graph):
    with rejects("variable 'colour' is there already"):
        graph.variable("colour", ["blue"])
    graph.factor(["colour"], [0, 1], name="prior")
    with rejects("factor 'prior' is there already"):
        graph.factor(["colour"], [0, 1], name="prior")
    graph.template("t", {"bias": 1.0})
    with rejects("template 't' is there already"):
        graph.template("t", {"bias": 1.0})


def test_a_factor_needs_variables_and_each_once(graph):
    with rejects("stands twice"):
        graph.factor(["colour", "colour"], np.zeros((2, 2)))
    with rejects("one variable or more"):
        graph.factor([], 0.0)
    with rejects(r"a list of names is wanted: \['colour'\]"):
        graph.factors(["colour"], [0, 0])
    with rejects("no variables"):
        graph.factors([], [0, 0])


def test_a_group_has_one_shape(graph):
    with rejects("a group has one shape"):
        graph.factors([["colour"], ["shape"]], [0, 0])


def test_a_group_of_factors_shares_a_table_or_has_one_each(graph):
    graph.variable("other", ["red", "green"])
    graph.factors([["colour"], ["other"]], [0.0, 1.0])
    graph.factors([["colour"], ["other"]], [[0.0, 2.0], [0.0, 4.0]])
    compiled = graph.compile()
    assert len(compiled.arrays.cells) == 6
    assert compiled.log_score(compiled.world({"colour": "green", "other": "green"})) == 8.0


def test_observed_variables_are_not_free_and_take_known_values(graph):
    graph.observe("shape", "flat")
    with rejects("unknown value 'oval'"):
        graph.observe("shape", "oval")
    compiled = graph.compile()
    assert compiled.arrays.free.tolist() == [0]
    assert compiled.describe(compiled.world())["shape"] == "flat"


def test_a_template_checks_features_and_weights(graph):
    with rejects("no weights"):
        graph.template("empty", {})
    with rejects("NaN or infinite"):
        graph.template("bad", {"bias": np.nan})
    template = graph.template("t", {"bias": 1.0, "match": 2.0})
    with rejects("unknown feature 'mtch'"):
        template.factor(["colour"], lambda colour: {"mtch": 1.0})
    with rejects(r"features of shape \(2,\)"):
        template.factor(["colour"], [1.0, 0.0])
    with rejects("only finite features"):
        template.factor(["colour"], np.full((2, 2), np.nan))


def test_a_feature_function_needs_one_combination_of_domains(graph):
    graph.variable("hue", ["red", "blue"])
    template = graph.template("t", {"bias": 1.0})
    with rejects("different domains"):
        template.factors([["colour"], ["hue"]], lambda value: {"bias": 1.0})


def test_tied_factors_share_cells_and_weights(graph):
    graph.variables(["a", "b", "c"], [0, 1])
    template = graph.template("same", {"agree": 1.5})
    template.factors([["a", "b"], ["b", "c"]], lambda x, y: {"agree": x == y})
    compiled = graph.compile()
    assert len(compiled.arrays.cells) == 4
    world = compiled.world({"a": 1, "b": 1, "c": 1})
    assert compiled.log_score(world) == 3.0
    assert compiled.with_weights({"same.agree": -1.0}).log_score(world) == -2.0


def test_a_graph_needs_variables():
    with rejects("without variables"):
        FactorGraph().compile()
