"""Rows of mentions: what their products say."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.resolve.models.cross_document._features_kernels import ascend, in_order, least_by, put
from onoma.resolve.models.cross_document.features import mention_features, number_densely
from reference.resolve_cross_document import numbered, products, rows_in_order


def table(**more):
    columns = {
        "name": [0, 1, 0, 2],
        "tokens": pa.array([[5, 2], [2], [5], [9]], pa.list_(pa.int32())),
        "weights": pa.array([[0.6, 0.8], [1.0], [1.0], [1.0]], pa.list_(pa.float32())),
    }
    return pa.table(columns | more)


def test_contexts_and_equal_names():
    found = products(mention_features(table(), context=2.0, same=0.5))
    np.testing.assert_allclose(found[0], [2.5, 1.6, 1.2 + 0.5, 0.0], atol=1e-6)
    np.testing.assert_allclose(found, found.T, atol=1e-6)


def test_near_names():
    near = pa.array([[0, 1], [1, 0], [0, 1], [2]], pa.list_(pa.int64()))
    scores = pa.array([[1.0, 0.4], [1.0, 0.4], [1.0, 0.4], [0.7]], pa.list_(pa.float32()))
    found = products(mention_features(table(near=near, near_weights=scores), context=0.0, same=9.0))
    np.testing.assert_allclose(found, [[1, 0.4, 1, 0], [0.4, 1, 0.4, 0], [1, 0.4, 1, 0], [0, 0, 0, 0.7]], atol=1e-6)


def test_within_a_document_contexts_are_nothing_and_names_something_else():
    near = pa.array([[0, 1], [1, 0], [0, 1], [2]], pa.list_(pa.int64()))
    scores = pa.array([[1.0, 0.4], [1.0, 0.4], [1.0, 0.4], [1.0]], pa.list_(pa.float32()))
    here = pa.array([[0.1, 0.2], [0.1, 0.2], [0.1, 0.2], [0.1]], pa.list_(pa.float32()))
    more = {"near": near, "near_weights": scores, "near_here": here, "document": [7, 7, 8, 8]}
    found = products(mention_features(table(**more), context=2.0, same=0.0, here=0.05))
    assert np.isclose(found[0, 1], 0.4 + 0.2 + 0.05)
    assert np.isclose(found[0, 2], 1.0 + 1.2)
    assert np.isclose(found[2, 3], 0.05)
    np.testing.assert_allclose(found, found.T, atol=1e-6)


@pytest.mark.parametrize("ids", [[], [4], [7, 3, 7, 0], [5, -2, 5], [10**12, 3, 10**12]])
def test_ids_are_numbered_as_if_sorted(ids):
    ids = np.array(ids, np.int64)
    found, n = number_densely(ids)
    assert (found.tolist(), n) == numbered(ids)


def test_rows_are_put_together_as_if_sorted():
    rng = np.random.default_rng(0)
    parts = []
    for least in (0, 50):
        rows, ids = np.sort(rng.integers(0, 9, 80)), rng.integers(least, least + 50, 80)
        parts.append((rows, ids, rng.random(80).astype(np.float32), rng.random(80).astype(np.float32)))
    wanted = [element for row in rows_in_order(9, parts) for element in row]
    ends = np.concatenate([[0], np.cumsum(sum(np.bincount(part[0], minlength=9) for part in parts))])[:-1]
    out = np.empty(160, np.int32), np.empty(160, np.float32), np.empty(160, np.float32)
    for part in parts:
        order = in_order(part[1], 100)
        assert order.tolist() == np.argsort(part[1], kind="stable").tolist()
        put(*(column[order] for column in part), ends, *out)
    assert list(zip(*(column.tolist() for column in out), strict=True)) == wanted


@pytest.mark.parametrize(
    ("rows", "ids", "is_so"),
    [
        ([], [], True),
        ([0, 0, 2], [1, 4, 0], True),
        ([0, 0, 1], [1, 1, 0], True),
        ([0, 0], [2, 1], False),
        ([1, 0], [1, 2], False),
    ],
)
def test_order_is_seen(rows, ids, is_so):
    assert ascend(np.array(rows, np.int64), np.array(ids, np.int64)) == is_so


def test_least_of_each_owner():
    found = least_by(np.array([0, 2, 0, 2]), np.array([5, 1, 3, 4]), 3, 9)
    assert found.tolist() == [3, 9, 1]
