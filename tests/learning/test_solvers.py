import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from onoma.errors import DataError, SettingsError
from onoma.learning.candidate_problem import CandidateProblem
from onoma.learning.objective import Penalty, Search
from onoma.learning.product_problem import ProductProblem
from onoma.learning.solvers import SOLVERS, Plan, solve
from reference import learning_maxent as reference

TIGHT = {"tolerance": 1e-8, "max_iterations": 100_000}


def _explicit(problem, X, y, n_classes, variance):
    features = reference.product_features(X.toarray(), n_classes, problem.w_ptr, problem.w_class)
    chosen = np.eye(n_classes)[y]
    return minimize(
        lambda w: (
            reference.objective(features, chosen, w, variance=variance),
            reference.gradient(features, chosen, w, variance=variance),
        ),
        np.zeros(features.shape[2]),
        jac=True,
        method="BFGS",
        options={"gtol": 1e-8},
    ).fun


@given(seed=st.integers(0, 10_000), variance=st.sampled_from([0.3, 1.0, 10.0]), pairs=st.sampled_from(["all", "seen"]))
@settings(max_examples=12, deadline=None)
def test_every_solver_finds_the_optimum(seed, variance, pairs):
    rng = np.random.default_rng(seed)
    X = sp.csr_array((rng.random((25, 4)) < 0.5) * rng.choice([1.0, 2.0], size=(25, 4)))
    y = rng.integers(0, 3, 25)
    problem = ProductProblem(X, y, 3, pairs=pairs)
    best = _explicit(problem, X, y, 3, variance)
    for solver in SOLVERS:
        solution = solve(problem, Penalty(variance), Plan(solver=solver, **TIGHT))
        assert solution.is_converged
        assert solution.trace[-1].objective == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
def test_candidates_reach_the_same_optimum(solver):
    rng = np.random.default_rng(4)
    sizes = rng.integers(1, 5, 30)
    F = sp.csr_array((rng.random((sizes.sum(), 5)) < 0.5) * rng.exponential(size=(sizes.sum(), 5)))
    ptr = np.concatenate([[0], np.cumsum(sizes)])
    chosen = np.zeros(sizes.sum())
    chosen[[rng.integers(a, b) for a, b in zip(ptr[:-1], ptr[1:], strict=True)]] = 1.0

    def value(w):
        scores = F @ w
        return (
            sum(
                np.log(np.exp(scores[a:b]).sum()) - scores[a:b] @ chosen[a:b]
                for a, b in zip(ptr[:-1], ptr[1:], strict=True)
            )
            + w @ w / 4
        )

    best = minimize(value, np.zeros(5), method="BFGS", options={"gtol": 1e-7}).fun
    solution = solve(CandidateProblem(F, ptr, chosen), Penalty(2.0), Plan(solver=solver, **TIGHT))
    assert solution.trace[-1].objective == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("solver", ["scgis", "gis", "iis", "cd"])
@pytest.mark.parametrize("pairs", ["all", "seen"])
def test_no_step_raises_the_objective(make_samples, solver, pairs):
    X, y = make_samples(1, n=60, m=8, n_classes=4, binary=False)
    solution = solve(
        ProductProblem(X, y, 4, pairs=pairs), Penalty(10.0), Plan(solver=solver, tolerance=0.0, max_iterations=60)
    )
    values = [60 * np.log(4), *(point.objective for point in solution.trace)]
    assert len(values) == 61
    assert all(after <= before + 1e-9 * before for before, after in zip(values[:-1], values[1:], strict=True))


@pytest.mark.parametrize("store", ["float32", "nothing"])
@pytest.mark.parametrize("solver", ["cd", "scgis"])
def test_less_memory_same_optimum(make_samples, store, solver):
    X, y = make_samples(2)
    problem = ProductProblem(X, y, 3)
    full = solve(problem, Penalty(2.0), Plan(solver=solver, **TIGHT))
    lean = solve(problem, Penalty(2.0), Plan(solver=solver, store=store, tolerance=1e-6, max_iterations=10_000))
    assert lean.trace[-1].objective == pytest.approx(full.trace[-1].objective, rel=1e-5)
    if store == "nothing":
        steps = [(a.objective, b.objective) for a, b in zip(full.trace, lean.trace, strict=False)]
        np.testing.assert_allclose(*zip(*steps, strict=True), rtol=1e-9)


@pytest.mark.parametrize("signed", [False, True])
def test_l1_meets_its_optimality_conditions(make_samples, signed):
    X, y = make_samples(3, binary=False, signed=signed)
    problem, penalty = ProductProblem(X, y, 3), Penalty(5.0, l1=2.0)
    w = solve(problem, penalty, Plan(**TIGHT)).weights
    slope = problem.evaluate(w)[1] - problem.observed + w / 5.0
    assert 0 < (w == 0).sum() < len(w)
    assert (np.abs(slope[w == 0]) <= 2.0 + 1e-3).all()
    np.testing.assert_allclose(slope[w != 0], -2.0 * np.sign(w[w != 0]), atol=1e-3)


def test_signed_features_need_cd_or_lbfgs(make_samples):
    X, y = make_samples(4, signed=True)
    problem = ProductProblem(X, y, 3)
    cd, lbfgs = (solve(problem, Penalty(1.0), Plan(solver=solver, **TIGHT)) for solver in ("cd", "lbfgs"))
    assert cd.trace[-1].objective == pytest.approx(lbfgs.trace[-1].objective, rel=1e-6)
    for solver in ("gis", "iis", "scgis"):
        with pytest.raises(DataError, match="negative"):
            solve(problem, Penalty(1.0), Plan(solver=solver))


