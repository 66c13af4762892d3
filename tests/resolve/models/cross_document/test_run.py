"""Rounds: one partition or several, watched, and searched for a number of entities."""

import numpy as np
import pytest

from onoma.resolve.models.cross_document.evidence import prepare_mentions
from onoma.resolve.models.cross_document.grouping import CrossDocumentSettings
from onoma.resolve.models.cross_document.run import Placing, run_rounds, with_entities


@pytest.fixture(scope="module")
def prepared():
    rng = np.random.default_rng(1)
    person = np.repeat(np.arange(8), 10)
    texts = [" ".join(f"w{p}x{w}" for w in rng.integers(0, 20, 12)) for p in person]
    return prepare_mentions(["X"] * 80, texts, settings=CrossDocumentSettings(n_rounds=8)), person


@pytest.mark.parametrize("n_partitions", [1, 3])
def test_rounds_find_people(prepared, n_partitions):
    found, person = prepared
    seen = []

    def watch(record, table):
        seen.append((record.number, record.n_entities, record.seconds >= record.longest))
        assert table["mention"].to_pylist() == list(range(80))
        return False

    table = run_rounds(found.table, found.settings, placing=Placing(n_partitions, 2), watch=watch)
    entity = table["entity"].to_numpy()
    assert [number for number, _, _ in seen] == list(range(8))
    assert all(sums for _, _, sums in seen)
    assert seen[-1][1] == len(np.unique(entity)) < 20
    assert np.mean((entity[:, None] == entity) == (person[:, None] == person)) > 0.95


def test_a_watcher_ends_the_run(prepared):
    found, _ = prepared
    seen = []
    run_rounds(found.table, found.settings, watch=lambda record, _: bool(seen.append(record) or record.number == 2))
    assert len(seen) == 3


def test_as_many_entities_as_wanted(prepared):
    found, _ = prepared
    for wanted in (8, 20):
        table, settings = with_entities(found.table, found.settings, wanted)
        assert abs(len(np.unique(table["entity"].to_numpy())) - wanted) <= 1
        assert settings.bias != found.settings.bias or wanted == 8
