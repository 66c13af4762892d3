"""Pairs that people ask for."""

import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onoma.errors import SettingsError
from onoma.resolve.blocking.rules import rule_codes, rule_pairs
from onoma.resolve.fields.prepare import prepare_fields

TABLE = pa.table(
    {
        "surname": ["Smith", "SMITH ", "Jones", None, "smith", "Jones"],
        "zip": [1, 1, 2, 1, 2, 2],
        "note": ["x", " X", "", "x", "y", None],
    }
)


def groups(codes):
    return {frozenset(np.flatnonzero(codes == code).tolist()) for code in np.unique(codes[codes >= 0])}


def test_values_that_agree():
    fields = prepare_fields(TABLE, kinds={"note": "ignore"}).fields
    assert groups(rule_codes(TABLE, fields, ["surname"])) == {frozenset({0, 1, 4}), frozenset({2, 5})}
    assert groups(rule_codes(TABLE, fields, ["surname", "zip"])) == {
        frozenset({0, 1}),
        frozenset({4}),
        frozenset({2, 5}),
    }
    assert groups(rule_codes(TABLE, fields, ["note"])) == {frozenset({0, 1, 3}), frozenset({4})}


def test_what_cannot_be_compared_by():
    with pytest.raises(SettingsError, match="no column 'town'"):
        rule_codes(TABLE, [], ["town"])
    with pytest.raises(SettingsError, match="at least one column"):
        rule_codes(TABLE, [], [])
    with pytest.raises(SettingsError, match="cannot be compared by"):
        rule_codes(pa.table({"v": [[1.0], [2.0]]}), [], ["v"])


@given(st.lists(st.integers(-1, 4), max_size=12), st.integers(1, 5), st.booleans(), st.booleans())
def test_against_all_pairs(group, cap, with_source, with_block):
    n = len(group)
    source = np.arange(n, dtype=np.int32) % 2 if with_source else None
    block = np.arange(n, dtype=np.int32) % 3 if with_block else None
    found = rule_pairs(np.array(group, dtype=np.int64), cap=cap, source=source, block=block)
    expected = [
        i * n + j
        for i, j in itertools.combinations(range(n), 2)
        if group[i] == group[j] >= 0
        and group.count(group[i]) <= cap
        and (source is None or source[i] != source[j])
        and (block is None or block[i] == block[j])
    ]
    assert found.keys.tolist() == expected
    assert found.n_capped == sum(group.count(value) > cap for value in set(group) - {-1})
