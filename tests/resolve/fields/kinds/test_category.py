"""Categories: equal or not."""

import pytest

from onoma.resolve.fields.kinds.category import Category
from reference.levels import features, level


@pytest.mark.parametrize(("first", "second", "expected"), [("M", "m ", "equal"), ("m", "f", "different")])
def test_level(first, second, expected):
    assert level("category", first, second) == expected


def test_signs_alone_stay_as_they_are():
    assert Category().normalise(["A+", "??", " M "]) == ["a", "??", "m"]


def test_values_are_blocked_by_themselves_alone():
    assert features("category", "red", "blue") == [{"red"}, {"blue"}]
