import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.errors import SettingsError
from onoma.learning._maxent_kernels import CD, SCGIS, scaling_step
from onoma.learning.candidate_problem import CandidateProblem
from onoma.learning.objective import Penalty, Search
from onoma.learning.product_problem import ProductProblem
from reference import learning_maxent as reference


def _chosen(y, n_classes, counts):
    chosen = np.zeros((len(y), n_classes))
    chosen[np.arange(len(y)), y] = counts
    return chosen


@pytest.mark.parametrize("pairs", ["all", "seen"])
@pytest.mark.parametrize("binary", [True, False])
def test_product_problem_equals_its_explicit_form(make_samples, pairs, binary):
    X, y = make_samples(3, binary=binary, signed=not binary)
    counts = np.random.default_rng(1).integers(0, 4, len(y)).astype(float)
    problem = ProductProblem(X, y, 4, counts=counts, pairs=pairs)
    features = reference.product_features(X.toarray(), 4, problem.w_ptr, problem.w_class)
    w = np.random.default_rng(2).normal(size=len(problem.observed))
    total, expected = problem.evaluate(w)
    chosen = _chosen(y, 4, counts)
    assert total == pytest.approx(reference.log_partition(features, counts, w), rel=1e-12)
    np.testing.assert_allclose(expected, reference.expectations(features, counts, w), rtol=1e-10)
    np.testing.assert_allclose(problem.observed, np.einsum("xy,xyt->t", chosen, features), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(problem.scores(X, w), features @ w, rtol=1e-10, atol=1e-12)
    if binary:
        assert problem.sharp() == pytest.approx(features.sum(axis=2).max())


def test_seen_pairs_are_those_of_the_samples(make_samples):
    X, y = make_samples(5)
    problem = ProductProblem(X, y, 3, pairs="seen")
    seen = {(p, int(c)) for i, c in enumerate(y) for p in X[[i]].indices}
    pairs = {(p, int(c)) for p in range(6) for c in problem.w_class[problem.w_ptr[p] : problem.w_ptr[p + 1]]}
    assert pairs == seen
    assert 0 < len(seen) <= 18


def test_weight_rows(make_samples):
    X, y = make_samples(5, n=8)
    for pairs in ("all", "seen"):
        problem = ProductProblem(X, y, 3, pairs=pairs)
        w = np.arange(1.0, len(problem.observed) + 1)
        np.testing.assert_allclose(X @ problem.weight_rows(np.arange(6), w), problem.scores(X, w))


def test_gradient_equals_finite_differences(make_samples):
    X, y = make_samples(7)
    problem, penalty = ProductProblem(X, y, 3), Penalty(2.0)
    w = np.random.default_rng(0).normal(size=len(problem.observed))

    def value(w):
        return problem.evaluate(w)[0] - w @ problem.observed + penalty.value(w)

    gradient = penalty.gradient(problem.evaluate(w)[1] - problem.observed, w)
    numeric = [(value(w + 1e-5 * e) - value(w - 1e-5 * e)) / 2e-5 for e in np.eye(len(w))]
    np.testing.assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-6)


def test_candidate_problem_equals_product_problem(make_samples):
    X, y = make_samples(9, binary=False)
    product = ProductProblem(X, y, 3)
    F = sp.csr_array(sp.vstack([sp.kron(X[[i]], np.eye(3)[:, [c]].T) for i in range(40) for c in range(3)]))
    chosen = np.zeros(120)
    chosen[3 * np.arange(40) + y] = 1.0
    general = CandidateProblem(F, np.arange(41) * 3, chosen)
    w = np.random.default_rng(3).normal(size=18)
    np.testing.assert_allclose(general.observed, product.observed)
    assert general.evaluate(w)[0] == pytest.approx(product.evaluate(w)[0])
    np.testing.assert_allclose(general.evaluate(w)[1], product.evaluate(w)[1])
    z = np.random.default_rng(4).normal(size=18) * 0.3
    for ours, theirs in zip(general.scaling(w, z), product.scaling(w, z), strict=True):
        np.testing.assert_allclose(ours, theirs)
    assert general.sharp() == pytest.approx(product.sharp())


