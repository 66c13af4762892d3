"""Codes: separators mean nothing, every sign counts."""

import pytest

from onoma.resolve.fields.kinds.code import Code
from reference.levels import features, level


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("310-246-1501", "310/246 1501", "equal"),
        ("310-246-1501", "310-246-1510", "one slip"),
        ("tq13 8df", "tq13 8xx", "two slips"),
        ("+1 310 246 1501", "310 246 1501", "one slip"),
        ("0049 310 246 1501", "310 246 1501", "one within the other"),
        ("12", "13", "different"),
        ("3102461501", "2125559999", "different"),
    ],
)
def test_level(first, second, expected):
    assert level("code", first, second) == level("code", second, first) == expected


def test_separators_go_and_letters_are_small():
    assert Code().normalise(["AB-12 cd", "ab.12/CD", "ÄB12"]) == ["ab12cd", "ab12cd", "ab12"]


def test_codes_one_slip_apart_share_trigrams_and_long_ones_not_beyond_their_beginning():
    one, slip = features("code", "ab12cd34", "ab12cd35")
    assert {"ab1", "b12"} <= one & slip
    tail, other = features("code", "x" * 45 + "abc", "y" * 45 + "abc")
    assert not tail & other
