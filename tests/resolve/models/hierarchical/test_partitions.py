"""Trees in partitions of whole canopies."""

import numpy as np
import pyarrow as pa

from onoma.resolve.models.hierarchical.grow import tree_columns
from onoma.resolve.models.hierarchical.partitions import sample_trees


class Here:
    """Carries partitions nowhere: each is worked on at once."""

    n_partitions = 3

    def __call__(self, rows, function, schema):
        place = rows["super"].to_numpy() % self.n_partitions
        parts = [function(rows.filter(pa.array(place == k)), k) for k in range(self.n_partitions)]
        return pa.concat_tables([part.cast(schema) for part in parts]).sort_by("mention")


def test_no_entity_leaves_its_canopy_and_the_same_seed_is_the_same_answer(few_fields):
    columns = tree_columns(few_fields)
    one, two = (sample_trees(columns, n_samples=3, seed=1, carry=Here()) for _ in range(2))
    assert np.array_equal(one.clustering.labels, two.clustering.labels)
    for members in one.clustering.chains():
        assert len(set(columns.canopy[members])) == 1
    assert one.roots.shape == (3, len(columns.canopy))
    assert all(np.array_equal(roots[roots], roots) for roots in one.roots)
