"""Records: every row has an id."""

import pyarrow as pa
import pytest

from onoma.corpus.records import with_ids
from onoma.errors import DataError


@pytest.mark.parametrize(
    ("columns", "ids", "says"),
    [
        ({"name": ["a", "b"], "id": [7, 8]}, ["7", "8"], "'id'"),
        ({"name": ["a", "b"], "ID": ["x", "y"]}, ["x", "y"], "'ID'"),
        ({"Rec_ID": ["x", "y"], "other_id": [1, 2]}, ["x", "y"], "'Rec_ID'"),
        ({"family_id": [1, 1], "person_id": [1, 2]}, ["1", "2"], "'person_id'"),
        ({"family_id": [1, 1], "name": ["a", "b"]}, ["1", "2"], "were made"),
        ({"family_id": [1, None], "name": ["a", "b"]}, ["1", "2"], "were made"),
        ({"paid": [1.5, 2.5], "name": ["a", "b"]}, ["1", "2"], "were made"),
    ],
)
def test_the_column_of_ids_is_found_or_made(columns: dict[str, list[object]], ids: list[str], says: str):
    found = with_ids(pa.table(columns))
    assert found.table["id"].to_pylist() == ids
    assert found.table.column_names[0] == "id"
    assert says in found.note
    assert len(found.rejects) == 0


def test_a_named_column_wins_and_the_other_id_is_kept():
    found = with_ids(pa.table({"id": [1, 1], "key": ["x", "y"], "name": ["a", "b"]}), "key")
    assert found.table.to_pydict() == {"id": ["x", "y"], "id_in_file": [1, 1], "name": ["a", "b"]}


def test_a_misspelt_column_is_suggested():
    with pytest.raises(DataError, match=r"(?s)people.csv: there is no column 'persn'.*Did you mean 'person'"):
        with_ids(pa.table({"person": [1]}), "persn", file="people.csv")


def test_missing_and_repeated_ids():
    table = pa.table({"id": ["x", None, "y", "x", "x"], "n": [1, 2, 3, 4, 5]})
    with pytest.raises(DataError, match="column 'id': record 2 has no id"):
        with_ids(table)
    with pytest.raises(DataError, match="record 2 has the id 'x', which record 1 has already"):
        with_ids(table.take([0, 3]))
    found = with_ids(table, on_error="reject")
    assert found.table.to_pydict() == {"id": ["x", "y"], "n": [1, 3]}
    assert found.rejects["row"].to_pylist() == [2, 4, 5]


def test_lists_are_no_ids():
    with pytest.raises(DataError, match="cannot be an id"):
        with_ids(pa.table({"id": [[1], [2]]}))


def test_no_rows():
    assert with_ids(pa.table({"name": pa.array([], pa.string())})).table.column_names == ["id", "name"]
