"""Next week's file: is it taken in once, resolved as if it had been there, and never by halves?"""

import multiprocessing
import os
import time
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from onoma.corpus.clustering import Clustering
from onoma.corpus.formats import write_table
from onoma.corpus.simulate import simulate_people
from onoma.errors import DataError
from onoma.evaluate.report import evaluate
from onoma.kb.database import read_knowledge_base
from onoma.kb.explain import explain_entity, explain_records
from onoma.kb.store import store_resolution
from onoma.kb.update import update_knowledge_base
from onoma.numerics.rng import stream
from onoma.pipeline.resolution import Job, job_to_store
from onoma.resolve.api import resolve
from onoma.resolve.config import ResolveConfig

FIRST = Path(__file__).with_name("first_version.sql")
N_KILLS = int(os.environ.get("ONOMA_TORTURE", "10"))


def content(path):
    """Everything in it that is not a time."""
    with read_knowledge_base(path) as base:
        tables = sorted(name for (name,) in base.rows("SELECT table_name FROM duckdb_tables()"))
        found = {name: base.query(f"FROM {name}") for name in tables}
    found["runs"] = found["runs"].drop_columns(["made", "seconds"])
    return {name: sorted(map(str, table.to_pylist())) for name, table in found.items()}


def members(path):
    with read_knowledge_base(path) as base:
        return dict(base.rows("SELECT id, entity FROM memberships"))


def ids(*names):
    return pa.table({"id": list(names), "source": pa.nulls(len(names), pa.string())})


def b3(entities, table):
    predicted = Clustering.from_labels(pa.array([entities[key] for key in table["id"].to_pylist()]))
    found = evaluate(Clustering.from_labels(table["cluster_id"]), predicted, metrics=("b3",)).as_dict()
    return found["b3"]["f1"]


def test_new_records_are_resolved_as_if_they_had_been_there(kb, crowd):
    before = members(kb)
    update = update_knowledge_base(kb, tables=[crowd.slice(400)], command="onoma resolve more.csv --into people.duckdb")
    assert (update.n_added, update.n_changed, update.n_same, update.n_retracted) == (20, 0, 0, 0)
    assert not update.is_refreshed
    assert update.n_touched < 300
    after = members(kb)
    assert len(after) == 420
    kept = np.mean([after[key] == entity for key, entity in before.items()])
    assert kept > 0.99
    at_once = resolve(crowd, exclude=["cluster_id"]).memberships
    at_once = dict(zip(at_once["id"].to_pylist(), at_once["entity"].to_pylist(), strict=True))
    assert b3(after, crowd) == pytest.approx(b3(at_once, crowd), abs=0.01)
    with read_knowledge_base(kb) as base:
        assert base.rows("SELECT run, kind, n_added, rows, command FROM runs ORDER BY run") == [
            (1, "resolve", 400, 400, "onoma resolve"),
            (2, "update", 20, 420, "onoma resolve more.csv --into people.duckdb"),
        ]
        joined, created = (
            base.value("SELECT count(*) FROM changes WHERE run = 2 AND kind = ?", [kind])
            for kind in ("joined", "created")
        )
        assert 0 < joined <= 20
        assert joined + created >= 15
        assert base.value("SELECT count(*) FROM entities") == len(set(after.values())) == update.n_entities
        sizes = dict(base.rows("SELECT entity, size FROM entities"))
    assert sizes == {entity: list(after.values()).count(entity) for entity in set(after.values())}


def test_the_same_records_again_change_nothing(kb, crowd):
    update_knowledge_base(kb, tables=[crowd.slice(400)])
    before = kb.read_bytes()
    update = update_knowledge_base(kb, tables=[crowd.slice(390)])
    assert (update.n_same, update.n_added, update.n_touched) == (30, 0, 0)
    assert "nothing is new" in update.notes[0]
    assert kb.read_bytes() == before


def test_files_of_other_types_and_columns(kb, crowd, tmp_path):
    more = crowd.slice(400, 3).append_column("height", pa.array([1.8, None, 1.7]))
    more = more.set_column(more.column_names.index("phone"), "phone", pa.array([5551234, None, 5554321]))
    write_table(more, tmp_path / "more.csv")
    update = update_knowledge_base(kb, [tmp_path / "more.csv"])
    assert update.n_added == 3
    with read_knowledge_base(kb) as base:
        found = base.rows("SELECT phone, height FROM record_current WHERE onoma_added = 2 ORDER BY onoma_record")
    assert found == [("5551234", "1.8"), (None, None), ("5554321", "1.7")]
    assert update_knowledge_base(kb, [tmp_path / "more.csv"]).n_same == 3


