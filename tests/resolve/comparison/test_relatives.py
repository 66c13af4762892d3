"""Relatives share a bounded part of what copies share."""

import numpy as np
import pytest

from onoma.resolve.comparison.relatives import draw_to_strangers

COPIED = np.log(np.array([[[0.8, 0.1, 0.1]] * 2] * 2))
FRESH = np.log(np.array([[[0.05, 0.15, 0.8]] * 2] * 2))
ALL = np.ones(2, dtype=np.bool_)


def information(table):
    return float((np.exp(table[:, -1]) * (table[:, -1] - FRESH[:, -1])).sum())


@pytest.mark.parametrize("bound", [0.1, 0.5, 0.9])
def test_the_bound_holds_and_is_reached(bound):
    found = draw_to_strangers(COPIED, COPIED, FRESH, presence=np.ones(2), fields=ALL, bound=bound)
    assert information(found) == pytest.approx(bound * information(COPIED), rel=1e-3)
    assert np.exp(found).sum(axis=-1) == pytest.approx(np.ones((2, 2)))


def test_what_is_within_the_bound_stays():
    related = np.log(np.array([[[0.1, 0.2, 0.7]] * 2] * 2))
    found = draw_to_strangers(related, COPIED, FRESH, presence=np.ones(2), fields=ALL, bound=0.5)
    assert found is related


def test_other_fields_are_left_alone_and_impossible_levels_stay_so():
    table = COPIED.copy()
    table[..., 1] = -np.inf
    found = draw_to_strangers(table, COPIED, FRESH, presence=np.ones(2), fields=np.array([True, False]), bound=0.1)
    assert np.array_equal(found[1], table[1])
    assert np.isneginf(found[0, :, 1]).all() and not np.array_equal(found[0], table[0])
