"""A proposal changes nothing until a person accepts it."""

import pytest

from onoma.errors import DataError
from onoma.kb.database import read_knowledge_base, write_knowledge_base
from onoma.kb.judge import Said
from onoma.kb.proposals import accept_proposal, list_proposals, propose, reject_proposal


def two_of_one_entity(kb):
    with read_knowledge_base(kb) as base:
        found = base.rows("SELECT min(id), max(id) FROM memberships GROUP BY entity HAVING count(*) > 1 ORDER BY 1")
    return found[0]


def members(base):
    return dict(base.rows("SELECT id, entity FROM memberships"))


def test_it_waits_and_is_accepted_once(kb):
    a, b = two_of_one_entity(kb)
    with write_knowledge_base(kb) as base:
        before = members(base)
        number = propose(base, Said("different", a, b), by="a program", why="other birth dates").number
        assert [each.as_dict() for each in list_proposals(base)] == [
            {"proposal": number, "kind": "different", "a": a, "b": b, "by": "a program", "why": "other birth dates"}
        ]
        assert members(base) == before
        kept, _ = accept_proposal(base, number, by="ada")
        assert kept[0].by == "ada" and members(base)[a] != members(base)[b]
        assert list_proposals(base) == []
        with pytest.raises(DataError, match=f"no proposal {number} waits"):
            accept_proposal(base, number)


def test_one_that_is_rejected_changes_nothing(kb):
    a, b = two_of_one_entity(kb)
    with write_knowledge_base(kb) as base:
        before = members(base)
        first, second = (propose(base, Said("different", a, b)).number for _ in range(2))
        assert reject_proposal(base, first).number == first
        assert [each.number for each in list_proposals(base)] == [second]
        assert members(base) == before and base.value("SELECT count(*) FROM judgements") == 0


def test_what_cannot_be_proposed(kb):
    a, _ = two_of_one_entity(kb)
    with write_knowledge_base(kb) as base:
        with pytest.raises(DataError, match="are one record"):
            propose(base, Said("same", a, a))
        with pytest.raises(DataError, match="nobody"):
            propose(base, Said("same", a, "nobody"))
    with read_knowledge_base(kb) as base:
        assert list_proposals(base) == []
