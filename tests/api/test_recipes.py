"""The scripts of docs/recipes.md, word for word, where what they need is installed."""

import os
import re
from pathlib import Path
from types import SimpleNamespace

import duckdb
import polars as pl
import pytest

PAGE = Path(__file__).parents[2] / "docs" / "recipes.md"
SCRIPTS = dict(re.findall(r'```python title="(.*?)"\n(.*?)```', PAGE.read_text("utf-8"), re.DOTALL))


@pytest.fixture
def script(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(name):
        known = {}
        exec(SCRIPTS[name], known)
        return SimpleNamespace(**known)

    return run


def test_every_script_is_tested():
    assert {*SCRIPTS} == {"weekly.py", "who.py", "task.py", "postgres.py", "views.py"}


@pytest.mark.parametrize("form", ["pandas", "polars"])
def test_weekly(script, people, form):
    made = {"pandas": lambda t: t.to_pandas(), "polars": pl.DataFrame}[form]
    weekly, rows = script("weekly.py"), people.drop_columns(["cluster_id"])
    first = weekly.resolve_weekly(made(rows.slice(0, 100))).to_pandas()
    matched = weekly.match(made(rows.slice(100))).to_pandas()
    assert {*matched["row"]} == {*range(20)}
    both = weekly.resolve_weekly(made(rows.slice(100))).to_pandas()
    assert len(both) == 120
    kept = both.merge(first, on="id")
    assert (kept["entity_x"] == kept["entity_y"]).mean() > 0.9
    assert len(weekly.resolve_weekly(made(rows.slice(100))).to_polars()) == 120  # once more changes nothing
    rows_of = script("views.py").doubtful()
    assert all(p < 0.9 for _, p, _ in rows_of)


def test_a_model_of_dbt(script, people):
    said = {}
    with duckdb.connect() as session:
        session.register("customers", people.drop_columns(["cluster_id"]))
        dbt = SimpleNamespace(ref=session.table, config=lambda **given: said.update(given))
        found = script("who.py").model(dbt, session)
    assert said == {"materialized": "table"}
    assert found.num_rows == 120 and {"id", "entity", "probability", "surname"} <= {*found.column_names}


def test_a_task_is_run_again_at_any_time(script, people):
    weekly, task = script("weekly.py"), script("task.py")
    rows = people.drop_columns(["cluster_id"])
    weekly.resolve_weekly(rows.slice(0, 100))
    assert task.update_customers(rows.slice(100))["added"] == 20
    assert task.update_customers(rows.slice(100))["added"] == 0


def test_postgres(script):
    dsn = os.environ.get("ONOMA_POSTGRES")
    if not dsn:
        pytest.skip("needs a Postgres with a table customers: ONOMA_POSTGRES=dbname=…")
    assert script("postgres.py").resolve_table(dsn) > 0
