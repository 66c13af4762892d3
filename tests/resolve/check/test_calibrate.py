"""From what is stated to what decoys bear out."""

import numpy as np

from onoma.numerics.rng import stream
from onoma.resolve.check.calibrate import CERTAIN, calibrate, sureness


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


def test_pairs_that_are_mostly_wrong_are_convicted_together_and_only_beyond_chance():
    sure = np.concatenate([np.full(100, 0.8), np.full(200, 1.5)])
    stated = np.minimum(sure, 1.0)
    many = calibrate(sure, stated, np.full(60, 0.8), np.full(60, 1.5))
    assert many.convicts(np.array([0.2, 0.8, 1.5])).tolist() == [False, True, False], "90 of 100 are wrong"
    some = calibrate(sure, stated, np.full(60, 0.8), np.ones(60))
    assert some(np.array([0.8]))[0] < 0.5 and not some.convicts(sure).any(), "60 of 100: to lose 40 costs more"
    few = calibrate(sure, stated, np.full(2, 0.8), np.full(2, 45.0))
    assert few(np.array([0.8]))[0] < 0.2, "two decoys stand for as many"
    assert not few.convicts(sure).any(), "but two may have been joined by chance"
    assert not calibrate(sure, stated, np.full(30, 0.8), np.ones(30)).convicts(sure).any(), "most are right"
    duplicates = np.concatenate([np.full(60, 0.8), np.full(150, 1.5)])
    told = calibrate(sure, stated, duplicates, np.full(210, 1.5), safe=1.2)
    assert told.spared == 1.0 and not told.convicts(sure).any(), "all sure pairs have decoys that are taken for none"


def test_decoys_that_speak_against_the_surest_pairs_convict_none():
    sure = np.concatenate([np.full(60, 0.8), np.full(60, 1.5)])
    stated, decoys = np.minimum(sure, 1.0), np.full(58, 0.8)
    assert calibrate(sure, stated, decoys, np.ones(58)).convicts(sure).sum() == 60, "the less sure half is wrong"
    both = np.concatenate([decoys, np.full(50, 1.5)])
    found = calibrate(sure, stated, both, np.ones(len(both)))
    assert not found.convicts(sure).any() and found(np.array([1.5]))[0] < 0.3, "that is said, and none is given up"
