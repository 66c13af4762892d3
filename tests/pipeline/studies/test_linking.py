"""The parts of the linking studies that no data is needed for."""

import numpy as np
import pytest

from onoma.linking.profiles import NIL
from onoma.pipeline.studies.linking import _b3, alias_prior, calibration_error


def test_the_baseline_says_what_a_name_most_often_means() -> None:
    known = [("Paris", "Q90"), ("paris", "Q90"), ("Paris", "Q1"), ("Lyon", "Q456")]
    assert alias_prior(known, ["PARIS", "Pariz", "Nowhere at all"]) == ["Q90", "Q90", NIL]


def test_stated_and_true_shares_are_compared() -> None:
    assert calibration_error([0.95] * 4, [True] * 4) == pytest.approx(0.05)
    assert calibration_error([0.9, 0.1], [False, True]) == pytest.approx(0.9)


def test_only_chosen_mentions_count_but_their_groups_are_whole() -> None:
    gold = np.array(["a", "a", "b", NIL, NIL], object)
    chosen = np.array([True, True, False, False, False])
    assert _b3(gold, np.array([0, 0, 1, 2, 3]), chosen) == 100.0
    assert _b3(gold, np.array([0, 0, 0, 0, 3]), chosen) == pytest.approx(66.67)  # half of the group is right
