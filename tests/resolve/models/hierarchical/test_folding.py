"""Rows that say nothing new."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from onoma.corpus.simulate.authors import simulate_authors
from onoma.resolve.fields.prepare import prepare_fields
from onoma.resolve.models.hierarchical.folding import fold_mentions
from onoma.resolve.models.hierarchical.grow import grow_records
from onoma.resolve.models.hierarchical.mentions import BagColumn
from onoma.resolve.models.hierarchical.whole_names import NameColumn

ROW = st.tuples(st.integers(0, 1), st.sampled_from(["ann", "bo", None]), st.lists(st.sampled_from("xyz"), max_size=3))


@given(st.lists(ROW, min_size=1, max_size=30), st.booleans())
def test_rows_are_one_mention_exactly_if_they_say_the_same(rows, is_exclusive):
    canopy = np.array([row[0] for row in rows])
    names = [NameColumn.of_texts(pa.array([row[1] for row in rows], pa.string()))]
    bags = [BagColumn.of_lists(pa.array([row[2] for row in rows], pa.list_(pa.string())))]
    folding = fold_mentions(canopy, names, bags, [is_exclusive])
    keys = {}
    for row, (where, name, words) in enumerate(rows):
        said = (where, name, frozenset(words)) if words and not is_exclusive else row
        first = keys.setdefault(said, row)
        assert folding.kept[folding.place[row]] == first
    assert folding.n_rows.sum() == len(rows)


def test_repeated_rows_are_one_entity_and_all_are_told():
    table = simulate_authors(300, seed=2)
    again = pa.concat_tables([table, table.slice(0, 20), table.slice(0, 20)])
    ids = pa.chunked_array([[f"r{k}" for k in range(len(again))]])
    again = again.set_column(again.schema.get_field_index("id"), "id", ids)
    grown = grow_records(prepare_fields(again, exclude=["id", "cluster_id"]).fields, seed=1)
    assert len(grown.run.folding.kept) <= 300
    labels = grown.clustering.labels
    assert (labels[:20] == labels[300:320]).all()
    assert (labels[:20] == labels[320:]).all()
    nodes = grown.nodes(ids).to_pylist()
    assert sorted(row["record"] for row in nodes if row["record"]) == sorted(ids.to_pylist())
    sizes = {row["node"]: row["size"] for row in nodes}
    below = dict.fromkeys(sizes, 0)
    for row in nodes:
        if row["parent"] is not None:
            below[row["parent"]] += row["size"]
    assert all(below[row["node"]] == row["size"] for row in nodes if row["record"] is None)
    shown = str(grown.tree(0, ids))
    assert "r0 " in shown
    assert "r300 " in shown
