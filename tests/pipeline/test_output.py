"""What is written, and what is never destroyed."""

import json
from dataclasses import replace

import duckdb
import pyarrow as pa
import pytest

from onoma.corpus.formats import write_table
from onoma.corpus.readers.table import read_table
from onoma.corpus.simulate import simulate_people
from onoma.errors import DataError
from onoma.kb.update import update_knowledge_base
from onoma.pipeline.output import check_target, resume_path, write_outcome
from onoma.pipeline.resolution import Job, read_job, run_job, summary
from onoma.resolve.config import ResolveConfig

SHORT = ResolveConfig(samples=20, burn_in=10)


@pytest.fixture(scope="module")
def people():
    return simulate_people(200, seed=3)


@pytest.fixture(scope="module")
def outcome(people):
    return run_job(Job(table=people, config=replace(SHORT, truth="cluster_id")))


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.jsonl", "out.csv.gz"])
def test_a_table(tmp_path, outcome, name):
    assert write_outcome(outcome, tmp_path / name) == [tmp_path / name]
    table = read_table(tmp_path / name).table
    assert table.column_names[:3] == ["id", "entity", "probability"]
    assert len(table) == 200


def test_a_folder(tmp_path, outcome):
    target = tmp_path / "new" / "folder"
    written = write_outcome(outcome, target)
    names = [
        "memberships.parquet",
        "entities.parquet",
        "pairs.parquet",
        "weights.parquet",
        "summary.json",
        "report.html",
    ]
    assert [path.name for path in written] == names
    assert all(path.is_file() for path in written)
    assert len(read_table(target / "entities.parquet").table) == outcome.resolution.clustering.n_entities
    assert json.loads((target / "summary.json").read_text())["rows"] == 200


def test_rejects_are_kept(tmp_path, people):
    path = tmp_path / "messy.csv"
    write_table(people.slice(0, 50), path)
    path.write_text(path.read_text("utf-8") + "far,too,few\n", "utf-8")
    with pytest.raises(DataError):
        read_job([path])
    job = read_job([path], SHORT, on_error="reject")
    assert any("could not be read" in note for note in job.notes)
    written = write_outcome(run_job(job), tmp_path / "out.csv")
    assert [each.name for each in written] == ["out.csv", "out.rejects.csv"]
    assert len(read_table(written[1]).table) == 1


@pytest.mark.parametrize(
    ("name", "said"), [("x.nope", r"'\.nope' is not written"), ("x.bib", r"'\.bib' is not written")]
)
def test_a_target_that_cannot_be_written(tmp_path, name, said):
    with pytest.raises(DataError, match=said):
        check_target(tmp_path / name)
    check_target(tmp_path / "folder")
    (tmp_path / "folder.d").mkdir()
    check_target(tmp_path / "folder.d")


def test_nothing_to_compare_is_written_too(tmp_path):
    found = run_job(Job(table=pa.table({"id": ["1"], "name": ["Ann"]})))
    assert {"memberships.parquet", "summary.json"} <= {path.name for path in write_outcome(found, tmp_path / "out")}
    assert write_outcome(found, tmp_path / "out.duckdb") == [tmp_path / "out.duckdb"]


# A database.


