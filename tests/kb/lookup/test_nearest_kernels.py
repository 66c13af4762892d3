"""Records from inverted lists, against their slow twins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.kb.lookup._nearest_kernels import gather_holders, having_too
from reference.lookup_nearest import having, holders

N = 12


def packed(lists):
    offsets = np.concatenate([[0], np.cumsum([len(each) for each in lists])]).astype(np.int64)
    return offsets, np.array([i for each in lists for i in each], dtype=np.int32)


some = st.lists(st.lists(st.integers(0, N - 1), max_size=5), min_size=N, max_size=N)


@given(some, some, st.lists(st.integers(0, N - 1), max_size=6))
@settings(max_examples=60, deadline=None)
def test_the_records_of_features(values_of, records_of, features):
    items, ends = gather_holders(np.array(features, dtype=np.int64), *packed(values_of), *packed(records_of))
    found = [items[first:last].tolist() for first, last in zip(ends, ends[1:], strict=False)]
    assert found == holders(features, values_of, records_of)


@pytest.mark.parametrize("most", [1, 3, 50])
def test_the_records_of_two_values(most):
    rng = np.random.default_rng(0)
    codes = rng.integers(-1, 3, N).astype(np.int32)
    records = rng.permutation(N).astype(np.int32)
    for code in range(3):
        found = having_too(2, N, records, codes, code, most)
        assert found.tolist() == having(records[2:].tolist(), codes.tolist(), code, most)
