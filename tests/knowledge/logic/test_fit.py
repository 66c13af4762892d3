import itertools

import numpy as np
import pytest

from onoma.errors import SettingsError
from onoma.knowledge.logic.fit import Clauses, Draw, Parameters, Plan, _sample, objective, read_out, truths

PLANS = [
    Plan(rank=4, constants=constants, truth=truth)
    for constants, truth in itertools.product(("pairs", "entities"), ("linear", "logistic"))
]


def start(plan, seed=0, n_relations=3, n_constants=5):
    rng = np.random.default_rng(seed)
    shape = (n_relations, *((2,) if plan.truth == "linear" else ()), plan.rank)
    return Parameters(rng.normal(size=shape), rng.normal(size=(n_constants, plan.rank)))


def some_clauses(n_literals, seed, negated):
    rng = np.random.default_rng(seed)
    shape = (6, n_literals)
    codes = (rng.integers(3, size=shape), rng.integers(5, size=shape), rng.integers(5, size=shape))
    return Clauses(*codes, np.array(negated), rng.uniform(0.5, 2, size=6))


BATCH = [some_clauses(1, 0, [False]), some_clauses(1, 1, [True]), some_clauses(3, 2, [False, True, False])]


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: f"{plan.constants}-{plan.truth}")
def test_the_gradient_is_that_of_finite_differences(plan):
    parameters = start(plan)
    gradient = objective(parameters, plan, BATCH)[1]
    step = 1e-6
    for array, ours in zip(parameters, gradient, strict=True):
        for place in np.ndindex(array.shape):
            kept = array[place]
            array[place] = kept + step
            up = objective(parameters, plan, BATCH)[0]
            array[place] = kept - step
            down = objective(parameters, plan, BATCH)[0]
            array[place] = kept
            assert ours[place] == pytest.approx((up - down) / (2 * step), rel=2e-4, abs=2e-5)


def test_a_pair_of_entities_is_the_product_of_complex_numbers():
    plan = Plan(rank=4)
    parameters = start(plan)
    x, y = (parameters.constants[i, :2] + 1j * parameters.constants[i, 2:] for i in (1, 2))
    r = parameters.relations[0, :2] + 1j * parameters.relations[0, 2:]
    score = np.real(np.sum(np.conj(r) * x * np.conj(y)))
    found = truths(parameters, plan, np.array([0]), np.array([1]), np.array([2]))
    np.testing.assert_allclose(found[0], [1 / (1 + np.exp(-score)), 1 / (1 + np.exp(score))])


def test_read_out_is_cut_to_the_interval():
    plan = Plan(rank=2, constants="pairs", truth="linear")
    np.testing.assert_allclose(read_out(np.array([[1.0, 0], [0, 1], [0.5, 0.5], [3, -3]]), plan), [1, 0, 0.5, 1])


def test_facts_drawn_as_false_are_not_known():
    codes = np.array([[0], [0], [1]])
    firsts, seconds = np.array([[0], [1], [0]]), np.array([[1], [0], [0]])
    known = Clauses(codes, firsts, seconds, np.array([False]), np.ones(3))
    drawn = Draw(known, 2, Plan(rank=2, n_negatives=20, negative_weight=3.0))(np.random.default_rng(0))[0]
    facts = set(zip(codes.ravel(), firsts.ravel(), seconds.ravel(), strict=True))
    found = set(zip(drawn.relations.ravel(), drawn.firsts.ravel(), drawn.seconds.ravel(), strict=True))
    assert found and not found & facts
    assert drawn.negated.tolist() == [True]
    np.testing.assert_allclose(drawn.weights, 3 / 20)
    assert Draw(known, 2, Plan(rank=2, n_negatives=0))(np.random.default_rng(0)) == []


@pytest.mark.parametrize(
    "settings", [{"rank": 3}, {"rank": 0}, {"epochs": 0}, {"rate": 0.0}, {"l2": -1.0}, {"truth": "x"}]
)
def test_bad_settings_are_refused(settings):
    with pytest.raises(SettingsError):
        Plan(**settings)


def test_a_part_of_the_clauses_counts_for_the_whole():
    group = some_clauses(3, 0, [False, False, False])
    whole = Clauses(
        *(np.tile(part, (50, 1)) for part in (group.relations, group.firsts, group.seconds)),
        group.negated,
        np.ones(300),
    )
    rng = np.random.default_rng(0)
    assert _sample(whole, None, rng) is whole
    assert _sample(whole, 300, rng) is whole
    part = _sample(whole, 30, rng)
    assert len(part) == 30
    assert part.weights.sum() == pytest.approx(300)
    with pytest.raises(SettingsError, match="at_once is 0"):
        Plan(at_once=0)
