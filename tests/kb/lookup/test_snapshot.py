"""What is held in memory: inverted lists that say what a pass over all records says."""

import numpy as np
import pyarrow as pa

from onoma.kb.database import read_knowledge_base
from onoma.kb.lookup.live import Live
from onoma.kb.lookup.snapshot import Lists
from onoma.kb.world import load_world
from onoma.resolve.blocking.index import FieldIndex, find_neighbours


def test_neighbours_are_those_of_an_update(kb, rows_of):
    """The inverted lists say what a pass over all records says."""
    live = Live(kb)
    snapshot = live.snapshot()
    with read_knowledge_base(kb) as base:
        world = load_world(base)
        segments = world.segments()
    for place in (0, 7, 50, 123):
        # The record once more, as the last one: the twin finds its neighbours in one pass over all.
        fields = [
            FieldIndex(spec.kind, np.append(codes, codes[place]).astype(np.int32), segment)
            for spec, codes, segment in zip(world.memory.fields, world.codes, segments, strict=True)
        ]
        a, b = find_neighbours(fields, world.n, settings=world.memory.blocking)
        others = {int(x) for x in np.where(a == world.n, b, a)}
        row = rows_of(place, place + 1)[0]
        mine = set(snapshot.neighbours(snapshot.ask(pa.table({k: [v] for k, v in row.items()}))).tolist())
        # Of equal neighbours at the edge either may be taken.
        assert len(mine & others) >= 0.9 * len(others)
        assert place in mine


def test_lists_invert():
    lists = Lists.invert(np.array([1, -1, 0, 1, 2]), 4)
    assert [lists.of(np.array([i])).tolist() for i in range(4)] == [[2], [0, 3], [4], []]
    assert lists.of(np.array([3, 1, 0])).tolist() == [0, 3, 2]
