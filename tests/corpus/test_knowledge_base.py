"""Is a knowledge base whole at any moment, and never touched when it should not be?"""

import threading
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from onoma.corpus.knowledge_base import (
    create_knowledge_base,
    is_knowledge_base,
    read_knowledge_base,
    stored_names,
    write_knowledge_base,
)
from onoma.errors import DataError

FIRST = Path(__file__).with_name("first_version.sql")


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


# Earlier versions.


def first_version(place):
    with duckdb.connect(str(place)) as connection:
        connection.execute(FIRST.read_text("utf-8"))


def test_a_file_of_the_first_version_opens(tmp_path):
    place = tmp_path / "old.duckdb"
    first_version(place)
    assert is_knowledge_base(place)
    with read_knowledge_base(place) as base:
        assert base.meta("schema_version") == "2"
        current = base.query("SELECT id, name, city, entity, probability FROM record_current ORDER BY id").to_pylist()
        assert current[1] == {"id": "2", "name": "Ada Kng", "city": "London", "entity": "e0", "probability": 0.9}
        assert base.rows("SELECT run, kind, command, rows FROM runs") == [
            (1, "resolve", "onoma resolve people.csv -o people.duckdb", 3)
        ]
        assert base.rows("SELECT field, bits FROM weights") == [("name", 6.5)]
        assert base.rows("SELECT count(*) FROM entity_current") == [(2,)]
        assert base.meta("next_entity") == "2"
    assert [each.name for each in tmp_path.iterdir()] == ["old.duckdb"]


def test_a_migration_that_fails_leaves_the_old_file(tmp_path):
    place = tmp_path / "old.duckdb"
    first_version(place)
    with duckdb.connect(str(place)) as connection:
        connection.execute("ALTER TABLE memberships DROP COLUMN probability")
    before = place.read_bytes()
    with pytest.raises(DataError, match="DuckDB could not"), read_knowledge_base(place):
        pass
    assert place.read_bytes() == before


# Names.


def test_names_that_differ_in_case_alone():
    assert stored_names(["id", "Entity", "a", "A"]) == {"id": "id", "Entity": "Entity_1", "a": "a", "A": "A_1"}
    assert stored_names(["A", "b"], {"a": "a", "A": "A_1"}) == {"a": "a", "A": "A_1", "b": "b"}
