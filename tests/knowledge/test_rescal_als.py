import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.errors import SettingsError
from onoma.knowledge.rescal_als import Plan, Problem, relation_from, solve, sweep
from onoma.knowledge.types import Fit
from reference import rescal as reference
from reference.random_facts import everything, random_facts, random_types

SEEDS = st.integers(0, 10_000)


def make(seed, *, typed, rank=3):
    """Facts, fit, dense tensor, mask and a random start."""
    facts = random_facts(seed)
    fit = random_types(seed, facts)[2] if typed else everything(facts)
    A = np.random.default_rng(seed).normal(size=(len(facts.entities), rank))
    return facts, fit, reference.dense(facts), reference.mask(fit), A


def swept(facts, fit, A, lam, **how):
    """One sweep, with A and the right-hand sides in the order of the facts."""
    problem = Problem(facts, fit)
    return sweep(problem, A[problem.layout.order], Plan(rank=A.shape[1], regularisation=lam, **how))


@settings(max_examples=25)
@given(SEEDS, st.booleans(), st.floats(0.01, 10.0))
def test_relations_by_eigenvectors_equal_the_direct_solve(seed, typed, lam):
    facts, fit, X, W, A = make(seed, typed=typed)
    R = swept(facts, fit, A, lam).R
    for k in range(len(R)):
        if W[k].any():
            np.testing.assert_allclose(R[k], reference.best_relation(X[k] * W[k], W[k], A, lam), atol=1e-8)
        else:
            assert not R[k].any()


@settings(max_examples=25)
@given(SEEDS, st.booleans(), st.floats(0.01, 10.0))
def test_loss_is_the_loss_of_the_allowed_cells(seed, typed, lam):
    facts, fit, X, W, A = make(seed, typed=typed)
    state = swept(facts, fit, A, lam)
    assert state.loss == pytest.approx(reference.loss(X, W, A, state.R, lam), rel=1e-10)


@settings(max_examples=15)
@given(SEEDS, st.booleans(), st.floats(0.05, 5.0))
def test_rows_of_entities_solve_their_own_least_squares(seed, typed, lam):
    facts, fit, X, W, A = make(seed, typed=typed)
    R = swept(facts, fit, A, lam).R
    wanted = reference.next_rows(X, W, A, R, lam)
    arrived = []
    problem = Problem(facts, fit)
    plan = Plan(rank=3, regularisation=lam, max_iterations=1, precision="float64")
    solution = solve(problem, A, plan, on_iteration=lambda point, A, R: arrived.append(point.step))
    np.testing.assert_allclose(solution.A - A, arrived[0] * (wanted - A), atol=1e-8)


@pytest.mark.parametrize("typed", [False, True])
def test_gradient_vanishes_at_convergence(typed):
    facts, fit, X, W, A = make(5, typed=typed)
    lam = 0.5
    plan = Plan(rank=3, regularisation=lam, max_iterations=3000, tolerance=0.0, precision="float64")
    solution = solve(Problem(facts, fit), A, plan)

    def loss(A):
        return reference.loss(X, W, A, solution.R, lam)

    h = 1e-5
    for i, j in np.ndindex(A.shape):
        up, down = solution.A.copy(), solution.A.copy()
        up[i, j] += h
        down[i, j] -= h
        assert (loss(up) - loss(down)) / (2 * h) == pytest.approx(0.0, abs=1e-5)


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_loss_never_rises_also_where_the_full_step_overshoots(precision):
    shortened = 0
    for seed in range(25):
        facts = random_facts(seed, n_entities=4, n_relations=1, n_facts=3)
        A = np.random.default_rng(seed).normal(size=(4, 1))
        plan = Plan(rank=1, regularisation=0.001, max_iterations=20, tolerance=0.0, precision=precision)
        trace = solve(Problem(facts, everything(facts), precision), A, plan).trace
        slack = 1e-6 if precision == "float32" else 1e-12
        assert all(b.loss <= a.loss * (1 + slack) for a, b in zip(trace, trace[1:], strict=False))
        shortened += sum(point.step < 1.0 for point in trace)
    assert shortened > 0  # otherwise the safeguard was never tried


