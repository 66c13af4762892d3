import numpy as np
import pytest

from onoma.resolve.check.quality import Share
from onoma.resolve.types.checks import _mean, _pooled


def test_a_share_of_the_whole_is_the_mean_of_the_parts():
    found = _mean([Share(0.9, 0.8, 1.0), Share(0.5, 0.3, 0.7)], np.array([3.0, 1.0]))
    assert found.estimate == pytest.approx(0.8)
    assert found.low == pytest.approx(0.8 - np.hypot(0.075, 0.05))
    assert _mean([None, Share(0.5, 0.3, 0.7)], np.array([3.0, 1.0])) == pytest.approx((0.5, 0.3, 0.7))
    assert _mean([None, None], np.zeros(2)) is None


def test_counts_are_pooled():
    assert _pooled([{"a": (10, 0.5)}, {"a": (30, 0.1), "b": (2, 1.0)}]) == {
        "a": (40, pytest.approx(0.2)),
        "b": (2, 1.0),
    }
