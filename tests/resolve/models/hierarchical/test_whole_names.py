"""Names in parts, and which of them are too rare for two people."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.resolve.fields.prepare import prepare_fields
from onoma.resolve.models.hierarchical.whole_names import (
    MOST_PEOPLE,
    NameColumn,
    given_and_family,
    name_scores,
    namesake_pairs,
    rare_names,
)


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


def test_pairs_of_namesakes_are_those_of_all_names_that_are_rare():
    rng = np.random.default_rng(3)
    names = {(f"Ann{int(rng.integers(0, 12))}", f"Meyer{int(x)}") for x in rng.zipf(1.6, 400) if x < 200}
    names |= {("A", "Meyer1"), ("B", "Meyer2")}
    given, family = (NameColumn.of_texts(pa.array(column)) for column in zip(*sorted(names), strict=True))
    whole = [name for name in names if len(name[0]) > 1]
    expected = 0.0
    for one in {name[0] for name in whole}:
        for other in {name[1] for name in names}:
            share = sum(name[0] == one for name in whole) / len(whole)
            rate = share * sum(name[1] == other for name in names)
            expected += rate**2 / 2 if rate < MOST_PEOPLE else 0.0
    assert 0.0 < expected == pytest.approx(namesake_pairs(given, family))
    nobody = NameColumn.of_texts(pa.array([None, None], pa.string()))
    assert namesake_pairs(nobody, nobody) == 0.0
