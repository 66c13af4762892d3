"""One record for each entity."""

import pyarrow as pa

from onoma.corpus.clustering import Clustering
from onoma.resolve.fields.canonical import canonical_table, fullest_records
from onoma.resolve.fields.prepare import prepare_fields

TABLE = pa.table(
    {
        "surname": ["Smith", "SMITH", "Smyth", "Smith", None, "Jones", "Brown"],
        "city": ["York", None, "York", "Ely", None, None, "Bath"],
        "year": [1980, 1981, 1981, None, None, 1990, 1991],
        "tags": [["a"], ["b"], ["b"], None, ["c"], ["d"], ["e"]],
    }
)
CLUSTERING = Clustering.from_labels([0, 0, 0, 0, 0, 1, 2])


def rows():
    fields = prepare_fields(TABLE, kinds={"surname": "person", "city": "place"}).fields
    return canonical_table(TABLE, fields, CLUSTERING, fullest_records(fields, CLUSTERING)).to_pylist()


def test_most_records_decide_column_by_column():
    first = rows()[0]
    assert first["surname"] == "Smith"  # thrice but for the writing, and twice so
    assert first["city"] == "York"
    assert first["year"] == 1981


def test_alone_a_record_stands_for_itself():
    assert rows()[1:] == TABLE.slice(5).to_pylist()


def test_what_is_missing_everywhere_stays_missing():
    table = pa.table({"name": ["Ann", "Ann", "Bob"], "city": [None, None, "Ely"]})
    fields = prepare_fields(table, kinds={"name": "person"}).fields
    clustering = Clustering.from_labels([0, 0, 1])
    found = canonical_table(table, fields, clustering, fullest_records(fields, clustering))
    assert found.to_pylist() == [{"name": "Ann", "city": None}, {"name": "Bob", "city": "Ely"}]


def test_of_two_values_that_of_the_fullest_record():
    table = pa.table({"name": ["Ann", "Bob", "Cyd"], "city": [None, "Ely", "York"]})
    fields = prepare_fields(table, kinds={"name": "person", "city": "place"}).fields
    clustering = Clustering.from_labels([0, 0, 1])
    found = canonical_table(table, fields, clustering, fullest_records(fields, clustering))
    assert found["name"].to_pylist() == ["Bob", "Cyd"]
