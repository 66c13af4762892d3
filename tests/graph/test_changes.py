import numpy as np

from onoma.graph.changes import Change


def test_undo_restores_the_world():
    world = np.array([2, 0, 1], dtype=np.int32)
    change = Change.of(world, {0: 1, 2: 0})
    change.apply_inplace(world)
    assert world.tolist() == [1, 0, 0]
    change.undo_inplace(world)
    assert world.tolist() == [2, 0, 1]


def test_values_that_stay_are_no_change():
    world = np.array([2, 0], dtype=np.int32)
    assert not Change.of(world, {0: 2, 1: 0})
    assert Change.of(world, {0: 2, 1: 1}).variables == (1,)
