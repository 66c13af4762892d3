"""Records added one at a time: in one transaction, with what a batch would say."""

import numpy as np
import pytest

from onoma.errors import DataError
from onoma.kb.database import file_stamp, read_knowledge_base, write_in_place
from onoma.kb.explain import explain_entity, explain_records
from onoma.kb.judge import WHOLE, Said, judge, judge_in, retract_in, retract_judgements
from onoma.kb.lookup.live import Live
from onoma.kb.review import doubts
from onoma.kb.update import update_knowledge_base
from onoma.kb.world import load_world
from onoma.resolve.blocking.index import feature_ids


def test_adding_one_by_one_is_what_a_batch_says(kb, crowd, tmp_path, rows_of):
    batch = tmp_path / "batch.duckdb"
    batch.write_bytes(kb.read_bytes())
    update_knowledge_base(batch, tables=[crowd.slice(400, 20)])
    live, same = Live(kb), []
    for row in rows_of(400, 420):
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


def test_what_is_in_memory_follows_what_is_added(kb, rows_of):
    live = Live(kb)
    for row in rows_of(400, 410):
        live.add(row)
    mine = live.snapshot()
    fresh = Live(kb).snapshot()
    assert mine is live.snapshot()  # it was not read again
    assert mine.numbers.tolist() == fresh.numbers.tolist()
    assert [mine.names[e] for e in mine.entity] == [fresh.names[e] for e in fresh.entity]
    assert [f.count(int(c)) for f in mine.fields for c in f.codes[-10:]] == [
        f.count(int(c)) for f in fresh.fields for c in f.codes[-10:]
    ]
    again = rows_of(405, 406)[0]
    probe = {name: value for name, value in again.items() if name != "id"}
    assert live.find(probe).best.entity == Live(kb).find(probe).best.entity


def test_features_of_values_that_came_alone_are_made_when_they_are_read(kb, crowd, rows_of):
    """Between those of two updates too; a file that kept some more would be written anew by all of them."""
    with read_knowledge_base(kb) as base:
        first, kept = load_world(base).n_values, base.value("SELECT count(*) FROM features")
    Live(kb).add(rows_of(400, 401)[0])
    with read_knowledge_base(kb) as base:
        assert base.value("SELECT count(*) FROM features") == kept
        assert load_world(base).n_values != first
    update_knowledge_base(kb, tables=[crowd.slice(401, 10)])
    Live(kb).add(rows_of(411, 412)[0])
    with read_knowledge_base(kb) as base:
        world = load_world(base)
        for f, segment in enumerate(world.segments()):
            assert len(segment.offsets) - 1 == world.n_values[f]
            for code, value in base.rows("SELECT code, value FROM field_values WHERE field = ? ORDER BY code", [f]):
                if code >= first[f]:
                    made = world.memory.fields[f].made.prepare([value], np.ones(1, dtype=np.int64)).features()
                    ids = segment.ids[segment.offsets[code] : segment.offsets[code + 1]]
                    assert sorted(ids) == sorted(feature_ids(made)[made.ids])


def test_ids_elsewhere_stay_and_a_repetition_changes_nothing(kb, rows_of):
    with read_knowledge_base(kb) as base:
        before = dict(base.rows("SELECT id, entity FROM memberships"))
    live = Live(kb)
    row = rows_of(401, 402)[0]
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


def test_what_is_no_knowledge_base_is_refused(tmp_path):
    path = tmp_path / "x.duckdb"
    with pytest.raises(DataError, match="no such file"):
        Live(path).find({"a": "b"})
    with pytest.raises(DataError, match="no such file"):
        Live(path).add({"a": "b"})


STATE = (
    "SELECT record, entity, probability FROM memberships ORDER BY record",
    "SELECT a, b, probability FROM edges ORDER BY a, b",
    "SELECT * FROM samples ORDER BY record",
)


def state(path):
    with read_knowledge_base(path) as base:
        return [base.rows(sql) for sql in STATE]


def test_judging_from_memory_is_judging_from_the_file(kb, tmp_path):
    other = tmp_path / "other.duckdb"
    other.write_bytes(kb.read_bytes())
    with read_knowledge_base(kb) as base:
        pairs = [(each.a, each.b) for each in doubts(base, most=6, one_of_each=True)]
        apart = base.rows("SELECT min(id) FROM memberships GROUP BY entity ORDER BY 1 LIMIT 2")
    pairs.append((apart[0][0], apart[1][0]))  # two that nobody compared
    live = Live(kb)
    mine = live.snapshot()
    for i, (a, b) in enumerate(pairs):
        said = [Said("same" if i % 2 == 0 else "different", a, b)]
        with live.judging() as (base, around):
            judge_in(base, said, around=around)
        judge(other, said)
    with live.judging() as (base, around):
        retract_in(base, [1, len(pairs)], around=around)
    retract_judgements(other, [1, len(pairs)])
    assert state(kb) == state(other)
    assert live.snapshot() is mine  # it was not read again
    fresh = Live(kb).snapshot()
    assert [mine.names[e] for e in mine.entity] == [fresh.names[e] for e in fresh.entity]
    assert sorted(map(tuple, mine.judged.pairs().tolist())) == sorted(map(tuple, fresh.judged.pairs().tolist()))
    with read_knowledge_base(kb) as base:
        name = base.value("SELECT entity FROM entities ORDER BY size DESC, entity LIMIT 1")
        assert explain_entity(base, name, around=live.around()).tree == explain_entity(base, name).tree
        near, far = (explain_records(base, *pairs[0], around=around) for around in (live.around(), WHOLE))
        assert near.posterior == far.posterior and near.path == far.path


def test_a_judgement_that_is_refused_leaves_memory_as_the_file(kb):
    live = Live(kb)
    live.snapshot()
    with read_knowledge_base(kb) as base:
        a, b = (key for (key,) in base.rows("SELECT id FROM memberships ORDER BY record LIMIT 2"))
    before = state(kb)
    with live.judging() as (base, around):
        judge_in(base, [Said("same", a, b)], around=around)
    with pytest.raises(DataError, match="contradicts"), live.judging() as (base, around):
        judge_in(base, [Said("different", a, b)], around=around)
    with live.judging() as (base, around):
        retract_in(base, [1], around=around)
    assert [row[1] for row in state(kb)[0]] == [row[1] for row in before[0]]
