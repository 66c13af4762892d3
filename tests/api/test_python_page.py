"""The script of docs/python.md, word for word, on every kind of table."""

import re
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow.csv as pc
import pytest

PAGE = Path(__file__).parents[2] / "docs" / "python.md"
SCRIPT = re.search(r'```python title="people.py"\n(.*?)```', PAGE.read_text("utf-8"), re.DOTALL)[1]


def in_a_file(table):
    name = f"table_{len(table)}.csv"
    pc.write_csv(table, name)
    return name


FORMS = {"pandas": lambda t: t.to_pandas(), "polars": pl.DataFrame, "arrow": lambda t: t, "path": in_a_file}


@pytest.mark.parametrize("form", FORMS)
def test_the_script_runs(form, people, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    known = {"people": FORMS[form](people.slice(0, 100)), "next_week": FORMS[form](people.slice(100))}
    exec(SCRIPT, known)
    assert known["clusters"]["id"].tolist() == people["id"].to_pylist()[:100]
    assert {"entity", "probability", "surname"} <= {*known["clusters"].columns}
    assert known["pairs"]["probability"].between(0.01, 1).all()
    assert known["scores"]["b3"].f1 > 0.8  # a hundred rows say little of what agreement weighs
    assert known["update"].n_added == 20 and len(known["everyone"]) == 120
    pd.testing.assert_frame_equal(
        known["again"].to_pandas()[["id", "entity", "probability"]],
        known["clusters"][["id", "entity", "probability"]].reset_index(drop=True),
    )
    kept = known["everyone"].merge(known["clusters"], on="id")
    assert (kept["entity_x"] == kept["entity_y"]).mean() > 0.9  # entities keep their ids
    said = capsys.readouterr().out
    assert "model copying" in said and "prior" in said and "created" in said


def test_the_script_is_short_and_imports_nothing_else():
    lines = [line for line in SCRIPT.splitlines() if line.strip()]
    assert len(lines) <= 20
    assert [line for line in lines if "import" in line] == ["import onoma"]
