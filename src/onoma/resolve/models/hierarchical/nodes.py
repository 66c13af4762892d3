"""Trees as a table: one row for each node."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from onoma.resolve.models.hierarchical._bags_kernels import COUNT, PARENT
from onoma.resolve.models.hierarchical.run import TreeRun

__all__ = ["shard_nodes"]

_SHOWN = 8
"""Words of a node that its row tells."""


def shard_nodes(run: TreeRun, k: int, ids: pa.Array, entity: pa.Array) -> pa.Table:
    """Return the nodes of a shard: node, parent, entity, size, record (of a leaf), name, words.

    A mention that stands for several rows is a node with these below it.

    Parameters
    ----------
    ids, entity
        By row of the table.
    """
    links, first_rows = run.chains[k].forest.links, run.folding.kept[run.shards[k].rows]
    n = len(first_rows)
    nodes = np.flatnonzero(links[:, PARENT] != -2)
    above, size = links[nodes, PARENT], links[nodes, COUNT].astype(np.int64)
    is_record = (nodes < n) & (size == 1)
    row = first_rows[_some_leaf(links[:, PARENT], n)[nodes]]
    told_words = [
        "" if is_one else ", ".join(run.words_of(k, node, _SHOWN))
        for node, is_one in zip(nodes.tolist(), is_record.tolist(), strict=True)
    ]
    names = _names(run, k, nodes)
    told = _written(k, nodes)
    columns = {"node": told, "parent": _written(k, above), "size": pa.array(size), "name": names}
    table = _table(columns | {"words": pa.array(told_words, pa.string())}, ids, entity, row, is_record)
    return pa.concat_tables([table, _folded_rows(run, k, ids, entity, names, nodes)])


def _folded_rows(
    run: TreeRun, k: int, ids: pa.Array, entity: pa.Array, names: pa.Array, nodes: NDArray[np.int64]
) -> pa.Table:
    """Return the rows of mentions that stand for several."""
    mentions = run.shards[k].rows
    at = np.full(len(run.folding.kept), -1, np.int64)
    many = np.flatnonzero(run.folding.n_rows[mentions] > 1)
    at[mentions[many]] = many
    leaf = at[run.folding.place]
    row = np.flatnonzero(leaf >= 0)
    row = row[np.argsort(leaf[row], kind="stable")]
    above = _written(k, leaf[row])
    order = np.arange(len(row)) - np.searchsorted(leaf[row], leaf[row])
    told = pc.binary_join_element_wise(above, pa.array(order).cast(pa.string()), ".")
    named = names.take(pa.array(np.searchsorted(nodes, leaf[row])))
    every = np.ones(len(row), np.bool_)
    columns = {"node": told, "parent": above, "size": pa.array(every.astype(np.int64)), "name": named}
    return _table(columns | {"words": pa.array([""] * len(row), pa.string())}, ids, entity, row, every)


def _table(
    columns: dict[str, pa.Array],
    ids: pa.Array,
    entity: pa.Array,
    row: NDArray[np.int64],
    is_record: NDArray[np.bool_],
) -> pa.Table:
    """Return the nodes with the entity of a row below each and, of leaves, the record."""
    found = columns | {"entity": entity.take(pa.array(row)), "record": ids.take(pa.array(row, mask=~is_record))}
    return pa.table({name: found[name] for name in ("node", "parent", "entity", "size", "record", "name", "words")})


def _written(k: int, nodes: NDArray[np.int64]) -> pa.Array:
    """Return how nodes are called: by their shard and number; null for none."""
    texts = pa.array(nodes, mask=nodes < 0).cast(pa.string())
    return pc.binary_join_element_wise(pa.scalar(str(k)), texts, ".")


def _names(run: TreeRun, k: int, nodes: NDArray[np.int64]) -> pa.Array:
    """Return what nodes go by."""
    parts, first = [], 0
    for at, column in enumerate(run.columns.names):
        value = run.chains[k].forest.value[nodes, at].astype(np.int64) - first
        forms = column.forms.cast(pa.string()).take(pa.array(value, mask=value < 0))
        parts.append(forms)
        first += len(column.forms)
    if not parts:
        return pa.array([""] * len(nodes), pa.string())
    nameless = pa.array(np.logical_and.reduce([part.is_null().to_numpy(zero_copy_only=False) for part in parts]))
    parts[0] = pc.if_else(nameless, "", parts[0])  # Arrow leaves a row out of which all parts are skipped
    return pc.binary_join_element_wise(*parts, " ", null_handling="skip")


def _some_leaf(parent: NDArray[np.int32], n: int) -> NDArray[np.int64]:
    """Return for each node a leaf below it."""
    found = np.full(len(parent), -1, np.int64)
    found[:n] = np.arange(n)
    for leaf in range(n):
        node = int(parent[leaf])
        while node >= 0 and found[node] < 0:
            found[node] = leaf
            node = int(parent[node])
    return found
