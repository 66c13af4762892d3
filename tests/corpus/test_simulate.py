"""What every simulated corpus holds to."""

import numpy as np
import pytest

from onoma.corpus.simulate import simulate_authors, simulate_links, simulate_mentions, simulate_people


@pytest.mark.parametrize("simulate", [simulate_authors, simulate_links, simulate_mentions, simulate_people])
def test_the_order_of_ids_says_nothing(simulate):
    """Neighbours in the table are of one entity as often as by chance: the sum of squared sizes over the rows."""
    table = simulate(20_000, seed=1)
    entity = table["cluster_id"].to_numpy()
    sizes = np.unique(entity, return_counts=True)[1]
    expected = (sizes.astype(float) ** 2).sum() / len(entity)
    assert abs((entity[1:] == entity[:-1]).sum() - expected) < 6 * np.sqrt(expected) + 5
    assert table["id"].to_pylist() == sorted(table["id"].to_pylist())
