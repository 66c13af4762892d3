"""Patterns of levels: they count and weigh as the pairs do one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onoma.numerics.rng import stream
from onoma.resolve.comparison.patterns import Patterns, PatternWeights
from onoma.resolve.comparison.weights import Evidence, Weights, edge_weights


def some_levels(rng, n_pairs, n_fields, k=3):
    return rng.integers(-1, k, (n_pairs, n_fields)).astype(np.int8)


@given(st.integers(0, 10_000), st.integers(0, 30), st.integers(1, 4))
def test_each_pair_has_its_pattern_and_no_two_are_equal(seed, n_pairs, n_fields):
    levels = some_levels(stream(seed, "patterns"), n_pairs, n_fields)
    found = Patterns.of(levels)
    assert np.array_equal(found.levels[found.number], levels)
    assert len(np.unique(found.levels, axis=0)) == len(found.levels)


def test_any_number_of_fields_has_room():
    levels = some_levels(stream(1, "patterns"), 500, 90, k=6)
    levels = np.concatenate([levels, levels[:100]])
    found = Patterns.of(levels)
    assert np.array_equal(found.levels[found.number], levels)
    assert len(found.levels) == 500


@given(st.integers(0, 10_000), st.integers(0, 30), st.integers(1, 4), st.booleans())
def test_pairs_weigh_by_their_patterns_what_they_weigh_one_by_one(seed, n_pairs, n_fields, with_relatives):
    rng = stream(seed, "weights")
    levels = some_levels(rng, n_pairs, n_fields)
    weights = Weights(
        parent=np.array([rng.integers(-1, f) if f else -1 for f in range(n_fields)]),
        tables=np.log(rng.dirichlet(np.ones(3), (3, n_fields, 4))),
        keep=rng.random((n_fields, 4)),
        kappa=0.1,
        sigma=0.2 if with_relatives else 0.0,
        n_levels=np.full(n_fields, 3),
        slips=rng.normal(size=(n_fields + 1, n_fields + 1)),
    )
    ends, none, own = np.zeros(n_pairs, np.int32), np.zeros(0), np.zeros(n_fields, np.bool_)
    share = np.log(rng.random(levels.shape)).astype(np.float32)
    evidence = Evidence(1, ends, ends, levels, share, weights.n_levels, levels[:0], none, 1.0, ~own, ~own, own, none)
    found = PatternWeights(evidence, Patterns.of(levels))(weights)
    for mine, expected in zip(found, edge_weights(evidence, weights), strict=True):
        assert mine == pytest.approx(expected, rel=1e-9)
