import numpy as np
import pytest

from onoma.errors import DataError
from onoma.mcmc.diagnostics import autocorrelation, effective_sample_size, r_hat
from onoma.numerics.rng import stream


def autoregressive(rho, n_chains, n, seed=0):
    """x_t = ρ x_{t-1} + noise: its autocorrelation at lag k is ρ^k, and n draws are worth n (1-ρ)/(1+ρ)."""
    rng = stream(seed)
    draws = np.empty((n_chains, n))
    draws[:, 0] = rng.normal(size=n_chains) / np.sqrt(1 - rho**2)
    for t in range(1, n):
        draws[:, t] = rho * draws[:, t - 1] + rng.normal(size=n_chains)
    return draws


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_an_autoregressive_chain_is_worth_what_theory_says(rho):
    draws = autoregressive(rho, 4, 20_000)
    assert effective_sample_size(draws) == pytest.approx(80_000 * (1 - rho) / (1 + rho), rel=0.1)
    assert autocorrelation(draws)[:, :6].mean(axis=0) == pytest.approx(rho ** np.arange(6), abs=0.03)
    assert r_hat(draws) == pytest.approx(1.0, abs=0.01)


def test_opposed_draws_are_worth_more_than_independent_ones():
    assert effective_sample_size(autoregressive(-0.5, 4, 5000)) > 25_000


def test_chains_apart_have_a_large_r_hat_and_few_effective_draws():
    draws = stream(1).normal(size=(4, 1000)) + np.arange(4)[:, None] * 3
    assert r_hat(draws) > 1.5
    assert effective_sample_size(draws) < 20


def test_chains_of_different_width_are_noticed():
    draws = stream(1).normal(size=(4, 1000)) * np.array([1, 1, 1, 10])[:, None]
    assert r_hat(draws) > 1.1


def test_a_drifting_chain_is_noticed_by_its_halves():
    draws = stream(1).normal(size=(1, 1000)) + np.linspace(0, 5, 1000)
    assert r_hat(draws) > 1.3


def test_many_quantities_at_once_are_each_alone():
    draws = np.stack([autoregressive(rho, 2, 500, seed=3) for rho in (0.1, 0.8)], axis=2)
    for k in range(2):
        assert r_hat(draws)[k] == pytest.approx(float(r_hat(draws[:, :, k])))
        assert effective_sample_size(draws)[k] == pytest.approx(float(effective_sample_size(draws[:, :, k])))


def test_draws_that_never_vary():
    same, apart = np.ones((2, 50)), np.ones((2, 50)) * np.array([[0.1], [0.7]])
    assert r_hat(same) == 1.0
    assert effective_sample_size(same) == 100
    assert r_hat(apart) == np.inf
    assert (autocorrelation(same) == 1.0).all()


def test_too_few_draws_are_refused():
    with pytest.raises(DataError, match="4 draws or more"):
        r_hat(np.zeros((4, 3)))
