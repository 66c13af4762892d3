"""What models are given and give back, in themselves; that they keep to it is tested in `models/test_contract.py`."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.clustering import Clustering
from onoma.resolve.config import OPTIONS
from onoma.resolve.contract import Capability, Clock, Lineage, Pairs, Posterior, pairs_with_first


def test_each_record_is_told_with_the_first_of_its_entity():
    clustering = Clustering.from_labels([1, 0, 1, 0, 1, 2])
    found = pairs_with_first(clustering, np.array([1.0, 0.9, 0.8, 1.0, 0.7, 0.2]))
    assert list(zip(found.a.tolist(), found.b.tolist(), strict=True)) == [(0, 2), (0, 4), (1, 3)]
    assert found.probability.tolist() == [0.8, 0.7, 0.9]


def test_a_lineage_is_told_from_a_floor_on():
    lineage = Lineage(np.array([0, 1]), np.array([1, 2]), np.array([0.8, 0.001]))
    assert lineage.table(pa.array(["a", "b", "c"])).to_pylist() == [{"parent": "a", "child": "b", "probability": 0.8}]


def test_a_posterior_without_samples_or_weights():
    none = np.zeros(0, np.int32)
    found = Posterior(
        clustering=Clustering.from_labels([0, 1]), probability=np.ones(2), pairs=Pairs(none, none, np.zeros(0))
    )
    assert found.n_samples == 0 and found.weighed is None and found.state is None


def test_a_clock_tells_its_laps():
    clock = Clock()
    clock.lap("a")
    clock.lap("b")
    assert list(clock.laps) == ["a", "b"] and min(clock.laps.values()) >= 0


@pytest.mark.parametrize("capability", Capability)
def test_a_capability_is_called_by_the_option_that_asks_for_it(capability):
    about_results = {"fold", "incremental", "judgements", "explain", "resume", "many_sources"}
    assert capability.value in OPTIONS or capability.value in about_results