@pytest.mark.parametrize("typed", [False, True])
def test_loss_never_rises_from_random_starts(typed):
    for seed in range(8):
        facts, fit, _, _, A = make(seed, typed=typed)
        plan = Plan(rank=3, regularisation=0.01, max_iterations=30, tolerance=0.0, precision="float64")
        trace = solve(Problem(facts, fit), 10.0 * A, plan).trace
        assert all(b.loss <= a.loss * (1 + 1e-12) for a, b in zip(trace, trace[1:], strict=False))


def test_types_that_all_fit_change_nothing():
    facts, _, _, _, A = make(3, typed=False)
    types, signatures, _ = random_types(3, facts)
    for side in (signatures.subjects, signatures.objects):
        side[:] = True
    plan = Plan(rank=3, max_iterations=20, precision="float64")
    free = solve(Problem(facts, everything(facts)), A, plan)
    typed = solve(Problem(facts, Fit.of(types, signatures)), A, plan)
    np.testing.assert_allclose(typed.A, free.A, atol=1e-9)
    np.testing.assert_allclose(typed.R, free.R, atol=1e-9)


def test_the_shared_inverse_is_the_exact_solve_without_types_and_another_thing_with_them():
    facts, fit, _, _, A = make(4, typed=True)
    for how, alike in ((everything(facts), True), (fit, False)):
        found = [
            solve(Problem(facts, how), A, Plan(rank=3, max_iterations=1, solve=name, precision="float64"))
            for name in ("exact", "shared")
        ]
        if found[0].trace[-1].step == 1.0:
            assert np.allclose(found[0].A, found[1].A) == alike


def test_threads_change_no_byte():
    facts, fit, _, _, A = make(6, typed=True)
    one, three = (solve(Problem(facts, fit), A, Plan(rank=3, threads=threads)) for threads in (1, 3))
    assert one.A.tobytes() == three.A.tobytes()
    assert one.R.tobytes() == three.R.tobytes()


def test_single_precision_is_near_double():
    facts, fit, _, _, A = make(7, typed=True)
    single, double = (
        solve(Problem(facts, fit, name), A, Plan(rank=3, precision=name)) for name in ("float32", "float64")
    )
    assert single.A.dtype == np.float32
    np.testing.assert_allclose(single.trace[-1].loss, double.trace[-1].loss, rtol=1e-4)


def test_without_regularisation_directions_that_are_not_there_stay_zero():
    facts, fit, X, W, A = make(8, typed=False)
    A[:, 2] = 0.0
    state = swept(facts, fit, A, 0.0)
    assert np.isfinite(state.R).all()
    assert not state.R[:, 2].any()
    assert state.loss == pytest.approx(reference.loss(X, W, A, state.R, 0.0))
    assert np.isfinite(solve(Problem(facts, fit), A, Plan(rank=3, regularisation=0.0)).A).all()


def test_convergence_is_said_only_when_it_happened():
    facts, fit, _, _, A = make(9, typed=False)
    assert not solve(Problem(facts, fit), A, Plan(rank=3, max_iterations=2, tolerance=0.0)).converged
    assert solve(Problem(facts, fit), A, Plan(rank=3, max_iterations=500, tolerance=1e-2)).converged


def test_relation_from_nothing_is_nothing():
    nothing = np.zeros(2), np.eye(2)
    R, change = relation_from(np.zeros((2, 2)), nothing, nothing, 0.0)
    assert not R.any()
    assert change == 0.0


@pytest.mark.parametrize(
    "wrong",
    [{"rank": 0}, {"regularisation": -1.0}, {"regularisation": float("nan")}, {"solve": "fast"}, {"precision": "half"},
     {"threads": 0}, {"max_iterations": -1}, {"tolerance": -0.1}],
)  # fmt: skip
def test_settings_are_checked(wrong):
    with pytest.raises(SettingsError):
        Plan(**wrong)
