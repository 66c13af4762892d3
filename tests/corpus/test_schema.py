import pyarrow as pa
import pytest

from onoma.corpus.schema import MEMBERSHIPS, SCHEMAS, check
from onoma.errors import DataError


def test_every_schema_accepts_its_own_empty_table():
    for name, schema in SCHEMAS.items():
        assert check(schema.empty_table(), schema, name=name).schema.names == schema.names


def test_columns_are_cast_and_put_first():
    table = pa.table({"x": [1], "probability": [1], "entity": ["e"], "id": ["m"]})
    checked = check(table, MEMBERSHIPS)
    assert checked.column_names == ["id", "entity", "probability", "x"]
    assert checked.schema.field("probability").type == pa.float64()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"id": ["m"]}, "lacks the columns 'entity', 'probability'"),
        ({"id": ["m"], "entity": ["e"], "probability": ["much"]}, "'probability'.*is string, should be double"),
        ({"id": ["m", None], "entity": ["e", "e"], "probability": [1.0, 1.0]}, "row 2, column 'id'"),
    ],
)
def test_a_wrong_table_is_refused(columns, message):
    with pytest.raises(DataError, match=message):
        check(pa.table(columns), MEMBERSHIPS)
