"""One record against a knowledge base whose model draws for itself."""

import pytest

from onoma.errors import SettingsError
from onoma.kb.database import read_knowledge_base
from onoma.kb.lookup.snapshot import load_snapshot
from onoma.kb.own.find import find_own
from onoma.kb.world import record_table


def test_a_record_that_is_there_is_found_and_a_stranger_is_not(own):
    with read_knowledge_base(own) as base:
        snapshot = load_snapshot(base)
        rows = base.rows("SELECT record, entity FROM memberships WHERE probability > 0.99 ORDER BY record")
        number, entity = next((r, e) for r, e in rows if sum(e == other for _, other in rows) > 1)
        row = {name: value for name, value in record_table(base, [number]).to_pylist()[0].items() if value is not None}
        found = find_own(base, snapshot, row)
        assert found.best.entity == entity and found.best.probability > 0.9
        assert any(each.level == "equal" for each in found.best.reasons)
        stranger = find_own(base, snapshot, {"given_name": "Xquiv", "surname": "Zzyzx", "birth_date": "1801-02-03"})
        assert stranger.best is None and stranger.nil > 0.9
        with pytest.raises(SettingsError, match="most"):
            find_own(base, snapshot, row, most=0)
