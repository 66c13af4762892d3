"""Names in each other's columns are found, and nothing else is taken for them."""

import itertools

import numpy as np
import pyarrow as pa
import pytest

from onoma.resolve.comparison.compare import compare_records, log_shares
from onoma.resolve.comparison.swaps import SAME_WORDS, mark_swaps
from onoma.resolve.fields.prepare import prepare_fields

PEOPLE = [
    ("Nicole", "Iannuzzi"),
    ("Iannuzzi", "Nicole"),  # swapped
    ("Iannuzzi", "Nicoel"),  # swapped, and one of the two misspelt
    ("Nicole", "Iannuzi"),  # a slip, in place
    ("Iannuzzi", "Steven"),  # only one of the two is there
    ("Steven", "Martinez"),
    ("Martinez", None),
]


@pytest.fixture(scope="module")
def people():
    given, surname = zip(*PEOPLE, strict=True)
    table = pa.table({"given_name": given, "surname": surname})
    fields = prepare_fields(table, kinds={"given_name": "person", "surname": "person"}).fields
    pairs = np.array(list(itertools.combinations(range(len(PEOPLE)), 2)), dtype=np.int32)
    a, b = (np.ascontiguousarray(side) for side in pairs.T)
    return fields, a, b


def test_swapped_names_are_the_same_words_in_both_columns(people):
    fields, a, b = people
    before = compare_records(fields, a, b)
    levels = before.copy()
    mark_swaps(fields, a, b, levels)
    changed = {(int(a[e]), int(b[e])) for e in np.flatnonzero((levels != before).any(axis=1))}
    assert changed == {(0, 1), (0, 2), (1, 3)}
    place = [field.levels.index(SAME_WORDS) for field in fields]
    for e in range(len(a)):
        if (int(a[e]), int(b[e])) in changed:
            assert levels[e].tolist() == place


def test_it_does_not_matter_which_record_comes_first(people):
    fields, a, b = people
    forth, back = compare_records(fields, a, b), compare_records(fields, b, a)
    mark_swaps(fields, a, b, forth)
    mark_swaps(fields, b, a, back)
    assert np.array_equal(forth, back)


def test_one_name_column_has_nothing_to_swap(people):
    fields, a, b = people
    levels = compare_records(fields[:1], a, b)
    before = levels.copy()
    mark_swaps(fields[:1], a, b, levels)
    assert np.array_equal(levels, before)


def test_a_bare_given_name_is_as_common_as_that_given_name():
    given = ["ann", "ann", "ann", "ann", "bob", "eve", "tom", "max"]
    surname = ["berg", "dahl", None, None, "falk", "gran", "holm", "berg"]
    full = [" ".join(filter(None, pair)) for pair in zip(given, surname, strict=True)]
    table = pa.table({"given": given, "surname": surname, "full": full})
    fields = prepare_fields(table, kinds=dict.fromkeys(table.column_names, "person")).fields
    place = {field.name: f for f, field in enumerate(fields)}
    a, b = np.array([2, 0], np.int32), np.array([3, 7], np.int32)
    shares = np.exp(log_shares(fields, a, compare_records(fields, a, b)))
    # Twice "ann" as a full name, four times as a given name; one and a half of those say nothing of strangers.
    assert shares[0, place["full"]] == pytest.approx(2.5 / 8)
    assert shares[0, place["given"]] == pytest.approx(2.5 / 8)
    assert shares[1, place["surname"]] == pytest.approx(0.5 / 6)
