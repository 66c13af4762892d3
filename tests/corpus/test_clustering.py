import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onoma.corpus import _clustering_kernels as kernels
from onoma.corpus.clustering import ABSENT, Clustering
from onoma.errors import DataError
from reference import clustering as twin

labels = st.lists(st.integers(-1, 5), max_size=30)


@given(labels)
def test_kernels_agree_with_their_twins(codes):
    expected, n = twin.number_by_appearance(codes)
    numbered, n_entities = kernels.number_by_appearance(np.array(codes, dtype=np.int64))
    assert (numbered.tolist(), n_entities) == (expected, n)
    order, offsets = kernels.sort_by_label(numbered, n_entities)
    assert (order.tolist(), offsets.tolist()) == twin.sort_by_label(expected, n)


@given(st.lists(st.tuples(st.integers(-1, 4), st.integers(-1, 4)), max_size=30))
def test_intersection_agrees_with_its_twin(pairs):
    a, b = (Clustering.from_labels(np.array([pair[side] for pair in pairs], dtype=np.int64)) for side in (0, 1))
    assert a.intersect(b).labels.tolist() == twin.intersect(a.labels.tolist(), b.labels.tolist())
    assert a.intersect(b) == b.intersect(a)


@given(st.integers(1, 20), st.data())
def test_pairs_are_closed_transitively(n, draw):
    pairs = draw.draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=30))
    clustering = Clustering.from_pairs(n, pairs)
    roots = twin.components(n, [a for a, _ in pairs], [b for _, b in pairs])
    assert clustering == Clustering.from_labels(np.array(roots))


@given(labels)
def test_relabelling_changes_nothing(codes):
    clustering = Clustering.from_labels(np.array(codes, dtype=np.int64))
    again = Clustering.from_labels(clustering.relabel())
    assert again == clustering
    assert hash(again) == hash(clustering)


@given(labels)
def test_chains_and_sizes_hold_every_present_item_once(codes):
    clustering = Clustering.from_labels(np.array(codes, dtype=np.int64))
    chains = clustering.chains()
    assert sorted(item for chain in chains for item in chain) == [i for i, code in enumerate(codes) if code >= 0]
    assert [len(chain) for chain in chains] == clustering.sizes.tolist()
    assert Clustering.from_chains(len(codes), chains) == clustering


@given(st.lists(st.tuples(st.integers(-1, 4), st.integers(-1, 4)), max_size=30))
def test_join_is_the_finest_coarser_clustering(pairs):
    a, b = (Clustering.from_labels(np.array([pair[side] for pair in pairs], dtype=np.int64)) for side in (0, 1))
    joined = a.join(b)
    links = [(i, j) for c in (a, b) for chain in c.chains() for i in chain for j in chain]
    expected = Clustering.from_pairs(len(pairs), links).labels.copy()
    expected[(a.labels == ABSENT) & (b.labels == ABSENT)] = ABSENT
    assert joined == Clustering.from_labels(expected)


@pytest.mark.parametrize(
    "given_labels",
    [
        ["x", "y", "x", None],
        np.array([10**15, -7, 10**15, -1]),
        np.array([4, 9, 4, -1], dtype=np.int8),
        pa.array(["x", "y", "x", None]),
        pa.chunked_array([["x", "y"], ["x", None]]),
        pa.chunked_array([[10**15, -7], [10**15, -1]]),
        pa.array(["x", "y", "x", None]).dictionary_encode(),
        [1.5, 2.5, 1.5, float("nan")],
    ],
    ids=["list", "huge ids", "small ints", "arrow", "chunked", "chunked ids", "dictionary", "floats"],
)
def test_labels_of_any_kind(given_labels):
    assert Clustering.from_labels(given_labels).labels.tolist() == [0, 1, 0, ABSENT]


def test_empty_string_is_a_label():
    assert Clustering.from_labels(["", "a", ""]).labels.tolist() == [0, 1, 0]


def test_take_keeps_the_grouping_of_some_items():
    clustering = Clustering.from_labels([0, 1, 1, 2])
    assert clustering.take(np.array([3, 2, 1])).labels.tolist() == [0, 1, 1]
    assert clustering.take(np.array([False, True, True, False])).labels.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Clustering.from_pairs(3, [(0, 3)]), r"pair 0 is \(0, 3\); positions go from 0 to 2"),
        (lambda: Clustering.from_chains(3, [[0, 1], [1]]), "item 1 stands twice"),
        (lambda: Clustering.from_chains(3, [[0, 0]]), "item 0 stands twice"),
        (lambda: Clustering.from_chains(3, [[-1]]), "outside 0 to 2"),
        (lambda: Clustering.singletons(3).intersect(Clustering.singletons(2)), "3 and 2 items"),
        (lambda: Clustering.singletons(3).relabel(["a"]), "1 names for 3 entities"),
        (lambda: Clustering.from_labels(["a", 1]), "one kind"),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises(DataError, match=message):
        make()
