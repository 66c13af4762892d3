"""Values that a kind of words might have, simulated country by country."""

import numpy as np
import pytest
from rapidfuzz.distance import OSA

from onoma.resolve.fields.wording import CLASSES
from onoma.resolve.fields.wording.simulate import _slipped, simulate_values


def test_simulated_values_are_the_same_for_the_same_seed_and_differ_by_seed():
    one = simulate_values(20, seed=1, known=["en_GB", "de_DE"])
    assert one == simulate_values(20, seed=1, known=["en_GB", "de_DE"])
    assert one[0] != simulate_values(20, seed=2, known=["en_GB", "de_DE"])[0]


def test_there_are_as_many_of_each_class_and_none_is_empty():
    values, classes = simulate_values(15, seed=3, known=["en_US", "fr_FR"])
    assert np.bincount(classes).tolist() == [15] * len(CLASSES)
    assert all(value.strip() for value in values)


def test_places_have_numbers_and_people_have_none():
    values, classes = simulate_values(200, seed=4, known=["en_US"])
    share = [
        np.mean([any(c.isdigit() for c in v) for v, k in zip(values, classes, strict=True) if k == j]) for j in (0, 2)
    ]
    assert share[0] < 0.02 < 0.2 < share[1]


@pytest.mark.parametrize("seed", range(6))
def test_a_slip_is_one_letter_more_less_or_swapped(seed):
    slipped = _slipped("lovelace", np.random.default_rng(seed))
    assert OSA.distance(slipped, "lovelace") <= 1
