"""Where things are names none of them."""

import pyarrow as pa
import pytest

from onoma.resolve.fields.prepare import prepare_fields
from onoma.resolve.fields.telling.addresses import is_address


@pytest.mark.parametrize(
    ("header", "values", "expected"),
    [
        ("c1", ["12 High Street", "4 Station Road", "Colebatch Place"], True),
        ("addr", ["Villa Rosa", "Kirkhof", "The Old Mill"], True),
        ("c1", ["High Street Bank Ltd", "Station Road Bakery Inc", "Park Avenue Holdings"], False),
        ("c1", ["Blue river song", "Green stone waltz", "Amber lamp"], False),
    ],
)
def test_most_values_or_the_header_say_so(header, values, expected):
    assert is_address(prepare_fields(pa.table({header: values})).fields[0]) is expected
