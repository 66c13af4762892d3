"""Judgements over samples: held in every one, and the rest as the samples say."""

import itertools

import numpy as np
import pytest

from onoma.kb.own.heed import heed, obeys
from onoma.resolve.posterior.judgements import Judged

NONE = np.zeros((0, 2), dtype=np.int64)


def judged(same=(), different=(), weighed=(), bits=()):
    pairs = (np.array(each, dtype=np.int64).reshape(-1, 2) for each in (same, different, weighed))
    return Judged(*pairs, np.array(bits, dtype=np.float64))


def unlike(one, other):
    return np.zeros((len(one), len(other)))


@pytest.mark.parametrize("seed", range(20))
def test_every_hard_judgement_holds_in_every_sample(seed):
    rng = np.random.default_rng(seed)
    n = 9
    rows = rng.integers(0, 4, (30, n))
    truth = rng.integers(0, 3, n)
    pairs = list(itertools.combinations(range(n), 2))
    said = [pairs[i] for i in rng.choice(len(pairs), 6, replace=False)]
    same = [pair for pair in said if truth[pair[0]] == truth[pair[1]]]
    different = [pair for pair in said if truth[pair[0]] != truth[pair[1]]]
    found = heed(rows, judged(same, different), unlike)
    assert found.shape == rows.shape and obeys(found, judged(same, different)).all()


def test_samples_that_agree_are_the_answer_given_what_is_said():
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 3, (4_000, 4))
    given = judged(same=[(0, 1)])
    kept = rows[rows[:, 0] == rows[:, 1]]
    found = heed(rows, given, unlike)
    for i, j in itertools.combinations(range(4), 2):
        assert (found[:, i] == found[:, j]).mean() == pytest.approx((kept[:, i] == kept[:, j]).mean(), abs=0.01)


def test_a_weight_adds_bits():
    rows = np.array([[0, 0]] * 300 + [[0, 1]] * 900)
    found = heed(rows, judged(weighed=[(0, 1)], bits=[2.0]), unlike)
    assert (found[:, 0] == found[:, 1]).mean() == pytest.approx(300 * 4 / (300 * 4 + 900), abs=0.01)
    found = heed(rows, judged(weighed=[(0, 1)], bits=[-2.0]), unlike)
    assert (found[:, 0] == found[:, 1]).mean() == pytest.approx(75 / (75 + 900), abs=0.01)


def test_others_go_where_they_stand_most_often_or_are_most_alike():
    rows = np.array([[0, 0, 0, 0]] * 9)

    def alike(one, other):
        group = np.array([0, 0, 1, 1])
        return (group[one][:, None] == group[other][None]).astype(float)

    found = heed(rows, judged(different=[(0, 2)]), alike)
    assert found[0].tolist() == [0, 0, 1, 1]


def test_one_record_of_each_source_stays():
    rows = np.array([[0, 0, 2, 2]] * 9)  # 0–1 and 2–3, of sources 0, 1, 0, 1
    found = heed(rows, judged(same=[(0, 3)]), unlike, source=np.array([0, 1, 0, 1]))
    assert len({*found[0].tolist()}) == 3 and found[0, 0] == found[0, 3]
