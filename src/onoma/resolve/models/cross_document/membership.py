"""How sure the place of a mention is: the mean score with its entity, as odds.

The model's own distribution counts every pair of an entity as if it were news, so that all it says of large entities is
certain. What is told instead is one pair's worth: a mention belongs to an entity of others with odds of e^(nats · mean
score with them); one that is alone stays alone with odds of e^(-nats · mean score) for the entity it comes nearest to.
"""

import numpy as np
import pyarrow as pa
import scipy.sparse as sp
from numpy.typing import NDArray

from onoma.resolve.models.cross_document.grouping import CrossDocumentSettings, features_of
from onoma.resolve.models.cross_document.levels import Features

__all__ = ["membership"]

_CHUNK = 500
_MOST = 500_000_000
"""Mentions that are alone times entities, up to which all are compared; beyond, nothing is said against being alone."""


def membership(table: pa.Table, settings: CrossDocumentSettings, *, nats: float) -> NDArray[np.float64]:
    """Return for each mention the probability that it is where it is.

    Parameters
    ----------
    nats
        Log odds that one unit of score is worth.
    """
    features = features_of(table, settings)
    entity = np.unique(table["entity"].to_numpy(), return_inverse=True)[1].astype(np.int64)
    size = np.bincount(entity)
    n_features = int(features.features.max(initial=-1)) + 1
    query = _rows(features, features.query, n_features)
    summed = features.summed(entity)
    keys = _rows(summed, summed.key, n_features)
    others = np.maximum(size[entity] - 1, 1)
    mean = (_products(query, keys, entity) - features.own()) / others - settings.bias
    alone = np.flatnonzero(size[entity] == 1)
    mean[alone] = -np.inf
    if len(alone) * len(size) <= _MOST:
        for first in range(0, len(alone), _CHUNK):
            some = alone[first : first + _CHUNK]
            scores = (query[some] @ keys.T).toarray() / size - settings.bias
            scores[np.arange(len(some)), entity[some]] = -np.inf
            mean[some] = -scores.max(1)
    return 1.0 / (1.0 + np.exp(-np.clip(np.where(np.isinf(mean), np.inf, nats * mean), -30.0, 30.0)))


def _rows(features: Features, values: NDArray[np.float32], n: int) -> sp.csr_matrix:
    return sp.csr_matrix((values.astype(np.float64), features.features, features.offsets), shape=(len(features), n))


def _products(query: sp.csr_matrix, keys: sp.csr_matrix, entity: NDArray[np.int64]) -> NDArray[np.float64]:
    found = np.zeros(len(entity))
    for first in range(0, len(entity), 100 * _CHUNK):
        some = slice(first, first + 100 * _CHUNK)
        found[some] = np.asarray(query[some].multiply(keys[entity[some]]).sum(1)).ravel()
    return found