def test_l1_is_for_cd_alone(make_samples):
    X, y = make_samples(4)
    with pytest.raises(SettingsError, match="L1"):
        solve(ProductProblem(X, y, 3), Penalty(1.0, l1=1.0), Plan(solver="lbfgs"))


def test_the_gap_is_a_bound(make_samples):
    X, y = make_samples(5)
    problem = ProductProblem(X, y, 3)
    best = solve(problem, Penalty(10.0), Plan(**TIGHT)).trace[-1].objective
    for tolerance in (1e-1, 1e-2, 1e-3):
        solution = solve(problem, Penalty(10.0), Plan(tolerance=tolerance))
        assert solution.is_converged
        assert solution.gap <= tolerance
        assert solution.trace[-1].objective - best <= solution.gap * solution.trace[-1].objective + 1e-9


def test_without_l2_the_gradient_decides(make_samples):
    X, y = make_samples(6, n=200)
    problem = ProductProblem(X, y, 3)
    solution = solve(problem, Penalty(np.inf), Plan(tolerance=1e-6, max_iterations=5000))
    assert solution.is_converged
    assert np.linalg.norm(problem.evaluate(solution.weights)[1] - problem.observed) <= 1e-6 * 200


def test_limits_stop_a_solver(make_samples):
    X, y = make_samples(7)
    problem = ProductProblem(X, y, 3)
    few = solve(problem, Penalty(10.0), Plan(max_iterations=2, tolerance=0.0))
    assert (len(few.trace), few.is_converged) == (2, False)
    assert len(solve(problem, Penalty(10.0), Plan(max_seconds=0.0, tolerance=0.0)).trace) == 1
    target = few.trace[0].objective
    assert len(solve(problem, Penalty(10.0), Plan(target=target, tolerance=0.0)).trace) == 1


def test_extrapolation_helps_where_features_overlap():
    rng = np.random.default_rng(0)
    base = (rng.random((150, 5)) < 0.5).astype(float)
    X = sp.csr_array(np.hstack([np.minimum(base, base[:, [k]]) for k in range(5)]))
    y = (base[:, 0] + base[:, 1] * 2 + rng.integers(0, 2, 150)).astype(int) % 3
    problem = ProductProblem(X, y, 3)
    plain, fast = (solve(problem, Penalty(100.0), Plan(accelerate=k, **TIGHT)) for k in (0, 5))
    assert fast.trace[-1].objective == pytest.approx(plain.trace[-1].objective, rel=1e-6)
    assert len(fast.trace) < 0.7 * len(plain.trace)


def test_watchers_see_every_point_and_weights(make_samples):
    X, y = make_samples(8)
    problem, seen = ProductProblem(X, y, 3), []
    solution = solve(
        problem, Penalty(1.0), Plan(), on_iteration=lambda point, w: seen.append((point, float(problem.evaluate(w)[0])))
    )
    assert [point for point, _ in seen] == solution.trace
    assert seen[-1][1] == pytest.approx(problem.evaluate(solution.weights)[0])


def test_a_solver_that_starts_at_the_optimum_stays(make_samples):
    X, y = make_samples(9)
    problem = ProductProblem(X, y, 3)
    best = solve(problem, Penalty(1.0), Plan(**TIGHT))
    for solver in SOLVERS:
        again = solve(problem, Penalty(1.0), Plan(solver=solver, tolerance=1e-6), start=best.weights)
        assert len(again.trace) == 1
        np.testing.assert_allclose(again.weights, best.weights, atol=1e-3)


def test_weights_without_samples_fall_to_zero():
    X = sp.csr_array(np.array([[1.0, 0], [1, 0], [1, 0]]))
    product = ProductProblem(X, np.array([0, 1, 1]), 2)
    general = CandidateProblem(X, np.array([0, 3]), np.array([1.0, 0, 0]))
    for problem in (product, general):
        start = np.full(len(problem.observed), 3.0)
        solution = solve(problem, Penalty(10.0), Plan(**TIGHT), start=start)
        assert solution.is_converged
        assert np.abs(solution.weights[-1]) == 0.0


@pytest.mark.parametrize("store", ["float64", "float32", "nothing"])
def test_a_hopeless_start_is_recovered_from(store):
    # Scores of +500 and -500: e^-1000 is no floating-point number.
    X = sp.csr_array(np.full((3, 1), 100.0))
    problem, start = ProductProblem(X, np.array([0, 0, 1]), 2), np.array([5.0, -5.0])
    solution = solve(problem, Penalty(10.0), Plan(store=store, tolerance=1e-6), start=start)
    best = solve(problem, Penalty(10.0), Plan(solver="lbfgs", **TIGHT)).trace[-1].objective
    assert solution.trace[-1].objective == pytest.approx(best, rel=1e-5)


def test_a_rough_line_search_still_converges(make_samples):
    X, y = make_samples(10, signed=True)
    X = X * 40.0
    problem = ProductProblem(sp.csr_array(X), y, 3)
    solution = solve(problem, Penalty(10.0), Plan(search=Search(beta=0.3, gamma=0.2), **TIGHT))
    values = [point.objective for point in solution.trace]
    assert solution.is_converged
    assert max(np.diff(values)) <= 1e-9 * values[0]


@pytest.mark.parametrize(
    "settings",
    [{"solver": "newton"}, {"tolerance": -1.0}, {"max_iterations": 0}, {"accelerate": 1}, {"store": "float16"}],
)
def test_bad_plans_are_refused(settings):
    with pytest.raises(SettingsError):
        Plan(**settings)
