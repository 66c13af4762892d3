"""What models in partitions share: seeds of their own, lists as arrays."""

import numpy as np
import pyarrow as pa

from onoma.resolve.partitions.carried import flat, rectangle, seed_of


def test_partitions_have_seeds_of_their_own_whoever_carries_them():
    seeds = {seed_of(seed, key) for seed in range(5) for key in range(20)}
    assert len(seeds) == 100 and seed_of(1, 2) == seed_of(1, 2)


def test_a_rectangle_becomes_lists_and_back():
    values = np.arange(6, dtype=np.int32).reshape(2, 3)
    lists = rectangle(values)
    assert lists.to_pylist() == [[0, 1, 2], [3, 4, 5]]
    assert flat(pa.table({"x": lists}), "x").reshape(2, 3).tolist() == values.tolist()
    assert rectangle(np.zeros((2, 0), dtype=np.int32)).to_pylist() == [[], []]
