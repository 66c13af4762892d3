import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare
from scipy.stats import poisson as poisson_distribution

from onoma.numerics.rng import kernel_state
from onoma.numerics.sampling import (
    alias_tables_inplace,
    draw_alias,
    draw_next_inplace,
    new_deck,
    poisson,
    put_back_inplace,
)


@settings(max_examples=50, deadline=None)
@given(n=st.integers(1, 30), k=st.integers(0, 30), seed=st.integers(0, 1000))
def test_draws_are_distinct_and_the_deck_is_in_order_again(n, k, seed):
    k = min(k, n)
    deck, state = new_deck(40), kernel_state(seed)
    drawn = [draw_next_inplace(state, deck, i, n) for i in range(k)]
    put_back_inplace(deck, k)
    assert len(set(drawn)) == k
    assert all(0 <= item < n for item in drawn)
    assert deck[0].tolist() == list(range(40))


def test_every_ordered_sample_is_equally_likely():
    deck, state = new_deck(4), kernel_state(11)
    counts = dict.fromkeys(itertools.permutations(range(4), 2), 0)
    for _ in range(12_000):
        first = draw_next_inplace(state, deck, 0, 4)
        counts[first, draw_next_inplace(state, deck, 1, 4)] += 1
        put_back_inplace(deck, 2)
    assert chisquare(list(counts.values())).pvalue > 1e-3


@pytest.mark.parametrize("mean", [0.0, 0.3, 4.0, 60.0])
def test_poisson_numbers_follow_their_distribution(mean):
    state = kernel_state(13)
    drawn = np.array([poisson(state, mean) for _ in range(20_000)])
    assert drawn.mean() == pytest.approx(mean, abs=5 * np.sqrt(mean / 20_000) + 1e-12)
    if 0 < mean < 10:
        top = int(poisson_distribution.ppf(0.999, mean))
        expected = np.append(poisson_distribution.pmf(range(top), mean), poisson_distribution.sf(top - 1, mean))
        counts = np.bincount(np.minimum(drawn, top), minlength=top + 1)
        assert chisquare(counts, expected * len(drawn)).pvalue > 1e-3


def test_a_long_poisson_interval_is_cut_without_bias():
    state = kernel_state(17)
    drawn = np.array([poisson(state, 1300.0) for _ in range(2000)])
    assert drawn.mean() == pytest.approx(1300.0, abs=5 * np.sqrt(1300 / 2000))
    assert drawn.var() == pytest.approx(1300.0, rel=0.2)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.one_of(st.just(0.0), st.floats(1e-6, 1e6)), min_size=1, max_size=12).filter(any))
def test_an_alias_table_gives_back_the_weights(weights):
    weights = np.array(weights)
    keep, other = np.zeros(len(weights)), np.zeros(len(weights), np.int64)
    alias_tables_inplace(weights, keep, other)
    given_back = np.bincount(np.arange(len(weights)), keep, len(weights)) + np.bincount(other, 1 - keep, len(weights))
    assert given_back / len(weights) == pytest.approx(weights / weights.sum(), abs=1e-9)
    assert (given_back[weights == 0] == 0).all()


def test_alias_draws_follow_the_weights():
    keep, other = np.zeros(5), np.zeros(5, np.int64)
    weights = np.array([1.0, 0.0, 5.0, 2.0])
    alias_tables_inplace(weights, keep[1:], other[1:])
    state = kernel_state(19)
    drawn = [draw_alias(state, keep, other, 1, 4) for _ in range(20_000)]
    assert np.bincount(drawn, minlength=4) / 20_000 == pytest.approx(weights / 8, abs=0.015)
