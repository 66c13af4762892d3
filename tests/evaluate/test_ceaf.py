import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onoma.corpus.clustering import Clustering
from onoma.evaluate._ceaf_kernels import AUCTION_ROUNDS, AUCTION_STEP, approach, greatest_matching, transpose
from onoma.evaluate.ceaf import ceaf_e, ceaf_m
from onoma.evaluate.contingency import Contingency
from reference.evaluate_kernels import dense
from reference.evaluate_kernels import greatest_matching as slow_matching


def check(offsets, columns, weights, n_columns, budget):
    """The matching is legal, as heavy as the twin's, and its dual solution proves it."""
    chosen, profit, price = greatest_matching(offsets, columns, weights, n_columns, budget)
    matrix = dense(offsets, columns, weights, n_columns)
    taken = chosen[chosen >= 0]
    assert len(set(taken.tolist())) == len(taken)
    total = sum(matrix[row, column] for row, column in enumerate(chosen) if column >= 0)
    assert total == pytest.approx(slow_matching(matrix))
    assert profit.sum() + price.sum() == pytest.approx(total)
    assert min(profit.min(initial=0), price.min(initial=0)) >= 0
    assert (profit[:, None] + price[None, :] >= matrix - 1e-9).all()


@st.composite
def graphs(draw):
    n_rows, n_columns = draw(st.integers(0, 7)), draw(st.integers(1, 7))
    # Few different weights make ties, many make none.
    weight = st.sampled_from([1.0, 2.0, 3.0]) | st.floats(0.01, 1.0)
    rows = [draw(st.dictionaries(st.integers(0, n_columns - 1), weight)) for _ in range(n_rows)]
    offsets = np.cumsum([0] + [len(row) for row in rows])
    columns = np.array([column for row in rows for column in row], dtype=np.int64)
    return offsets, columns, np.array([w for row in rows for w in row.values()], dtype=float), n_columns


SEARCH, AUCTION = 1 << 40, 0  # the budgets with which all is done by searching, or the auction comes first


@pytest.mark.parametrize("budget", [SEARCH, AUCTION])
@given(graph=graphs())
def test_the_matching_is_greatest(graph, budget):
    check(*graph, budget)


@given(graph=graphs())
def test_a_graph_is_turned(graph):
    offsets, columns, weights, n_columns = graph
    begins, rows, turned = transpose(offsets, columns, weights, n_columns)
    assert dense(begins, rows, turned, len(offsets) - 1).T.tolist() == dense(*graph).tolist()


@given(graph=graphs())
def test_the_auction_covers_every_weight_at_little_cost(graph):
    offsets, columns, weights, _ = graph
    if len(weights):
        profit, price = approach(offsets, columns, weights, *transpose(*graph))
        matrix = dense(*graph)
        assert (profit[:, None] + price[None, :] >= matrix - 1e-12).all()
        assert min(profit.min(), price.min()) >= -1e-12
        step = weights.max() / AUCTION_STEP**AUCTION_ROUNDS
        assert profit.sum() + price.sum() <= slow_matching(matrix) + step * (len(profit) + len(price)) + 1e-9


@pytest.mark.parametrize("n_items", [300, 3000])
@pytest.mark.parametrize("seed", range(4))
def test_the_matching_is_greatest_in_a_giant_component(n_items, seed):
    rng = np.random.default_rng(seed)
    gold, predicted = (Clustering.from_labels(rng.integers(0, n_items // 4, n_items)) for _ in range(2))
    table = Contingency.of(gold, predicted)
    sizes = gold.sizes[table.rows] + predicted.sizes[table.columns]
    for weights in (table.overlaps.astype(float), 2 * table.overlaps / sizes):
        for budget in (SEARCH, len(weights), AUCTION):
            check(table.offsets, table.columns, weights, predicted.n_entities, budget)


def test_the_larger_overlap_is_not_always_taken():
    # Pairing 0 with 0 (3 items) leaves 1 alone; crosswise gives 2 + 2.
    gold = Clustering.from_labels([0] * 5 + [1] * 2)
    predicted = Clustering.from_labels([0, 0, 0, 1, 1, 0, 0])
    assert ceaf_m(gold, predicted).recall_num == 4


def test_an_entity_is_paired_at_most_once():
    gold, predicted = Clustering.from_labels([0, 0, 0, 0]), Clustering.from_labels([0, 0, 1, 1])
    assert ceaf_e(gold, predicted).recall_num == pytest.approx(2 / 3)
    assert ceaf_e(gold, predicted).precision_den == 2
