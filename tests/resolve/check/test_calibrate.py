"""From what is stated to what decoys bear out."""

import numpy as np

from onoma.numerics.rng import stream
from onoma.resolve.check.calibrate import CERTAIN, calibrate, given_up, sureness


def test_the_share_is_one_less_decoys_for_each_pair():
    sure = np.concatenate([np.full(100, 0.8), np.full(200, 1.5)])
    found = calibrate(sure, np.minimum(sure, 1.0), np.full(20, 0.8), np.full(20, 2.0))
    lower, upper = found(np.array([0.8, 1.5]))
    assert abs(lower - 0.6) < 0.01, "20 decoys stand for 40 of 100 pairs"
    assert upper > 0.99, "no decoy is among those that are certain"


def test_it_is_monotone_and_never_above_what_is_stated():
    rng = stream(3, "calibrate")
    stated = rng.random(3000)
    sure = sureness(np.where(stated > 0.6, 1.0, stated), rng.normal(20, 8, 3000))
    decoys = sureness(np.where(rng.random(200) > 0.5, 1.0, rng.random(200)), rng.normal(8, 4, 200))
    found = calibrate(sure, np.minimum(sure, 1.0), decoys, np.full(200, 3.0))
    grid = np.linspace(0.0, 2.0, 400)
    shares = found(grid)
    assert (np.diff(found.true) >= 0.0).all()
    assert (shares <= np.minimum(grid, 1.0) + 1e-12).all()
    assert {each.pairs for each in found.bins} and sum(each.pairs for each in found.bins) <= 3000


def test_certain_pairs_are_told_apart_by_their_evidence():
    weak, strong = sureness(np.array([CERTAIN, CERTAIN]), np.array([5.0, 40.0]))
    assert 1.0 < weak < strong <= 2.0
    targets = np.concatenate([np.full(300, weak), np.full(300, strong)])
    found = calibrate(targets, np.ones(600), np.full(90, weak), np.full(90, 2.0))
    assert found(np.array([weak]))[0] < 0.6 < 0.95 < found(np.array([strong]))[0]


def test_without_decoys_what_is_stated_stays():
    found = calibrate(np.full(50, 0.7), np.full(50, 0.7), np.zeros(0), np.zeros(0))
    assert found(np.array([0.7, 0.2, 1.4])).tolist() == [0.7, 0.2, 1.0]


def give_up(sure, decoys, weight, **options):
    """Return which links are given up by what calibration says of them."""
    found = calibrate(sure, np.minimum(sure, 1.0), decoys, weight, **options)
    return given_up(sure, found(sure), decoys, weight, spared=found.spared), found(sure)


def test_links_that_are_mostly_wrong_are_given_up_together_and_only_beyond_chance():
    sure = np.concatenate([np.full(100, 0.8), np.full(200, 1.5)])
    many, _ = give_up(sure, np.full(60, 0.8), np.full(60, 1.5))
    assert many.tolist() == [True] * 100 + [False] * 200, "90 of 100 are wrong"
    some, right = give_up(sure, np.full(60, 0.8), np.ones(60))
    assert right[0] < 0.5 and not some.any(), "60 of 100: to lose 40 costs more"
    few, right = give_up(sure, np.full(2, 0.8), np.full(2, 45.0))
    assert right[0] < 0.2 and not few.any(), "two decoys stand for as many, but may have been joined by chance"
    assert not give_up(sure, np.full(30, 0.8), np.ones(30))[0].any(), "most are right"


def test_what_may_be_duplicates_convicts_nobody():
    sure = np.concatenate([np.full(100, 0.8), np.full(200, 1.5)])
    decoys = np.concatenate([np.full(100, 0.8), np.full(150, 1.5)])
    assert not give_up(sure, decoys, np.full(250, 1.5), safe=1.2)[0].any(), "all sure links have decoys"
    few = np.concatenate([np.full(150, 0.8), np.full(60, 1.5)])
    found, _ = give_up(sure, few, np.full(210, 1.5), safe=1.2)
    assert found.tolist() == [True] * 100 + [False] * 200, "half of the sure ones do, all of the others and more"


def test_what_is_left_has_the_greatest_expected_f1():
    sure = np.linspace(1.9, 0.6, 120)
    right = np.clip((sure - 0.8) / 1.1, 0.0, 1.0)
    found = given_up(sure, right, np.full(400, 0.7), np.ones(400))
    n_kept = int((~found).sum())
    expected = [2.0 * right[:k].sum() / (k + right.sum()) for k in range(1, 121)]
    assert 0 < n_kept < 120 and expected[n_kept - 1] >= max(expected) - 0.01
    assert not given_up(sure, np.full(120, 0.2), np.full(400, 0.7), np.ones(400)).any(), "all alike: none or all"


def test_where_most_links_would_go_the_decoys_are_in_doubt():
    right = np.array([0.9] * 100 + [0.05] * 90)
    sure, decoys = np.where(right > 0.5, 1.5, 0.8), np.full(400, 0.8)
    assert given_up(sure, right, decoys, np.ones(400)).sum() == 90
    right[60:] = 0.05
    assert not given_up(np.where(right > 0.5, 1.5, 0.8), right, decoys, np.ones(400)).any()
