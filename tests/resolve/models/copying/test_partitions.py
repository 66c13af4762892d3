"""Copies sampled in partitions: components stay whole where they fit, faint pairs go first where they do not."""

import numpy as np
import pytest

from onoma.resolve.comparison.weight_learning import learn_weights
from onoma.resolve.comparison.weights import WeightSettings
from onoma.resolve.models.copying.partitions import _pair_rows, _small_components, sample_copies
from reference.levels_drawn import drawn_evidence


class Here:
    """Carries partitions nowhere: each is worked on at once."""

    def __init__(self, n_partitions):
        self.n_partitions = n_partitions

    def __call__(self, rows, function, schema):
        import pyarrow as pa

        place = rows["super"].to_numpy() % self.n_partitions
        parts = [function(rows.filter(pa.array(place == k)), k) for k in range(self.n_partitions) if (place == k).any()]
        return pa.concat_tables([part.cast(schema) for part in parts]).sort_by("mention")


@pytest.fixture(scope="module")
def learnt():
    evidence, labels = drawn_evidence(n=300, n_links=100, seed=5)
    return evidence, labels, learn_weights(evidence, seed=1, settings=WeightSettings(relatives=False))[0]


@pytest.mark.parametrize("n_partitions", [1, 3])
def test_every_sample_is_a_clustering_and_matches_are_found(learnt, n_partitions):
    evidence, labels, weights = learnt
    draws, n_cut = sample_copies(evidence, weights, n_burn_in=10, n_samples=20, seed=1, carry=Here(n_partitions))
    assert all(np.array_equal(roots[roots], roots) for roots in draws.roots)
    same = labels[evidence.a] == labels[evidence.b]
    assert draws.together[same].mean() > 0.8 and draws.together[~same].mean() < 0.05
    assert n_cut == 0 or n_partitions > 1


def test_components_shrink_until_they_fit_but_sure_pairs_are_kept():
    a, b = np.array([0, 1, 2], dtype=np.int32), np.array([1, 2, 3], dtype=np.int32)
    copy, none = np.array([5.0, 1e-4, 5.0]), np.zeros(3)
    assert len(set(_small_components(4, a, b, copy, none, 4).tolist())) == 1
    assert len(set(_small_components(4, a, b, copy, none, 2).tolist())) == 2
    sure = np.array([5.0, 5.0, 5.0])
    assert len(set(_small_components(4, a, b, sure, none, 2).tolist())) == 1


def test_rows_hold_each_pair_once_and_records_alone_stay_at_home():
    component = np.array([0, 0, 2, 3, 3])
    a, b = np.array([0, 3], dtype=np.int32), np.array([1, 4], dtype=np.int32)
    rows, order = _pair_rows(5, component, a, b, np.array([1.0, 2.0]), np.zeros(2))
    assert rows["mention"].to_pylist() == [0, 1, 3, 4] and order.tolist() == [0, 1]
    assert rows["other"].to_pylist() == [[1], [], [4], []]
