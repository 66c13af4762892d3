"""Trees in partitions of whole canopies: a partition learns weights and frequencies of words from its own records."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from onoma.corpus.clustering import Clustering
from onoma.resolve.contract import Carry
from onoma.resolve.models.hierarchical.grow import N_SAMPLES, TreeEntities, grow_columns
from onoma.resolve.models.hierarchical.mentions import BagColumn, TreeColumns
from onoma.resolve.models.hierarchical.trees import BagScores
from onoma.resolve.models.hierarchical.whole_names import NameColumn
from onoma.resolve.partitions.carried import flat, rectangle, seed_of

__all__ = ["sample_trees"]


def sample_trees(columns: TreeColumns, *, n_samples: int = N_SAMPLES, seed: int, carry: Carry) -> TreeEntities:
    """Grow trees in partitions of whole canopies; the trees themselves stay where they grew."""
    n = len(columns.canopy)
    table = {"mention": np.arange(n), "entity": columns.canopy, "super": columns.canopy}
    arrays = {name: pa.array(values.astype(np.int64)) for name, values in table.items()}
    for k, name in enumerate(columns.names):
        arrays[f"name {k}"] = name.forms.take(pa.array(name.codes, mask=name.codes < 0)).cast(pa.string())
    for k, bag in enumerate(columns.bags):
        words = bag.words.take(pa.array(bag.ids)).cast(pa.string())
        arrays[f"bag {k}"] = pa.ListArray.from_arrays(pa.array(bag.offsets, pa.int32()), words)
    kinds, linking = list(columns.kinds), list(columns.linking)
    work = partial(_grow_partition, kinds=kinds, linking=linking, n_samples=n_samples, seed=seed)
    fields = [("mention", pa.int64()), ("label", pa.int64()), ("probability", pa.float64())]
    found = carry(pa.table(arrays), work, pa.schema([*fields, ("roots", pa.list_(pa.int32()))]))
    roots = flat(found, "roots").reshape(n, -1).T
    clustering = Clustering.from_labels(found["label"])
    return TreeEntities(clustering, np.ascontiguousarray(roots), found["probability"].to_numpy())


def _grow_partition(
    rows: pa.Table, key: int, *, kinds: Sequence[BagScores], linking: Sequence[bool], n_samples: int, seed: int
) -> pa.Table:
    """Grow trees over the canopies of one partition."""
    records = rows["mention"].to_numpy()
    names = [NameColumn.of_texts(rows[name]) for name in rows.column_names if name.startswith("name ")]
    bags = [BagColumn.of_lists(rows[name].combine_chunks()) for name in rows.column_names if name.startswith("bag ")]
    canopy = Clustering.from_labels(rows["super"]).labels
    within = TreeColumns(canopy, names, bags, kinds, linking)
    trees = grow_columns(within, n_samples=n_samples, seed=seed_of(seed, key))
    columns = {"mention": rows["mention"].combine_chunks(), "label": records[trees.run.labels]}
    roots = rectangle(records[trees.roots].T.astype(np.int32))
    return pa.table(columns | {"probability": trees.probability, "roots": roots})