@pytest.mark.parametrize("pairs", ["all", "seen"])
def test_a_sweep_is_a_newton_step_for_each_feature_in_turn(pairs):
    rng = np.random.default_rng(11)
    X = sp.csr_array((rng.random((30, 8)) < [1.0, 0.5, 0.3, 0.1, 0.1, 0.07, 0.07, 0.05]).astype(float))
    y = rng.integers(0, 5, 30)
    problem, penalty = ProductProblem(X, y, 5, pairs=pairs), Penalty(0.05)
    features = reference.product_features(X.toarray(), 5, problem.w_ptr, problem.w_class)
    chosen, state = _chosen(y, 5, 1.0), problem.state("float64")
    w, slow, sizes = np.zeros(len(problem.observed)), np.zeros(len(problem.observed)), set()
    state.refresh(w)
    state.sweep(CD, w, penalty, Search())
    for p in state.order:
        block = np.arange(problem.w_ptr[p], problem.w_ptr[p + 1])
        sizes.add(len(block))
        if len(block) == 0:
            continue
        step = reference.newton_block(features, chosen, slow, block, variance=0.05, whole=3 * len(block) > 5)
        assert np.ptp(np.append(step, 0.0)) < Search().safe_range
        slow[block] += step
        if len(block) == 5:
            slow[block] -= slow[block].mean()
    np.testing.assert_allclose(w, slow, rtol=1e-9, atol=1e-12)
    assert sizes >= ({1, 3, 5} if pairs == "seen" else {5})


@pytest.mark.parametrize("rule", [CD, SCGIS])
@pytest.mark.parametrize("store", ["float64", "float32", "nothing"])
def test_state_follows_the_weights(make_samples, rule, store):
    X, y = make_samples(13, n=80, n_classes=7, binary=False)
    for pairs in ("all", "seen"):
        problem = ProductProblem(X, y, 7, pairs=pairs)
        state, w = problem.state(store), np.zeros(len(problem.observed))
        state.refresh(w)
        for _ in range(20):
            state.sweep(rule, w, Penalty(100.0), Search())
        assert state.log_partition(w) == pytest.approx(
            problem.evaluate(w)[0], rel=1e-12 if store != "float32" else 1e-5
        )


def test_rows_are_rescaled_before_they_overflow():
    X = sp.csr_array(np.repeat(np.eye(2), 20, axis=1))
    problem = ProductProblem(X, np.array([0, 1]), 2)
    state, w = problem.state("float32"), np.zeros(80)
    state.refresh(w)
    for _ in range(3):
        # Each sweep moves every weight by about 4: scores near ±500.
        state.sweep(SCGIS, w, Penalty(1e6), Search())
        w += np.tile([4.0, -4.0], 40) * np.repeat([1.0, -1.0], 40)
        state.refresh(w)
    assert np.abs(problem.scores(X, w)).max() > 200.0
    assert np.isfinite(state.T).all()
    assert state.log_partition(w) == pytest.approx(problem.evaluate(w)[0], rel=1e-6)


@given(st.floats(1e-6, 1e4), st.floats(0, 1e4), st.floats(-20, 20), st.floats(0.01, 100), st.floats(0.1, 30))
@settings(max_examples=60, deadline=None)
def test_scaling_step_finds_the_root(expected, observed, weight, variance, sharp):
    z = scaling_step(expected, observed, weight, 1 / variance, sharp)
    slope = expected * np.exp(z * sharp) - observed + (weight + z) / variance
    scale = expected * np.exp(z * sharp) + observed + abs(weight + z) / variance
    assert abs(slope) <= 1e-8 * (scale + 1e-3)


def test_safe_range_is_the_edge_of_the_certificate():
    for gamma in (0.001, 0.1, 0.4):
        r = Search(gamma=gamma).safe_range
        assert (np.expm1(r) - r) / r**2 == pytest.approx(1 - gamma)


def test_penalty():
    w = np.array([2.0, 0.0, 0.0])
    assert Penalty(4.0, l1=3.0).value(w) == pytest.approx(0.5 + 6.0)
    np.testing.assert_allclose(Penalty(4.0, l1=3.0).gradient(np.array([1.0, -5.0, 2.0]), w), [4.5, -2.0, 0.0])


@pytest.mark.parametrize("settings", [{"variance": 0.0}, {"variance": -1.0}, {"l1": -1.0}, {"variance": np.nan}])
def test_bad_penalties_are_refused(settings):
    with pytest.raises(SettingsError):
        Penalty(**settings)


@pytest.mark.parametrize("settings", [{"beta": 1.0}, {"gamma": 0.0}, {"gamma": 0.5}])
def test_bad_searches_are_refused(settings):
    with pytest.raises(SettingsError):
        Search(**settings)


def test_candidates_are_always_kept():
    with pytest.raises(SettingsError, match="float64"):
        CandidateProblem(sp.csr_array(np.eye(2)), np.array([0, 2]), np.array([1.0, 0.0])).state("nothing")
