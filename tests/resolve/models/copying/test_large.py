"""What is done to spare memory in large tables changes nothing that is said."""

import numpy as np
import pytest

from onoma.corpus.simulate import simulate_people
from onoma.resolve.api import resolve
from onoma.resolve.comparison import compare
from onoma.resolve.models.copying import model
from onoma.resolve.posterior import exact
from onoma.resolve.posterior.samples import Samples


def test_pairs_let_go_and_samples_held_once_change_no_answer(monkeypatch):
    table = simulate_people(1_500, seed=3)
    small = resolve(table, model="copying", seed=2)
    for module, name in ((model, "LARGE"), (exact, "_MANY_CELLS"), (compare, "MANY_PAIRS")):
        monkeypatch.setattr(module, name, 0)
    large = resolve(table, model="copying", seed=2)
    assert isinstance(large.posterior.samples, Samples)
    assert np.array_equal(np.asarray(large.posterior.samples), small.posterior.samples)
    assert np.array_equal(large.clustering.labels, small.clustering.labels)
    assert np.array_equal(large.probability, small.probability)
    assert large.pairs().equals(small.pairs())
    assert large.weights().equals(small.weights())
    assert len(large.posterior.pairs.a) < len(small.posterior.pairs.a) / 2
    assert len(large.weighed.candidates) == len(small.weighed.candidates)
    # A pair that was let go counts there as one that was not compared, with the little that speaks for it.
    assert large.canopy_recall.found == pytest.approx(small.canopy_recall.found, abs=1e-4)
