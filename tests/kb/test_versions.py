"""Files of earlier versions open; columns keep names that DuckDB can tell apart."""

from pathlib import Path

import duckdb
import pytest

from onoma.errors import DataError
from onoma.kb.database import is_knowledge_base, read_knowledge_base
from onoma.kb.versions import stored_names

FIRST = Path(__file__).with_name("first_version.sql")


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


def test_names_that_differ_in_case_alone():
    assert stored_names(["id", "Entity", "a", "A"]) == {"id": "id", "Entity": "Entity_1", "a": "a", "A": "A_1"}
    assert stored_names(["A", "b"], {"a": "a", "A": "A_1"}) == {"a": "a", "A": "A_1", "b": "b"}
