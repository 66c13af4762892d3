"""Planted rows are looked for and compared as the table's own."""

import functools

import numpy as np

from onoma.corpus.simulate import simulate_people
from onoma.numerics.rng import stream
from onoma.resolve.api import resolve
from onoma.resolve.check.planting import Rows, plant
from onoma.resolve.check.values import Values
from onoma.resolve.comparison.weights import edge_weights
from onoma.resolve.posterior.exact import FAINT


@functools.cache
def found():
    return resolve(simulate_people(100, seed=6), truth="cluster_id")


def planted(rows_of, weight=None, **about):
    answer = found()
    fields = answer.fields.fields
    codes = np.stack([each.codes[rows_of].astype(np.int64) for each in fields], axis=1)
    none = np.full(len(rows_of), -1, dtype=np.int64)
    rows = Rows(codes, about.get("base", none), None, None, about.get("apart_from", none))
    labels = answer.clustering.labels.astype(np.int64)
    longer = [Values(each, labels, stream(1, "planting")).extended(codes[:, f]) for f, each in enumerate(fields)]
    return answer.weighed.evidence, plant(answer.weighed.evidence, longer, rows, None, None, 0, weight)


def test_the_tables_own_pairs_stay_and_new_ones_have_a_planted_row():
    before, after = planted(np.array([4, 5]))
    assert after.n == 100 and after.evidence.n == 102 and after.first == len(before.a)
    assert (after.evidence.levels[: after.first] == before.levels).all()
    assert (after.evidence.b[after.first :] >= 100).all() and (after.evidence.a[after.first :] < 100).all()


def test_pairs_that_have_nothing_to_do_with_a_planted_row_are_left_out():
    answer = found()
    weights = edge_weights(answer.weighed.evidence, answer.weighed.weights)
    weight = np.add(*weights)
    before, after = planted(np.array([4, 5]), weights)
    kept = set(zip(after.evidence.a[: after.first].tolist(), after.evidence.b[: after.first].tolist(), strict=True))
    assert 0 < len(kept) < len(before.a)
    met = set(after.evidence.a[after.first :].tolist())
    for i, j, w in zip(before.a.tolist(), before.b.tolist(), weight.tolist(), strict=True):
        assert w <= FAINT or not {i, j} & met or (i, j) in kept


def test_a_row_that_is_there_is_found_and_equal_in_all_it_has():
    _, after = planted(np.array([4]))
    a, b = after.evidence.a[after.first :], after.evidence.b[after.first :]
    (itself,) = np.flatnonzero((a == 4) & (b == 100))
    levels = after.evidence.levels[after.first + itself, : len(found().fields.fields)]
    assert set(levels.tolist()) <= {0, -1} and (levels == 0).any()


def test_a_mirror_is_not_compared_with_itself():
    _, after = planted(np.array([4]), apart_from=np.array([4]))
    assert 4 not in after.evidence.a[after.first :]


def test_rows_are_joined_in_order():
    one = Rows(np.zeros((2, 3), dtype=np.int64), np.array([5, 6]), None, None, np.array([-1, -1]))
    other = Rows(np.ones((1, 3), dtype=np.int64), np.array([7]), None, None, np.array([2]))
    both = Rows.joined([one, other])
    assert len(both) == 3 and both.base.tolist() == [5, 6, 7] and both.apart_from.tolist() == [-1, -1, 2]
    assert both.source is None and both.codes.sum() == 3
