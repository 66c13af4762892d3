import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.errors import DataError
from onoma.knowledge.facts import Names, Triples
from onoma.knowledge.logic.ground import ground, unroll
from onoma.knowledge.logic.rules import parse_rule
from reference.logic import instances

RELATIONS = Names(["a", "b", "c"], "relation")
BODIES = [
    "a(X, Y) => c(X, Y)",
    "a(X, Y) & b(Y, Z) => c(X, Z)",
    "a(X, Y) & b(Z, W) & b(Y, Z) => c(X, W)",
    "a(X, X) => c(X, X)",
]


def coded(facts):
    rows = np.array(facts, np.int64).reshape(-1, 3)
    return Triples(rows[:, 0], rows[:, 1], rows[:, 2])


@settings(max_examples=40)
@given(
    st.sampled_from(BODIES), st.sets(st.tuples(st.integers(0, 3), st.integers(0, 1), st.integers(0, 3)), max_size=14)
)
def test_instances_are_all_ways_to_fill_the_body(text, facts):
    rule = parse_rule(text)
    found = ground([rule], coded(sorted(facts)), RELATIONS, rounds=1)[0]
    body = [(RELATIONS.index(each.relation), each.subject, each.object) for each in rule.body]
    expected = instances(body, facts, range(4))
    ours = set()
    for row in range(len(found)):
        bound = {}
        for at, each in enumerate(rule.literals):
            bound |= {each.subject: int(found.subjects[row, at]), each.object: int(found.objects[row, at])}
        ours.add(tuple(sorted(bound.items())))
    assert ours == expected
    assert len(found) == len(expected)


def test_chains_are_followed_round_by_round():
    rules = [parse_rule("a => b"), parse_rule("b => c")]
    known = coded([(0, 0, 1)])
    assert [len(each) for each in ground(rules, known, RELATIONS, rounds=1)] == [1, 0]
    assert [len(each) for each in ground(rules, known, RELATIONS, rounds=2)] == [1, 1]


def test_a_fact_is_no_reason_for_itself():
    symmetric = [parse_rule("a(X, Y) => a(Y, X)")]
    assert len(ground(symmetric, coded([(0, 0, 0), (0, 0, 1)]), RELATIONS, rounds=1)[0]) == 1


def test_negated_literals_bind_nothing():
    found = ground([parse_rule("a(X, Y) & not b(X, Y) => c(X, Y)")], coded([(0, 0, 1), (0, 1, 1)]), RELATIONS)[0]
    assert found.subjects.tolist() == [[0, 0, 0]]


def test_unrolling_needs_rules_on_one_pair():
    found = unroll([parse_rule("a => b")], np.array([0, 2]), np.array([1, 3]), RELATIONS)[0]
    assert found.subjects.tolist() == [[0, 0], [2, 2]]
    with pytest.raises(DataError, match="more than one pair"):
        unroll([parse_rule("a(X, Y) => b(Y, X)")], np.array([0]), np.array([1]), RELATIONS)


def test_unknown_relations_are_named():
    with pytest.raises(DataError, match="no relation 'd'"):
        ground([parse_rule("d => a")], coded([(0, 0, 1)]), RELATIONS)
