import numpy as np
import pytest
from hypothesis import given

from onoma.corpus.clustering import Clustering
from onoma.errors import DataError
from onoma.evaluate.contingency import Contingency, group_labels
from reference.evaluate_kernels import count_overlaps
from reference.evaluate_strategies import pairs


@given(pairs())
def test_the_cells_are_those_of_the_twin(sides):
    table = Contingency.of(*sides)
    cells = dict(
        zip(zip(table.rows.tolist(), table.columns.tolist(), strict=True), table.overlaps.tolist(), strict=True)
    )
    assert cells == count_overlaps(*(side.labels.tolist() for side in sides))
    assert len(cells) == len(table.overlaps)


@given(pairs())
def test_the_counts_agree_with_the_labels(sides):
    gold, predicted = sides
    table = Contingency.of(gold, predicted)
    in_gold, in_predicted = gold.labels >= 0, predicted.labels >= 0
    assert table.gold_sizes.tolist() == [len(chain) for chain in gold.chains()]
    assert table.predicted_sizes.tolist() == [len(chain) for chain in predicted.chains()]
    assert table.n_gold == in_gold.sum()
    assert table.n_predicted == in_predicted.sum()
    assert table.n_shared == (in_gold & in_predicted).sum()
    assert table.n_either == (in_gold | in_predicted).sum()
    assert table.gold_shared.tolist() == [int(in_predicted[chain].sum()) for chain in gold.chains()]
    assert table.predicted_shared.tolist() == [int(in_gold[chain].sum()) for chain in predicted.chains()]


@given(pairs())
def test_every_item_is_in_its_cell(sides):
    gold, predicted = sides
    table = Contingency.of(gold, predicted)
    cells = table.cells
    assert cells.n.tolist() == np.bincount(table.item_cells[table.item_cells >= 0], minlength=len(cells.n)).tolist()
    for item, cell in enumerate(table.item_cells):
        mine, theirs = (
            set(side.members(side.labels[item]).tolist()) if side.labels[item] >= 0 else set() for side in sides
        )
        if not mine and not theirs:
            assert cell == -1
        else:
            assert (cells.gold[cell], cells.predicted[cell]) == (len(mine), len(theirs))
            assert cells.shared[cell] == len(mine & theirs)


def test_clusterings_of_different_items_are_refused():
    with pytest.raises(DataError, match="3 items and the prediction 2"):
        Contingency.of(Clustering.singletons(3), Clustering.singletons(2))


def test_groups_are_numbered_and_checked():
    assert group_labels(["b", "a", "b"], 3).tolist() == [0, 1, 0]
    with pytest.raises(DataError, match="2 groups for 3 items"):
        group_labels(["b", "a"], 3)
    with pytest.raises(DataError, match="item 1 has no group"):
        group_labels(["b", None, "a"], 3)