def tables_of(path):
    with duckdb.connect(str(path), read_only=True) as connection:
        names = [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
        names += ["pairs", "record_current"]
        return {name: connection.sql(f"FROM {name}").to_arrow_table() for name in names}


def test_a_database_has_everything(tmp_path, people, outcome):
    path = tmp_path / "out.duckdb"
    assert check_target(path) == []
    assert write_outcome(outcome, path, command="onoma resolve people.csv") == [path]
    assert [each.name for each in tmp_path.iterdir()] == ["out.duckdb"]
    found = tables_of(path)
    tables = {"records", "memberships", "entities", "pairs", "weights", "fields", "missing", "runs", "changes", "edges"}
    assert set(found) >= tables
    assert found["records"].select(people.column_names).to_pylist() == people.to_pylist()
    members = outcome.resolution.memberships
    assert found["memberships"].select(members.column_names).to_pylist() == members.to_pylist()
    pairs = {(row["a"], row["b"]): row["probability"] for row in outcome.resolution.pairs().to_pylist()}
    assert {(row["a"], row["b"]): row["probability"] for row in found["pairs"].to_pylist()} == pytest.approx(pairs)
    assert found["entities"].to_pylist() == outcome.resolution.entities.to_pylist()
    assert set(found["fields"]["column"].to_pylist()) >= {"surname", "city"}
    (run,) = found["runs"].to_pylist()
    assert run["command"] == "onoma resolve people.csv"
    assert 'truth = "cluster_id"' in run["settings"]
    assert json.loads(run["versions"])["onoma"]
    assert json.loads(run["summary"])["entities"] == run["entities"] == outcome.resolution.clustering.n_entities
    assert not run["interrupted"]


def test_an_earlier_result_is_replaced_and_said(tmp_path, outcome):
    path = tmp_path / "out.duckdb"
    write_outcome(outcome, path)
    assert "will be replaced" in check_target(path)[0]
    write_outcome(outcome, path, command="again")
    assert tables_of(path)["runs"]["command"].to_pylist() == ["again"]


def test_a_foreign_file_is_left_alone(tmp_path):
    with duckdb.connect(str(tmp_path / "mine.duckdb")) as connection:
        connection.execute("CREATE TABLE orders AS SELECT 1 AS id")
    (tmp_path / "notes.duckdb").write_text("not a database")
    for name in ("mine.duckdb", "notes.duckdb"):
        before = (tmp_path / name).read_bytes()
        with pytest.raises(DataError, match="was not written by onoma resolve"):
            check_target(tmp_path / name)
        assert (tmp_path / name).read_bytes() == before


def test_a_failure_leaves_the_old_database(tmp_path, monkeypatch, outcome):
    path = tmp_path / "out.duckdb"
    write_outcome(outcome, path, command="old")
    monkeypatch.setattr("onoma.kb.store.note_run", lambda *_: (_ for _ in ()).throw(DataError("broken")))
    with pytest.raises(DataError, match="broken"):
        write_outcome(outcome, path)
    assert tables_of(path)["runs"]["command"].to_pylist() == ["old"]
    assert [each.name for each in tmp_path.iterdir()] == ["out.duckdb"]


def test_what_people_worked_on_is_not_replaced(tmp_path, outcome, people):
    path = tmp_path / "out.duckdb"
    write_outcome(outcome, path)
    update_knowledge_base(path, retract=pa.table({"id": people["id"][:1], "source": pa.nulls(1, pa.string())}))
    with pytest.raises(DataError, match="2 runs and 0 judgements; it is not replaced"):
        check_target(path)


def test_odd_names_of_columns_in_a_database(tmp_path):
    table = pa.table(
        {"Name": ["Ann", "Ann"], "name": ["Smith", "Smith"], 'a "b"; DROP': ["1", "2"], "été ☃": ["x", "y"]}
    )
    write_outcome(run_job(Job(table=table, config=SHORT)), tmp_path / "out.duckdb")
    names = tables_of(tmp_path / "out.duckdb")["records"].column_names
    assert names[:5] == ["id", "Name", "name_1", 'a "b"; DROP', "été ☃"]


@pytest.mark.parametrize(("target", "expected"), [("out.csv", "out.csv.resume.npz"), ("out", "out/resume.npz")])
def test_where_a_stopped_run_is_kept(tmp_path, target, expected):
    assert resume_path(tmp_path / target) == tmp_path / expected


def test_a_run_to_its_end_removes_what_an_earlier_stop_left(tmp_path, outcome):
    left = resume_path(tmp_path / "out.csv")
    left.write_bytes(b"")
    write_outcome(outcome, tmp_path / "out.csv")
    assert not left.exists()


def test_the_summary_is_in_the_folder(tmp_path, outcome):
    write_outcome(outcome, tmp_path / "out")
    assert json.loads((tmp_path / "out" / "summary.json").read_text("utf-8")) == json.loads(
        json.dumps(summary(outcome))
    )
