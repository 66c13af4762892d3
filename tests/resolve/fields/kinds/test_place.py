"""Places: addresses and towns, word by word, numbers apart from words."""

import numpy as np
import pytest

from onoma.resolve.fields.kinds.place import Place
from reference.levels import features, level


def test_an_address_may_leave_out_between_which_streets_a_house_stands():
    raw = ["854 7th Ave. between 54th and 55th Sts.", "854 Seventh Ave.", "12 54th St.", "12 55th St."]
    comparison = Place().prepare(Place().normalise(raw), np.ones(4, np.int64))
    found = comparison.compare(np.array([0, 2], np.int32), np.array([1, 3], np.int32))
    different = len(comparison.levels) - 1
    assert found[0] < different
    assert found[1] == different


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("435 s. la cienega blv.", "435 S La Cienega Blvd", "equal"),
        ("pridhamstreet", "pridham street", "same words"),
        ("12 Main Street", "12 Mian Street", "one slip"),
        ("12 Main Street", "14 Main Street", "different"),
        ("Winston Hills", "Winston Hils", "one slip"),
        ("Berlin", "Sydney", "different"),
    ],
)
def test_level(first, second, expected):
    assert level("place", first, second) == level("place", second, first) == expected


def test_a_number_and_a_word_of_an_address_are_a_feature():
    one, other = features("place", "12 Main Street, York", "12 Main St, Ely")
    assert "12 main" in one & other
