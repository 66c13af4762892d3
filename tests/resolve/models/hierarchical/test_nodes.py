"""Trees as a table: one row for each node, sizes that add up, parents that are there."""

from collections import defaultdict

import pyarrow as pa
import pytest

from onoma.corpus.simulate import simulate_people
from onoma.resolve.api import resolve
from onoma.resolve.config import ResolveConfig
from onoma.resolve.models.hierarchical.nodes import _some_leaf


@pytest.fixture(scope="module")
def nodes(few_trees, few_authors):
    return few_trees.nodes(few_authors["id"].cast(pa.string())).to_pylist()


def test_parents_are_nodes_of_the_same_entity(nodes):
    by_name = {row["node"]: row for row in nodes}
    assert len(by_name) == len(nodes)
    for row in nodes:
        if row["parent"] is not None:
            assert by_name[row["parent"]]["entity"] == row["entity"]


def test_sizes_add_up_and_every_record_is_a_leaf_once(nodes, few_authors):
    below = defaultdict(int)
    for row in nodes:
        if row["parent"] is not None:
            below[row["parent"]] += row["size"]
    assert all(row["size"] == below[row["node"]] for row in nodes if row["node"] in below)
    records = [row["record"] for row in nodes if row["record"] is not None]
    assert sorted(records) == sorted(str(key) for key in few_authors["id"].to_pylist())
    assert sum(row["size"] for row in nodes if row["parent"] is None) == len(few_authors)


def test_an_entity_has_one_root(nodes, few_trees):
    roots = [row["entity"] for row in nodes if row["parent"] is None]
    assert len(roots) == len(set(roots)) == few_trees.clustering.n_entities


def test_a_leaf_below_each_node():
    import numpy as np

    parent = np.array([3, 3, 4, 4, -1], dtype=np.int32)
    assert _some_leaf(parent, 3).tolist()[:3] == [0, 1, 2] and _some_leaf(parent, 3)[3] in (0, 1)


def test_a_mention_without_a_name_is_a_node_too():
    table = simulate_people(60, seed=5).select(["id", "given_name", "surname", "birth_date", "city"])
    for name in ("given_name", "surname"):
        values = table[name].to_pylist()
        table = table.set_column(table.column_names.index(name), name, pa.array([None, *values[1:]]))
    found = resolve(table, ResolveConfig(model="hierarchical", no_check=True))
    rows = found.posterior.details.nodes(table["id"].cast(pa.string())).to_pylist()
    assert [row["name"] for row in rows if row["record"] == "p00"] == [""]
    assert all(row["name"] for row in rows if row["record"] not in (None, "p00"))
