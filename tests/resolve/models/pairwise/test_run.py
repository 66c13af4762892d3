"""A pairwise chain that is stopped and goes on."""

from dataclasses import replace

import numpy as np
import pytest

from onoma.corpus.simulate import simulate_people
from onoma.resolve.api import resolve
from onoma.resolve.comparison.supervision import learn_from_draws
from onoma.resolve.comparison.weights import WeightSettings
from onoma.resolve.models.pairwise.run import PairwiseRun, PairwiseSettings


@pytest.fixture(scope="module")
def people():
    return simulate_people(500, seed=3)


def test_a_run_cut_in_pieces_or_taken_up_again_is_the_same_run(people):
    fit = resolve(people).weighed
    model = learn_from_draws(fit.evidence, fit.draws, WeightSettings())
    settings = {"settings": PairwiseSettings(), "n_burn_in": 10, "seed": 1}
    whole, pieces = (PairwiseRun(fit.evidence, model, **settings) for _ in range(2))
    whole.run(10, 0)
    expected = whole.run(12, 12)
    pieces.run(4, 0)
    state = {name: array.copy() for name, array in pieces.state().items()}
    resumed = PairwiseRun(fit.evidence, replace(model, stranger=0.0), **settings)
    resumed.restore(state)
    resumed.run(6, 0)
    roots = np.concatenate([resumed.run(5, 5).roots, resumed.run(7, 7).roots])
    assert np.array_equal(roots, expected.roots)


def test_a_run_stopped_while_it_cools_has_an_answer(people):
    fit = resolve(people).weighed
    model = learn_from_draws(fit.evidence, fit.draws, WeightSettings())
    run = PairwiseRun(fit.evidence, model, settings=PairwiseSettings(), n_burn_in=50, seed=1)
    run.run(4, 0)
    draws = run.run(5, 5)
    assert draws.roots.shape == (5, fit.evidence.n)
    assert draws.together.max() > 0
