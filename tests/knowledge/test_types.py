import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onoma.errors import DataError
from onoma.knowledge.facts import Facts, Triples
from onoma.knowledge.types import Fit, Signatures, Types
from reference.random_facts import random_facts, random_types, said, typed


@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_blocks_allow_exactly_what_types_and_signatures_allow(seed):
    facts = random_facts(seed)
    types, signatures, fit = random_types(seed, facts)
    member = types.member.toarray() > 0
    for k in range(len(facts.relations)):
        for i in range(len(facts.entities)):
            for side, allowed in ((fit.subjects, signatures.subjects), (fit.objects, signatures.objects)):
                wanted = (member[i] & allowed[k]).any() or not member[i].any()
                assert side[k, fit.block[i]] == wanted
    assert len({fit.subjects[:, b].tobytes() + fit.objects[:, b].tobytes() for b in range(len(fit.sizes))}) == len(
        fit.sizes
    )
    assert fit.sizes.sum() == len(facts.entities)


def test_induced_signatures_allow_every_known_fact_and_no_type_never_seen():
    facts = Facts.from_table(said(("lyon", "in", "france"), ("rhone", "in", "france"), ("ada", "likes", "lyon")))
    types = Types.from_table(
        typed([("lyon", "city"), ("rhone", "river"), ("france", "country"), ("ada", "person")]), facts.entities
    )
    signatures = Signatures.induced(facts, types)
    fit = Fit.of(types, signatures)
    assert fit.allows(facts.triples).all()
    allowed = [types.names[t] for t in np.flatnonzero(signatures.subjects[facts.relations.index("in")])]
    assert sorted(allowed) == ["city", "river"]
    ada, inside = facts.entities.index("ada"), facts.relations.index("in")
    assert not fit.allows(
        Triples(np.array([ada]), np.array([inside]), np.array([facts.entities.index("france")]))
    ).any()
    assert fit.share_allowed() == pytest.approx((2 * 1 + 1 * 1) / (2 * 16))


def test_types_above_count_too():
    facts = Facts.from_table(said(("lyon", "in", "france")))
    table = typed([("lyon", "city"), ("france", "country"), ("mars", "planet")])
    types = Types.from_table(table, facts.entities, above={"city": {"place"}, "country": {"place"}})
    assert sorted(types.names) == ["city", "country", "place"]
    given_ = pa.table({"relation": ["in"], "domain": ["place"], "range": ["place"]})
    assert Fit.of(types, Signatures.from_table(given_, facts.relations, types)).share_allowed() == 1.0


def test_relations_that_the_signatures_do_not_name_allow_everything():
    facts = random_facts(1)
    types, _, _ = random_types(1, facts)
    table = pa.table({"relation": ["r0", "r0", "other"], "domain": ["t0", "t1", "t0"], "range": ["t2", "ghost", "t0"]})
    signatures = Signatures.from_table(table, facts.relations, types)
    assert signatures.subjects[1:].all()
    assert sorted(types.names[t] for t in np.flatnonzero(signatures.subjects[0])) == ["t0", "t1"]
    assert [types.names[t] for t in np.flatnonzero(signatures.objects[0])] == ["t2"]


def test_a_type_said_twice_is_one_and_unknown_types_are_refused():
    facts = Facts.from_table(said(("a", "in", "b")))
    types = Types.from_table(typed([("a", "x"), ("a", "x")]), facts.entities)
    assert types.member.toarray().tolist() == [[1.0], [0.0]]
    with pytest.raises(DataError, match="no type 'y'"):
        types.row_of(["y"])
    with pytest.raises(DataError, match="signatures are of 2 types, not 1"):
        Fit.of(types, Signatures(np.ones((1, 2), np.bool_), np.ones((1, 2), np.bool_)))
