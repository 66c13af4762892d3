import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.errors import DataError, SettingsError
from onoma.learning.features import FeatureHasher, FeatureIndex, hash_column
from reference.learning_features import hash_string

texts = st.lists(st.one_of(st.none(), st.sampled_from(["", "a", "b", "ab", "é", "the"])), min_size=1, max_size=12)


@given(texts, st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_index_counts_like_a_dictionary(values, least):
    index = FeatureIndex(min_count=least)
    matrix = index.fit_transform({"f": pa.array(values, pa.string())})
    kept = [v for v in dict.fromkeys(v for v in values if v is not None) if values.count(v) >= least]
    assert index.names() == [f"f={v}" for v in kept]
    expected = np.array([[float(v == k) for k in kept] for v in values]).reshape(len(values), len(kept))
    np.testing.assert_array_equal(matrix.toarray(), expected)
    np.testing.assert_array_equal(index.transform({"f": pa.array(values, pa.string())}).toarray(), expected)


def test_lists_strings_and_dictionaries_mix():
    columns = {
        "bag": pa.array([["x", "y", "x"], [], None]),
        "coded": pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["u", "v", "u"])),
        "chunked": pa.chunked_array([["p"], ["q", None]], pa.string()),
    }
    index = FeatureIndex()
    matrix = index.fit_transform(columns)
    assert index.names() == ["bag=x", "bag=y", "coded=u", "coded=v", "chunked=p", "chunked=q"]
    np.testing.assert_array_equal(matrix.toarray(), [[2, 1, 1, 0, 1, 0], [0, 0, 0, 1, 0, 1], [0, 0, 1, 0, 0, 0]])
    assert index.find("coded", ["v", "w"]).tolist() == [3, -1]


def test_min_count_per_template():
    index = FeatureIndex(min_count={"w": 2})
    index.fit({"w": pa.array(["a", "a", "b"]), "t": pa.array(["x", "y", "z"])})
    assert index.names() == ["w=a", "t=x", "t=y", "t=z"]


def test_sliced_columns():
    column = pa.array(["a", "b", "c", "b"])[1:]
    assert FeatureIndex().fit_transform({"f": column}).toarray().tolist() == [[1, 0], [0, 1], [1, 0]]
    np.testing.assert_array_equal(hash_column(column), hash_column(pa.array(["b", "c", "b"])))
    lists = pa.array([["a"], ["b", "c"], ["c"]])[1:]
    assert FeatureIndex().fit({"f": lists}).transform({"f": lists}).toarray().sum() == 3


@given(st.lists(st.text(max_size=20), max_size=20), st.integers(0, 2**64 - 1))
@settings(max_examples=50, deadline=None)
def test_hashes_equal_the_reference(values, seed):
    assert hash_column(pa.array(values, pa.string()), seed=seed).tolist() == [hash_string(v, seed) for v in values]


def test_hasher_is_the_same_for_any_layout():
    plain = FeatureHasher(n_bits=12).transform({"w": pa.array(["the", "cat", None])})
    coded = FeatureHasher(n_bits=12).transform({"w": pa.array(["the", "cat", None]).dictionary_encode()})
    assert (plain != coded).nnz == 0
    assert plain.sum() == 2


def test_hasher_tells_templates_and_seeds_apart():
    words = pa.array([str(i) for i in range(200)])
    ids = [
        set(FeatureHasher(n_bits=24, seed=seed).transform({name: words}).indices.tolist())
        for seed, name in ((0, "a"), (0, "b"), (1, "a"))
    ]
    assert all(len(x) == 200 for x in ids)
    assert not (ids[0] & ids[1]) and not (ids[0] & ids[2])


def test_hash_buckets_are_even():
    buckets = FeatureHasher(n_bits=6).transform({"w": pa.array([f"word{i}" for i in range(6400)])}).sum(axis=0)
    # Poisson with mean 100: six standard deviations.
    assert 40 < buckets.min() <= buckets.max() < 160


def test_bad_columns_are_refused():
    with pytest.raises(DataError, match="int64"):
        FeatureIndex().fit({"f": pa.array([1, 2])})
    with pytest.raises(DataError, match="same number"):
        FeatureIndex().fit_transform({"f": pa.array(["a"]), "g": pa.array(["a", "b"])})
    with pytest.raises(DataError, match="learnt from"):
        FeatureIndex().fit({"f": pa.array(["a"])}).transform({"g": pa.array(["a"])})
    with pytest.raises(DataError, match="null"):
        hash_column(pa.array(["a", None]))
    with pytest.raises(DataError, match="no template 'g'"):
        FeatureIndex().fit({"f": pa.array(["a"])}).find("g", ["a"])


def test_bad_settings_are_refused():
    with pytest.raises(SettingsError):
        FeatureIndex(min_count=0)
    with pytest.raises(SettingsError):
        FeatureHasher(n_bits=31)
