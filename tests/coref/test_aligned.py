"""Entries as the hidden state of entities."""

import numpy as np
import pytest

from onoma.coref.aligned import aligned_link, names_given_entries
from onoma.coref.decode import constrained_link
from onoma.errors import SettingsError


def _scores(n, new=0.5):
    scores = np.full((n, n), -np.inf)
    scores[np.tril_indices(n, -1)] = 0.0
    np.fill_diagonal(scores, new)
    return scores


def _names(*said, n_entries=2):
    lists = np.zeros((len(said), n_entries))
    for row, entries in enumerate(said):
        lists[row, list(entries)] = 1.0
    return names_given_entries(lists, np.zeros((n_entries, len(said)), np.int8))


def test_without_weight_it_is_the_plain_decoder():
    rng = np.random.default_rng(0)
    scores = np.where(np.tril(np.ones((6, 6))) > 0, rng.normal(size=(6, 6)), -np.inf)
    names = _names((0,), (1,), (), (0, 1), (), (0,))
    for gamma in (0.0, 1.0):
        plain = constrained_link(scores, None, gamma)
        for way in ("none", "static", "dynamic"):
            assert aligned_link(scores, None, gamma, names, way=way, weight=0.0).tolist() == plain.tolist()


def test_names_of_one_entry_join_and_of_two_part():
    names = _names((0,), (1,), (0,))
    assert aligned_link(_scores(3), None, 0.0, names, way="dynamic", weight=1.0).tolist() == [0, 1, 0]
    assert aligned_link(_scores(3), None, 0.0, names, way="static", weight=1.0).tolist() == [0, 1, 0]


def test_an_entity_remembers_what_its_first_names_meant():
    # A, then a name that may be A or B, then one that may only be B: the pair alone would join the last two.
    names = _names((0,), (0, 1), (1,))
    scores = _scores(3, new=0.1)
    assert aligned_link(scores, None, 0.0, names, way="static", weight=1.0).tolist() == [0, 0, 0]
    assert aligned_link(scores, None, 0.0, names, way="dynamic", weight=1.0).tolist() == [0, 0, 2]


def test_the_bonus_is_the_log_odds_of_the_name():
    names = _names((0,), (0,))
    prior = np.array([0.25, 0.25, 0.5])
    state = names[0] * prior / (names[0] @ prior)
    odds = float(np.log(state @ names[1]) - np.log(names[1] @ prior))
    for new, joined in ((odds - 1e-6, True), (odds + 1e-6, False)):
        labels = aligned_link(_scores(2, new), None, 0.0, names, way="dynamic", weight=1.0)
        assert (labels[1] == 0) == joined


def test_what_names_nothing_says_nothing():
    assert (names_given_entries(np.zeros((2, 3)), np.zeros((3, 2), np.int8)) == 1.0).all()


def test_other_ways_are_refused():
    with pytest.raises(SettingsError, match="static"):
        aligned_link(_scores(2), None, 0.0, _names((0,), (0,)), way="both", weight=1.0)
