"""A record found without adding it."""

import hashlib

import pytest

from onoma.errors import SettingsError
from onoma.kb.database import read_knowledge_base
from onoma.kb.lookup.live import Live


def test_a_record_that_is_there_is_found_with_near_certainty(kb, rows_of):
    live = Live(kb)
    row = rows_of(3, 4)[0]
    found = live.find({name: value for name, value in row.items() if name != "id"})
    with read_knowledge_base(kb) as base:
        entity = base.value("SELECT entity FROM memberships WHERE id = ?", [row["id"]])
    assert found.best is not None and found.best.entity == entity
    assert found.best.probability > 0.95
    assert found.best.reasons[0].bits > 0
    assert "equal" in found.best.reason


def test_probabilities_and_nil_add_up(kb, rows_of):
    live = Live(kb)
    for row in rows_of(400, 420):
        found = live.find(row, most=50)
        total = found.nil + sum(each.probability for each in found.candidates)
        assert 0.98 <= total <= 1.0 + 1e-9


def test_nobody_is_nil(kb):
    found = Live(kb).find({"given_name": "Xyzzyq", "surname": "Qwrtzp"})
    assert found.best is None
    assert found.nil > 0.9


def test_finding_changes_nothing(kb, rows_of):
    before = hashlib.sha256(kb.read_bytes()).hexdigest()
    live = Live(kb)
    first = [live.find(row) for row in rows_of(400, 405)]
    again = [live.find(row) for row in rows_of(400, 405)]
    assert [each.as_dict() for each in first] == [each.as_dict() for each in again]
    assert hashlib.sha256(kb.read_bytes()).hexdigest() == before


@pytest.mark.parametrize("record", [{}, {"colour": "red"}, {"surname": None}])
def test_a_record_that_says_nothing_is_refused(kb, record):
    with pytest.raises(SettingsError, match="record"):
        Live(kb).find(record)


def test_a_value_that_is_an_object_is_refused(kb):
    with pytest.raises(SettingsError, match="'surname' is an object"):
        Live(kb).find({"surname": {"a": 1}, "city": "Leeds"})
