"""Is a knowledge base whole at any moment, and never touched when it should not be?"""

import os
import threading

import duckdb
import pyarrow as pa
import pytest

from onoma.beside import claimed, working_place
from onoma.errors import DataError
from onoma.kb import _schema
from onoma.kb.audit.erase import erase
from onoma.kb.database import (
    create_knowledge_base,
    hold_knowledge_base,
    is_knowledge_base,
    read_knowledge_base,
    write_knowledge_base,
)
from onoma.kb.judge import Said, judge
from onoma.kb.lookup.live import Live
from onoma.kb.update import update_knowledge_base
from onoma.kb.world import find_entity, find_record_keys, record_table
from onoma.pipeline.output import store_outcome
from onoma.pipeline.resolution import Job, run_job
from onoma.resolve.config import ResolveConfig


@pytest.fixture
def path(tmp_path):
    place = tmp_path / "people.duckdb"
    with create_knowledge_base(place) as base:
        for name in ("records", "entities"):
            base.replace(name, pa.table({"onoma_record": [0], "id": ["1"]}))
        base.set_meta("colour", "red")
    return place


def colour(place):
    with read_knowledge_base(place) as base:
        return base.meta("colour")


def test_what_is_written_is_there(path):
    with write_knowledge_base(path) as base:
        base.set_meta("colour", "blue")
    assert colour(path) == "blue"
    assert [each.name for each in path.parent.iterdir()] == ["people.duckdb"]


def test_a_failure_leaves_every_byte(path):
    before = path.read_bytes()
    with pytest.raises(ZeroDivisionError), write_knowledge_base(path) as base:
        base.set_meta("colour", "blue")
        base.set_meta("other", 1 / 0)
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == ["people.duckdb"]


def test_nothing_changed_leaves_every_byte(path):
    before = path.read_bytes()
    with write_knowledge_base(path) as base:
        assert base.meta("colour") == "red"
    assert path.read_bytes() == before


def test_readers_never_wait_and_see_one_state(path):
    with read_knowledge_base(path) as before, write_knowledge_base(path) as base:
        base.set_meta("colour", "blue")
        assert before.meta("colour") == "red"
        assert colour(path) == "red"
    assert colour(path) == "blue"


def test_a_reader_does_not_make_a_writer_wait(path):
    with read_knowledge_base(path) as reader:
        with write_knowledge_base(path) as base:
            base.set_meta("colour", "blue")
        assert reader.meta("colour") == "red"
    assert colour(path) == "blue"


def test_a_second_writer_is_told_who_writes(path):
    with write_knowledge_base(path) as base:
        base.set_meta("colour", "blue")
        said = r"is being written by another process \(\d+\)"
        with pytest.raises(DataError, match=said) as error, write_knowledge_base(path):
            pass
        assert "Wait until that is done" in str(error.value)
    assert colour(path) == "blue"


def test_writers_one_after_the_other(path):
    """Each of several threads tries until it is its turn; none of their changes is lost."""

    def add(number):
        while True:
            try:
                with write_knowledge_base(path) as base:
                    base.set_meta(f"by {number}", number)
            except DataError:
                continue
            return

    threads = [threading.Thread(target=add, args=(number,)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    with read_knowledge_base(path) as base:
        assert [base.meta(f"by {number}") for number in range(4)] == ["0", "1", "2", "3"]


def test_what_a_killed_writer_left_is_cleared_away(path):
    left = path.with_name(".people.duckdb.99999.part")
    left.write_bytes(b"half")
    with write_knowledge_base(path):
        pass
    assert not left.exists()


# What is no knowledge base of this version.


def foreign(place):
    with duckdb.connect(str(place)) as connection:
        connection.execute("CREATE TABLE orders AS SELECT 1 AS id")


def newer(place):
    with create_knowledge_base(place) as base:
        for name in ("records", "entities"):
            base.replace(name, pa.table({"onoma_record": [0]}))
        base.set_meta("schema_version", 99)


def truncated(place):
    newer(place)
    place.write_bytes(place.read_bytes()[:5000])


def text(place):
    place.write_text("not a database")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (foreign, "was not written by onoma resolve; it was not touched"),
        (newer, "is of version 99; this Onoma reads versions up to 2, and did not touch it"),
        (truncated, "is no knowledge base, or a damaged one"),
        (text, "is no knowledge base, or a damaged one"),
    ],
)
@pytest.mark.parametrize("opened", [read_knowledge_base, write_knowledge_base])
def test_what_cannot_be_opened_is_said_and_not_touched(tmp_path, make, said, opened):
    place = tmp_path / "x.duckdb"
    make(place)
    before = place.read_bytes()
    with pytest.raises(DataError, match=said), opened(place):
        pass
    assert not is_knowledge_base(place)
    assert place.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["x.duckdb"]


def test_no_file(tmp_path):
    with pytest.raises(DataError, match="there is no such file"), read_knowledge_base(tmp_path / "x.duckdb"):
        pass
    with pytest.raises(DataError, match="there is no folder"), create_knowledge_base(tmp_path / "no" / "x.duckdb"):
        pass


# Others at work on the same files.


