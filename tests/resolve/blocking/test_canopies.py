import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onoma.corpus.clustering import Clustering
from onoma.corpus.simulate import simulate_people
from onoma.resolve.blocking._canopies_kernels import (
    cosines,
    count_rows,
    entries_of_pairs,
    entries_of_values,
    fill_rows,
    nearest,
    rows_of_values,
)
from onoma.resolve.blocking.canopies import CanopySettings, find_candidates, inverted_lists, pair_similarity
from onoma.resolve.fields.prepare import prepare_fields
from reference import resolve_canopies as slow

N_FEATURES = 6
bags = st.lists(st.sets(st.integers(0, N_FEATURES - 1)), min_size=1, max_size=9)
weights = st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.25, 4.0]), min_size=N_FEATURES, max_size=N_FEATURES)


def packed(bags):
    offsets = np.concatenate([[0], np.cumsum([len(bag) for bag in bags])]).astype(np.int64)
    features = [f for bag in bags for f in sorted(bag)]
    return offsets, np.array(features, dtype=np.int32)


@given(bags, st.integers(1, 4))
def test_invert(bags, threads):
    offsets, records = inverted_lists(*packed(bags), N_FEATURES, threads)
    found = [records[offsets[f] : offsets[f + 1]].tolist() for f in range(N_FEATURES)]
    assert found == slow.invert(bags, N_FEATURES)


