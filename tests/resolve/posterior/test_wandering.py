"""The least variation of information, against its slow twin and all partitions."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onoma.numerics.rng import stream
from onoma.resolve.posterior._consensus_kernels import co_membership
from onoma.resolve.posterior._wandering_kernels import (
    best_partition,
    entities_of,
    improve_inplace,
    join_inplace,
    loss_of,
    steps,
)
from onoma.resolve.posterior.consensus import find_consensus
from reference import resolve_consensus as slow

THRESHOLDS = (0.2, 0.5, 0.8)


def random_samples(seed, n, n_samples=20):
    """Samples that scatter about one partition, as roots: the first record of each entity."""
    rng = stream(seed, "samples")
    base = rng.integers(0, max(n // 2, 1), n)
    labels = np.where(rng.random((n_samples, n)) < 0.6, base, rng.integers(0, n, (n_samples, n)))
    return np.array([[np.flatnonzero(row == label)[0] for label in row] for row in labels], dtype=np.int32)


samples = st.builds(random_samples, st.integers(0, 10_000), st.integers(2, 6))


def search(roots, labels, threshold):
    """Improve labels in place."""
    records = np.arange(roots.shape[1])
    each = entities_of(roots, records)
    improve_inplace(co_membership(roots, records), each, labels, steps(len(records)), threshold)


@given(samples, st.sampled_from(THRESHOLDS), st.data())
def test_the_loss_is_that_of_the_twin_but_for_what_no_partition_changes(roots, threshold, data):
    n = roots.shape[1]
    labels = data.draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n))
    each = entities_of(roots, np.arange(n))
    alone = loss_of(each, np.arange(n), steps(n), threshold)
    expected = slow.information_loss(roots, labels, threshold) - slow.information_loss(roots, range(n), threshold)
    assert loss_of(each, np.array(labels), steps(n), threshold) - alone == pytest.approx(expected, abs=1e-9)


@given(samples, st.sampled_from(THRESHOLDS), st.data())
def test_improving_ends_where_no_move_and_no_join_gains(roots, threshold, data):
    n = roots.shape[1]
    labels = np.array(data.draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n)))
    before = slow.information_loss(roots, labels, threshold)
    search(roots, labels, threshold)
    assert slow.information_loss(roots, labels, threshold) <= before + 1e-9
    assert set(labels.tolist()) <= set(range(n))
    assert min(slow.information_changes(roots, labels.tolist(), threshold)) > -1e-6


def test_whole_entities_join_where_no_single_record_would_move():
    roots = np.array([[0, 0, 0, 0]] * 6 + [[0, 0, 2, 2]] * 4, dtype=np.int32)
    labels = np.array([0, 0, 2, 2])
    assert join_inplace(entities_of(roots, np.arange(4)), labels, steps(4), 0.5)
    assert len(set(labels.tolist())) == 1


def test_the_best_of_all_partitions_nearly_always():
    best, cases = 0, [(seed, threshold) for seed in range(20) for threshold in THRESHOLDS]
    for seed, threshold in cases:
        roots = random_samples(seed, 2 + seed % 5)
        n = roots.shape[1]
        s, each = co_membership(roots, np.arange(n)), entities_of(roots, np.arange(n))
        found = slow.information_loss(roots, best_partition(s, each, np.arange(n), threshold), threshold)
        least = slow.least_information_loss(roots, threshold)
        assert found >= least - 1e-9
        best += found < least + 1e-6
    assert best >= 0.95 * len(cases)


def test_of_two_records_those_are_joined_that_most_samples_join():
    for threshold in THRESHOLDS:
        for together in range(11):
            roots = np.array([[0, 0]] * together + [[0, 1]] * (10 - together), dtype=np.int32)
            if together == 10 * threshold:
                continue
            s, each = co_membership(roots, np.arange(2)), entities_of(roots, np.arange(2))
            labels = best_partition(s, each, np.arange(2), threshold)
            assert (labels[0] == labels[1]) == (together > 10 * threshold)


def test_a_large_entity_is_not_scattered_where_its_records_wander():
    """No pair is together in half of the samples, and every sample has one large entity."""
    n, rng = 40, stream(1, "wander")
    roots = np.tile(np.arange(n, dtype=np.int32), (60, 1))
    for row in roots:
        inside = np.sort(rng.permutation(n)[: int(0.65 * n)])
        row[inside] = inside[0]
    a, b = np.array(list(itertools.combinations(range(n), 2)), dtype=np.int32).T.copy()
    together = (roots[:, a] == roots[:, b]).mean(axis=0)
    assert np.mean(together < 0.5) > 0.8
    found = find_consensus(n, a, b, together, roots)
    assert found.clustering.sizes.max() > 0.9 * n
    assert found.probability.mean() == pytest.approx(together.mean(), abs=0.05)
