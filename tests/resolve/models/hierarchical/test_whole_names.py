"""Names in parts, and which of them are too rare for two people."""

import numpy as np
import pyarrow as pa

from onoma.resolve.fields.prepare import prepare_fields
from onoma.resolve.models.hierarchical.whole_names import NameColumn, given_and_family, name_scores, rare_names


def lists(parts):
    return tuple(part.to_pylist() for part in parts)


def test_distinct_names_are_numbered_and_blank_ones_missing():
    names = NameColumn.of_texts(pa.array(["ann", "", None, "bo", "ann"]))
    assert names.codes.tolist() == [0, -1, -1, 1, 0]
    assert names.forms.to_pylist() == ["ann", "bo"]
    assert names.take(np.array([3, 4])).codes.tolist() == [1, 0]


def test_columns_of_their_own_are_told_by_their_names():
    table = pa.table({"surname": ["Lee", "Ek", "Lee"], "first_name": ["Ann", "Bo", "Cy"]})
    people = prepare_fields(table, kinds={"surname": "person", "first_name": "person"}).fields
    assert lists(given_and_family(people)) == (["ann", "bo", "cy"], ["lee", "ek", "lee"])
    assert lists(given_and_family(people, np.array([2]))) == (["cy"], ["lee"])
    assert lists(given_and_family([])) == ([], [])


def test_a_rare_name_that_comes_twice_is_one_person():
    given = NameColumn.of_texts(pa.array(["zora", "zora", *["john"] * 60, *["mary"] * 60]))
    family = NameColumn.of_texts(pa.array(["quist", "quist", *[f"f{i}" for i in range(60)] * 2]))
    scores = name_scores(given, family)
    assert scores[0][0] < scores[0][1]  # fewer are called Zora than John
    labels = rare_names(given, family, scores)
    assert labels[0] == labels[1] >= 0
    assert (labels[2:] == -1).all()
