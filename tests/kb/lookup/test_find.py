"""One record at a time: found without adding it, added in one transaction, with what a batch would say."""

import hashlib

import numpy as np
import pyarrow as pa
import pytest

from onoma.errors import DataError, SettingsError
from onoma.kb.database import file_stamp, read_knowledge_base, write_in_place
from onoma.kb.lookup.live import Live
from onoma.kb.lookup.snapshot import Lists
from onoma.kb.update import update_knowledge_base
from onoma.kb.world import load_world
from onoma.resolve.blocking.index import FieldIndex, find_neighbours


def rows_of(crowd, first, last):
    return [
        {name: value for name, value in row.items() if name != "cluster_id" and value is not None}
        for row in crowd.slice(first, last - first).to_pylist()
    ]


def truth_of(path):
    with read_knowledge_base(path) as base:
        return dict(base.rows("SELECT entity, mode(cluster_id) FROM record_current GROUP BY entity"))


def test_a_record_that_is_there_is_found_with_near_certainty(kb, crowd):
    live = Live(kb)
    row = rows_of(crowd, 3, 4)[0]
    found = live.find({name: value for name, value in row.items() if name != "id"})
    with read_knowledge_base(kb) as base:
        entity = base.value("SELECT entity FROM memberships WHERE id = ?", [row["id"]])
    assert found.best is not None and found.best.entity == entity
    assert found.best.probability > 0.95
    assert found.best.reasons[0].bits > 0
    assert "equal" in found.best.reason


def test_probabilities_and_nil_add_up(kb, crowd):
    live = Live(kb)
    for row in rows_of(crowd, 400, 420):
        found = live.find(row, most=50)
        total = found.nil + sum(each.probability for each in found.candidates)
        assert 0.98 <= total <= 1.0 + 1e-9


def test_nobody_is_nil(kb):
    found = Live(kb).find({"given_name": "Xyzzyq", "surname": "Qwrtzp"})
    assert found.best is None
    assert found.nil > 0.9


def test_finding_changes_nothing(kb, crowd):
    before = hashlib.sha256(kb.read_bytes()).hexdigest()
    live = Live(kb)
    first = [live.find(row) for row in rows_of(crowd, 400, 405)]
    again = [live.find(row) for row in rows_of(crowd, 400, 405)]
    assert [each.as_dict() for each in first] == [each.as_dict() for each in again]
    assert hashlib.sha256(kb.read_bytes()).hexdigest() == before


def test_neighbours_are_those_of_an_update(kb, crowd):
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
        row = rows_of(crowd, place, place + 1)[0]
        mine = set(snapshot.neighbours(snapshot.ask(pa.table({k: [v] for k, v in row.items()}))).tolist())
        # Of equal neighbours at the edge either may be taken.
        assert len(mine & others) >= 0.9 * len(others)
        assert place in mine


def test_adding_one_by_one_is_what_a_batch_says(kb, crowd, tmp_path):
    batch = tmp_path / "batch.duckdb"
    batch.write_bytes(kb.read_bytes())
    update_knowledge_base(batch, tables=[crowd.slice(400, 20)])
    live, same = Live(kb), []
    for row in rows_of(crowd, 400, 420):
        found = live.find(row)
        added = live.add(row)
        assert (None if added.is_new else added.entity) == (found.best.entity if found.best else None)
        same.append((row["id"], added.entity))
    with read_knowledge_base(batch) as one, read_knowledge_base(kb) as other:
        company = [
            {
                key: frozenset(str(k) for (k,) in base.rows("SELECT id FROM memberships WHERE entity = ?", [entity]))
                for key, entity in base.rows("SELECT id, entity FROM memberships")
            }
            for base in (one, other)
        ]
    agree = [company[0][key] == company[1][key] for key in company[0]]
    assert np.mean(agree) > 0.98


def test_what_is_in_memory_follows_what_is_added(kb, crowd):
    live = Live(kb)
    for row in rows_of(crowd, 400, 410):
        live.add(row)
    mine = live.snapshot()
    fresh = Live(kb).snapshot()
    assert mine is live.snapshot()  # it was not read again
    assert mine.numbers.tolist() == fresh.numbers.tolist()
    assert [mine.names[e] for e in mine.entity] == [fresh.names[e] for e in fresh.entity]
    assert [f.count(int(c)) for f in mine.fields for c in f.codes[-10:]] == [
        f.count(int(c)) for f in fresh.fields for c in f.codes[-10:]
    ]
    again = rows_of(crowd, 405, 406)[0]
    probe = {name: value for name, value in again.items() if name != "id"}
    assert live.find(probe).best.entity == Live(kb).find(probe).best.entity


def test_ids_elsewhere_stay_and_a_repetition_changes_nothing(kb, crowd):
    with read_knowledge_base(kb) as base:
        before = dict(base.rows("SELECT id, entity FROM memberships"))
    live = Live(kb)
    row = rows_of(crowd, 401, 402)[0]
    added = live.add(row)
    again = live.add(row)
    assert again.entity == added.entity
    assert again.update.n_added == 0
    with read_knowledge_base(kb) as base:
        after = dict(base.rows("SELECT id, entity FROM memberships"))
        assert base.value("SELECT count(*) FROM runs") == 2
    changed = [key for key in before if before[key] != after[key]]
    assert len(changed) <= added.update.n_touched


def test_one_without_an_id_gets_one(kb):
    added = Live(kb).add({"given_name": "Ottoline", "surname": "Quarrington"})
    assert added.is_new
    assert added.record.startswith("new-")


def test_a_change_that_fails_leaves_the_file_as_it_was(kb):
    stamp = file_stamp(kb)
    before = kb.read_bytes()
    with pytest.raises(RuntimeError), write_in_place(kb) as base:
        base.change("DELETE FROM memberships")
        raise RuntimeError("it stops here")
    assert kb.read_bytes() == before or file_stamp(kb) != stamp
    with read_knowledge_base(kb) as base:
        assert base.value("SELECT count(*) FROM memberships") == 400


def test_what_was_read_follows_what_others_write(kb, crowd):
    live = Live(kb)
    assert live.snapshot().n == 400
    update_knowledge_base(kb, tables=[crowd.slice(400, 5)])
    assert live.snapshot().n == 405


@pytest.mark.parametrize("record", [{}, {"colour": "red"}, {"surname": None}])
def test_a_record_that_says_nothing_is_refused(kb, record):
    with pytest.raises(SettingsError, match="record"):
        Live(kb).find(record)


def test_what_is_no_knowledge_base_is_refused(tmp_path):
    path = tmp_path / "x.duckdb"
    with pytest.raises(DataError, match="no such file"):
        Live(path).find({"a": "b"})
    with pytest.raises(DataError, match="no such file"):
        Live(path).add({"a": "b"})


def test_lists_invert():
    lists = Lists.invert(np.array([1, -1, 0, 1, 2]), 4)
    assert [lists.of(np.array([i])).tolist() for i in range(4)] == [[2], [0, 3], [4], []]
    assert lists.of(np.array([3, 1, 0])).tolist() == [0, 3, 2]
