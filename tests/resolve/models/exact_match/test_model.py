"""Rows that are equal in every field."""

import numpy as np
import pyarrow as pa

from onoma.resolve.fields.prepare import prepare_fields
from onoma.resolve.models.exact_match.model import equal_rows


def test_equal_rows_are_equal_in_everything():
    table = pa.table(
        {
            "name": ["Ada Lovelace", "Ada Lovelace", "ada lovelace", "Bob Ross", None, None, "Bob Ross"],
            "city": ["London", "London", "London", None, None, None, "Paris"],
        }
    )
    fields = prepare_fields(table, kinds={"name": "person", "city": "place"}).fields
    assert equal_rows(fields).labels.tolist() == [0, 0, 0, 1, 2, 3, 4]
    block = np.array([0, 1, 0, 0, 0, 0, 0], dtype=np.int32)
    assert equal_rows(fields, block).labels.tolist() == [0, 1, 0, 2, 3, 4, 5]
