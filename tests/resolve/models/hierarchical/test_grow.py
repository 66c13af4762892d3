"""Which columns are names and which are words; trees over rows, and how sure each row is."""

import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.clustering import Clustering
from onoma.resolve.fields.prepare import prepare_fields
from onoma.resolve.models.hierarchical.grow import _shares, tree_columns
from onoma.resolve.models.hierarchical.whole_names import given_and_family


def fields_of(kinds, **columns):
    return prepare_fields(pa.table(columns), kinds=kinds).fields


def lists(parts):
    return tuple(part.to_pylist() for part in parts)


def test_names_are_given_and_family_in_columns_of_their_own_or_in_one():
    whole = fields_of({"name": "person"}, name=["Ann Mary Smith", "Bob Jones"])
    assert lists(given_and_family(whole)) == (["ann mary", "bob"], ["smith", "jones"])
    apart = fields_of({"surname": "person", "first": "person"}, surname=["Smith", "Jones"], first=["Ann", "Bob"])
    assert lists(given_and_family(apart)) == (["ann", "bob"], ["smith", "jones"])
    assert lists(given_and_family(apart, np.array([1]))) == (["bob"], ["jones"])
    assert lists(given_and_family([])) == ([], [])


def test_a_canopy_is_an_initial_and_a_family_name_or_a_block():
    people = fields_of({"name": "person", "x": "text"}, name=["Ann Smith", "A Smith", "Bob Smith"], x=["p q", "q", "r"])
    assert tree_columns(people).canopy.tolist() == [0, 0, 1]
    assert tree_columns(people, np.array([5, 7, 5], dtype=np.int32)).canopy.tolist() == [0, 1, 0]


def test_names_tell_nothing_where_each_has_a_canopy_but_much_where_many_share_one():
    chosen = ["Ann Smith"] * 30 + ["Bob Jones"] * 30
    assert tree_columns(fields_of({"name": "person"}, name=chosen)).names == []
    wangs = [f"J{a} Wang" for a in ("ian", "ike", "in", "ing") for _ in range(30)]
    assert len(tree_columns(fields_of({"name": "person"}, name=wangs)).names) == 2


def test_texts_are_bags_of_words_and_sets_of_elements():
    fields = fields_of(
        {"name": "person", "title": "text", "who": "set", "city": "category"},
        name=["Ann Smith", "Bob Jones"],
        title=["red car", "blue car"],
        who=["A. Lee; B. Wu", "C. Ng"],
        city=["New York", "Ely"],
    )
    bags = [set(bag.words.to_pylist()) for bag in tree_columns(fields).bags]
    assert bags == [{"red", "car", "blue"}, {"a lee", "b wu", "c ng"}, {"new york", "ely"}]
    assert list(tree_columns(fields).linking) == [False, True, False]


def test_a_row_is_as_sure_as_often_it_is_with_most_of_its_entity():
    clustering = Clustering.from_labels([0, 0, 0, 1])
    roots = np.array([[0, 0, 0, 3], [0, 0, 2, 3]], dtype=np.int32)
    assert _shares(clustering, roots).tolist() == [1.0, 1.0, 0.5, 1.0]


def test_trees_hold_every_row_once(few_trees, few_authors):
    ids = few_authors["id"].combine_chunks().cast(pa.string())
    tree = few_trees.tree(0, ids)

    def leaves(node):
        return [node.record] if node.record is not None else [leaf for child in node.children for leaf in leaves(child)]

    members = np.flatnonzero(few_trees.clustering.labels == few_trees.clustering.labels[0])
    assert sorted(leaves(tree)) == sorted(ids[int(i)].as_py() for i in members)
    assert tree.size == len(members)


def test_samples_are_clusterings(few_trees):
    assert all(np.array_equal(roots[roots], roots) for roots in few_trees.roots)
    assert few_trees.probability == pytest.approx(np.clip(few_trees.probability, 0, 1))
