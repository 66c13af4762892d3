"""Numbers: compared by their relative difference, blocked by bands."""

import pytest

from onoma.resolve.fields.kinds.number import Number, read_number
from reference.levels import features, level


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("$1,200.00", "1200", "equal"),
        ("99.99", "100", "0.1 % apart"),
        ("99", "100", "2 % apart"),
        ("80", "100", "30 % apart"),
        ("100", "-100", "different"),
    ],
)
def test_level(first, second, expected):
    assert level("number", first, second) == level("number", second, first) == expected


@pytest.mark.parametrize(
    ("text", "number"), [("1.234.567", 1234567.0), ("1’234,5", 1234.5), ("2e3", 2000.0), ("about 7 kg", 7.0)]
)
def test_reading(text, number):
    assert read_number(text) == number


def test_a_text_without_a_number_is_missing():
    assert Number().normalise(["free", "0012.50"]) == ["", "12.5"]


def test_near_numbers_share_a_band_and_opposite_ones_do_not():
    near, nearly, opposite, nought = features("number", "100", "102", "-100", "0")
    assert near & nearly and not near & opposite
    assert nought == {"0"}
