"""Tables in memory come in through Arrow."""

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from onoma.corpus.readers.arrow import from_arrow
from onoma.errors import DataError

ROWS = {"id": [1, 2], "name": ["Ada", None]}


@pytest.mark.parametrize(
    "frame",
    [
        pa.table(ROWS),
        pa.table(ROWS).to_reader(),
        pa.RecordBatch.from_pydict(ROWS),
        pl.DataFrame(ROWS),
        pd.DataFrame(ROWS),
    ],
    ids=["table", "reader", "batch", "polars", "pandas"],
)
def test_frames(frame: object):
    found = from_arrow(frame)
    assert found.select(["id", "name"]).to_pydict() == ROWS


def test_duckdb_relation():
    with duckdb.connect() as connection:
        assert from_arrow(connection.sql("SELECT 1 AS id, 'Ada' AS name")).to_pydict() == {"id": [1], "name": ["Ada"]}


@pytest.mark.parametrize("thing", [ROWS, [1, 2], "people.csv", None, 7])
def test_other_things_are_refused(thing: object):
    with pytest.raises(DataError, match=f"a {type(thing).__name__} came"):
        from_arrow(thing)


def test_a_stream_that_breaks_is_a_data_error():
    class Broken:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            raise ValueError("no more")

    with pytest.raises(DataError, match="no more"):
        from_arrow(Broken())
