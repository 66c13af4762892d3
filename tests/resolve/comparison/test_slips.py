import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onoma.numerics.rng import stream
from onoma.resolve.comparison._slips_kernels import slip_distributions
from onoma.resolve.comparison.slips import SlipCounts, parents_first
from onoma.resolve.comparison.weights import Weights
from reference.resolve_slips import slip_distribution


def independent(p_equal, n_fields):
    """Weights of fields of two levels that know nothing of each other."""
    tables = np.log(np.broadcast_to([p_equal, 1 - p_equal], (3, n_fields, 3, 2)))
    return Weights(np.full(n_fields, -1), tables, np.ones((n_fields, 3)), 0.1, 0.0, np.full(n_fields, 2))


def drawn(p_equal, n_pairs, n_fields, missing=0.0, seed=0):
    rng = stream(seed, "slips")
    levels = (rng.random((n_pairs, n_fields)) >= p_equal).astype(np.int8)
    return np.where(rng.random(levels.shape) < missing, np.int8(-1), levels)


@given(st.integers(0, 10_000), st.integers(1, 4))
def test_distributions_against_all_combinations(seed, n_fields):
    rng = stream(seed, "tables")
    shuffled = rng.permutation(n_fields)
    parent = np.full(n_fields, -1)
    for place, f in enumerate(shuffled):
        parent[f] = rng.choice([-1, *shuffled[:place]])
    n_levels = rng.integers(2, 4, n_fields)
    tables = np.zeros((n_fields, 4, 3))
    for f in range(n_fields):
        tables[f, :, : n_levels[f]] = rng.dirichlet(np.ones(n_levels[f]), 4)
    known = rng.random((5, n_fields)) < 0.7
    found = slip_distributions(parents_first(parent), parent, tables, n_levels, known)
    assert found == pytest.approx(np.array([slip_distribution(parent, tables, n_levels, row) for row in known]))


def test_no_factor_where_fields_go_wrong_one_by_one():
    levels = drawn(0.8, 20_000, 6, missing=0.2)
    counts = SlipCounts(levels)
    counts.add(1.0, np.ones(len(levels)))
    likely = counts.log_factors(independent(0.8, 6))[6, :4]
    assert np.abs(likely).max() < 0.1


def test_one_slip_a_copy_speaks_against_two_and_against_none():
    rng = stream(1, "slips")
    levels = np.zeros((3000, 5), dtype=np.int8)
    levels[np.arange(3000), rng.integers(0, 5, 3000)] = 1
    counts = SlipCounts(levels)
    counts.add(1.0, np.ones(3000))
    factor = counts.log_factors(independent(0.8, 5))[5]
    assert factor[1] > 0.5
    assert factor[[0, 2, 3]].max() < -2.0


def test_many_slips_are_never_spoken_for():
    """Half of the copies differ in nothing, half in everything: the latter may well be relatives."""
    levels = np.zeros((1000, 5), dtype=np.int8)
    levels[500:] = 1
    counts = SlipCounts(levels)
    counts.add(1.0, np.ones(1000))
    factor = counts.log_factors(independent(0.5, 5))[5]
    assert factor[5] <= factor[0]
    assert factor[5] - factor[0] == pytest.approx(-np.log((500 + 5) / (1000 / 32 + 5)))


def test_copies_keep_a_distribution():
    levels = drawn(0.7, 500, 5, missing=0.3, seed=2)
    levels[levels.sum(axis=1) > 2] = 0
    counts = SlipCounts(levels)
    counts.add(1.0, np.ones(len(levels)))
    weights = independent(0.7, 5)
    factor = counts.log_factors(weights)
    for n in range(1, 6):
        known = np.arange(5) < n
        shares = slip_distribution(weights.parent, np.exp(weights.tables[0]), weights.n_levels, known)
        assert shares @ np.exp(factor[n]) == pytest.approx(1.0)


def test_without_copies_nothing_is_said():
    counts = SlipCounts(drawn(0.8, 10, 3))
    assert not counts.log_factors(independent(0.8, 3)).any()
    counts.add(1.0, np.zeros(10))
    assert not counts.log_factors(independent(0.8, 3)).any()
