"""Weights learnt from pairs whose levels are drawn from known distributions, and the kernels against their twins."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onoma.numerics.rng import stream
from onoma.resolve.comparison._weights_kernels import count_levels, count_pairs, margins, order_ratios
from onoma.resolve.comparison.dependence import spanning_tree
from onoma.resolve.comparison.weight_learning import learn_weights
from onoma.resolve.comparison.weights import (
    COPIED,
    FRESH,
    RELATED,
    Evidence,
    Weights,
    WeightSettings,
    edge_weights,
    limit_relatives,
    log_bayes_factors,
)
from reference import resolve_weights as slow

N, N_LINKS, N_FIELDS = 2000, 500, 9
M = np.array([0.8, 0.15, 0.05])
U = np.array([0.02, 0.08, 0.9])
R = np.array([0.5, 0.2, 0.3])
"""How copies, strangers and relatives are spread over three levels, in every field."""


def draw_levels(rng, p, n, n_fields=N_FIELDS, missing=0.1):
    levels = rng.choice(len(p), (n, n_fields), p=p).astype(np.int8)
    levels[rng.random(levels.shape) < missing] = -1
    return levels


def simulate_evidence(seed=0, *, n_related=0):
    """N records in N_LINKS pairs and singles; the candidates are the true pairs and, as often again, others."""
    rng = stream(seed, "evidence")
    true = np.arange(2 * N_LINKS).reshape(-1, 2)
    others = rng.integers(0, N, (12 * N, 2))
    others = np.unique(np.sort(others[others[:, 0] // 2 != others[:, 1] // 2], axis=1), axis=0)
    pairs = np.concatenate([true, others])
    kind = np.repeat([COPIED, FRESH], [len(true), len(others)])
    kind[rng.choice(np.flatnonzero(kind == FRESH), n_related, replace=False)] = RELATED
    levels = np.empty((len(pairs), N_FIELDS), np.int8)
    for which, p in ((COPIED, M), (RELATED, R), (FRESH, U)):
        levels[kind == which] = draw_levels(rng, p, int((kind == which).sum()))
    background = draw_levels(rng, U, 40_000)
    n_pairs = N * (N - 1) / 2
    evidence = Evidence(
        n=N,
        a=pairs[:, 0].astype(np.int32),
        b=pairs[:, 1].astype(np.int32),
        levels=levels,
        log_share=np.where(levels == 0, np.log(U[0]), 0.0).astype(np.float32),
        n_levels=np.full(N_FIELDS, 3),
        background=background,
        background_weight=np.full(len(background), (n_pairs - len(pairs)) / len(background)),
        n_pairs=n_pairs,
        names=np.arange(N_FIELDS) < 2,
        identity=np.arange(N_FIELDS) < 2,
        own=np.zeros(N_FIELDS, dtype=np.bool_),
        words=np.ones(N_FIELDS),
    )
    return evidence, kind


@pytest.fixture(scope="module")
def simulated():
    return simulate_evidence()


@pytest.fixture(scope="module")
def learnt(simulated):
    return learn_weights(simulated[0], seed=0)[0]


# What is learnt.


@pytest.mark.parametrize("relatives", [False, True])
def test_levels_and_links_are_recovered(simulated, relatives):
    evidence, _ = simulated
    weights, _ = learn_weights(evidence, seed=0, settings=WeightSettings(relatives=relatives))
    for f in range(N_FIELDS):
        assert weights.marginals(COPIED, f) == pytest.approx(M, abs=0.05)
        assert weights.marginals(FRESH, f) == pytest.approx(U, abs=0.01)
    assert weights.kappa * evidence.n_pairs == pytest.approx(N_LINKS, rel=0.05)
    assert (weights.sigma > 0) == relatives


def test_true_pairs_stand_out(simulated, learnt):
    evidence, kind = simulated
    copy, _ = edge_weights(evidence, learnt)
    assert np.mean(copy[kind == COPIED] > 1) > 0.95
    assert np.mean(copy[kind != COPIED] > 1) < 0.002


def test_independent_fields_have_no_parents(learnt):
    assert (learnt.parent == -1).all()


def test_the_sampler_comes_warm(simulated):
    evidence, _ = simulated
    weights, sampler = learn_weights(evidence, seed=0)
    draws = sampler.run(*edge_weights(evidence, weights), n_sweeps=20)
    assert draws.n_entities.mean() == pytest.approx(N - N_LINKS, rel=0.03)


def test_the_seed_decides(simulated):
    evidence, _ = simulated
    settings = WeightSettings(n_stochastic=6)
    one, same, other = (learn_weights(evidence, seed=s, settings=settings)[0] for s in (1, 1, 2))
    assert one.tables.tobytes() == same.tables.tobytes()
    assert one.kappa == same.kappa != other.kappa


def repeated(evidence, f):
    """The same evidence with field f told twice."""

    def twice(x):
        return np.concatenate([x, x[..., f : f + 1]], axis=-1)

    return replace(
        evidence,
        levels=twice(evidence.levels),
        log_share=twice(evidence.log_share),
        background=twice(evidence.background),
        n_levels=twice(evidence.n_levels),
        names=twice(evidence.names),
        identity=twice(evidence.identity),
        own=twice(evidence.own),
        words=twice(evidence.words),
    )


def test_a_field_told_twice_says_little_more(simulated, learnt):
    evidence, kind = simulated
    true = kind == COPIED
    before = log_bayes_factors(evidence, learnt)[0]
    again = repeated(evidence, 3)
    shifts = {}
    for dependence in (True, False):
        weights = learn_weights(again, seed=0, settings=WeightSettings(dependence=dependence))[0]
        shifts[dependence] = np.abs(log_bayes_factors(again, weights)[0] - before)[true].mean()
        if dependence:
            assert weights.parent[3] == N_FIELDS or weights.parent[N_FIELDS] == 3
    assert shifts[True] < 0.25 * shifts[False]
    assert shifts[False] > 2.0


def information(weights, kind, evidence, fields):
    """How far a class is from strangers, over some fields, in nats."""
    present = (evidence.levels >= 0).mean(axis=0)
    total = 0.0
    for f in np.flatnonzero(fields):
        p, fresh = weights.marginals(kind, f), weights.marginals(FRESH, f)
        total += present[f] * float(p @ np.log(p / fresh))
    return total


@pytest.mark.parametrize("bound", [0.5, 0.2])
def test_relatives_share_no_more_than_a_part_of_what_copies_share(bound):
    evidence, _ = simulate_evidence(3, n_related=600)
    settings = WeightSettings(relatives_bound=bound)
    weights, _ = learn_weights(evidence, seed=0, settings=settings)
    for fields in (evidence.identity, np.ones(N_FIELDS, np.bool_)):
        most = bound * information(weights, COPIED, evidence, fields)
        assert information(weights, RELATED, evidence, fields) <= most * (1 + 1e-6)
    for f in range(N_FIELDS):
        assert weights.marginals(RELATED, f).sum() == pytest.approx(1.0)


def test_no_candidates():
    evidence, _ = simulate_evidence()
    none = np.zeros(0, np.int32)
    evidence = replace(evidence, a=none, b=none, levels=evidence.levels[:0], log_share=evidence.log_share[:0])
    weights, _ = learn_weights(evidence, seed=0)
    assert np.isfinite(weights.kappa) and weights.kappa > 0
    assert all(np.isfinite(weights.marginals(kind, f)).all() for kind in range(3) for f in range(N_FIELDS))
    assert len(log_bayes_factors(evidence, weights)[0]) == 0


# Bayes factors.


def test_a_hand_computed_bayes_factor():
    """Two fields of two levels, the second depends on the first; equal names of one record in a hundred."""
    tables = np.full((3, 2, 3, 2), np.nan)
    none = 2
    tables[:, 0, none] = np.log([[0.9, 0.1], [0.5, 0.5], [0.05, 0.95]])
    tables[:, 1, none] = np.log([[0.8, 0.2], [0.6, 0.4], [0.1, 0.9]])
    tables[:, 1, 0] = np.log([[0.85, 0.15], [0.7, 0.3], [0.4, 0.6]])
    tables[:, 1, 1] = np.log([[0.5, 0.5], [0.3, 0.7], [0.08, 0.92]])
    keep = np.array([[1.0, 1.0, 1.0], [0.25, 0.9, 1.0]])
    weights = Weights(np.array([-1, 0]), tables, keep, 0.001, 0.01, np.array([2, 2]))
    levels = np.array([[0, 1], [1, 0], [-1, 0], [0, 0], [-1, -1]], np.int8)
    share = np.log(np.array([[0.01, 1], [1, 0.2], [1, 0.2], [0.01, 0.2], [1, 1]])).astype(np.float32)
    edges = np.zeros(5, np.int32)
    first, none = np.array([True, False]), np.zeros(0)
    evidence = Evidence(
        2, edges, edges, levels, share, np.array([2, 2]), levels[:0], none, 1.0, first, first, ~first, none
    )
    copy, relative = log_bayes_factors(evidence, weights)
    expected = [
        np.log(0.9 / 0.01) + np.log(0.15 / 0.6),
        np.log(0.1 / 0.95) + np.log(0.5 / (0.08 * (0.2 / 0.1) ** 0.9)),
        np.log(0.8 / 0.2),
        np.log(0.9 / 0.01) + np.log(0.85 / (0.4 * (0.2 / 0.1) ** 0.25)),
        0.0,
    ]
    assert copy == pytest.approx(expected, abs=1e-6)
    assert relative[0] == pytest.approx(np.log(0.5 / 0.01) + np.log(0.3 / 0.6), abs=1e-6)
    as_copy, as_relative = edge_weights(evidence, weights)
    assert as_copy == pytest.approx(0.001 * np.exp(copy))
    assert as_relative == pytest.approx(0.01 * np.exp(relative))
    assert not edge_weights(evidence, replace(weights, sigma=0.0))[1].any()


def test_a_relation_outweighs_a_copy_by_no_more_than_it_must():
    copy, relative = np.exp([20.0, 20.0, -6.0, -30.0, -30.0]), np.exp([40.0, 21.0, 15.0, 15.0, -2.0])
    assert np.log(limit_relatives(copy, relative)) == pytest.approx([28.0, 21.0, 2.0, 0.0, -2.0])


# Kernels against their twins.


def random_pairs(seed, n_pairs, n_fields, k=3):
    rng = stream(seed, "pairs")
    levels = rng.integers(-1, k, (n_pairs, n_fields)).astype(np.int8)
    parent = np.array([rng.integers(-1, f) if f else -1 for f in range(n_fields)])
    weight = rng.random(n_pairs) * (rng.random(n_pairs) < 0.8)
    return rng, levels, parent, weight


@given(st.integers(0, 10_000), st.integers(0, 8), st.integers(1, 4))
def test_scores(seed, n_pairs, n_fields):
    rng, levels, parent, _ = random_pairs(seed, n_pairs, n_fields)
    tables = np.log(rng.dirichlet(np.ones(3), (3, n_fields, 4)))
    keep = rng.random((n_fields, 4))
    share = np.log(rng.random(levels.shape)).astype(np.float32)
    slips = rng.normal(size=(n_fields + 1, n_fields + 1))
    weights = Weights(parent, tables, keep, 0.1, 0.1, np.full(n_fields, 3), slips)
    ends = np.zeros(n_pairs, np.int32)
    none = np.zeros(0)
    own = parent < -1
    evidence = Evidence(1, ends, ends, levels, share, weights.n_levels, levels[:0], none, 1.0, ~own, ~own, own, none)
    for kind, found in zip((COPIED, RELATED), log_bayes_factors(evidence, weights), strict=True):
        rows = zip(levels.tolist(), share.tolist(), strict=True)
        assert found == pytest.approx([slow.log_bayes_factor(kind, *row, parent, tables, keep, slips) for row in rows])


@given(st.integers(0, 10_000), st.integers(0, 8), st.integers(1, 4))
def test_counts(seed, n_pairs, n_fields):
    _, levels, parent, weight = random_pairs(seed, n_pairs, n_fields)
    counts = np.zeros((n_fields, 4, 3))
    count_levels(levels, parent, weight, counts)
    assert counts == pytest.approx(slow.count_levels(levels.tolist(), parent, weight, counts.shape))
    for one, other in itertools.product(range(n_fields), repeat=2):
        counts = np.zeros((3, 3))
        count_pairs(levels, one, other, weight, counts)
        assert counts == pytest.approx(slow.count_pairs(levels.tolist(), one, other, weight, 3))


@given(st.integers(0, 1000), st.integers(1, 5), st.integers(1, 8))
def test_ratios_in_order(seed, n_rows, k):
    rng = np.random.default_rng(seed)
    copied, fresh = np.log(rng.dirichlet(np.ones(k), size=(2, n_rows)))
    expected = slow.order_ratios(copied, fresh)
    order_ratios(copied, fresh)
    assert copied == pytest.approx(expected)
    assert np.exp(copied).sum(axis=1) == pytest.approx(np.ones(n_rows))
    assert (np.diff(copied - fresh, axis=1) <= 1e-9).all()


@given(st.integers(2, 6), st.data())
def test_margins(n, data):
    every = list(itertools.combinations(range(n), 2))
    pairs = data.draw(st.lists(st.sampled_from(every), unique=True))
    score = np.array(
        data.draw(st.lists(st.sampled_from([0.0, 0.2, 0.5, 0.9]), min_size=len(pairs), max_size=len(pairs)))
    )
    a, b = np.array(pairs, dtype=np.int32).reshape(-1, 2).T.copy()
    assert margins(n, a, b, score) == pytest.approx(slow.margins(pairs, score))


def test_relatives_share_nothing_of_what_is_ones_own(simulated):
    evidence, _ = simulated
    own = np.zeros(N_FIELDS, dtype=np.bool_)
    own[3] = True
    weights, _ = learn_weights(replace(evidence, own=own), seed=0)
    assert np.array_equal(weights.tables[RELATED, 3], weights.tables[FRESH, 3])
    free, _ = learn_weights(evidence, seed=0)
    assert not np.allclose(free.tables[RELATED, 3, -1, :3], free.tables[FRESH, 3, -1, :3], atol=0.1)


def test_a_tree_hangs_from_the_field_that_takes_precedence():
    strength = np.array([[0.0, 0.5, 0.0, 0.4], [0.5, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.4, 0.0, 0.0, 0.0]])
    assert spanning_tree(strength, np.zeros(4)).tolist() == [-1, 0, -1, 0]
    assert spanning_tree(strength, np.array([0.3, 0.9, 0.0, 0.8])).tolist() == [1, -1, -1, 0]
