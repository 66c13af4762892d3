import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onoma.corpus.clustering import Clustering
from onoma.numerics.rng import stream
from onoma.resolve.posterior import consensus as consensus_module
from onoma.resolve.posterior._consensus_kernels import (
    best_partition,
    co_membership,
    compact,
    free_label,
    gain_of,
    improve_inplace,
    join_inplace,
    places,
)
from onoma.resolve.posterior.consensus import find_consensus
from reference import resolve_consensus as slow

THRESHOLDS = (0.2, 0.5, 0.8)


@pytest.fixture(autouse=True, scope="module")
def by_pairs():
    """Where records wander another loss counts (`test_wandering.py`); here it is pairs throughout."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            consensus_module, "_fewer_in_samples", lambda _, offsets, *__: np.zeros(len(offsets) - 1, np.bool_)
        )
        yield


def random_samples(seed, n, n_samples=20):
    """Samples that scatter about one partition, as roots: the first record of each entity."""
    rng = stream(seed, "samples")
    base = rng.integers(0, max(n // 2, 1), n)
    labels = np.where(rng.random((n_samples, n)) < 0.6, base, rng.integers(0, n, (n_samples, n)))
    return np.array([[np.flatnonzero(row == label)[0] for label in row] for row in labels], dtype=np.int32)


def all_pairs(n):
    a, b = np.array(list(itertools.combinations(range(n), 2)), dtype=np.int32).reshape(-1, 2).T.copy()
    return a, b


def reach(roots, *, threshold=0.5):
    n = roots.shape[1]
    a, b = all_pairs(n)
    together = (roots[:, a] == roots[:, b]).mean(axis=0)
    return find_consensus(n, a, b, together, roots, threshold=threshold)


samples = st.builds(random_samples, st.integers(0, 10_000), st.integers(2, 7))


# Kernels against their twins.


@given(samples, st.randoms())
def test_co_membership(roots, random):
    members = np.array(sorted(random.sample(range(roots.shape[1]), random.randint(1, roots.shape[1]))))
    assert co_membership(roots, members) == pytest.approx(slow.co_membership(roots.tolist(), members.tolist()))


@given(samples, st.sampled_from(THRESHOLDS), st.data())
def test_gain_and_loss(roots, threshold, data):
    n = roots.shape[1]
    labels = data.draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n))
    s = co_membership(roots, np.arange(n))
    gain = gain_of(s, np.array(labels), threshold)
    assert gain == pytest.approx(slow.gain_of(s, labels, threshold), abs=1e-5)
    # The greatest gain is the least expected loss: both sum to what is lost with everybody alone.
    alone = slow.expected_loss(roots.tolist(), range(n), threshold)
    assert slow.expected_loss(roots.tolist(), labels, threshold) + gain == pytest.approx(alone, abs=1e-4)


@given(st.lists(st.integers(0, 5), min_size=6, max_size=6))
def test_free_label(labels):
    free = [label for label in range(6) if label not in labels]
    assert free_label(np.array(labels)) == (free[0] if free else -1)


@given(samples, st.sampled_from(THRESHOLDS), st.data())
def test_improving_ends_where_no_move_and_no_join_gains(roots, threshold, data):
    n = roots.shape[1]
    labels = np.array(data.draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n)))
    s = co_membership(roots, np.arange(n))
    before = gain_of(s, labels, threshold)
    improve_inplace(s, labels, threshold)
    assert gain_of(s, labels, threshold) >= before - 1e-9
    assert set(labels.tolist()) <= set(range(n))
    assert max(slow.improvements(s, labels.tolist(), threshold)) < 1e-5


def test_whole_entities_join_where_no_single_record_would_move():
    s = np.full((4, 4), 0.6, np.float32)
    s[:2, :2] = s[2:, 2:] = 1.0
    labels = np.array([0, 0, 2, 2])
    improve_inplace(s, labels, 0.5)
    assert len(set(labels.tolist())) == 1


@given(samples, st.sampled_from(THRESHOLDS))
def test_joining_takes_the_best_pair_of_entities(roots, threshold):
    n = roots.shape[1]
    s = co_membership(roots, np.arange(n))
    labels = roots[0].astype(np.int64)
    joins = {
        (one, other): slow.gain_of(s, [one if x == other else x for x in labels], threshold)
        for one, other in itertools.combinations(sorted(set(labels.tolist())), 2)
    }
    before = slow.gain_of(s, labels, threshold)
    best = max(joins.values(), default=before)
    assert join_inplace(s, labels, threshold) == (best > before + 1e-6) or abs(best - before) < 1e-6
    assert gain_of(s, labels, threshold) == pytest.approx(max(best, before), abs=1e-5)


# The whole.


def test_the_best_of_all_partitions_nearly_always_and_never_worse_than_the_starts():
    best = 0
    cases = [(seed, threshold) for seed in range(67) for threshold in THRESHOLDS]
    for seed, threshold in cases:
        roots = random_samples(seed, 2 + seed % 5)
        n = roots.shape[1]
        s = slow.co_membership(roots.tolist(), range(n))
        found = reach(roots, threshold=threshold)
        gain = slow.gain_of(s, found.clustering.labels, threshold)
        optimum = slow.best_gain(s, threshold)
        assert gain <= optimum + 1e-9
        assert gain >= -1e-9  # everybody alone
        # Eight samples or so are tried; the first is always among them.
        assert gain >= slow.gain_of(s, roots[0], threshold) - 1e-5
        best += gain > optimum - 1e-5
    assert best >= 0.98 * len(cases)


@given(samples, st.sampled_from(THRESHOLDS))
def test_probabilities(roots, threshold):
    n = roots.shape[1]
    found = reach(roots, threshold=threshold)
    assert found.probability.min() >= 0.0
    assert found.probability.max() <= 1.0 + 1e-6
    s = slow.co_membership(roots.tolist(), range(n))
    expected = slow.places(s, found.clustering.labels.tolist())
    assert found.probability == pytest.approx(expected, abs=1e-4)


def test_a_higher_price_of_merging_merges_less():
    smaller = 0
    for seed in range(30):
        roots = random_samples(seed, 12, 40)
        a, b = all_pairs(12)
        s = slow.co_membership(roots.tolist(), range(12))
        pairs, right = [], []
        for threshold in THRESHOLDS:
            labels = reach(roots, threshold=threshold).clustering.labels
            held = labels[a] == labels[b]
            pairs.append(held.sum())
            right.append(s[a, b][held].mean() if held.any() else 1.0)
        assert pairs[0] >= pairs[1] >= pairs[2]
        assert right[0] <= right[1] + 1e-9 and right[1] <= right[2] + 1e-9
        smaller += pairs[0] > pairs[2]
    assert smaller > 20


def test_records_nobody_claims_are_alone_for_sure():
    roots = np.array([[0, 0, 2]] * 3 + [[0, 1, 2]], dtype=np.int32)
    found = find_consensus(3, np.array([0], np.int32), np.array([1], np.int32), np.array([0.75]), roots)
    assert found.clustering.labels.tolist() == [0, 0, 1]
    assert found.probability.tolist() == [0.75, 0.75, 1.0]


def test_what_all_samples_agree_on_is_certain():
    roots = np.zeros((4, 3), dtype=np.int32)
    found = reach(roots)
    assert found.clustering.n_entities == 1
    assert found.probability.tolist() == [1.0, 1.0, 1.0]


def test_no_pairs_and_no_records():
    none = np.zeros(0, np.int32)
    assert find_consensus(2, none, none, np.zeros(0), np.zeros((1, 2), np.int32)).clustering.n_entities == 2
    assert len(find_consensus(0, none, none, np.zeros(0), np.zeros((1, 0), np.int32)).clustering) == 0


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_a_component_too_large_to_square_is_the_closure_of_its_pairs(monkeypatch, threshold):
    roots = random_samples(4, 10, 40)
    a, b = all_pairs(10)
    together = (roots[:, a] == roots[:, b]).mean(axis=0)
    monkeypatch.setattr(consensus_module, "_DENSE", 3)
    found = find_consensus(10, a, b, together, roots, threshold=threshold)
    held = [(i, j) for i, j, p in zip(a.tolist(), b.tolist(), together, strict=True) if p > threshold]
    assert found.clustering == Clustering.from_pairs(10, held)
    labels = found.clustering.labels
    s = slow.co_membership(roots.tolist(), range(10))
    assert found.probability == pytest.approx(slow.places(s, labels.tolist()), abs=1e-6)


@given(samples, st.sampled_from(THRESHOLDS), st.data())
def test_places_and_the_best_partition(roots, threshold, data):
    n = roots.shape[1]
    labels = np.array(data.draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n)))
    s = co_membership(roots, np.arange(n))
    assert places(s, labels) == pytest.approx(slow.places(s, labels.tolist()), abs=1e-5)
    found = best_partition(s, labels, roots, np.arange(n), threshold)
    improve_inplace(s, compact(labels), threshold)
    starts = [labels.tolist(), roots[0].tolist()]
    assert gain_of(s, found, threshold) >= max(slow.gain_of(s, each, threshold) for each in starts) - 1e-5


@given(st.lists(st.integers(-5, 5), max_size=9))
def test_compact(labels):
    known = sorted(set(labels))
    assert compact(np.array(labels, dtype=np.int64)).tolist() == [known.index(label) for label in labels]
