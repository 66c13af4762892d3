"""All that is known of the records of a knowledge base, loaded to go on from."""

import numpy as np
import pytest

from onoma.errors import DataError
from onoma.kb.database import read_knowledge_base, write_knowledge_base
from onoma.kb.judge import Said, judge
from onoma.kb.world import find_entity, find_record_key, load_world, record_table, stored_config, stored_job


@pytest.fixture
def base(first_base):
    with read_knowledge_base(first_base) as found:
        yield found


def test_records_codes_and_edges_are_as_they_were_stored(base):
    world = load_world(base)
    assert world.n == 400 and np.array_equal(world.records, np.arange(400))
    assert all(len(codes) == 400 for codes in world.codes)
    assert world.place(17) == 17 and (world.edges.a != world.edges.b).all()
    for counts, codes in zip(world.counts, world.codes, strict=True):
        assert counts.sum() == (codes >= 0).sum()


def test_fields_of_some_records_are_comparable_as_those_of_all(base):
    world = load_world(base)
    places = np.array([3, 5, 8])
    for spec, field in zip(world.memory.fields, world.fields(places), strict=True):
        assert field.levels == spec.levels and len(field.codes) == 3
        assert field.counts.sum() == (world.codes[world.memory.fields.index(spec)] >= 0).sum()


def test_dropped_records_leave_no_edge(kb):
    with write_knowledge_base(kb) as base:
        world = load_world(base)
        world.drop(np.array([0, 1]))
        assert world.n == 398 and 0 not in world.records
        assert world.edges.a.max() < 398 and world.edges.b.max() < 398


def test_entities_and_records_are_found_by_name(base):
    entity, key = base.rows("SELECT entity, id FROM memberships ORDER BY record LIMIT 1")[0]
    assert find_entity(base, entity) == find_entity(base, key) == entity
    assert find_record_key(base, key) == (0, "", key)
    with pytest.raises(DataError, match="there is no entity, alias or record 'nobody'"):
        find_entity(base, "nobody")
    with pytest.raises(DataError, match="there is no record 'nobody'"):
        find_record_key(base, "nobody")


def test_records_come_back_as_they_came(base, crowd):
    some = record_table(base, [2, 0])
    assert some.num_rows == 2
    whole = record_table(base)
    shared = [name for name in crowd.column_names if name in whole.column_names]
    assert whole.select(shared).slice(0, 5).to_pylist() == crowd.select(shared).slice(0, 5).to_pylist()


def test_judgements_are_pairs_of_places(kb):
    with read_knowledge_base(kb) as base:
        a, b = (key for (key,) in base.rows("SELECT id FROM memberships ORDER BY record LIMIT 2"))
    judge(kb, [Said("different", a, b)])
    with read_knowledge_base(kb) as base:
        judged = load_world(base).judged()
    assert judged.different.tolist() == [[0, 1]] and len(judged.same) == 0


def test_the_job_is_kept_and_an_earlier_one_is_said_as_now(base):
    assert stored_config(stored_job(base)).truth == "cluster_id"
    old = {"id": "key", "kinds": {"a": "text"}, "settings": {"model": "pairwise", "n_samples": 40}}
    config = stored_config(old)
    assert (config.id, config.model, config.samples, config.kinds) == ("key", "pairwise", 40, {"a": "text"})
