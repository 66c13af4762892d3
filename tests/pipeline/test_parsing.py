"""Columns of raw text into fields."""

import pyarrow as pa
import pytest

from onoma.errors import SettingsError
from onoma.extract.extractor import Extractor
from onoma.pipeline.extraction import open_extractor
from onoma.pipeline.parsing import parse_columns, parsers, parsing_reader

REFERENCE = "[3] A. Cau, R. Kuiper, and W.-P. de Roever. Formalising Dijkstra's development strategy. Springer, 1992."


@pytest.fixture(scope="module")
def citations() -> Extractor:
    return open_extractor("citations")


def test_fields_come_behind_the_columns_there_are(citations):
    table = pa.table({"id": ["1", "2", "3"], "reference": [REFERENCE, "", None]})
    found = parse_columns(table, {"reference": citations})
    assert found.column_names[:2] == ["id", "reference"] and {"author", "title", "date"} <= set(found.column_names)
    first, *rest = found.select(["author", "title", "date"]).to_pylist()
    assert "Cau" in first["author"] and "Dijkstra" in first["title"] and first["date"] == "1992"
    assert rest == [{"author": None, "title": None, "date": None}] * 2
    assert "citation-number" not in found.column_names, "where it stands in a list is nothing of the work"


def test_a_column_of_that_name_stays_as_it_is(citations):
    found = parse_columns(pa.table({"title": ["mine"], "reference": [REFERENCE]}), {"reference": citations})
    assert found["title"].to_pylist() == ["mine"] and "Dijkstra" in found["reference.title"][0].as_py()


def test_files_are_parsed_as_they_are_read(tmp_path):
    path = tmp_path / "where.csv"
    path.write_text("id,where\n1,123 Main Street Springfield IL 62701\n", "utf-8")
    table = parsing_reader({"where": "address"})(path, "stop", None).table
    assert table["ZipCode"].to_pylist() == ["62701"]


@pytest.mark.parametrize("said", ["reference", "=citation", "reference="])
def test_what_is_said_must_name_a_column_and_a_parser(said):
    with pytest.raises(SettingsError, match="COLUMN=citation"):
        parsers([said])


def test_what_is_not_there_is_said(citations):
    with pytest.raises(SettingsError, match="no ready extractor"):
        parsing_reader({"reference": "poems"})
    with pytest.raises(SettingsError, match="no column 'reference'"):
        parse_columns(pa.table({"id": ["1"]}), {"reference": citations})
