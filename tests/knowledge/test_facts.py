import numpy as np
import pyarrow as pa
import pytest

from onoma.corpus.schema import FACTS
from onoma.errors import DataError
from onoma.knowledge.facts import Facts, Names, Triples
from reference.random_facts import random_facts, said


def test_a_table_comes_back_as_it_went_in():
    table = said(("b", "in", "c"), ("a", "likes", "b"), ("a", "in", "c"))
    again = Facts.from_table(table).table()
    assert again.schema == FACTS
    rows = {tuple(row.values())[:3] for row in again.to_pylist()}
    assert rows == {("b", "in", "c"), ("a", "likes", "b"), ("a", "in", "c")}


def test_a_fact_said_twice_is_one_with_the_larger_probability():
    table = said(("a", "in", "b"), ("a", "in", "c"), ("a", "in", "b"))
    facts = Facts.from_table(table.append_column("probability", pa.array([0.2, 1.0, 0.7])))
    assert facts.n_repeated == 1
    assert facts.probability.tolist() == [0.7, 1.0]


def test_missing_columns_and_wrong_probabilities_are_said():
    with pytest.raises(DataError, match="lacks the column 'object'"):
        Facts.from_table(said(("a", "b", "c")).drop_columns("object"))
    with pytest.raises(DataError, match="row 2: the probability is 2"):
        Facts.from_table(said(("a", "b", "c"), ("d", "b", "c")).append_column("probability", pa.array([1.0, 2.0])))


def test_given_names_must_hold_all():
    with pytest.raises(DataError, match="no entity 'c' among the 2 known"):
        Facts.from_table(said(("a", "in", "b"), ("a", "in", "c")), entities=Names(["a", "b"], "entity"))
    with pytest.raises(DataError, match="no relation 'in'"):
        Facts.from_table(said(("a", "in", "b")), relations=Names(["at"], "relation"))
    with pytest.raises(DataError, match="twice"):
        Names(["a", "a"], "entity").index("a")


def test_other_facts_are_coded_by_the_same_names():
    facts = Facts.from_table(said(("a", "in", "b"), ("c", "at", "b")))
    triples, known = facts.code(said(("c", "in", "a"), ("z", "in", "a"), ("a", "of", "b")))
    assert known.tolist() == [True, False, False]
    assert [codes.tolist() for codes in triples.columns] == [[facts.entities.index("c")], [0], [0]]


def test_what_is_put_aside_leaves_everything_known():
    facts = random_facts(3, n_entities=30, n_facts=200)
    rest, aside = facts.split(0.3, seed=5)
    assert len(rest) + len(aside) == len(facts)
    assert len(aside) == round(0.3 * len(facts))
    for codes in ("subjects", "objects"):
        there = np.concatenate([rest.triples.subjects, rest.triples.objects])
        assert np.isin(getattr(aside.triples, codes), there).all()
    assert np.isin(aside.triples.relations, rest.triples.relations).all()
    again = facts.split(0.3, seed=5)[1]
    np.testing.assert_array_equal(again.triples.subjects, aside.triples.subjects)


def test_slices_hold_every_fact_of_relations_that_have_any():
    facts = Facts.from_table(said(("a", "in", "b"), ("c", "in", "b")), relations=Names(["at", "in"], "relation"))
    ((k, X),) = facts.slices()
    assert k == 1
    assert X.toarray()[facts.entities.index("c"), facts.entities.index("b")] == 1.0
    assert X.sum() == 2.0


def test_triples_join_and_choose():
    one = Triples(np.array([1]), np.array([2]), np.array([3]))
    both = one.joined(one)
    assert len(both) == 2
    assert len(both.take(np.array([True, False]))) == 1


def test_names_that_are_unknown_come_with_similar_ones():
    names = Names(["new york city", "lyon"], "entity")
    with pytest.raises(DataError, match="Did you mean new york city"):
        names.index("york")
    with pytest.raises(DataError, match="None has a similar name"):
        names.index("xxxxxxx")
    assert names.take(np.array([1])).to_pylist() == ["lyon"]
