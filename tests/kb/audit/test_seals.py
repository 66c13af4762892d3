"""The chain of runs notices another hand, and names what it touched."""

import pytest

from onoma.errors import DataError
from onoma.kb.audit.seals import audit, seal_all
from onoma.kb.database import write_knowledge_base
from onoma.kb.update import update_knowledge_base


def tamper(path, sql):
    with write_knowledge_base(path) as base:
        base.change(sql)


def test_what_is_sealed_is_whole_and_lives_on(kb, crowd):
    with pytest.raises(DataError, match="no seals"):
        audit(kb)
    first = seal_all(kb)
    assert first.is_whole and first.is_sealed_whole
    update_knowledge_base(kb, tables=[crowd.slice(400, 3)])
    found = audit(kb)
    assert found.is_whole and not found.is_sealed_whole
    assert seal_all(kb).seal != first.seal


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("UPDATE runs SET command = 'another'", "run 1 is not as it was sealed"),
        ("DELETE FROM runs", "run 1, which was sealed, is gone"),
        ("UPDATE records SET surname = 'Smith' WHERE onoma_record = 7", "1 records are not as they came"),
        ("UPDATE memberships SET entity = 'e0' WHERE record = 9", "who is who"),
        ("UPDATE memberships SET probability = probability / 2 WHERE record = 9", "who is who"),
    ],
)
def test_another_hand_is_noticed_and_named(kb, sql, told):
    seal_all(kb)
    tamper(kb, sql)
    assert told in " ".join(audit(kb).faults)
