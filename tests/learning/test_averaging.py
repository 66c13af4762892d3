import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.errors import DataError
from onoma.learning.averaging import AveragedWeights


@given(st.integers(0, 10_000), st.sampled_from([1.0, 0.9, 1e-4]))
@settings(max_examples=40, deadline=None)
def test_equals_the_literal_average(seed, factor):
    rng = np.random.default_rng(seed)
    start = rng.normal(size=4)
    lazy, plain, history = AveragedWeights(4, start), start.copy(), []
    for _ in range(12):
        ids, values = rng.integers(0, 4, 3), rng.normal(size=3)
        assert lazy.dot(ids, values) == pytest.approx(sum(plain[i] * v for i, v in zip(ids, values, strict=True)))
        lazy.shrink(factor)
        plain *= factor
        if rng.random() < 0.7:
            lazy.add(ids, values, 0.5)
            for i, v in zip(ids, values, strict=True):
                plain[i] += 0.5 * v
        lazy.tick()
        history.append(plain.copy())
    np.testing.assert_allclose(lazy.current(), plain, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(lazy.average(), np.mean(history, axis=0), rtol=1e-7, atol=1e-9)


def test_before_the_first_step():
    np.testing.assert_array_equal(AveragedWeights(2, np.array([1.0, 2.0])).average(), [1.0, 2.0])
    assert len(AveragedWeights(3)) == 3


def test_wrong_start():
    with pytest.raises(DataError, match=r"\(2,\)"):
        AveragedWeights(2, np.zeros(3))
