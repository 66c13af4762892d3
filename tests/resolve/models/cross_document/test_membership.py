"""How sure a place is."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.resolve.models.cross_document.grouping import CrossDocumentSettings
from onoma.resolve.models.cross_document.membership import membership


def table(entity):
    words = [[0, 1], [0, 1], [0, 2], [3]]
    weights = [[0.8, 0.6], [0.8, 0.6], [0.8, 0.6], [1.0]]
    return pa.table(
        {
            "mention": np.arange(4),
            "entity": entity,
            "name": np.arange(4),
            "tokens": pa.array(words, pa.list_(pa.int32())),
            "weights": pa.array(weights, pa.list_(pa.float32())),
        }
    )


def odds(score):
    return 1 / (1 + np.exp(-score))


def test_odds_are_those_of_the_mean_score():
    settings = CrossDocumentSettings(bias=0.5, same=0.0)
    found = membership(table([0, 0, 0, 3]), settings, nats=4.0)
    assert found[0] == pytest.approx(odds(4.0 * ((1.0 - 0.5) + (0.64 - 0.5)) / 2), abs=1e-6)
    assert found[2] == pytest.approx(odds(4.0 * (0.64 - 0.5)), abs=1e-6)


def test_one_alone_is_as_sure_as_others_are_far():
    settings = CrossDocumentSettings(bias=0.5, same=0.0)
    found = membership(table([0, 0, 2, 3]), settings, nats=4.0)
    assert found[2] == pytest.approx(odds(-4.0 * (0.64 - 0.5)), abs=1e-6)
    assert found[3] == pytest.approx(odds(4.0 * 0.5), abs=1e-6)
