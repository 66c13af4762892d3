import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from onoma.api.tables import Table, as_columns, take
from onoma.errors import DataError

ROWS = {"name": ["Ada", None, "Alan"], "born": [1815, 1852, 1912]}
PEOPLE = pa.table(ROWS)


@pytest.mark.parametrize(
    "thing",
    [
        PEOPLE,
        pd.DataFrame(ROWS),
        pl.DataFrame(ROWS),
        pl.DataFrame(ROWS).lazy(),
        duckdb.sql("SELECT * FROM PEOPLE"),
        PEOPLE.to_batches()[0],
        PEOPLE.to_reader(),
        PEOPLE.to_pylist(),
        ROWS,
        Table(PEOPLE),
        pd.DataFrame(ROWS).astype({"name": "category"}),
        pa.table({"name": pa.array(ROWS["name"], pa.string_view()), "born": ROWS["born"]}),
    ],
    ids=lambda thing: type(thing).__name__,
)
def test_everything_tabular_is_the_same_table(thing):
    assert take(thing).table.to_pydict() == PEOPLE.to_pydict()
    assert take(thing).table.schema.field("name").type == pa.string()


def test_rows_may_have_columns_of_their_own_and_values_of_several_types():
    found = take([{"a": 1}, {"a": "x", "b": 2.0}]).table
    assert found.to_pydict() == {"a": ["1", "x"], "b": [None, 2.0]}
    mixed = pd.DataFrame({"a": [1, "x", None]})
    assert take(mixed).table["a"].to_pylist() == ["1", "x", None]


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        (42, "a int came"),
        (["Ada"], "a list with a str came"),
        ({"a": [1, 2], "b": [1]}, "do not make a table"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "stands twice"),
    ],
)
def test_what_is_no_table_is_refused_with_what_is(thing, said):
    with pytest.raises(DataError, match=said):
        take(thing)


def test_a_pandas_index_of_its_own_is_the_ids_where_there_are_none():
    frame = pd.DataFrame({"name": ["Ada", "Alan"]}, index=["x", "y"])
    assert take(frame).with_ids["id"].to_pylist() == ["x", "y"]
    assert "id" not in take(frame.reset_index(drop=True)).with_ids.column_names
    assert "id" not in take(frame.set_axis(["x", "x"])).with_ids.column_names
    assert take(frame.assign(id=[1, 2])).with_ids["id"].to_pylist() == [1, 2]


@pytest.mark.parametrize(
    ("thing", "values"),
    [
        ([1, None], [1, None]),
        (pd.Series(["a", np.nan]), ["a", None]),
        (pl.Series(["a", None]), ["a", None]),
        (np.array([1, 2]), [1, 2]),
        (pa.array(["a"]), ["a"]),
        ([{"a": 1}], None),
        (pd.DataFrame({"a": [1]}), None),
        ("a.csv", None),
    ],
)
def test_one_column_is_told_from_a_table(thing, values):
    assert as_columns(thing) == values


def test_a_table_goes_to_every_library_and_shows_little():
    many = Table(pa.table({f"column {i}": [f"{'long ' * 20}{k}" for k in range(1000)] for i in range(30)}))
    shown = repr(many)
    assert len(shown.splitlines()) <= 10 and max(map(len, shown.splitlines())) <= 140
    assert pl.DataFrame(many).shape == many.to_polars().shape == many.to_pandas().shape == (1000, 30)
    assert duckdb.sql("SELECT count(*) FROM many").fetchall() == [(1000,)]
    assert len(many) == len(many.to_dicts())


def test_values_are_escaped_in_notebooks():
    assert "<script>" not in Table(pa.table({"<script>": ["<script>"]}))._repr_html_()