def test_two_creators_of_one_new_knowledge_base(tmp_path):
    """The second is refused while the first is at work, not after both have worked."""
    place = tmp_path / "new.duckdb"
    refused = []

    def second():
        try:
            with claimed(place):
                pass
        except DataError as error:
            refused.append(str(error))

    with claimed(place):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
        with create_knowledge_base(place) as base:
            for name in ("records", "entities"):
                base.replace(name, pa.table({"onoma_record": [0], "id": ["1"]}))
            base.set_meta("colour", "red")
    assert len(refused) == 1 and "is being written by another process" in refused[0]
    assert colour(place) == "red"
    assert [each.name for each in tmp_path.iterdir()] == ["new.duckdb"]


def test_a_writer_leaves_the_working_copies_of_others(path):
    """Those of a file whose name begins alike, of a process that lives, and of another machine."""
    theirs = working_place(path.with_name("people.duckdb.old.duckdb"))
    living = path.with_name(f".people.duckdb.{os.getppid()}.part")
    elsewhere = path.with_name(".people.duckdb.00000000-99999999-00000000.part")
    for each in (theirs, living, elsewhere):
        each.write_bytes(b"half")
    with write_knowledge_base(path) as base:
        base.set_meta("colour", "blue")
    assert theirs.exists() and living.exists() and elsewhere.exists()


@pytest.mark.parametrize("name", [".people.duckdb.99999999.part", ".people.duckdb.HOST-99999999-00000000.part"])
def test_a_folder_that_a_killed_writer_left_does_not_block(path, name):
    host = working_place(path).name.split(".")[3].split("-")[0]
    name = name.replace("HOST", host)
    left = [path.with_name(name), path.with_name(f"{name}.tmp")]
    for each in left:
        each.mkdir()
        (each / "duckdb_temp_block").write_bytes(b"half")
    with write_knowledge_base(path) as base:
        base.set_meta("colour", "blue")
    assert [each.name for each in path.parent.iterdir()] == ["people.duckdb"]


def test_a_full_disk_is_said_and_leaves_every_byte(path):
    resource = pytest.importorskip("resource")
    before = path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    rows = pa.table({"key": [f"{i}" * 40 for i in range(40000)], "value": [f"{i * 7919}" * 40 for i in range(40000)]})
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 100_000, limits[1]))
    try:
        with pytest.raises(DataError) as error, write_knowledge_base(path) as base:
            base.replace("much", rows)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "people.duckdb" in str(error.value)
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == ["people.duckdb"]


def test_a_stored_view_reaches_no_file(path, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("of nobody's business")
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE OR REPLACE VIEW entity_current AS FROM read_text('{secret}')")
    with read_knowledge_base(path) as base, pytest.raises(DataError, match="disabled by configuration"):
        base.query("FROM entity_current")


@pytest.mark.parametrize(
    "text",
    [
        "1=1)); COPY (SELECT 'x') TO 'people.duckdb'; SELECT ((1",
        "true) FROM (SELECT 1",
        "true), (false",
        "true) UNION ALL SELECT (true",
        "true) LIMIT (1",
        "true) WHERE (true",
        "true; SELECT 1",
    ],
)
def test_more_than_one_expression_is_refused(path, text):
    with read_knowledge_base(path) as base:
        with pytest.raises(DataError, match="could not answer"):
            base.check_expression(text)
        base.check_expression("city = 'Leeds' -- a comment")
        base.check_expression("id IN (SELECT max(id) FROM records) OR name LIKE '%);%'")


@pytest.fixture
def indexed(crowd, tmp_path, monkeypatch):
    """A base of which every table that is looked up by single records has its index."""
    monkeypatch.setattr(_schema, "FEWEST_INDEXED", 1)
    place = tmp_path / "people.duckdb"
    store_outcome(
        run_job(Job(table=crowd.slice(0, 120), config=ResolveConfig(truth="cluster_id", no_check=True))), place
    )
    return place


def indexes(place):
    with read_knowledge_base(place) as base:
        return {name for (name,) in base.rows("SELECT index_name FROM duckdb_indexes()")}


def test_a_large_base_has_indexes_and_lives_with_them(indexed, crowd):
    assert indexes(indexed) == {*_schema.INDEXES}
    live = Live(indexed)
    row = {name: value for name, value in crowd.slice(200, 1).to_pylist()[0].items() if value is not None}
    added = live.add(row)
    with hold_knowledge_base(indexed, write=True) as held, held.reading() as base:
        number, _, _ = find_record_keys(base, [row["id"]])[row["id"]]
        assert record_table(base, [number])["surname"][0].as_py() == row.get("surname")
        assert find_entity(base, added.entity) == added.entity
    judge(indexed, [Said("different", *crowd["id"].to_pylist()[:2])])
    other = pa.table({"id": ["x1"], "surname": ["Smith"], "postcode": [12345]})  # of another type, and fewer columns
    update_knowledge_base(indexed, tables=[other])
    erase(indexed, ["x1"])
    assert indexes(indexed) == {*_schema.INDEXES}


def test_a_small_base_has_none_and_a_file_without_gets_them_when_it_is_held_to_write(kb, monkeypatch):
    assert not indexes(kb)
    monkeypatch.setattr(_schema, "FEWEST_INDEXED", 1)
    with hold_knowledge_base(kb):
        pass
    assert not indexes(kb)
    with hold_knowledge_base(kb, write=True):
        pass
    assert indexes(kb) == {*_schema.INDEXES}