@given(bags, weights, st.integers(1, 4), st.sampled_from([-1, 0, 1]), st.data())
def test_nearest(bags, weights, k, apart, data):
    n = len(bags)
    source, block = (data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)) for _ in range(2))
    first = data.draw(st.integers(0, n - 1))
    last = data.draw(st.integers(first, n))
    offsets, features = packed(bags)
    by_size = data.draw(st.booleans())
    w = np.array(weights + weights if by_size else weights, np.float32)  # nine records at most
    weights = [w[sum(f in bag for bag in bags) if by_size else f] for f in range(N_FEATURES)]
    sides = (np.array(source, np.int32), np.array(block, np.int32))
    lists = inverted_lists(offsets, features, N_FEATURES)
    one, other = nearest(first, last, offsets, features, w, by_size, *lists, *sides, apart, k)
    pairs = list(zip(one.tolist(), other.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs)
    for i in range(n):
        found = [j for who, j in pairs if who == i]
        scores = slow.scores(bags, weights, i, slow.allowed(source, block, apart)) if first <= i < last else {}
        assert set(found) <= set(scores)
        assert sorted(scores[j] for j in found) == sorted(scores.values())[-k:]


def test_what_all_records_share_weighs_nothing_and_breaks_nothing():
    """Features without weight: as many as there are, every other record is met once."""
    bags = [set(range(N_FEATURES))] * 5
    offsets, features = packed(bags)
    zeros = np.zeros(5, np.int32)
    inverted = inverted_lists(offsets, features, N_FEATURES)
    one, other = nearest(
        0, 5, offsets, features, np.zeros(N_FEATURES, np.float32), False, *inverted, zeros, zeros, 0, 4
    )
    assert sorted(zip(one.tolist(), other.tolist(), strict=True)) == list(itertools.permutations(range(5), 2))


@given(bags, weights)
def test_cosines(bags, weights):
    pairs = list(itertools.product(range(len(bags)), repeat=2))
    a, b = np.array(pairs, dtype=np.int32).T.copy()
    found = cosines(a, b, *packed(bags), np.array(weights))
    assert found == pytest.approx([slow.cosine(bags[i], bags[j], weights) for i, j in pairs])


# Whole tables.


@pytest.fixture(scope="module")
def people():
    return simulate_people(1500, seed=5)


@pytest.fixture(scope="module")
def fields(people):
    return prepare_fields(people, exclude=["id", "cluster_id"]).fields


def true_pairs(people):
    chains = Clustering.from_labels(people["cluster_id"]).chains()
    return {pair for chain in chains for pair in itertools.combinations(sorted(chain), 2)}


def as_set(found):
    return set(zip(found.a.tolist(), found.b.tolist(), strict=True))


def test_nearly_all_true_pairs_are_candidates(people, fields):
    found, truth = find_candidates(fields), true_pairs(people)
    assert len(truth & as_set(found)) >= 0.98 * len(truth)
    n = len(people)
    assert len(found) < 0.2 * n * (n - 1) / 2


def test_pairs_come_once_and_in_order(fields):
    found = find_candidates(fields, settings=CanopySettings(neighbours=5))
    keys = found.a.astype(np.int64) * 1500 + found.b
    assert (found.a < found.b).all()
    assert (np.diff(keys) > 0).all()
    assert 1500 * 5 / 2 <= len(found) <= 1500 * 5


def test_threads_change_nothing(fields, monkeypatch):
    found = []
    for threads in ("1", "2"):
        monkeypatch.setenv("ONOMA_THREADS", threads)
        found.append(find_candidates(fields, settings=CanopySettings(neighbours=5)))
    one, two = found
    assert as_set(one) == as_set(two)


@pytest.mark.parametrize("apart", [-1, 0, 1])
def test_sources_and_blocks(fields, apart):
    source = np.arange(1500, dtype=np.int32) % 2
    block = np.arange(1500, dtype=np.int32) % 3
    found = find_candidates(fields, source=source, block=block, apart=apart)
    assert len(found) > 1000
    assert (block[found.a] == block[found.b]).all()
    differ = source[found.a] != source[found.b]
    assert {-1: not differ.any(), 0: 0.2 < differ.mean() < 0.8, 1: differ.all()}[apart]


def test_hot_features_are_left_out_and_counted():
    """Six records say `alpha`, two of them `beta`, four `gamma`: whole values, words and letters alike."""
    table = pa.table({"title": ["alpha beta"] * 2 + ["alpha gamma"] * 4})
    fields = prepare_fields(table, kinds={"title": "text"}).fields
    assert find_candidates(fields, settings=CanopySettings(hot=6)).n_hot == 0
    few = find_candidates(fields, settings=CanopySettings(hot=3))
    assert few.n_hot >= 3  # the value `alpha gamma`, the words alpha and gamma, what else is in them
    assert as_set(few) == {(0, 1)}
    assert few.n_alone == 4


def test_a_rare_word_tells_more_than_two_common_ones():
    titles = ["wonderful magnificent zq", "wonderful magnificent", "zq violet", "zq violet"]
    titles += ["wonderful", "magnificent"] * 40
    fields = prepare_fields(pa.table({"title": titles}), kinds={"title": "text"}).fields
    found = as_set(find_candidates(fields, settings=CanopySettings(neighbours=1)))
    assert (0, 2) in found  # by the choice of record 0: record 2 is nearer to 3


def test_records_that_share_nothing():
    fields = prepare_fields(pa.table({"name": ["Ann", "Bob", "Cyd"]}), kinds={"name": "person"}).fields
    found = find_candidates(fields)
    assert (len(found), found.n_alone) == (0, 3)


def test_similarity_of_pairs(fields):
    i = np.arange(1499, dtype=np.int32)
    assert pair_similarity(fields, i, i) == pytest.approx(np.ones(1499))
    forth, back = pair_similarity(fields, i, i + 1), pair_similarity(fields, i + 1, i)
    assert forth == pytest.approx(back)
    assert (forth >= 0).all() and (forth < 1).any()


@pytest.mark.parametrize(
    ("n", "expected"), [(1, (1, 2000)), (50, (49, 2000)), (20_000, (20, 200)), (100_000, (20, 200)), (10**7, (10, 50))]
)
def test_how_far_is_looked(n, expected):
    assert CanopySettings().resolved(n) == expected
    assert CanopySettings(neighbours=3, hot=7).resolved(1000) == (3, 7)


# Features of records.

codes = st.lists(st.integers(-1, 3), min_size=1, max_size=12)


def counts_of(codes):
    return np.bincount([code for code in codes if code >= 0], minlength=4).astype(np.int64)


def shared(block):
    """The records of each feature, whatever the features' numbers."""
    rows, features, frequency, _ = block
    groups = [rows[features == feature].tolist() for feature in range(len(frequency))]
    assert [len(group) for group in groups] == frequency.tolist()
    return sorted(groups)


@given(codes, st.lists(st.sets(st.integers(0, 5)), min_size=4, max_size=4), st.integers(2, 6))
def test_features_of_records_are_those_of_their_values(codes, bags, hot):
    offsets, ids = packed(bags)
    block = entries_of_values(np.array(codes, np.int32), offsets, ids, counts_of(codes), N_FEATURES, hot)
    records = [[i for i, code in enumerate(codes) if code >= 0 and f in bags[code]] for f in range(N_FEATURES)]
    assert shared(block) == sorted(each for each in records if 2 <= len(each) <= hot)
    assert block[3] == sum(len(each) > hot for each in records)


@given(st.lists(st.tuples(*[st.integers(-1, 3)] * 2), min_size=1, max_size=14), st.integers(2, 6))
def test_features_of_two_values_together(pairs, hot):
    one, other = np.array(pairs, dtype=np.int32).T.copy()
    counts = counts_of(one.tolist())
    lists = rows_of_values(one, len(counts))
    block = entries_of_pairs(*lists, counts, other, counts_of(other.tolist()), hot)
    known = {pair for pair in pairs if min(pair) >= 0}
    records = [[i for i, each in enumerate(pairs) if each == pair] for pair in known]
    assert shared(block) == sorted(each for each in records if 2 <= len(each) <= hot)
    assert block[3] == sum(len(each) > hot for each in records)


@given(st.lists(st.lists(st.sets(st.integers(0, 4)), min_size=5, max_size=5), max_size=3), st.randoms())
def test_blocks_are_packed_record_by_record(blocks, random):
    """Each block has five records and five features of its own; a record's may come in any order."""
    offsets = np.zeros(6, dtype=np.int64)
    entries = []
    for bags in blocks:
        pairs = [(i, f) for i, bag in enumerate(bags) for f in random.sample(sorted(bag), len(bag))]
        entries.append(np.array(pairs, dtype=np.int32).reshape(-1, 2).T.copy())
        count_rows(entries[-1][0], offsets)
    np.cumsum(offsets, out=offsets)
    place, out = offsets[:-1].copy(), np.empty(offsets[-1], dtype=np.int32)
    for number, (rows, features) in enumerate(entries):
        fill_rows(rows, features, 5 * number, place, out)
    for i in range(5):
        expected = sorted(5 * number + f for number, bags in enumerate(blocks) for f in bags[i])
        assert out[offsets[i] : offsets[i + 1]].tolist() == expected