def test_a_changed_record_takes_the_place_of_the_old(kb, crowd):
    before = members(kb)
    changed = crowd.slice(0, 1).set_column(crowd.column_names.index("phone"), "phone", pa.array(["000-111-2222"]))
    update = update_knowledge_base(kb, tables=[changed])
    assert (update.n_changed, update.n_added) == (1, 0)
    key = crowd["id"][0].as_py()
    after = members(kb)
    assert after.keys() == before.keys()
    assert after[key] == before[key]
    with read_knowledge_base(kb) as base:
        versions = base.rows(
            "SELECT phone, onoma_added, onoma_retracted FROM records WHERE id = ? ORDER BY onoma_record", [key]
        )
        assert versions == [(crowd["phone"][0].as_py(), 1, 2), ("000-111-2222", 2, None)]
        assert base.value("SELECT count(*) FROM record_current WHERE id = ?", [key]) == 1


def test_retracted_records_are_gone_and_their_entities_told(kb, crowd):
    before = members(kb)
    sizes = {entity: list(before.values()).count(entity) for entity in before.values()}
    alone = next(key for key, entity in before.items() if sizes[entity] == 1)
    other = next(key for key, entity in before.items() if sizes[entity] > 2)
    update = update_knowledge_base(kb, retract=ids(alone, other, "nobody"))
    assert update.n_retracted == 2
    assert "1 of the ids to retract are not there" in update.notes
    after = members(kb)
    assert after.keys() == before.keys() - {alone, other}
    with read_knowledge_base(kb) as base:
        told = base.rows("SELECT id, entity FROM changes WHERE kind = 'retracted' ORDER BY id")
        assert told == sorted([(alone, before[alone]), (other, before[other])])
        assert base.value("SELECT count(*) FROM entities WHERE entity = ?", [before[alone]]) == 0
        for table, column in (("edges", "a"), ("edges", "b"), ("codes", "record"), ("samples", "record")):
            lost = f"SELECT count(*) FROM {table} WHERE {column} NOT IN (SELECT record FROM memberships)"
            assert base.value(lost) == 0
    again = update_knowledge_base(kb, tables=[crowd.filter(pc.is_in(crowd["id"], pa.array([alone, other])))])
    assert again.n_added == 2
    assert members(kb).keys() == before.keys()


def test_growth_learns_again_and_keeps_ids(kb, crowd):
    rng = stream(3, "growth")
    more = crowd.take(pa.array(rng.integers(0, 420, 250)))
    more = more.set_column(0, "id", pa.array([f"new{i}" for i in range(250)]))
    before = members(kb)
    update = update_knowledge_base(kb, tables=[more])
    assert update.is_refreshed
    assert "650 records, and what agreement weighs was learnt from 400" in update.notes[0]
    after = members(kb)
    assert np.mean([after[key] == entity for key, entity in before.items()]) > 0.97
    with read_knowledge_base(kb) as base:
        assert base.rows("SELECT kind FROM runs ORDER BY run") == [("resolve",), ("refresh",)]
    assert not update_knowledge_base(kb, tables=[crowd.slice(400, 5)]).is_refreshed


def test_what_cannot_be_taken_in(kb, crowd):
    before = kb.read_bytes()
    with pytest.raises(DataError, match="the new records have no ids"):
        update_knowledge_base(kb, tables=[crowd.slice(400).select(["surname", "city"])])
    with pytest.raises(DataError, match="stands twice among the new ones"):
        update_knowledge_base(kb, tables=[crowd.slice(400), crowd.slice(400)])
    assert kb.read_bytes() == before


def test_rows_that_cannot_be_read_are_kept(kb, crowd, tmp_path):
    path = tmp_path / "more.csv"
    write_table(crowd.slice(400), path)
    path.write_text(path.read_text("utf-8") + "far,too,few\n", "utf-8")
    with pytest.raises(DataError):
        update_knowledge_base(kb, [path])
    update = update_knowledge_base(kb, [path], on_error="reject")
    assert update.n_added == 20
    assert any("1 rows could not be read" in note for note in update.notes)
    with read_knowledge_base(kb) as base:
        assert base.value("SELECT count(*) FROM rejects") == 1


