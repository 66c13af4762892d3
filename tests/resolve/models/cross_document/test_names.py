"""Names as evidence."""

import numpy as np
import pytest

from onoma.resolve.models.cross_document.names import NameWeights, compare_names, normal_name


def scores(names, **weights):
    """{(name, name): (across stories, within one)}."""
    found = compare_names(names, weights=NameWeights(**weights))
    table = {}
    for i, name in enumerate(found.names):
        for at in range(found.offsets[i], found.offsets[i + 1]):
            across = float(found.elsewhere[at])
            table[name, found.names[found.near[at]]] = (across, across + float(found.here[at]))
    return table


@pytest.mark.parametrize(
    ("name", "normal"),
    [("The Hague", "hague"), ("Deutſchlands", "deutschlands"), ("the", "the"), ("Obama’s", "obama"), ("", "")],
)
def test_normal_names(name, normal):
    assert normal_name(name) == normal


def test_scores_are_symmetric_and_own_names_score_most():
    found = scores(["Ada Lovelace", "Ada Lovelac", "Lovelace", "Bath"])
    for (one, other), score in found.items():
        assert found[other, one] == pytest.approx(score)
    assert found["ada lovelace", "ada lovelace"][0] == 1.0
    assert found["ada lovelace", "ada lovelac"][0] > found["ada lovelace", "lovelace"][0]
    assert ("bath", "lovelace") not in found


def test_how_a_name_is_part_of_another():
    found = scores(["Chirac", "Jacques Chirac", "Bank of Chirac", "Chirac Street"])
    ends, after, begins = (found["chirac", other] for other in ("jacques chirac", "bank of chirac", "chirac street"))
    weights = NameWeights()
    assert ends[1] - ends[0] == pytest.approx(weights.here + weights.ends_here - weights.ends, abs=1e-6)
    for part in (after, begins):
        assert part[1] - part[0] == pytest.approx(weights.here + weights.part_here - weights.part, abs=1e-6)


def test_names_without_capitals_say_little_across_stories():
    found = scores(["the driver", "driver", "Driver", "police", "police"])
    assert found["driver", "driver"] == pytest.approx((0.4, 1.15))
    assert scores(["The Driver", "Driver"])["driver", "driver"] == pytest.approx((1.0, 1.15))


def test_columns_repeat_what_names_say():
    found = compare_names(["Ada", "Bob", "Ada"])
    columns = found.columns()
    assert columns["name"].to_pylist() == [0, 1, 0]
    assert columns["near"].to_pylist() == [[0], [1], [0]]
    assert np.allclose(columns["near_weights"].flatten(), 1.0)


def test_one_name_or_none():
    assert compare_names(["X"] * 3).near.tolist() == [0]
    assert len(compare_names([]).names) == 0
