import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings

from onoma.corpus.clustering import Clustering
from onoma.errors import DataError, SettingsError
from onoma.evaluate.b_cubed import b_cubed
from onoma.evaluate.metrics import METRICS
from onoma.evaluate.report import by_group, evaluate, largest_errors
from reference import evaluate_metrics as slow
from reference.evaluate_strategies import grouped_pairs, pairs

GOLD = Clustering.from_labels([0, 0, 0, 1, 1, 2, -1])
PREDICTED = Clustering.from_labels([0, 0, 1, 1, 1, -1, 2])


def test_a_report_has_triples_and_numbers():
    found = evaluate(GOLD, PREDICTED).as_dict()
    triples = ["muc", "b3", "ceafm", "ceafe", "blanc", "lea", "pairwise"]
    assert list(found) == [*triples, "conll", "rand", "ari", "v"]
    for name, value in found.items():
        if name in triples:
            assert list(value) == ["precision", "recall", "f1"]
            assert all(type(part) is float for part in value.values())
        else:
            assert type(value) is float


def test_a_report_holds_what_was_asked_for():
    found = evaluate(GOLD, PREDICTED, metrics=["mentions", "b3"])
    assert list(found.as_dict()) == ["mentions", "b3"]
    assert found["b3"] == b_cubed(GOLD, PREDICTED)
    with pytest.raises(SettingsError, match="Known metrics"):
        evaluate(GOLD, PREDICTED, metrics="f1")


def test_a_report_counts():
    found = evaluate(GOLD, PREDICTED, metrics=[])
    assert (found.n_items, found.n_gold_items, found.n_predicted_items) == (7, 6, 6)
    assert (found.n_gold_entities, found.n_predicted_entities) == (3, 3)


@given(grouped_pairs())
@settings(max_examples=30)
def test_a_report_says_what_each_metric_says(case):
    gold, predicted, groups = case
    found = evaluate(gold, predicted, metrics=METRICS, groups=groups).as_dict()
    twins = [slow.sets(side) for side in (gold, predicted)]
    expected = slow.precision_recall_f1(*slow.b_cubed(*twins))
    assert tuple(found["b3"].values()) == pytest.approx(expected)
    assert found["rand"] == pytest.approx(slow.rand(*twins))
    assert found["v"] == pytest.approx(slow.v_measure(*twins)[2])


@given(grouped_pairs())
@settings(max_examples=30)
def test_a_group_is_measured_alone(case):
    gold, predicted, groups = case
    found = by_group(gold, predicted, pa.array(groups, pa.int64()), metrics=["b3", "conll"])
    assert list(found) == list(dict.fromkeys(groups))
    for group, evaluation in found.items():
        items = np.flatnonzero(np.array(groups) == group)
        assert evaluation == evaluate(gold.take(items), predicted.take(items), metrics=["b3", "conll"])


def test_groups_may_be_any_column():
    column = pa.chunked_array([["x", "y"], ["x", None, None, "y", "y"]])
    found = by_group(GOLD, PREDICTED, column, metrics="b3")
    assert {group: evaluation.n_items for group, evaluation in found.items()} == {"x": 2, "y": 3, None: 2}
    encoded = column.dictionary_encode()
    assert by_group(GOLD, PREDICTED, encoded, metrics="b3") == found
    with pytest.raises(DataError, match="1 groups for 7 items"):
        by_group(GOLD, PREDICTED, ["x"])


def test_the_largest_errors_come_with_their_parts():
    found = largest_errors(GOLD, PREDICTED, 1)
    assert found.split.to_pylist() == [
        {"entity": 0, "size": 3, "wrong_pairs": 2, "parts": [{"entity": 0, "size": 2}, {"entity": 1, "size": 1}]}
    ]
    assert found.merged.to_pylist() == [
        {"entity": 1, "size": 3, "wrong_pairs": 2, "parts": [{"entity": 1, "size": 2}, {"entity": 0, "size": 1}]}
    ]


def test_items_that_the_other_side_lacks_are_a_part_without_entity():
    found = largest_errors(Clustering.from_labels([0, 0, 0]), Clustering.from_labels([0, -1, -1]))
    assert found.split["parts"].to_pylist() == [[{"entity": None, "size": 2}, {"entity": 0, "size": 1}]]
    assert found.split["wrong_pairs"].to_pylist() == [3]
    assert len(found.merged) == 0


@given(pairs())
@settings(max_examples=50)
def test_errors_are_counted_in_pairs(sides):
    gold, predicted = sides
    found = largest_errors(gold, predicted, 100)
    gold_pairs, predicted_pairs = (slow.joined(slow.sets(side)) for side in sides)
    assert sum(found.split["wrong_pairs"].to_pylist()) == len(gold_pairs - predicted_pairs)
    assert sum(found.merged["wrong_pairs"].to_pylist()) == len(predicted_pairs - gold_pairs)
    wrong = found.split["wrong_pairs"].to_pylist()
    assert wrong == sorted(wrong, reverse=True)
    for row in found.split.to_pylist():
        assert sum(part["size"] for part in row["parts"]) == row["size"] == gold.sizes[row["entity"]]


def test_a_number_of_errors_is_not_negative():
    with pytest.raises(SettingsError, match="n is -1"):
        largest_errors(GOLD, PREDICTED, -1)
    assert len(largest_errors(GOLD, PREDICTED, 0).split) == 0
