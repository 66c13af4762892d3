"""Columns of raw text into fields."""

import pyarrow as pa
import pytest

from onoma.errors import SettingsError
from onoma.extract.columns import open_extractor, parse_columns, parse_more, parse_table
from onoma.extract.extractor import Extractor

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


def test_tables_are_parsed_by_what_they_hold(tmp_path):
    table = pa.table({"id": ["1"], "where": ["123 Main Street Springfield IL 62701"]})
    assert parse_table(table, {"where": "address"})["ZipCode"].to_pylist() == ["62701"]
    Extractor.save(open_extractor("addresses"), tmp_path / "mine")
    assert parse_table(table, {"where": str(tmp_path / "mine")}).equals(parse_table(table, {"where": "address"}))


def test_a_later_table_has_its_fields_under_the_names_of_the_first(citations):
    first = parse_columns(pa.table({"title": ["mine"], "reference": [REFERENCE]}), {"reference": citations})
    later = parse_more(pa.table({"reference": [REFERENCE]}), {"reference": "citation"}, first.column_names)
    assert "Dijkstra" in later["reference.title"][0].as_py() and "title" not in later.column_names
    fields = later.drop_columns(["reference"])
    assert parse_more(fields, {"reference": "citation"}, first.column_names).equals(fields), "what has no raw text"
    mended = later.set_column(later.column_names.index("author"), "author", pa.array(["Antonio Cau"]))
    again = parse_more(mended, {"reference": "citation"}, first.column_names)
    assert again.equals(mended), "what came in fields is not parsed again"


def test_what_is_not_there_is_said(citations):
    table = pa.table({"id": ["1"], "reference": ["x"]})
    with pytest.raises(SettingsError, match="'poems', which is no folder") as error:
        parse_table(table, {"reference": "poems"})
    assert "citation, address" in str(error.value)
    with pytest.raises(SettingsError, match="no ready extractor"):
        open_extractor("poems")
    for parse in (lambda t: parse_columns(t, {"reference": citations}), lambda t: parse_table(t, {"reference": "x"})):
        with pytest.raises(SettingsError, match="no column 'reference'"):
            parse(pa.table({"id": ["1"]}))


def test_references_without_capitals_are_parsed_and_all_that_they_appeared_in_is_one_column(citations):
    table = pa.table({
        "reference": [
            "y. freund and r. e. schapire. a decision-theoretic generalization of on-line learning. "
            "journal of computer and system sciences, 55(1):119-139, 1997.",
            "m. kearns and m. li. learning in the presence of malicious errors. "
            "in proceedings of the 20th annual symposium on theory of computing, pages 267-280, 1988.",
        ]
    })  # fmt: skip
    found = parse_columns(table, {"reference": citations})
    assert found["author"].to_pylist() == ["y. freund and r. e. schapire", "m. kearns and m. li"]
    assert found["title"][1].as_py() == "learning in the presence of malicious errors"
    assert "journal" not in found.column_names and None not in found["container-title"].to_pylist()
