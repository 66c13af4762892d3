"""Copies are changed as matches differ."""

import numpy as np
import pyarrow as pa

from onoma.numerics.rng import stream
from onoma.resolve.check.copies import CHANGES, changes_of, copies
from onoma.resolve.check.values import Values
from onoma.resolve.fields.prepare import prepare_fields

NAMES = ["william", "w", "robert", "robert", "maria", None]
CITIES = ["rome", None, "oslo", "lima", "bonn", "bern"]


def values():
    fields = prepare_fields(pa.table({"given_name": NAMES, "city": CITIES})).fields
    return [Values(each, np.arange(len(NAMES)), stream(1, "copies")) for each in fields]


def told(values, codes):
    return [None if code < 0 else each.text(int(code)) for each, code in zip(values, codes, strict=True)]


def copy_of(row, *examples):
    each = values()
    codes = np.array([[value.field.codes[row] for value in each]], dtype=np.int64)
    pairs = [(np.array([one]), np.array([other])) for one, other in examples]
    return told(each, copies(each, codes, pairs)[0])


def test_a_name_becomes_an_initial_and_a_value_goes_as_in_the_example():
    assert copy_of(2, (0, 1)) == ["r", None]


def test_what_the_example_has_in_common_or_lacks_stays():
    assert copy_of(4, (2, 3))[0] == "maria", "both are Robert"
    assert copy_of(4, (5, 0))[0] == "maria", "one has no name, so nothing is known of how it changes"


def test_two_examples_are_two_changes():
    once, twice = copy_of(2, (0, 1)), copy_of(2, (2, 3), (0, 1))
    assert twice == once, "the first changes the city alone, which the second leaves out"


def test_what_is_missing_stays_missing():
    assert copy_of(5, (0, 1))[0] is None


def test_changes_are_named_by_how_copy_and_original_agree():
    levels = np.array([[0, 2, 1, -1, -1]], dtype=np.int8)
    there = np.array([[True, True, True, True, False]])
    found = changes_of(levels, np.full(5, 3), there)[0]
    assert [CHANGES[c] for c in found] == ["the same", "another value", "written otherwise", "left out", "the same"]
