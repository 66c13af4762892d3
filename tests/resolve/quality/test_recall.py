"""What the canopies missed, against what they truly missed."""

import functools

import numpy as np
import pytest

from onoma.corpus.clustering import Clustering
from onoma.corpus.simulate import simulate_people
from onoma.resolve.api import resolve
from onoma.resolve.blocking.canopies import CanopySettings
from onoma.resolve.config import ResolveConfig
from onoma.resolve.quality.recall import _Check, estimate_recall

PEOPLE = simulate_people(800, seed=6)
GOLD = Clustering.from_labels(PEOPLE["cluster_id"])


@functools.cache
def found_with(**canopies):
    return resolve(PEOPLE, config=ResolveConfig(model_settings={"canopies": CanopySettings(**canopies)}))


def true_recall(found):
    """The share of true pairs that were compared, or joined through others."""
    fit, n = found.weighed, len(GOLD)
    seen = np.zeros((n, n), dtype=np.bool_)
    seen[fit.evidence.a, fit.evidence.b] = True
    labels = found.clustering.labels
    seen |= labels[:, None] == labels[None, :]
    true = np.triu(GOLD.labels[:, None] == GOLD.labels[None, :], 1)
    return (seen & true).sum() / true.sum()


def test_where_nothing_is_missed_nothing_is_reported():
    found = found_with()
    recall = found.canopy_recall
    assert true_recall(found) > 0.995
    assert recall.found > 0.98
    assert recall.low <= recall.found <= recall.high <= 1.0
    assert recall.exhaustive
    assert recall.n_records == 300


def test_starved_canopies_are_seen():
    """One neighbour each, and only by what three records share: the loss is seen, though not to its full extent."""
    full, starved = found_with(), found_with(neighbours=1, hot=3)
    true, stated = true_recall(starved), starved.canopy_recall
    assert true < 0.85
    assert stated.high < full.canopy_recall.low
    assert abs(stated.found - true) < 0.2


def test_a_large_table_is_checked_by_what_is_shared():
    found = found_with(neighbours=1, hot=3)
    whole = estimate_recall(found, n_records=800, budget=10**9)
    part = estimate_recall(found, n_records=800, budget=1000)
    assert (whole.exhaustive, part.exhaustive) == (True, False)
    assert whole.n_records == 800
    assert part.n_records == 100
    assert part.found == pytest.approx(whole.found, abs=0.15)


def test_the_seed_decides():
    found = found_with(neighbours=2, hot=4)
    assert estimate_recall(found) == estimate_recall(found)


def test_linking_and_blocks_look_where_pairs_are_possible():
    source = PEOPLE.append_column("from", [[str(i % 2) for i in range(800)]])
    for settings in ({"source": "from", "link": True}, {"block": "from"}):
        recall = resolve(source, **settings).canopy_recall
        assert 0.9 < recall.found <= 1.0


def test_no_matches_at_all():
    assert resolve(PEOPLE.slice(0, 1)).canopy_recall is None


def test_what_learns_nothing_cannot_judge():
    assert resolve(PEOPLE.slice(0, 50), config=ResolveConfig(model="exact-match")).canopy_recall is None


def test_levels_are_looked_up_as_they_are_compared():
    found = found_with()
    records = np.array([3, 4, 90, 700], dtype=np.int32)
    check = _Check(found, records, exhaustive=True)
    wanted = np.random.default_rng(1).random((2, len(PEOPLE))) < 0.7
    place, other = np.nonzero(wanted)
    looked_up = check._looked_up(records[1:3], wanted, check.tables)
    assert (looked_up == check._levels(records[1:3][place], other.astype(np.int32))).all()
    assert (looked_up < 0).any()
    assert len(np.unique(looked_up)) > 5


def test_what_is_estimated_does_not_depend_on_how_many_are_compared_at_a_time(monkeypatch):
    found = found_with(neighbours=1, hot=3)
    whole = estimate_recall(found)
    monkeypatch.setattr("onoma.resolve.quality.recall._CHUNK", 5_000)
    assert estimate_recall(found) == whole
    monkeypatch.setattr("onoma.resolve.quality.recall._tables", lambda fields, records: None)
    assert estimate_recall(found) == whole
