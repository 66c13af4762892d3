import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.knowledge.logic.calculus import AND, FALSE, IMPLIES, NOT, OR, TRUE, clauses, connect, distance, surprise
from reference.logic import clause_truth


@pytest.mark.parametrize(
    ("tensor", "meaning"),
    [(AND, lambda a, b: a and b), (OR, lambda a, b: a or b), (IMPLIES, lambda a, b: b or not a)],
)
def test_connectives_have_their_truth_tables(tensor, meaning):
    vector = {True: TRUE, False: FALSE}
    for a, b in itertools.product((True, False), repeat=2):
        np.testing.assert_array_equal(connect(tensor, vector[a][None], vector[b][None])[0], vector[meaning(a, b)])
    np.testing.assert_array_equal(NOT @ TRUE, FALSE)
    np.testing.assert_array_equal(NOT @ FALSE, TRUE)


@settings(max_examples=40)
@given(st.integers(1, 4), st.integers(0, 10_000))
def test_clauses_are_sums_over_all_worlds(n_literals, seed):
    rng = np.random.default_rng(seed)
    literals = rng.normal(size=(3, n_literals, 2))
    negated = rng.random(n_literals) < 0.5
    found = clauses(literals, negated)
    for row in range(3):
        np.testing.assert_allclose(found.truth[row], clause_truth(literals[row], negated), atol=1e-10)


@settings(max_examples=30)
@given(st.integers(1, 4), st.booleans(), st.integers(0, 10_000))
def test_gradients_are_those_of_finite_differences(n_literals, is_distance, seed):
    rng = np.random.default_rng(seed)
    t = rng.uniform(0.1, 0.9, size=(2, n_literals))
    literals = rng.normal(size=(2, n_literals, 2)) if is_distance else np.stack([t, 1 - t], axis=-1)
    negated = rng.random(n_literals) < 0.5
    loss = distance if is_distance else surprise
    found = clauses(literals, negated, loss)
    step = 1e-6
    for place in np.ndindex(literals.shape):
        moved = [literals.copy(), literals.copy()]
        moved[0][place] += step
        moved[1][place] -= step
        up, down = (clauses(each, negated, loss).loss.sum() for each in moved)
        assert found.gradient[place] == pytest.approx((up - down) / (2 * step), rel=1e-4, abs=1e-5)


def test_at_the_truth_there_is_nothing_to_do():
    found = clauses(np.array([[TRUE]]), np.array([False]))
    assert found.loss[0] == 0
    assert not found.gradient.any()
