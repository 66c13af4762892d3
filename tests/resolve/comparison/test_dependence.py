import numpy as np
import pytest
from scipy.special import chdtrc

from onoma.numerics.rng import stream
from onoma.resolve.comparison.dependence import chi_square_tail, dependence, spanning_tree


def strangers(n, shares, seed=0):
    """Levels of pairs of strangers in fields that know nothing of each other: 0 with these shares, else 1."""
    rng = stream(seed, "strangers")
    return (rng.random((n, len(shares))) >= np.array(shares)).astype(np.int8)


def test_fields_that_know_nothing_of_each_other_are_independent():
    assert dependence(strangers(100_000, [0.5, 0.1, 0.01]), 2).max() < 1e-3


def test_a_handful_of_agreements_makes_no_dependence():
    """Three pairs share an e-mail address, all three a gender: as shares of next to nothing that is much."""
    levels = strangers(100_000, [0.5, 0.0])
    agree = np.flatnonzero(levels[:, 0] == 0)
    levels[agree[:3], 1] = 0
    assert dependence(levels, 2)[0, 1] == 0.0
    levels[agree[:300], 1] = 0
    assert dependence(levels, 2)[0, 1] > 0.05


def test_a_repeated_field_is_told_by_the_other():
    levels = strangers(10_000, [0.2])
    assert dependence(np.concatenate([levels, levels], axis=1), 2)[0, 1] == pytest.approx(1.0)


def test_missing_values_are_left_aside():
    levels = strangers(10_000, [0.2, 0.3])
    levels[:, 1] = -1
    assert not dependence(levels, 2).any()


def test_the_tree_follows_the_strongest_ties():
    strength = np.array([[0.0, 0.5, 0.1], [0.5, 0.0, 0.4], [0.1, 0.4, 0.0]])
    parent = spanning_tree(strength, np.array([1.0, 0.0, 0.0]))
    assert parent.tolist() == [-1, 0, 1]


@pytest.mark.parametrize("freedom", [1, 2, 3, 8, 25, 64, 121])
def test_the_tail_of_chi_square_is_that_of_scipy(freedom):
    for x in (0.0, 1e-9, 0.3, 5.0, 60.0, 400.0, 3000.0):
        assert chi_square_tail(x, freedom) == pytest.approx(chdtrc(freedom, x), rel=1e-9, abs=1e-300)