def test_a_file_of_the_first_version_is_added_to(tmp_path, crowd):
    path = tmp_path / "old.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(FIRST.read_text("utf-8"))
    more = pa.table(
        {"id": ["4", "5", "6"], "name": ["Bob Olsen", "Ada King", "Cyd Lee"], "city": ["Oslo", "London", None]}
    )
    update = update_knowledge_base(path, tables=[more])
    assert update.is_refreshed
    assert "nothing was learnt before" in update.notes[0]
    found = members(path)
    assert set(found) == set("123456")
    assert found["3"] == "e1"
    again = update_knowledge_base(path, tables=[more.slice(0, 1)])
    assert again.n_same == 1


def test_views_say_what_is_current(kb):
    with read_knowledge_base(kb) as base:
        assert base.value("SELECT count(*) FROM mention_current") == 400
        assert base.value("SELECT count(*) FROM entity_current") == len(set(members(kb).values()))
        assert base.value("SELECT kind FROM run_last") == "resolve"
        assert base.value("SELECT count(*) FROM pairs WHERE probability < 0.0099") == 0


def test_killed_at_any_moment_it_is_before_or_after(kb, crowd, tmp_path):
    """`kill -9` at random moments of an update; more of them where ONOMA_TORTURE says so."""
    write_table(crowd.slice(400), tmp_path / "more.csv")
    before, first = content(kb), kb.read_bytes()
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["onoma.kb.update"])

    def start():
        process = context.Process(target=update_knowledge_base, args=(kb, [tmp_path / "more.csv"]))
        process.start()
        return process

    start().join()  # the first one warms up
    after = content(kb)
    assert after != before
    kb.write_bytes(first)
    begun = time.perf_counter()
    start().join()
    whole = time.perf_counter() - begun
    seen = {"before": 0, "after": 0}
    for delay in stream(1, "kills").uniform(0.0, 1.1 * whole, N_KILLS):
        kb.write_bytes(first)
        process = start()
        process.join(delay)
        process.kill()
        process.join()
        found = content(kb)
        assert found in (before, after)
        seen["before" if found == before else "after"] += 1
    assert seen["before"] > 0
    update = update_knowledge_base(kb, [tmp_path / "more.csv"])
    assert update.n_added + update.n_same == 20
    assert [each.name for each in kb.parent.glob("*.duckdb*")] == ["people.duckdb"]
    assert not list(kb.parent.glob(".*.part*"))


def test_records_taken_apart_are_resolved_anew_as_they_would_have_been(tmp_path):
    """What a part is called by is learnt from all records: a new one cannot be weighed alone."""
    people = simulate_people(150, seed=3)
    columns = [name for name in people.column_names if name not in ("id", "cluster_id")]
    rows = [", ".join(str(row[name]) for name in columns if row[name]) for row in people.to_pylist()]
    table = pa.table({"id": [f"r{i}" for i in range(len(rows))], "record": rows})
    resolution = resolve(table.slice(0, 140), ResolveConfig(id="id"))
    assert len(resolution.fields.fields) > 1
    path = tmp_path / "apart.duckdb"
    store_resolution(resolution, path, job=job_to_store(Job(table=table, config=ResolveConfig(id="id"))), about={})
    with read_knowledge_base(path) as base:
        a, b, p = base.rows("SELECT a, b, probability FROM pairs WHERE probability > 0.99 ORDER BY a LIMIT 1")[0]
        entity, pair = explain_entity(base, a), explain_records(base, a, b)
    assert entity.together == pytest.approx(p, abs=0.1) and "taken apart" in entity.why_not and not entity.removals
    whole = rows[int(a[1:])]
    assert all(step.a in whole and step.a != whole for step in pair.pair.steps)
    write_table(table.slice(140), tmp_path / "more.csv")
    update = update_knowledge_base(path, [tmp_path / "more.csv"])
    assert update.is_refreshed and any("taken apart" in note for note in update.notes)
    known = set(members(path).values())
    assert len(known) == pytest.approx(resolve(table, ResolveConfig(id="id")).clustering.n_entities, abs=2)
