"""A small world cut out of a large one says of its records what the large one says."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from onoma.kb.database import read_knowledge_base
from onoma.kb.incremental import fields_of
from onoma.kb.lookup.live import Live
from onoma.kb.lookup.local import cut_out
from onoma.kb.world import load_world


@pytest.fixture
def cut(kb, rows_of):
    """What stands around a record that is there already, asked about once more."""
    snapshot = Live(kb).snapshot()
    query = snapshot.ask(pa.table({name: [value] for name, value in rows_of(3, 4)[0].items()}))
    with read_knowledge_base(kb) as base:
        yield snapshot, cut_out(snapshot, query, np.array([3]), base), load_world(base)


def test_the_record_asked_about_comes_last_and_is_of_no_entity_yet(cut):
    snapshot, world, _ = cut
    assert world.n == len(world.places) + 1 and 3 in world.places
    assert world.entity()[-1] == -1 and (world.entity()[:-1] >= 0).all()
    assert world.records[-1] == snapshot.next_number
    here = world.places.tolist().index(3)
    assert [codes[here] for codes in world.codes] == [codes[-1] for codes in world.codes], "it is record 3 again"


def test_entities_are_whole(cut):
    snapshot, world, _ = cut
    company = snapshot.members_of(int(snapshot.entity[3]))
    assert set(company) <= set(world.places.tolist())


def test_pairs_are_those_of_the_large_world(cut):
    _, world, large = cut
    known = {(int(a), int(b)): p for a, b, p in zip(large.edges.a, large.edges.b, large.edges.probability, strict=True)}
    assert len(world.edges.a) > 0
    for a, b, p in zip(world.edges.a, world.edges.b, world.edges.probability, strict=True):
        assert known[int(world.places[int(a)]), int(world.places[int(b)])] == pytest.approx(p)


def test_values_are_as_common_as_among_all_records(cut):
    snapshot, world, large = cut
    for f, part in enumerate(world._parts(np.arange(world.n))):
        code = int(world.codes[f][-1])
        if code >= 0:
            everywhere = int(np.count_nonzero(large.codes[f] == code))
            assert part.counts[part.codes[-1]] == everywhere + 1, snapshot.memory.fields[f].columns


def test_fields_that_are_prepared_together_are_compared_as_alone(cut):
    _, _, large = cut
    places = np.arange(60)
    parts = large._parts(places)
    a, b = (side.astype(np.int32) for side in np.triu_indices(len(places), 1))
    fields = fields_of(large.memory, parts)
    assert sum(type(each.comparison).__name__ == "_Among" for each in fields) >= 5  # names and codes
    for field, spec, part in zip(fields, large.memory.fields, parts, strict=True):
        here = (part.codes[a] >= 0) & (part.codes[b] >= 0)
        one, other = (part.codes[side[here]] for side in (a, b))
        alone = replace(field, comparison=spec.made.prepare(part.values, part.counts))
        assert field.compare(one, other).tolist() == alone.compare(one, other).tolist(), field.name
