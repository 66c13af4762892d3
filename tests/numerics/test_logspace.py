import numpy as np
import pytest

from onoma.numerics.logspace import draw_log_inplace, log_sum_exp
from onoma.numerics.rng import kernel_state, uniform


def test_sums_along_any_axis():
    values = np.random.default_rng(3).normal(size=(3, 4))
    assert log_sum_exp(values, axis=1) == pytest.approx(np.log(np.exp(values).sum(axis=1)))
    assert log_sum_exp(values) == pytest.approx(np.log(np.exp(values).sum()))


def test_nothing_but_minus_infinity_sums_to_minus_infinity():
    assert log_sum_exp(np.full((2, 3), -np.inf), axis=1).tolist() == [-np.inf, -np.inf]


def test_draws_in_proportion_to_weights_of_any_size():
    log_weights = np.array([1000.0, -np.inf, 1000.0 + np.log(3.0)])
    state = kernel_state(5)
    drawn = [draw_log_inplace(uniform(state), log_weights.copy(), 3) for _ in range(20_000)]
    assert np.bincount(drawn, minlength=3) / 20_000 == pytest.approx([0.25, 0.0, 0.75], abs=0.015)


def test_nothing_can_be_drawn_when_all_is_forbidden():
    assert draw_log_inplace(0.5, np.full(3, -np.inf), 3) == -1


def test_the_largest_uniform_number_draws_the_last_value_that_has_weight():
    log_weights = np.array([0.0, 0.0, -np.inf])
    assert draw_log_inplace(1.0, log_weights, 3) == 1
