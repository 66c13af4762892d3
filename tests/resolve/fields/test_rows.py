"""Rows: ids and sources, and what can be said before any is compared."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.errors import DataError, SettingsError
from onoma.resolve.fields.prepare import prepare_fields
from onoma.resolve.fields.rows import (
    check_known,
    encoded,
    identified,
    read_sources,
    says_nearly_the_same,
    says_the_same,
    silent_note,
    unambiguous,
)


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(DataError, match="two columns are called 'a'"):
        unambiguous(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]))


def test_what_is_left_out_must_be_there():
    table = pa.table({"a": [1]})
    check_known(table, ["a"])
    with pytest.raises(SettingsError, match="no column 'b' to exclude"):
        check_known(table, ["b"])


def test_sources_are_needed_for_linking_and_more_than_one():
    table = pa.table({"a": [1, 2], "from": ["x", "x"]})
    assert read_sources(table, None, link=False) == (None, None)
    with pytest.raises(SettingsError, match="linking needs to know where rows come from"):
        read_sources(table, None, link=True)
    with pytest.raises(DataError, match="all rows come from one source"):
        read_sources(table, "from", link=True)


def test_ids_are_unique_within_a_source():
    table = pa.table({"key": [1, 1], "from": ["x", "y"]})
    found, note = identified(table, "key", table["from"])
    assert found.column_names == ["id", "from"] and found["id"].to_pylist() == ["1", "1"]
    assert "within each source" in note
    twice = pa.table({"key": [1, 1], "from": ["x", "x"]})
    with pytest.raises(DataError, match="an id stands twice within one source"):
        identified(twice, "key", twice["from"])
    without = pa.table({"key": [1, None], "from": ["x", "x"]})
    with pytest.raises(DataError, match="a record has no id"):
        identified(without, "key", without["from"])


def test_a_missing_value_is_a_value_of_its_own():
    assert encoded(pa.table({"a": ["x", None, "x", None]}), "a").tolist() == [0, 1, 0, 1]
    with pytest.raises(SettingsError, match="there is no column 'b'"):
        encoded(pa.table({"a": [1]}), "b")


@pytest.mark.parametrize(
    ("columns", "same"),
    [
        ({"id": [1, 2], "a": ["x", "x"]}, True),
        ({"id": [1, 2], "a": ["x", "y"]}, False),
        ({"id": [1, 2], "a": ["n/a", "n/a"]}, False),
        ({"id": [1, 2], "a": [None, None]}, False),
    ],
)
def test_rows_that_all_say_the_same(columns, same):
    assert says_the_same(pa.table(columns), {"id"}) == same


def test_why_nothing_was_compared():
    notes = {silent_note(0, identical=False), silent_note(1, identical=False), silent_note(2, identical=True)}
    assert len(notes | {silent_note(2, identical=False)}) == 4


def slipped(rows, share, seed=3):
    """Return rows in which a share of the values have a letter replaced."""
    rng = np.random.default_rng(seed)

    def slip(value):
        at = int(rng.integers(len(value)))
        return f"{value[:at]}x{value[at + 1 :]}" if rng.random() < share else value

    columns = ("first", "last", "street", "city")
    return pa.table({name: [slip(row[i]) for row in rows] for i, name in enumerate(columns)})


def test_one_thing_written_with_slips_is_told_from_many_things():
    one = ("Katherine", "Montgomery", "17 Larch Street", "Springfield")
    assert says_nearly_the_same(prepare_fields(slipped([one] * 60, 0.3)).fields, seed=0)
    two = ("Leopold", "Montgomery", "17 Larch Street", "Springfield")
    assert not says_nearly_the_same(prepare_fields(slipped([one, two] * 30, 0.3)).fields, seed=0)
    assert not says_nearly_the_same(prepare_fields(slipped([one] * 4, 0.3)).fields, seed=0), "too few to say"
    days = {f"day {k}": [f"2021-{1 + row % 12:02}-{1 + (k + row) % 28:02}" for row in range(60)] for k in range(4)}
    assert not says_nearly_the_same(prepare_fields(pa.table(days)).fields, seed=0), "days of one year are alike"
