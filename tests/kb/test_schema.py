"""The tables and views of a knowledge base, and the way from the first version."""

import duckdb
import pytest

from onoma.kb._schema import BOOKKEEPING, FIRST_VERSION, TABLES, VIEWS
from onoma.kb.database import read_knowledge_base


def test_tables_are_made_once_and_have_what_the_views_need():
    with duckdb.connect() as connection:
        connection.execute(TABLES)
        columns = ", ".join(f"{name} BIGINT" for name in BOOKKEEPING)
        connection.execute(f"CREATE TABLE records (id VARCHAR, {columns}); CREATE TABLE entities (entity VARCHAR)")
        connection.execute(VIEWS)
        connection.execute(VIEWS)  # again: a view is replaced
        names = {
            name for (name,) in connection.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()
        }
        assert {"record_current", "pairs", "judgement_current", "entity_name", "run_last"} <= names
        with pytest.raises(duckdb.CatalogException):
            connection.execute(TABLES)


def test_a_new_knowledge_base_has_all_of_it(kb):
    with read_knowledge_base(kb) as base:
        tables = {str(name) for (name,) in base.rows("SELECT table_name FROM duckdb_tables()")}
        made = {line.split()[2] for line in TABLES.split(";") if line.strip().startswith("CREATE TABLE")}
        assert made <= tables and tables >= FIRST_VERSION
        stored = base.query("FROM records LIMIT 0").column_names
        assert set(BOOKKEEPING) <= set(stored)
        assert base.value("SELECT count(*) FROM record_current") == 400
        # Pairs that are as good as impossible are not listed.
        least, most = base.rows("SELECT min(probability), max(probability) FROM pairs")[0]
        assert 0.005 < least < most <= 1.0
