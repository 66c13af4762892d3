"""Where planted rows end up."""

import functools

import numpy as np

from onoma.corpus.simulate import simulate_people
from onoma.numerics.rng import stream
from onoma.resolve.api import resolve
from onoma.resolve.check.planting import Rows, plant
from onoma.resolve.check.scoring import SAMPLES, look
from onoma.resolve.check.values import Values


@functools.cache
def seen():
    """Records 4 and 5 planted once more, and a row of values that nobody has."""
    answer = resolve(simulate_people(100, seed=6), truth="cluster_id")
    fields, labels = answer.fields.fields, answer.clustering.labels.astype(np.int64)
    values = [Values(each, labels, stream(1, "scoring")) for each in fields]
    codes = np.stack([each.codes[[4, 5, 5]].astype(np.int64) for each in fields], axis=1)
    codes[2] = -1
    none = np.full(3, -1, dtype=np.int64)
    rows = Rows(codes, np.array([4, 5, -1]), None, None, none)
    planted = plant(
        answer.weighed.evidence, [v.extended(codes[:, f]) for f, v in enumerate(values)], rows, None, None, 0
    )
    return planted, [look(planted, answer.weighed.weights, None, one_to_one=False, seed=seed) for seed in (0, 0)]


def test_a_row_that_is_there_joins_it_and_an_empty_one_nobody():
    _, (found, _) = seen()
    assert (found.with_base[:2] > 0.9).all() and (found.joined[:2] >= found.any_joined[:2]).all()
    assert found.joined[2] == found.any_joined[2] == found.with_base[2] == 0.0


def test_shares_are_of_samples_and_pairs_those_of_planted_rows():
    planted, (found, _) = seen()
    assert len(found.together) == len(planted.evidence.a) - planted.first
    assert np.allclose(found.any_joined * SAMPLES, np.rint(found.any_joined * SAMPLES))


def test_the_same_seed_says_the_same():
    _, (one, other) = seen()
    assert np.array_equal(one.together, other.together)
