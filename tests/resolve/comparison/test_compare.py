import itertools
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import chisquare

from onoma.resolve.comparison.compare import LazyShares, compare_records, log_shares, random_pairs
from onoma.resolve.fields.prepare import prepare_fields


@pytest.fixture(scope="module")
def fields():
    table = pa.table({"name": ["Ann", "Ann", "Bob", None, "Ann"], "city": ["York", None, "York", "Ely", "Bath"]})
    return prepare_fields(table, kinds={"name": "person", "city": "category"}).fields


def pairs_of(n):
    return np.array(list(itertools.combinations(range(n), 2)), dtype=np.int32).T.copy()


def test_levels_of_all_pairs(fields):
    a, b = pairs_of(5)
    levels = compare_records(fields, a, b)
    for row, (i, j) in zip(levels, zip(a, b, strict=True), strict=True):
        for level, field in zip(row, fields, strict=True):
            one, other = field.codes[i], field.codes[j]
            if one < 0 or other < 0:
                assert level == -1
            else:
                assert level == field.compare(np.array([one]), np.array([other]))[0]
                assert (level == 0) == (one == other)


def test_rarity_counts_where_values_are_equal(fields):
    a, b = pairs_of(5)
    levels = compare_records(fields, a, b)
    shares = log_shares(fields, a, levels)
    at = {pair: k for k, pair in enumerate(zip(a.tolist(), b.tolist(), strict=True))}
    # Three of four names are Ann; with so little to go by, one and a half of them say nothing of strangers.
    assert shares[at[0, 1]] == pytest.approx([np.log(1.5 / 4), 0.0])
    assert shares[at[0, 2]] == pytest.approx([0.0, np.log(0.5 / 4)])
    assert not shares[levels != 0].any()


@pytest.mark.parametrize(("n_columns", "others"), [(1, 0.5), (2, 0.5), (4, 2.0)])
def test_a_value_that_two_have_is_rarer_than_that_where_little_else_tells(n_columns, others):
    values = [i // 2 if i < 4 else i for i in range(64)]  # the first four rows are two pairs
    table = pa.table({f"c{k}": [f"{k}-{value}" for value in values] for k in range(n_columns)})
    fields = prepare_fields(table, kinds=dict.fromkeys(table.column_names, "code")).fields
    a, b = np.array([0], np.int32), np.array([1], np.int32)
    shares = np.exp(log_shares(fields, a, compare_records(fields, a, b)))
    assert shares[0] == pytest.approx([others / 64] * n_columns)


def test_no_pairs(fields):
    none = np.zeros(0, np.int32)
    levels = compare_records(fields, none, none)
    assert levels.shape == log_shares(fields, none, levels).shape == (0, 2)


SOURCE = np.array([0, 0, 1, 1, 0, 1, 0, 0], np.int32)
BLOCK = np.array([0, 1, 0, 1, 0, 0, 2, 1], np.int32)


@pytest.mark.parametrize("apart", [-1, 0, 1])
@pytest.mark.parametrize("block", [None, BLOCK])
@pytest.mark.parametrize("avoid", [[], [(0, 2), (0, 4)]])
def test_every_pair_that_may_be_and_no_other(apart, block, avoid):
    expected = {
        (i, j)
        for i, j in itertools.combinations(range(8), 2)
        if (apart == 0 or (SOURCE[i] != SOURCE[j]) == (apart == 1))
        and (block is None or block[i] == block[j])
        and (i, j) not in avoid
    }
    keys = np.array([8 * i + j for i, j in avoid], np.int64)
    a, b = random_pairs(8, 2000, seed=0, source=SOURCE, block=block, apart=apart, avoid=keys)
    assert list(zip(a.tolist(), b.tolist(), strict=True)) == sorted(expected)


def test_pairs_within_blocks_are_alike():
    """One pair at a time: those of a small block are as likely as those of a large one."""
    block = np.array([0, 0, 1, 1, 1, 1], np.int32)
    seen = Counter()
    for seed in range(1500):
        a, b = random_pairs(6, 1, seed=seed, block=block)
        seen.update(zip(a.tolist(), b.tolist(), strict=True))
    assert len(seen) == 7
    assert chisquare(list(seen.values())).pvalue > 1e-3


def test_blocks_of_one():
    a, b = random_pairs(3, 100, seed=0, block=np.arange(3, dtype=np.int32))
    assert len(a) == len(b) == 0


@pytest.mark.parametrize("pairs", [slice(1, 4), np.array([3, 0]), 2])
def test_shares_worked_out_when_asked_for_are_the_same(pairs):
    table = pa.table(
        {"name": ["Ada Lee", "Ada Lee", "Bob Roe", "Ada", "Ada"], "city": ["Ulm", "Ulm", "Ulm", None, "Bonn"]}
    )
    fields = prepare_fields(table, kinds={"name": "person", "city": "place"}).fields
    a, b = (np.array(side, dtype=np.int32) for side in ([0, 0, 3, 1], [1, 2, 4, 2]))
    levels = compare_records(fields, a, b)
    dense, lazy = log_shares(fields, a, levels), LazyShares(fields, a, levels)
    assert (dense < 0).any()
    assert np.array_equal(lazy[pairs], dense[pairs])
    assert np.array_equal(np.asarray(lazy.of(a[2:], levels[2:])), dense[2:])
    assert lazy.shape == dense.shape
