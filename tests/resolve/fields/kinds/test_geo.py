"""Places on the globe: compared by distance, blocked by squares."""

import pytest

from onoma.resolve.fields.kinds.geo import Geo, read_point
from reference.levels import features, level


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("51.5, -0.12", "51.5001 -0.1201", "within 0.1 km"),
        ("51.5,-0.12", "48.85,2.35", "within 500 km"),
        ("51.5,-0.12", "-33.9,151.2", "different"),
        ("0, 179.9999", "0, -179.9999", "within 0.1 km"),
    ],
)
def test_level(first, second, expected):
    assert level("geo", first, second, others=("10, 10",)) == expected


@pytest.mark.parametrize("text", ["91, 0", "0, 181", "1 2 3", "nowhere"])
def test_what_is_no_point(text):
    assert read_point(text) is None


def test_nought_and_nought_is_nowhere():
    assert Geo().normalise(["0,0", "POINT(51.5 -0.12)"]) == ["", "51.500000,-0.120000"]


def test_points_beside_each_other_share_a_square_across_its_border():
    here, there, far = features("geo", "51.4999, 0.0001", "51.5001, -0.0001", "52.5, 0.0")
    assert here & there and not here & far
