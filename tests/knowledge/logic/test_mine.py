import itertools

import pytest

from onoma.errors import DataError, SettingsError
from onoma.knowledge.facts import Facts
from onoma.knowledge.logic.mine import mine_rules
from reference.random_facts import random_facts, said


def slow_rules(facts, min_support, min_confidence):
    """Every body of one or two literals, counted pair by pair."""
    rows = set(zip(*(codes.tolist() for codes in facts.triples.columns), strict=True))
    m = len(facts.relations)
    ways = {}
    for k, turned in itertools.product(range(m), (False, True)):
        ways[k, turned] = {(o, s) if turned else (s, o) for s, j, o in rows if j == k}
    bodies = {(way,): pairs for way, pairs in ways.items()}
    for a, b in itertools.product(ways, ways):
        bodies[a, b] = {(x, y) for x, z in ways[a] for zz, y in ways[b] if z == zz}
    found = {}
    for body, pairs in bodies.items():
        for k in range(m):
            support = len(pairs & ways[k, False])
            if support >= min_support and support / (len(pairs) + 5) >= min_confidence and body != ((k, False),):
                found[body, k] = round(support / (len(pairs) + 5), 3)
    return found


def as_body(facts, rule):
    variables = ["X", "Y"] if len(rule.body) == 1 else ["X", "Z", "Y"]
    body = tuple(
        (facts.relations.index(each.relation), (each.subject, each.object) == (second, first))
        for each, first, second in zip(rule.body, variables[:-1], variables[1:], strict=True)
    )
    return body, facts.relations.index(rule.head.relation)


@pytest.mark.parametrize("seed", range(3))
def test_all_rules_are_found_and_counted_right(seed):
    facts = random_facts(seed, n_entities=8, n_relations=3, n_facts=60)
    found = mine_rules(facts, min_support=3, min_confidence=0.2)
    assert {as_body(facts, rule): rule.weight for rule in found} == pytest.approx(slow_rules(facts, 3, 0.2), abs=2e-3)
    assert len(found) > 5
    assert mine_rules(facts, min_support=3, min_confidence=0.2, limit=4) == found[:4]
    assert [rule.weight for rule in found] == sorted((rule.weight for rule in found), reverse=True)


def test_a_chain_is_found():
    rows = [(f"p{i}", "lives in", f"c{i % 4}") for i in range(24)]
    rows += [(f"c{i}", "in", f"land{i % 2}") for i in range(4)]
    rows += [(f"p{i}", "citizen of", f"land{i % 2}") for i in range(24)]
    rules = [str(rule) for rule in mine_rules(Facts.from_table(said(*rows)), min_confidence=0.8)]
    assert "0.828 :: lives in(X, Z) & in(Z, Y) => citizen of(X, Y)" in rules


def test_settings_and_emptiness_are_refused():
    facts = random_facts(0)
    with pytest.raises(SettingsError, match="min_support is 0"):
        mine_rules(facts, min_support=0)
    with pytest.raises(DataError, match="no facts"):
        mine_rules(facts.keep(facts.probability < 0))
