"""Rows of mentions: what their products say."""

import numpy as np
import pyarrow as pa

from onoma.resolve.models.cross_document.features import mention_features
from reference.resolve_cross_document import products


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
